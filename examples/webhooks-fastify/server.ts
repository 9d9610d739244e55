// A webhook receiver in a Fastify app, with Fastify's own body parser.
// Start it with: WORKSPACE_SECRET=… PORT=3000 npx tsx examples/webhooks-fastify/server.ts
import { fileURLToPath } from 'node:url';
import { createWebhookReceiver } from 'agent-platform-sdk';
import Fastify from 'fastify';

export const receiver = createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' })
  .on('lead_captured', (event) => console.log(`lead: ${event.payload.leadEmail}`))
  .on('conversation_updated', (event) => console.log(`turns: ${event.payload.turns.length}`))
  .onError((error, { event, stage }) => console.error(event?.type, stage, error));

export const app = Fastify({
  // The parser refuses an event with a field named `__proto__`, which end users can send. The receiver can handle it.
  onProtoPoisoning: 'ignore',
  onConstructorPoisoning: 'ignore',
});

// The parser's own limit is 1 MB: raised to the receiver's.
app.post('/webhooks', { bodyLimit: 8 * 1024 * 1024 }, async (request, reply) => {
  const { status, headers, body } = await receiver.handle(request);
  return reply.code(status).headers(headers).send(body);
});

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await app.listen({ port: Number(process.env.PORT ?? 3000) });
}

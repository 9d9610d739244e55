// A webhook receiver in a Fastify app.
// Start it with: AGENT_PLATFORM_WEBHOOK_SECRET=… PORT=3000 npx tsx examples/fastify/server.ts
import { createWebhookReceiver, drain } from 'agent-platform-sdk';
import Fastify from 'fastify';

const receiver = createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET })
  .on('lead_captured', ({ payload }) => console.log(`lead: ${payload.leadEmail}`))
  .on('conversation_updated', ({ payload }) => console.log(`turns: ${payload.turns.length}`))
  .onError((error, { event, stage }) => console.error(event?.type, stage, error));

// Its `keepAliveTimeout` is 72 seconds, longer than that of most load balancers.
const app = Fastify();

// The receiver reads the body itself, up to its own limit, and parses only what is authentic. Parsers are
// removed in this plugin only.
app.register(async (webhooks) => {
  webhooks.removeAllContentTypeParsers();
  webhooks.addContentTypeParser('*', (_request, _body, done) => done(null));
  webhooks.post('/webhooks', async (request, reply) => {
    reply.hijack();
    await receiver.node(request.raw, reply.raw);
  });
});

// One address, because `drain` ends one server: without `host`, Fastify opens one for each address of localhost.
await app.listen({ port: Number(process.env.PORT ?? 3000), host: '0.0.0.0' });

// Finishes the deliveries in progress first: the service doesn't retry (6.4). They take at most the receiver's
// `deadline`, because the handlers run before the 200.
process.once('SIGTERM', () => drain(app.server, { timeout: 55_000 }).then(() => app.close()));

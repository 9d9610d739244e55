// A webhook receiver in a Hono app, served by Node; Bun, Deno and Workers serve what it exports.
// Start it with: WORKSPACE_SECRET=… PORT=3000 npx tsx examples/webhooks-hono/server.ts
import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { createWebhookReceiver } from 'agent-platform-sdk';
import { Hono } from 'hono';

export const receiver = createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' })
  .on('lead_captured', (event) => console.log(`lead: ${event.payload.leadEmail}`))
  .on('conversation_updated', (event) => console.log(`turns: ${event.payload.turns.length}`))
  .onError((error, { event, stage }) => console.error(event?.type, stage, error));

export const app = new Hono();

// `raw` is the untouched Request: no body parser stands in front.
app.post('/webhooks', (context) => receiver.fetch(context.req.raw));

export default app;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) });
}

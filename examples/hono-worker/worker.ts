// A webhook receiver in a Hono app on Cloudflare Workers.
// Start it with: npx wrangler dev examples/hono-worker/worker.ts --var AGENT_PLATFORM_WEBHOOK_SECRET:…
import { createWebhookReceiver, type WebhookReceiver } from 'agent-platform-sdk';
import { Hono } from 'hono';

interface Bindings {
  readonly AGENT_PLATFORM_WEBHOOK_SECRET: string;
}

const app = new Hono<{ Bindings: Bindings }>();

// A Worker gets its secrets with each request, so the first request creates the receiver. Each isolate
// recognises only its own duplicates; pass `dedupe: { store }` to recognise them everywhere.
let receiver: WebhookReceiver | undefined;

app.post('/webhooks', (context) => {
  receiver ??= createReceiver(context.env);
  // The original Request, whose body nothing has read.
  return receiver.fetch(context.req.raw);
});

function createReceiver({ AGENT_PLATFORM_WEBHOOK_SECRET }: Bindings): WebhookReceiver {
  return createWebhookReceiver({ secret: AGENT_PLATFORM_WEBHOOK_SECRET })
    .on('lead_captured', ({ payload }) => console.log(`lead: ${payload.leadEmail}`))
    .on('conversation_updated', ({ payload }) => console.log(`turns: ${payload.turns.length}`))
    .onError((error, { event, stage }) => console.error(event?.type, stage, error));
}

export default app;

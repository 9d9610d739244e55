// A Worker that stores webhooks in a queue before the 200, and handles them as the queue's consumer.
// Start it with: npx wrangler dev --config examples/cloudflare-queues/wrangler.jsonc
import { createWebhookHandlers, createWebhookReceiver, type WebhookReceiver } from 'agent-platform-sdk';
import { type Batch, type Bindings, consume, createQueueInbox } from './queue.js';

interface Environment extends Bindings {
  readonly AGENT_PLATFORM_WEBHOOK_SECRET: string;
}

// An event may be handled twice: use `eventKey` for rows and idempotency keys.
const handlers = createWebhookHandlers()
  .on('lead_captured', ({ payload }, { eventKey }) => console.log(`lead: ${payload.leadEmail}`, eventKey))
  .on('conversation_updated', ({ payload }) => console.log(`turns: ${payload.turns.length}`));

// A Worker gets its bindings with each request, so the first request creates the receiver.
let receiver: WebhookReceiver | undefined;

export default {
  fetch(request: Request, environment: Environment): Promise<Response> {
    receiver ??= createWebhookReceiver({
      secret: environment.AGENT_PLATFORM_WEBHOOK_SECRET,
      inbox: createQueueInbox(environment),
    }).onError((error, { stage }) => console.error(stage, error));
    return receiver.fetch(request);
  },
  queue(batch: Batch, environment: Environment): Promise<void> {
    return consume(batch, environment, (stored, options) => handlers.process(stored, options));
  },
};

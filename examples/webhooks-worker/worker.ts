// A webhook receiver in a Cloudflare Worker.
// Start it with: npx wrangler dev examples/webhooks-worker/worker.ts --var WORKSPACE_SECRET:…
import { createWebhookReceiver, type WebhookReceiver } from 'agent-platform-sdk';

interface Environment {
  readonly WORKSPACE_SECRET: string;
}

// A Worker gets its secrets with the first request. Duplicates are recognised within one isolate; pass
// `dedupe: { store }` with a store of your own to recognise them everywhere.
let receiver: WebhookReceiver | undefined;

function createReceiver({ WORKSPACE_SECRET }: Environment): WebhookReceiver {
  return createWebhookReceiver({ secret: WORKSPACE_SECRET })
    .on('lead_captured', (event) => console.log(`lead: ${event.payload.leadEmail}`))
    .on('conversation_updated', (event) => console.log(`turns: ${event.payload.turns.length}`))
    .onError((error, { event, stage }) => console.error(event?.type, stage, error));
}

export default {
  fetch(request: Request, environment: Environment): Promise<Response> {
    receiver ??= createReceiver(environment);
    return receiver.fetch(request);
  },
};

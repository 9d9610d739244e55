// A webhook receiver in Next: save it as app/webhooks/route.ts.
import { createWebhookReceiver } from 'agent-platform-sdk';

const receiver = createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' })
  .on('lead_captured', (event) => console.log(`lead: ${event.payload.leadEmail}`))
  .on('conversation_updated', (event) => console.log(`turns: ${event.payload.turns.length}`))
  .onError((error, { event, stage }) => console.error(event.type, stage, error));

export const POST = receiver.fetch;

// A webhook receiver in AWS Lambda without a queue: it responds when the handlers have succeeded.
// Bundle it with: npx esbuild examples/lambda/handler.ts --bundle --platform=node --format=esm --outfile=index.mjs
import { createWebhookReceiver } from 'agent-platform-sdk';
import { type HttpEvent, handleEvent } from './http-event.js';

// The deadline is below the function's own timeout and API Gateway's 30 seconds, so that a slow handler is
// reported to `onError`. Each instance recognises only its own duplicates; `dedupe: { store }` shares them.
const receiver = createWebhookReceiver({
  secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET,
  deadline: 25_000,
})
  .on('lead_captured', ({ payload }) => console.log(`lead: ${payload.leadEmail}`))
  .on('conversation_updated', ({ payload }) => console.log(`turns: ${payload.turns.length}`))
  .onError((error, { event, stage }) => console.error(event?.type, stage, error));

export const handler = (event: HttpEvent) => handleEvent(receiver, event);

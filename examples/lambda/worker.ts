// The worker in AWS Lambda: SQS invokes it with the events that the receiver has stored.
// Bundle it with: npx esbuild examples/lambda/worker.ts --bundle --platform=node --format=cjs --outfile=index.js
import { createWebhookHandlers } from 'agent-platform-sdk';
import { createConsumer } from './queue.js';

// An event may be handled twice: use `eventKey` for rows and idempotency keys.
const handlers = createWebhookHandlers()
  .on('lead_captured', ({ payload }, { eventKey }) => console.log(`lead: ${payload.leadEmail}`, eventKey))
  .on('conversation_updated', ({ payload }) => console.log(`turns: ${payload.turns.length}`));

export const handler = createConsumer(
  (stored, options) => handlers.process(stored, options),
  process.env.DEAD_LETTERS_URL ?? '',
);

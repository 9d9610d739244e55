// The worker of a durable inbox. Start as many as you need, on as many machines as you like; stop them at any time.
// Start it with: REDIS_URL=redis://… npx tsx examples/bullmq-inbox/worker.ts
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';

const inbox = createBullMQInbox({
  connection: process.env.REDIS_URL ?? 'redis://localhost:6379',
  // The same as the receiver's.
  queueName: 'crm-webhooks',
  hooks: {
    onDeadLetter: ({ type, key, error }) => console.error(`dead letter: ${type} ${key}`, error),
  },
});

// No secret here: what is in the inbox was verified before it was stored. Handlers must be idempotent: when a worker dies inside
// one, the event is handled again.
inbox.work(
  {
    lead_captured: ({ payload }) => console.log(`lead: ${payload.leadEmail}`),
    conversation_updated: ({ payload }) => console.log(`turns: ${payload.turns.length}`),
  },
  { concurrency: 20 },
);
console.log('working');

// Finishes what is being processed within 25 seconds, or returns it to the queue, with an attempt less.
process.on('SIGTERM', () => void inbox.close());

// The worker of a durable inbox. Start as many as you need, on any machine; stop them at any time.
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

// Needs no secret: events were verified before they were stored. Handlers must be idempotent: if a worker
// dies inside one, the event is handled again.
inbox.work(
  {
    lead_captured: ({ payload }) => console.log(`lead: ${payload.leadEmail}`),
    conversation_updated: ({ payload }) => console.log(`turns: ${payload.turns.length}`),
  },
  { concurrency: 20 },
);
console.log('working');

// Gives running handlers 25 seconds to finish, then returns their events to the queue.
process.on('SIGTERM', () => void inbox.close());

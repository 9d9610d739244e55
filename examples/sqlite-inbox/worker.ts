// The worker of an inbox in a file. Start as many as you need on the same machine; stop them at any time.
// Start it with: INBOX=/data/webhooks.db node examples/sqlite-inbox/worker.ts
import { createSqliteInbox } from 'agent-platform-sdk/sqlite';

const inbox = createSqliteInbox({
  // The same as the receiver's.
  path: process.env.INBOX ?? 'webhooks.db',
  hooks: {
    onDeadLetter: ({ type, key, error }) => console.error(`dead letter: ${type} ${key}`, error),
  },
});

// No secret here: events were verified before they were stored. Handlers must be idempotent: if a worker dies inside
// one, the event is handled again.
inbox.work(
  {
    lead_captured: ({ payload }) => console.log(`lead: ${payload.leadEmail}`),
    conversation_updated: ({ payload }) => console.log(`turns: ${payload.turns.length}`),
  },
  { concurrency: 20 },
);
console.log('working');

// Gives running handlers 25 seconds, then returns their events to the queue.
process.on('SIGTERM', () => void inbox.close());

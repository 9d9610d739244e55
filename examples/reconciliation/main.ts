// Receives webhooks, and reads the conversations of which no update has come for ten minutes (QUIET_MS).
// Start it with: DATABASE_URL=postgres://… PORT=3000 npx tsx --env-file=.env examples/reconciliation/main.ts
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentPlatform, createWebhookReceiver } from 'agent-platform-sdk';
import { Pool } from 'pg';
import { type Copy, followConversations, reconcile } from './reconcile.js';
import { openStore } from './store.js';

const quiet = Number(process.env.QUIET_MS ?? 600_000);
const pool = new Pool({ connectionString: process.env.DATABASE_URL });
const store = await openStore(pool, quiet);

// Your CRM or your data warehouse.
const copy: Copy = {
  update: async ({ convoId, turns }) => console.log(`${convoId}: ${turns.length} turns`),
  replace: async ({ convoId }, conversation) =>
    console.log(`${convoId}: ${conversation ? `read, ${conversation.messagesNum} messages` : 'gone'}`),
};

const receiver = createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' }).onError(
  (error, { event, stage }) => console.error(event?.type, stage, error),
);
followConversations(receiver, store, copy);
const server = createServer(receiver.node).listen(Number(process.env.PORT ?? 3000), () =>
  console.log('receiving'),
);

// Deliveries and a round that are under way come to their end first.
const stopping = new AbortController();
process.on('SIGTERM', () => server.close(() => stopping.abort()));

const platform = new AgentPlatform();
while (!stopping.signal.aborted) {
  await reconcile(platform, store, copy).catch((error: unknown) => console.error('no round:', error));
  await sleep(quiet / 10, undefined, { signal: stopping.signal }).catch(() => undefined);
}
await pool.end();

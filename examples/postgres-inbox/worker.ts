// The worker of an inbox on Postgres. Start as many as you need; stop them at any time.
// Start it with: DATABASE_URL=postgres://… npx tsx examples/postgres-inbox/worker.ts
import { createWebhookHandlers } from 'agent-platform-sdk';
import { Pool } from 'pg';
import { createPostgresInbox, transaction } from './inbox.js';

// One connection for each event that is processed at once, and some for the queue.
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
await pool.query('CREATE TABLE IF NOT EXISTS leads (id bigserial PRIMARY KEY, name text, email text)');
const inbox = await createPostgresInbox(pool);

// Needs no secret: events were verified before they were stored.
const handlers = createWebhookHandlers().on('lead_captured', async ({ payload }) => {
  // Committed together with the completion of the event: written exactly once, even if this worker is killed.
  await transaction().query('INSERT INTO leads (name, email) VALUES ($1, $2)', [
    payload.leadName,
    payload.leadEmail,
  ]);
  console.log(`lead: ${payload.leadEmail}`);
});
const stop = inbox.work((stored, options) => handlers.process(stored, options));
console.log('working');

process.on('SIGTERM', async () => {
  await stop();
  await inbox.close();
  await pool.end();
});

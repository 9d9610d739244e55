// The worker of an inbox in Postgres, with postgres.js. The receiver is that of ../postgres-inbox.
// Start it on Node 24 with: DATABASE_URL=postgres://… node worker.ts
import { createPostgresInbox } from 'agent-platform-sdk/postgres';
import postgres from 'postgres';

const connectionString = process.env.DATABASE_URL ?? 'postgres://localhost/app';
const sql = postgres(connectionString);
// The inbox has connections of its own, with the package pg.
const inbox = createPostgresInbox({ connectionString });

inbox.work({
  lead_captured: ({ payload }, { eventKey }) =>
    sql.begin(async (tx) => {
      await tx`INSERT INTO leads (name, email) VALUES (${payload.leadName ?? null}, ${payload.leadEmail ?? null})`;
      // Last: it ends the event, or rolls all of this back if another run has it.
      await tx.unsafe(inbox.completion(eventKey).text);
    }),
});
console.log('working');

process.once('SIGTERM', () => inbox.close().then(() => sql.end()));

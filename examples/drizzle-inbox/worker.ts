// The worker of an inbox in Postgres, with Drizzle. The receiver is that of ../postgres-inbox.
// Start it on Node 24 with: DATABASE_URL=postgres://… node worker.ts
import { createPostgresInbox } from 'agent-platform-sdk/postgres';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { bigint, pgTable, text } from 'drizzle-orm/pg-core';
import { Pool } from 'pg';

const leads = pgTable('leads', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  name: text(),
  email: text(),
});

const pool = new Pool({ connectionString: process.env.DATABASE_URL });
pool.on('error', (error) => console.error('an idle connection broke', error.message));
const db = drizzle({ client: pool });
const inbox = createPostgresInbox({ pool });

inbox.work({
  lead_captured: ({ payload }, { eventKey }) =>
    db.transaction(async (tx) => {
      await tx.insert(leads).values({ name: payload.leadName, email: payload.leadEmail });
      // Last: it ends the event, or rolls all of this back if another run has it.
      await tx.execute(sql.raw(inbox.completion(eventKey).text));
    }),
});
console.log('working');

process.once('SIGTERM', () => inbox.close().then(() => pool.end()));

// The worker of an inbox in Postgres. Start as many as you need, on any machine; stop them at any time.
// Start it with: DATABASE_URL=postgres://… npx tsx examples/postgres-inbox/worker.ts
import { createPostgresInbox } from 'agent-platform-sdk/postgres';
import { Pool } from 'pg';

// The pool of your application. The inbox takes connections from it for `transaction` alone.
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
pool.on('error', (error) => console.error('an idle connection broke', error.message));
const inbox = createPostgresInbox({ pool });

// Needs no secret: events were verified before they were stored.
inbox.work({
  lead_captured: async ({ payload }, { eventKey }) => {
    const { leadName, leadEmail } = payload;
    // The row and the end of the event are one transaction: written exactly once, even if this worker is killed.
    await inbox.transaction(eventKey, (client) =>
      client.query('INSERT INTO leads (name, email) VALUES ($1, $2)', [leadName, leadEmail]),
    );
    console.log(`lead: ${leadEmail}`);
  },
});
console.log('working');

process.once('SIGTERM', () => inbox.close().then(() => pool.end()));

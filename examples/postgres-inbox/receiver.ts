// The receiving side of an inbox on Postgres: verify, store, respond.
// Start it with: AGENT_PLATFORM_WEBHOOK_SECRET=… DATABASE_URL=postgres://… PORT=3000 npx tsx examples/postgres-inbox/receiver.ts
import { createServer } from 'node:http';
import { createWebhookReceiver } from 'agent-platform-sdk';
import { Pool } from 'pg';
import { createPostgresInbox } from './inbox.js';

const pool = new Pool({ connectionString: process.env.DATABASE_URL });
const inbox = await createPostgresInbox(pool);
const receiver = createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET, inbox }).onError(
  (error, { event, stage }) => console.error(event?.type, stage, error),
);
const server = createServer(receiver.node).listen(Number(process.env.PORT ?? 3000), () =>
  console.log('receiving'),
);

process.on('SIGTERM', () => {
  // The deliveries in progress must finish first: the service does not retry automatically (6.4).
  server.close(async () => {
    await inbox.close();
    await pool.end();
  });
  // `close` waits for open connections: each ends after its next response, or once it is idle.
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
  setInterval(() => server.closeIdleConnections(), 500).unref();
});

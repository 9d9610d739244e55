// The receiving side of an inbox on Postgres: verify, store, respond.
// Start it with: AGENT_PLATFORM_WEBHOOK_SECRET=… DATABASE_URL=postgres://… PORT=3000 npx tsx examples/postgres-inbox/receiver.ts
import { createServer } from 'node:http';
import { createWebhookReceiver, drain } from 'agent-platform-sdk';
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
server.keepAliveTimeout = 65_000; // longer than that of the load balancer in front

// Finishes the deliveries in progress first: the service doesn't retry (6.4).
process.once('SIGTERM', () => drain(server, { inbox }).then(() => pool.end()));

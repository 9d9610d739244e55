// The receiving side of an inbox in Postgres: verify, store, respond. Run any number of these behind a load balancer.
// Start it with: AGENT_PLATFORM_WEBHOOK_SECRET=… DATABASE_URL=postgres://… PORT=3000 npx tsx examples/postgres-inbox/receiver.ts
import { createServer } from 'node:http';
import { createWebhookReceiver, drain } from 'agent-platform-sdk';
import { createPostgresInbox } from 'agent-platform-sdk/postgres';

const inbox = createPostgresInbox({ connectionString: process.env.DATABASE_URL });
const receiver = createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET, inbox }).onError(
  (error, { event, stage }) => console.error(event?.type, stage, error),
);
const server = createServer(async (request, response) => {
  if (request.url !== '/ready') return receiver.node(request, response);
  // For the load balancer: without Postgres, no event can be stored.
  const health = await inbox.health();
  response.writeHead(health.ready ? 200 : 503).end(JSON.stringify(health));
});
server.listen(Number(process.env.PORT ?? 3000), () => console.log('receiving'));
server.keepAliveTimeout = 65_000; // longer than that of the load balancer in front

// Finishes the deliveries in progress first: the service doesn't retry (6.4).
process.once('SIGTERM', () => drain(server, { inbox }));

// The receiving side of an inbox in a file: verify, store, respond. The handlers run in worker.ts, on the same machine.
// Start it with: AGENT_PLATFORM_WEBHOOK_SECRET=… INBOX=/data/webhooks.db PORT=3000 node examples/sqlite-inbox/receiver.ts
import { createServer } from 'node:http';
import { createWebhookReceiver, drain } from 'agent-platform-sdk';
import { createSqliteInbox } from 'agent-platform-sdk/sqlite';

const inbox = createSqliteInbox({ path: process.env.INBOX ?? 'webhooks.db' });
const receiver = createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET, inbox }).onError(
  (error, { event, stage }) => console.error(event?.type, stage, error),
);

const server = createServer((request, response) => {
  if (request.url !== '/ready') return receiver.node(request, response);
  // For a health check: on a full disk, nothing can be stored.
  void inbox.health().then((health) => {
    response.writeHead(health.ready ? 200 : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify(health));
  });
});
server.listen(Number(process.env.PORT ?? 3000), () => console.log('receiving'));
server.keepAliveTimeout = 65_000; // longer than that of the load balancer in front

// Finishes the deliveries in progress first: the service doesn't retry (6.4).
process.once('SIGTERM', () => drain(server, { inbox }));

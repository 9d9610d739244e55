// The receiving side of an inbox in a file: verify, store, respond. The handlers run in worker.ts, on the same machine.
// Start it with: AGENT_PLATFORM_WEBHOOK_SECRET=… INBOX=/data/webhooks.db PORT=3000 node examples/sqlite-inbox/receiver.ts
import { createServer } from 'node:http';
import { createWebhookReceiver } from 'agent-platform-sdk';
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

process.on('SIGTERM', () => {
  // The deliveries in progress must finish first: the service does not retry automatically (6.4).
  server.close(() => void inbox.close());
  // `close` waits for open connections: each ends after its next response, or once it is idle.
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
  setInterval(() => server.closeIdleConnections(), 500).unref();
});

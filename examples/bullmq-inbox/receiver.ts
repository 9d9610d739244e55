// The receiving side of a durable inbox, in an Express app: verify, store, respond. Run any number of these
// behind a load balancer; the handlers run in worker.ts.
// Start it with: AGENT_PLATFORM_WEBHOOK_SECRET=… REDIS_URL=redis://… PORT=3000 npx tsx examples/bullmq-inbox/receiver.ts
import { createWebhookReceiver, drain } from 'agent-platform-sdk';
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
import express from 'express';

const inbox = createBullMQInbox({
  connection: process.env.REDIS_URL ?? 'redis://localhost:6379',
  queueName: 'crm-webhooks',
});
const receiver = createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET, inbox }).onError(
  (error, { event, stage }) => console.error(event?.type, stage, error),
);

const app = express();
app.post('/webhooks', receiver.node);

// For the load balancer: without Redis, no event can be stored.
app.get('/ready', async (_request, response) => {
  const health = await inbox.health();
  response.status(health.ready ? 200 : 503).json(health);
});

const server = app.listen(Number(process.env.PORT ?? 3000), () => console.log('receiving'));
server.keepAliveTimeout = 65_000; // longer than that of the load balancer in front

// Finishes the deliveries in progress first: the service doesn't retry (6.4).
process.once('SIGTERM', () => drain(server, { inbox }));

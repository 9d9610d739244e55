// Starts the app. The client takes its settings from the environment.
// Start it with: npx tsx --env-file=.env examples/express-app/server.ts
import { AgentPlatform, createWebhookReceiver, drain } from 'agent-platform-sdk';
import { createApp } from './app.js';

const app = createApp({
  platform: new AgentPlatform(),
  receiver: createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET }).onError(
    (error, { event, stage }) => console.error(event?.type, stage, error),
  ),
});
const server = app.listen(Number(process.env.PORT ?? 3000), () => console.log('listening'));
server.keepAliveTimeout = 65_000; // longer than that of the load balancer in front

// Finishes the deliveries in progress first: the service doesn't retry (6.4). They take at most the receiver's
// `deadline`, because the handlers run before the 200.
process.once('SIGTERM', () => drain(server, { timeout: 55_000 }));

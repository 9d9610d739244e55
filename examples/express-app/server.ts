// Starts the app. The client takes its settings from the environment.
// Start it with: npx tsx --env-file=.env examples/express-app/server.ts
import { AgentPlatform, createWebhookReceiver } from 'agent-platform-sdk';
import { createApp } from './app.js';

const app = createApp({
  platform: new AgentPlatform(),
  receiver: createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET }).onError(
    (error, { event, stage }) => console.error(event?.type, stage, error),
  ),
});
app.listen(Number(process.env.PORT ?? 3000), () => console.log('listening'));

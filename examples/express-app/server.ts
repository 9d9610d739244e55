// Start it with the settings that `npx agent-platform-sdk fake` prints, and WORKSPACE_SECRET beside them:
// npx tsx examples/express-app/server.ts
import { AgentPlatform, createWebhookReceiver } from 'agent-platform-sdk';
import { createApp } from './app.js';
import { TicketDesk } from './ticket-desk.js';

const app = createApp({
  platform: new AgentPlatform(),
  receiver: createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' }),
  desk: new TicketDesk(),
});
app.listen(3000, () => console.log('http://localhost:3000'));

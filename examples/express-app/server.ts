// The app as a program. Save the settings that `node dist/cli/index.js fake` prints as .env, then start it with:
// npx tsx --env-file=.env examples/express-app/server.ts
import { AgentPlatform, createWebhookReceiver } from 'agent-platform-sdk';
import { createApp } from './app.js';
import { TicketDesk } from './ticket-desk.js';

const app = createApp({
  platform: new AgentPlatform(),
  receiver: createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' }),
  desk: new TicketDesk(),
});
app.listen(3000, () => console.log('http://localhost:3000'));

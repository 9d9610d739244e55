// A webhook receiver in an Express app (4 or 5).
// Start it with: WORKSPACE_SECRET=… PORT=3000 npx tsx examples/webhooks-express/server.ts
import { fileURLToPath } from 'node:url';
import { createWebhookReceiver } from 'agent-platform-sdk';
import express from 'express';

export const receiver = createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' })
  .on('lead_captured', (event) => console.log(`lead: ${event.payload.leadEmail}`))
  .on('conversation_updated', (event) => console.log(`turns: ${event.payload.turns.length}`))
  .onError((error, { event, stage }) => console.error(event?.type, stage, error));

export const app = express();

// Before the body parser: `express.json()` refuses what is larger than 100 kB, and conversations soon are. The receiver also
// works after a parser; then raise its limit: express.json({ limit: '16mb' }).
app.post('/webhooks', receiver.node);
app.use(express.json());

if (process.argv[1] === fileURLToPath(import.meta.url)) app.listen(Number(process.env.PORT ?? 3000));

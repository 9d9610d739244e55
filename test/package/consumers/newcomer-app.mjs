import { createWebhookReceiver } from 'agent-platform-sdk';
import express from 'express';

const receiver = createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' }).on(
  'lead_captured',
  ({ payload }) => console.log(`lead: ${payload.leadEmail}`),
);

const app = express();
app.post('/webhooks', receiver.node);
app.listen(Number(process.env.PORT));

import { createWebhookReceiver } from 'agent-platform-sdk';
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
import { createRedisDedupe } from 'agent-platform-sdk/redis';

const connection = 'redis://127.0.0.1:6379';
const secret = 'a-secret';

export const shared = createWebhookReceiver({ secret, dedupe: { store: createRedisDedupe({ connection }) } });

const inbox = createBullMQInbox({ connection });

export const stored = createWebhookReceiver({ secret, inbox }).on('lead_captured', (event) => {
  console.log(event.payload.leadEmail);
});

export const worker = inbox.work(stored);

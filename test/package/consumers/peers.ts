/** The entry points that need msw, BullMQ or ioredis. Compiled, never run. */
import { createWebhookReceiver } from 'agent-platform-sdk';
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
import { createRedisDedupe } from 'agent-platform-sdk/redis';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';
import { setupServer } from 'msw/node';

const connection = 'redis://127.0.0.1:6379';
const secret = 'a-secret';

export const server = setupServer(...fakeHandlers(createFakePlatform()));
export const shared = createWebhookReceiver({
  secret,
  dedupe: { store: createRedisDedupe({ connection, keyPrefix: 'crm:' }) },
});
export const stored = createWebhookReceiver({ secret, inbox: createBullMQInbox({ connection }) });

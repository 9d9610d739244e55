/** The entry points that need msw, BullMQ, ioredis or pg. Compiled, never run. */
import { createWebhookReceiver } from 'agent-platform-sdk';
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
import { createPostgresInbox } from 'agent-platform-sdk/postgres';
import { createRedisDedupe } from 'agent-platform-sdk/redis';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';
import { setupServer } from 'msw/node';
import { Pool } from 'pg';

const connection = 'redis://127.0.0.1:6379';
const secret = 'a-secret';

export const server = setupServer(...fakeHandlers(createFakePlatform()));
export const shared = createWebhookReceiver({
  secret,
  dedupe: { store: createRedisDedupe({ connection, keyPrefix: 'crm:' }) },
});
export const stored = createWebhookReceiver({ secret, inbox: createBullMQInbox({ connection }) });

const inbox = createPostgresInbox({ pool: new Pool({ max: 5 }) });
export const committed = createWebhookReceiver({ secret, inbox });
export const worker = inbox.work({
  lead_captured: ({ payload }, { eventKey }) =>
    inbox.transaction(eventKey, (client) =>
      client.query('INSERT INTO leads VALUES ($1)', [payload.leadEmail]),
    ),
});

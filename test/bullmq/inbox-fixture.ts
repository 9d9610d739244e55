import {
  createWebhookHandlers,
  createWebhookReceiver,
  type StoredWebhook,
  type WebhookHandlers,
  type WebhookReceiverOptions,
} from 'agent-platform-sdk';
import {
  type BullMQInbox,
  type BullMQInboxOptions,
  createBullMQInbox,
  type InboxFailure,
  type InboxHooks,
  type InboxRun,
} from 'agent-platform-sdk/bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeEach, vi } from 'vitest';
import { RecordingLogger } from '../support/recording-logger.js';
import { startRedis } from '../support/redis-server.js';
import { minimal, secret } from '../webhooks/deliveries.js';

const server = await startRedis();
afterAll(() => server.stop());

/** The Redis of this test file. */
export const { port, url } = server;
const inboxes: BullMQInbox[] = [];

/** A client beside the inbox, for looking into Redis. */
export let redis: Redis;

beforeEach(async () => {
  redis = new Redis(url);
  await redis.flushall();
});

afterEach(async () => {
  await Promise.all(inboxes.splice(0).map((inbox) => inbox.close({ grace: 0 })));
  await redis.quit();
});

/** Creates an inbox that is closed when the test ends. */
export function createInbox(options: Partial<BullMQInboxOptions> = {}): BullMQInbox {
  const logger = new RecordingLogger();
  const inbox = createBullMQInbox({ connection: url, backoff: 1, logger, logLevel: 'debug', ...options });
  inboxes.push(inbox);
  return inbox;
}

/** Creates a receiver that prints nothing. */
export const receiverWith = (options: Partial<WebhookReceiverOptions> = {}) =>
  createWebhookReceiver({ secret, logger: new RecordingLogger(), ...options });

type Process = (stored: StoredWebhook, options: { signal?: AbortSignal | undefined }) => Promise<void>;

/** Makes handlers that get each event as it was stored. */
export function processing(process: Process): WebhookHandlers {
  return Object.assign(createWebhookHandlers({ logLevel: 'off' }), { process, handles: () => true });
}

/** Never settles. */
export const hang = () => new Promise<never>(() => undefined);

/** Makes hooks that record their calls. */
export function record() {
  const calls: string[] = [];
  const failures: InboxFailure[] = [];
  const runs: InboxRun[] = [];
  const hooks: InboxHooks = {
    onHandled: (run) => {
      calls.push('handled');
      runs.push(run);
    },
    onRetry: (failure) => {
      calls.push('retry');
      failures.push(failure);
    },
    onDeadLetter: (failure) => {
      calls.push('dead letter');
      failures.push(failure);
    },
  };
  return { calls, failures, runs, hooks };
}

/** Sets the permissions of a Redis user: everything except these. Returns the URL. */
export async function userWithout(...rules: readonly string[]): Promise<string> {
  await redis.acl('SETUSER', 'limited', 'reset', 'on', '>password', '~*', '&*', '+@all', ...rules);
  return url.replace('redis://', 'redis://limited:password@');
}

let keys = 0;

/** Makes a stored event with a new key. */
export function stored(overrides: Partial<StoredWebhook> = {}): StoredWebhook {
  keys += 1;
  return {
    version: 1,
    key: keys.toString(16).padStart(64, '0'),
    type: 'lead_captured',
    payload: minimal.lead_captured,
    deliveryId: crypto.randomUUID(),
    receivedAt: Date.now(),
    ...overrides,
  };
}

/** Reads every value of every key in Redis, as text. */
export async function everythingInRedis(): Promise<string> {
  const found: unknown[] = [];
  for (const key of await redis.keys('*')) found.push(key, await contentOf(key));
  return JSON.stringify(found);
}

async function contentOf(key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'hash':
      return redis.hgetall(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'zset':
      return redis.zrange(key, '0', '-1');
    case 'set':
      return redis.smembers(key);
    case 'stream':
      return redis.xrange(key, '-', '+');
    default:
      return redis.get(key);
  }
}

/** Resolves when a check passes, however busy the machine is. */
export function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: 15_000, interval: 10 });
}

/** Resolves when a worker waits for events at one of these servers, and not for another command. */
export async function untilIdle(...urls: readonly string[]): Promise<void> {
  const clients = urls.map((server) => new Redis(server));
  await eventually(async () => {
    const lists = await Promise.all(clients.map((client) => client.client('LIST')));
    if (!lists.join('').includes('cmd=bzpopmin')) throw new Error('no worker waits');
  });
  for (const client of clients) client.disconnect();
}

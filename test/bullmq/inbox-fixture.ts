import { type BullMQInbox, type BullMQInboxOptions, createBullMQInbox } from 'agent-platform-sdk/bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeEach } from 'vitest';
import { type Engine, quickOptions } from '../inbox/fixture.js';
import { startRedis } from '../support/redis-server.js';

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
  const inbox = createBullMQInbox({ connection: url, ...quickOptions(), ...options });
  inboxes.push(inbox);
  return inbox;
}

/** The beginning of the keys of the default queue. */
export const QUEUE = 'bull:agent-platform-webhooks';

export const engine: Engine = {
  createInbox: (options) => createInbox(options),
  loseLocks: async () => {
    for (const lock of await redis.keys('*:lock')) await redis.set(lock, 'another worker', 'PX', 400);
  },
  bury: async () => {
    for (const key of await redis.lrange(`${QUEUE}:active`, 0, -1)) {
      await redis.lrem(`${QUEUE}:active`, 0, key);
      await redis.del(`${QUEUE}:${key}:lock`);
      await redis.zadd(`${QUEUE}:failed`, Date.now(), key);
      await redis.hset(`${QUEUE}:${key}`, 'finishedOn', Date.now(), 'failedReason', 'no');
    }
  },
  block: async () => {
    await redis.client('PAUSE', 60_000, 'WRITE');
    return () => redis.client('UNPAUSE');
  },
  readEverything: everythingInRedis,
};

/** Sets the permissions of a Redis user: everything except these. Returns the URL. */
export async function userWithout(...rules: readonly string[]): Promise<string> {
  await redis.acl('SETUSER', 'limited', 'reset', 'on', '>password', '~*', '&*', '+@all', ...rules);
  return url.replace('redis://', 'redis://limited:password@');
}

const READ: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
  hash: (key) => redis.hgetall(key),
  list: (key) => redis.lrange(key, 0, -1),
  zset: (key) => redis.zrange(key, '0', '-1'),
  set: (key) => redis.smembers(key),
  stream: (key) => redis.xrange(key, '-', '+'),
  string: (key) => redis.get(key),
};

/** Reads every value of every key in Redis, as text. */
async function everythingInRedis(): Promise<string> {
  const found: unknown[] = [];
  for (const key of await redis.keys('*')) found.push(key, await READ[await redis.type(key)]?.(key));
  return JSON.stringify(found);
}

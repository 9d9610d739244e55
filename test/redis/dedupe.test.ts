import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { ConfigurationError, createWebhookReceiver, WebhookError } from 'agent-platform-sdk';
import { createRedisDedupe, type RedisDedupe, type RedisDedupeOptions } from 'agent-platform-sdk/redis';
import { dedupeStoreConformance } from 'agent-platform-sdk/testing';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { RecordingLogger } from '../support/recording-logger.js';
import { startRedis } from '../support/redis-server.js';
import { post, secret } from '../webhooks/deliveries.js';
import { startWay } from './lagging.js';

const server = await startRedis();
afterAll(() => server.stop());

const { url } = server;
const stores: RedisDedupe[] = [];
/** However busy the machine is. */
const PATIENT = { timeout: 15_000, interval: 10 };
let redis: Redis;

beforeEach(async () => {
  redis = new Redis(url);
  await redis.flushall();
});

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await redis.quit();
});

function createStore(options: Partial<RedisDedupeOptions> = {}): RedisDedupe {
  const store = createRedisDedupe({ connection: url, ...options });
  stores.push(store);
  return store;
}

test.each(dedupeStoreConformance)('the Redis store keeps the rule: $name', ({ run }) =>
  expect(run(() => ({ store: createStore() }))).resolves.toBeUndefined(),
);

test.each(dedupeStoreConformance)('it keeps the rule on a client that is passed in: $name', ({ run }) =>
  expect(run(() => ({ store: createStore({ connection: redis }) }))).resolves.toBeUndefined(),
);

test('of many stores on one Redis, one gets the claim', async () => {
  const many = Array.from({ length: 20 }, () => createStore());
  const results = await Promise.all(many.map((store, index) => store.claim('key', `owner ${index}`, 60_000)));
  expect(results.filter((result) => result === 'new')).toHaveLength(1);
});

test('two receivers on two connections handle an event once, and both answer 200', async () => {
  const handled: string[] = [];
  const receivers = [1, 2].map((index) =>
    createWebhookReceiver({ secret, dedupe: { store: createStore() }, logger: new RecordingLogger() }).onAny(
      () => handled.push(`receiver ${index}`),
    ),
  );
  const answers = await Promise.all(receivers.map((receiver) => receiver.handle(post('lead_captured'))));
  expect([handled.length, answers.map(({ status }) => status)]).toEqual([1, [200, 200]]);
});

test('a claim that was given up is not made once Redis is there', async () => {
  const way = await startWay(1);
  const store = createStore({ connection: `redis://127.0.0.1:${way.port}`, timeout: 300 });
  await expect(store.claim('given up', 'owner', 60_000)).rejects.toThrow(WebhookError);
  // Its client gives up a command at the second connection that fails.
  const { made } = way;
  await vi.waitFor(() => expect(way.made).toBeGreaterThan(made + 2), PATIENT);
  way.lead(Number(new URL(url).port));
  await vi.waitFor(async () => expect(await store.claim('another', 'owner', 60_000)).toBe('new'), PATIENT);
  expect(await redis.keys('*')).toEqual(['agent-platform:dedupe:another']);
});

test('its keys begin with the prefix, and each expires by itself', async () => {
  const store = createStore({ keyPrefix: 'mine:' });
  await store.claim('held', 'owner', 60_000);
  await store.complete('done', 'owner', 1_000);
  // Handled once more, it is remembered for as long again.
  await store.complete('done', 'owner', 60_000);
  expect((await redis.keys('*')).sort()).toEqual(['mine:done', 'mine:held']);
  expect(await redis.pttl('mine:held')).toBeGreaterThan(50_000);
  expect(await redis.pttl('mine:done')).toBeGreaterThan(50_000);
});

test.each([0, 0.4, 1_000.5, Number.POSITIVE_INFINITY])(
  'a time of %s milliseconds is one that Redis takes',
  async (ms) => {
    const store = createStore();
    expect(await store.claim('key', 'owner', ms)).toBe('new');
    await expect(store.complete('key', 'owner', ms)).resolves.toBeUndefined();
  },
);

test('each operation is one command', async () => {
  const store = createStore();
  await store.claim('key', 'owner', 60_000);
  await store.complete('key', 'owner', 60_000);
  await store.release('key', 'owner');
  await redis.config('RESETSTAT');
  await store.claim('another', 'owner', 60_000);
  await store.complete('another', 'owner', 60_000);
  await store.release('another', 'owner');
  const commands = (await redis.info('commandstats')).match(/(?<=cmdstat_)[a-z|]+:calls=\d+/g) ?? [];
  // GET, SET and DEL run inside the scripts.
  const outside = commands.filter((command) => !/^(config|info|get|set|del)/.test(command));
  expect(outside).toEqual(['eval:calls=3']);
});

test.each<[done: string, ask: (store: RedisDedupe) => Promise<unknown>]>([
  ['claimed', (store) => store.claim('key', 'owner', 60_000)],
  ['marked as handled', (store) => store.complete('key', 'owner', 60_000)],
  ['released', (store) => store.release('key', 'owner')],
])(
  'a Redis that does not respond is given up, and a typed error says what could not be %s',
  async (done, ask) => {
    const printed = vi.spyOn(console, 'error');
    onTestFinished(() => printed.mockRestore());
    const asking = ask(createStore({ connection: 'redis://127.0.0.1:1', timeout: 200 }));
    await expect(asking).rejects.toThrow(WebhookError);
    await expect(asking).rejects.toThrow(`could not be ${done} in Redis`);
    // ioredis is silent beside that.
    expect(printed).not.toHaveBeenCalled();
  },
);

test('closing lets what is under way end first', async () => {
  const store = createStore();
  await store.claim('key', 'owner', 60_000);
  // Redis begins with nothing that comes meanwhile.
  await redis.client('PAUSE', 300);
  const claiming = store.claim('another', 'owner', 60_000);
  await store.close();
  expect(await claiming).toBe('new');
});

test('closing ends though Redis answers no more', async () => {
  const way = await startWay(Number(new URL(url).port));
  // The socket itself waits for long.
  const connection = { host: '127.0.0.1', port: way.port, socketTimeout: 600_000 };
  const store = createStore({ connection, timeout: 2_000 });
  await store.claim('key', 'owner', 60_000);
  way.hold();
  await expect(store.close()).resolves.toBeUndefined();
});

test.each(['READONLY', 'LOADING', 'MASTERDOWN', 'NOREPLICAS', 'BUSY', 'CLUSTERDOWN', 'TRYAGAIN'])(
  'what Redis refuses with %s is asked for again',
  async (code) => {
    const original = redis.eval.bind(redis) as () => Promise<unknown>;
    let asked = 0;
    redis.eval = (...command: []) => {
      asked += 1;
      return asked === 1 ? Promise.reject(new Error(`${code} not now`)) : original(...command);
    };
    expect(await createStore({ connection: redis }).claim('key', 'owner', 60_000)).toBe('new');
  },
);

test('a store that was closed before Redis came connects no more', async () => {
  const way = await startWay(1);
  const store = createRedisDedupe({ connection: `redis://127.0.0.1:${way.port}`, timeout: 100 });
  await expect(store.claim('key', 'owner', 60_000)).rejects.toThrow(WebhookError);
  await store.close();
  // One that was under way has come by then.
  await sleep(100);
  const made = way.made;
  // More than the time between two attempts to connect.
  await sleep(2_500);
  expect(way.made).toBe(made);
});

test('an operation waits for a Redis that restarts', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const store = createStore({ connection: server.url, timeout: 10_000 });
  await store.claim('key', 'owner', 60_000);
  const crashed = server.crash(1_000);
  expect(await store.claim('another', 'owner', 60_000)).toBe('new');
  await crashed;
});

test('an event is handled all the same when Redis is away, by the default of the receiver', async () => {
  const store = createStore({ connection: 'redis://127.0.0.1:1', timeout: 200 });
  const stages: string[] = [];
  const receiver = createWebhookReceiver({
    secret,
    dedupe: { store },
    logger: new RecordingLogger(),
  }).onError((_, { stage }) => stages.push(stage));
  receiver.onAny(() => undefined);
  expect((await receiver.handle(post('lead_captured'))).status).toBe(200);
  expect(stages).toEqual(['dedupe', 'dedupe']);
});

test('no password shows in errors or when it is inspected', async () => {
  const server = await startRedis(['--requirepass', 'canary-password']);
  try {
    for (const connection of [
      `redis://:canary-wrong@127.0.0.1:${server.port}`,
      { host: '127.0.0.1', port: server.port, password: 'canary-wrong' },
    ]) {
      const store = createStore({ connection, timeout: 1_000 });
      const error: unknown = await store.claim('key', 'owner', 60_000).catch((error: unknown) => error);
      expect(error).toBeInstanceOf(WebhookError);
      const shown = inspect([error, store], { depth: 10, showHidden: true }) + JSON.stringify([error, store]);
      expect(shown).not.toContain('canary');
    }
  } finally {
    await server.stop();
  }
});

test.each<[what: string, options: object, option: string]>([
  ['a URL that is none', { connection: 'canary-password@host' }, 'connection'],
  ['another protocol', { connection: 'http://:canary-password@host' }, 'connection'],
  ['no connection', {}, 'connection'],
  ['a negative timeout', { connection: url, timeout: -1 }, 'timeout'],
  ['a prefix that is no string', { connection: url, keyPrefix: 1 }, 'keyPrefix'],
  ['an unknown option', { connection: url, ttl: 1 }, 'ttl'],
])('refuses %s, without showing it', (_, options, option) => {
  const create = () => createRedisDedupe(options as RedisDedupeOptions);
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(expect.objectContaining({ option }));
  expect(create).not.toThrow(/canary/);
});

test('a client that is passed in stays open, and carries nothing of the store', async () => {
  const listeners = () => redis.eventNames().map((name) => redis.listenerCount(name));
  const before = listeners();
  const store = createRedisDedupe({ connection: redis });
  await store.close();
  expect(listeners()).toEqual(before);
  expect(await redis.ping()).toBe('PONG');
});

import { inspect } from 'node:util';
import { WebhookError } from 'agent-platform-sdk';
import { createRedisDedupe, type RedisDedupe, type RedisDedupeOptions } from 'agent-platform-sdk/redis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { port, redis, url } from '../bullmq/inbox-fixture.js';
import { eventually } from '../inbox/fixture.js';
import { keepsNothing, leavesNothing } from '../support/leaves-nothing.js';
import { openRedis } from '../support/redis-server.js';
import { startProxy } from './proxy.js';
import { openStore } from './servers.js';

const createStore = (options: Partial<RedisDedupeOptions> = {}) => openStore({ connection: url, ...options });

test('a claim that timed out is not made once Redis is there', async () => {
  const proxy = await startProxy(1);
  const store = createStore({ connection: proxy.url, timeout: 300 });
  await expect(store.claim('too late', 'owner', 60_000)).rejects.toThrow(WebhookError);
  // The client rejects a command at the second connection that fails.
  const { made } = proxy;
  await eventually(() => expect(proxy.made).toBeGreaterThan(made + 2));
  proxy.lead(port);
  await eventually(async () => expect(await store.claim('another', 'owner', 60_000)).toBe('new'));
  expect(await redis.keys('*')).toEqual(['crm:another']);
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
  'Redis takes a time of %s milliseconds',
  async (ms) => {
    const store = createStore();
    expect(await store.claim('key', 'owner', ms)).toBe('new');
    await expect(store.complete('key', 'owner', ms)).resolves.toBeUndefined();
  },
);

test.each<[done: string, ask: (store: RedisDedupe) => Promise<unknown>]>([
  ['claimed', (store) => store.claim('key', 'owner', 60_000)],
  ['marked as handled', (store) => store.complete('key', 'owner', 60_000)],
  ['released', (store) => store.release('key', 'owner')],
])('without Redis, a typed error describes what could not be %s', async (done, ask) => {
  const printed = vi.spyOn(console, 'error');
  onTestFinished(() => printed.mockRestore());
  const asking = ask(createStore({ connection: 'redis://127.0.0.1:1', timeout: 200 }));
  await expect(asking).rejects.toThrow(WebhookError);
  await expect(asking).rejects.toThrow(`could not be ${done} in Redis`);
  // Nor does ioredis print anything.
  expect(printed).not.toHaveBeenCalled();
});

test('closing waits for operations in progress', async () => {
  const store = createStore();
  await store.claim('key', 'owner', 60_000);
  // Redis runs no command in the meantime.
  await redis.client('PAUSE', 300);
  const claiming = store.claim('another', 'owner', 60_000);
  await store.close();
  expect(await claiming).toBe('new');
});

test('closing ends although Redis no longer responds', async () => {
  const proxy = await startProxy(port);
  // The socket itself waits for longer.
  const connection = { host: '127.0.0.1', port: proxy.port, socketTimeout: 600_000 };
  const store = createStore({ connection, timeout: 2_000 });
  await store.claim('key', 'owner', 60_000);
  proxy.hold();
  await expect(store.close()).resolves.toBeUndefined();
});

test('a setting of the user wins over the default of the store', async () => {
  const proxy = await startProxy(port);
  const connection = { host: '127.0.0.1', port: proxy.port, socketTimeout: 300 };
  // Its socket would time out together with the operation.
  const store = createStore({ connection, timeout: 25_000 });
  await store.claim('key', 'owner', 60_000);
  const { made } = proxy;
  proxy.hold();
  const claiming = store.claim('another', 'owner', 60_000);
  await eventually(() => expect(proxy.made).toBeGreaterThan(made));
  proxy.release();
  expect(await claiming).toBe('new');
});

test('errors and an inspected store contain no password', async () => {
  const secured = await openRedis('--requirepass', 'canary-password');
  for (const connection of [
    `redis://:canary-wrong@127.0.0.1:${secured.port}`,
    { host: '127.0.0.1', port: secured.port, password: 'canary-wrong' },
  ]) {
    const store = createStore({ connection, timeout: 1_000 });
    const error: unknown = await store.claim('key', 'owner', 60_000).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(WebhookError);
    const shown = inspect([error, store], { depth: 10, showHidden: true }) + JSON.stringify([error, store]);
    expect(shown).not.toContain('canary');
  }
});

test('a time limit in seconds is warned of', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  onTestFinished(() => warn.mockRestore());
  createStore({ timeout: 2 });
  expect(warn.mock.calls).toEqual([
    [expect.stringContaining('createRedisDedupe: timeout is 2 milliseconds, which is short.')],
  ]);
});

test('a store leaves nothing when it has closed, and keeps no listener of a client that was passed in', async () => {
  for (const connection of [redis, url]) {
    await leavesNothing(async () => {
      const store = createRedisDedupe({ connection, keyPrefix: 'crm:' });
      await store.claim('key', 'owner', 60_000);
      await store.complete('key', 'owner', 60_000);
      await store.release('other', 'owner');
      await store.close();
    }, redis);
    expect(await redis.ping()).toBe('PONG');
  }
  // Nor does it go on trying to connect.
  await leavesNothing(async () => {
    const store = createRedisDedupe({ connection: 'redis://127.0.0.1:1', keyPrefix: 'crm:', timeout: 100 });
    await expect(store.claim('key', 'owner', 60_000)).rejects.toThrow(WebhookError);
    await store.close();
  });
});

test('no event leaves an object in memory', async () => {
  const store = createStore();
  let events = 0;
  await keepsNothing(async () => {
    const key = `event ${(events += 1)}`;
    await store.claim(key, 'owner', 60_000);
    await store.complete(key, 'owner', 60_000);
  }, 50);
}, 120_000);

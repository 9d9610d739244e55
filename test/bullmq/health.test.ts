import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { startProxy } from '../redis/proxy.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { DURABLE, startRedis } from '../support/redis-server.js';
import { createInbox, port, redis } from './inbox-fixture.js';

test('without a response from Redis, it is not ready, and the health check times out', async () => {
  const proxy = await startProxy(port);
  const inbox = createInbox({ connection: proxy.url });
  expect(await inbox.health()).toMatchObject({ ready: true });
  proxy.hold();
  const { ready, warnings } = await inbox.health();
  const unreachable = 'Cannot reach the inbox: Health check timed out: no response from Redis within 2000 ms';
  expect([ready, warnings]).toEqual([false, { unreachable }]);
});

test('without Redis, it is not ready, and does not reject', async () => {
  const inbox = createInbox({ connection: 'redis://127.0.0.1:1' });
  expect(await inbox.health()).toEqual({
    ready: false,
    depth: undefined,
    waiting: undefined,
    active: undefined,
    retrying: undefined,
    deadLetters: undefined,
    oldestMs: undefined,
    workers: undefined,
    warnings: { unreachable: expect.stringContaining('ECONNREFUSED') },
  });
});

test('it warns of settings that can lose an acknowledged event, and logs each kind once', async () => {
  const logger = new RecordingLogger();
  const inbox = createInbox({ queueName: 'webhooks', logger, backoff: 1_000 });
  for (const policy of ['allkeys-lru', 'volatile-ttl', 'noeviction']) {
    await redis.config('SET', 'maxmemory-policy', policy);
    const { warnings } = await inbox.health();
    expect(warnings).toMatchObject({
      unlimited: expect.stringContaining('maxmemory is 0'),
      persistence: expect.stringContaining('appendonly is no'),
    });
    expect(warnings.eviction?.includes(policy)).toBe(policy === 'noeviction' ? undefined : true);
  }
  expect(logger.lines).toHaveLength(3);
});

const LIMITED = [...DURABLE, '--maxmemory', '100mb'];

test.each([
  [LIMITED, {}],
  [
    [...LIMITED, '--appendfsync', 'everysec'],
    { persistence: expect.stringContaining('appendfsync is everysec') as string },
  ],
])('a Redis with %j has the warnings %j', async (args, warnings) => {
  const server = await startRedis(args);
  onTestFinished(() => server.stop());
  const inbox = createInbox({ connection: server.url });
  expect((await inbox.health()).warnings).toEqual(warnings);
  await inbox.close();
});

test('it does not warn of a setting that the Redis user may not read', async () => {
  const server = await startRedis(LIMITED);
  const admin = new Redis(server.url);
  onTestFinished(async () => {
    admin.disconnect();
    await server.stop();
  });
  await admin.acl('SETUSER', 'inbox', 'on', '>password', '~*', '&*', '+@all', '-config');
  const inbox = createInbox({ connection: server.url.replace('redis://', 'redis://inbox:password@') });
  expect(await inbox.health()).toMatchObject({ ready: true, warnings: {} });
  await inbox.close();
});

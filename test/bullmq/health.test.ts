import { expect, test } from 'vitest';
import { start } from '../cli/terminal.js';
import { eventually, stored } from '../inbox/fixture.js';
import { startProxy } from '../redis/proxy.js';
import { openClient } from '../redis/servers.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { DURABLE, openRedis } from '../support/redis-server.js';
import { createInbox, port, redis, url } from './inbox-fixture.js';

test('without a response from Redis, it is not ready, and the health check times out', async () => {
  const proxy = await startProxy(port);
  const inbox = createInbox({ connection: proxy.url });
  expect(await inbox.health()).toMatchObject({ ready: true });
  proxy.hold();
  const { ready, warnings } = await inbox.health();
  const unreachable = 'Cannot reach the inbox: Health check timed out: no response from Redis within 2000 ms';
  expect([ready, warnings]).toEqual([false, { unreachable }]);
});

test('without Redis, it is not ready, does not reject, and knows no numbers', async () => {
  const { ready, warnings, ...counts } = await createInbox({ connection: 'redis://127.0.0.1:1' }).health();
  expect([ready, warnings]).toEqual([false, { unreachable: expect.stringContaining('ECONNREFUSED') }]);
  expect(Object.values(counts).filter((count) => count !== undefined)).toEqual([]);
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
  const inbox = createInbox({ connection: (await openRedis(...args)).url });
  expect((await inbox.health()).warnings).toEqual(warnings);
});

test('it does not warn of a setting that the Redis user may not read', async () => {
  const { url } = await openRedis(...LIMITED);
  await openClient(url).acl('SETUSER', 'inbox', 'on', '>password', '~*', '&*', '+@all', '-config');
  const inbox = createInbox({ connection: url.replace('redis://', 'redis://inbox:password@') });
  expect(await inbox.health()).toMatchObject({ ready: true, warnings: {} });
});

test('a worker whose connections Redis refuses is a warning of the health in its process', async () => {
  const { url } = await openRedis();
  const admin = openClient(url);
  const inbox = createInbox({ connection: url });
  expect((await inbox.health()).warnings).not.toHaveProperty('worker');
  await admin.config('SET', 'maxclients', 2);
  inbox.work({ lead_captured: () => undefined });
  // Redis closes them before it has read anything.
  const refused = { worker: expect.stringMatching(/takes no events: .*(EPIPE|ECONNRESET)/) };
  await eventually(async () => expect((await inbox.health()).warnings).toMatchObject(refused));
  await admin.config('SET', 'maxclients', 100);
  await eventually(async () => expect((await inbox.health()).warnings).not.toHaveProperty('worker'));
});

test('a queue that a dashboard has paused is a warning', async () => {
  const inbox = createInbox();
  await inbox.queue.pause();
  expect((await inbox.health()).warnings.worker).toContain('paused');
  await inbox.queue.resume();
  expect((await inbox.health()).warnings.worker).toBeUndefined();
});

test('events that are gone are not counted as unhandled', async () => {
  const inbox = createInbox();
  inbox.work({ lead_captured: () => undefined });
  const [gone, left] = [stored({ type: 'agent_deleted' }), stored({ type: 'agent_deleted' })];
  await inbox.store(gone);
  await inbox.store(left);
  await eventually(async () => expect(await inbox.health()).toMatchObject({ unhandled: 2, retrying: 2 }));
  // Not while the worker hands it back once more.
  await eventually(async () => (await inbox.queue.getJob(gone.key))?.remove());
  await eventually(async () => expect(await inbox.health()).toMatchObject({ unhandled: 1, depth: 1 }));
});

test('the doctor checks the named queue, and leaves no connection behind', async () => {
  const inbox = createInbox({ queueName: 'crm' });
  await inbox.store(stored({ receivedAt: Date.now() - 60_000 }));
  const connections = async () =>
    String(await redis.client('LIST'))
      .trim()
      .split('\n').length;
  const before = await connections();
  const { exit, lines } = await start(['doctor', '--redis', '--queue', 'crm'], { REDIS_URL: url });
  // The settings for the service are missing.
  expect(await exit).toBe(1);
  expect(lines.join('\n')).toMatch(/ok +inbox +accepts events: 1 waiting, 0 active/);
  expect(lines.join('\n')).toMatch(/warn +inbox +maxmemory is 0/);
  await eventually(async () => expect(await connections()).toBe(before));
});

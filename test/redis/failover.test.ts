import { WebhookError } from 'agent-platform-sdk';
import { createRedisDedupe, type RedisConnection } from 'agent-platform-sdk/redis';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { createInbox } from '../bullmq/inbox-fixture.js';
import { eventually, processing, record, stored } from '../inbox/fixture.js';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { startRedis } from '../support/redis-server.js';
import { makePrimary, makeReplica, type RedisPair, startPair } from './replicated.js';

/** Starts a Redis that is a replica of one that is not there, and so takes no writes. */
async function startReplica() {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  await makeReplica(server.url, 1);
  return server;
}

const optionsOf = ({ url }: RedisPair) => ({ host: '127.0.0.1', port: Number(new URL(url).port) });

test.each<[string, (pair: RedisPair) => RedisConnection, replicas: number]>([
  ['a URL', ({ url }) => url, 0],
  ['options', optionsOf, 0],
  ['a client, which is duplicated for replicas', ({ url }) => ownClient(url), 1],
])(
  'with %s, an event is stored after a failover that leaves the connection open',
  async (_, connection, replicas) => {
    const pair = await startPair();
    const inbox = createInbox({ connection: connection(pair), replicas });
    await inbox.store(stored());
    await pair.failOver();
    await inbox.store(stored());
    expect(await createInbox({ connection: pair.replicaUrl }).health()).toMatchObject({
      ready: true,
      waiting: 2,
    });
  },
);

test.each<[string, (pair: RedisPair) => string | Redis]>([
  ['a URL', ({ url }) => url],
  ['a client', ({ url }) => ownClient(url)],
])('with %s, a worker takes events after such a failover', async (_, connection) => {
  const pair = await startPair();
  const logger = new RecordingLogger();
  const inbox = createInbox({ connection: connection(pair), logger });
  const handled: string[] = [];
  inbox.work(processing(async ({ key }) => void handled.push(key)));
  const [before, after] = [stored(), stored()];
  await inbox.store(before);
  await eventually(() => expect(handled).toEqual([before.key]));
  await pair.failOver();
  await createInbox({ connection: pair.replicaUrl }).store(after);
  await eventually(() => expect(handled).toEqual([before.key, after.key]));
  expect(logger.lines.join()).toContain('READONLY');
});

test('a run during such a failover is recorded, and not repeated', async () => {
  const pair = await startPair();
  const [started, end] = [deferred(), deferred()];
  const { hooks, calls } = record();
  const inbox = createInbox({ connection: pair.url, hooks });
  inbox.work({
    lead_captured: () => {
      started.resolve();
      return end.promise;
    },
  });
  await inbox.store(stored());
  await started.promise;
  await pair.failOver();
  end.resolve();
  await eventually(() => expect(calls).toEqual(['handled']));
  expect(await createInbox({ connection: pair.replicaUrl }).health()).toMatchObject({
    ready: true,
    depth: 0,
  });
});

function ownClient(url: string): Redis {
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  return client;
}

test('a client that is passed in keeps its settings', async () => {
  const pair = await startPair();
  const client = ownClient(pair.url);
  const inbox = createInbox({ connection: client, storeTimeout: 1_500 });
  await inbox.store(stored());
  await pair.failOver();
  await expect(inbox.store(stored())).rejects.toThrow(/READONLY/);
  expect([client.status, client.options.reconnectOnError]).toEqual(['ready', null]);
});

test('an idle receiver is ready again after such a failover', async () => {
  const pair = await startPair();
  const inbox = createInbox({ connection: pair.url });
  expect(await inbox.health()).toMatchObject({ ready: true });
  await pair.failOver();
  await eventually(async () => expect(await inbox.health()).toMatchObject({ ready: true }));
});

test('a claim is made after such a failover', async () => {
  const pair = await startPair();
  const store = createRedisDedupe({ connection: pair.url, keyPrefix: 'crm:', timeout: 10_000 });
  onTestFinished(() => store.close());
  await store.claim('before', 'owner', 60_000);
  await pair.failOver();
  expect(await store.claim('after', 'owner', 60_000)).toBe('new');
});

test('a claim that a replica refuses is rejected with the reason', async () => {
  const { url } = await startReplica();
  const store = createRedisDedupe({ connection: url, keyPrefix: 'crm:', timeout: 3_000 });
  onTestFinished(() => store.close());
  await expect(store.claim('key', 'owner', 60_000)).rejects.toThrow(
    'could not be claimed in Redis: READONLY',
  );
});

test('an event waits for a Redis that takes no writes for a moment', async () => {
  const server = await startReplica();
  const inbox = createInbox({ connection: server.url });
  const storing = inbox.store(stored());
  await eventually(async () => expect((await inbox.health()).warnings.refused).toContain('READONLY'));
  await makePrimary(server.url);
  await storing;
  expect((await inbox.health()).waiting).toBe(1);
});

test('an event is rejected with the reason if Redis takes no writes for long, and stored when it does again', async () => {
  const server = await startReplica();
  const logger = new RecordingLogger();
  const inbox = createInbox({ connection: server.url, storeTimeout: 1_000, logger });
  const storing = inbox.store(stored());
  await expect(storing).rejects.toThrow(WebhookError);
  await expect(storing).rejects.toThrow(/could not be stored in Redis: READONLY/);
  expect(logger.lines.filter((line) => line.includes('Redis failed: READONLY'))).toHaveLength(1);
  await makePrimary(server.url);
  await inbox.store(stored());
  expect((await inbox.health()).waiting).toBe(1);
});

import { expect, test } from 'vitest';
import { createInbox } from '../bullmq/inbox-fixture.js';
import { eventually, processing, stored } from '../inbox/fixture.js';
import { RecordingLogger } from '../support/recording-logger.js';
import type { RedisServer } from '../support/redis-server.js';
import { masterOf, openCluster, startCluster, withNode } from './cluster.js';

// What only concerns a cluster: `topologies.test.ts` has the rest.

test('the queues of a cluster are spread over its masters', async () => {
  const servers = await startCluster();
  const connection = openCluster(servers);
  for (let queue = 0; queue < 12; queue += 1) {
    const inbox = createInbox({ connection, queueName: `queue-${queue}` });
    await inbox.store(stored());
    expect(await inbox.health()).toMatchObject({ ready: true, waiting: 1 });
  }
  const sizes = await Promise.all(servers.map((server) => withNode(server, (node) => node.dbsize())));
  expect(Math.min(...sizes)).toBeGreaterThan(0);
});

test.each<[object, string]>([
  [{}, '{agent-platform-webhooks}:agent-platform-webhooks'],
  [{ queueName: 'a{b}' }, 'bull:a{b}'],
  [{ prefix: '{b}', queueName: 'a' }, '{b}:a'],
])('with %j the keys in a cluster begin with %s', async (options, prefix) => {
  const cluster = openCluster(await startCluster());
  const webhook = stored();
  const inbox = createInbox({ connection: cluster, ...options });
  await inbox.store(webhook);
  expect(await cluster.exists(`${prefix}:${webhook.key}`)).toBe(1);
  // It writes to the node of these keys.
  expect(await inbox.health()).toMatchObject({ ready: true, waiting: 1 });
});

test('a client of one node gets an error that names the cluster if the keys are on another', async () => {
  const [first, , third] = await startCluster();
  const slot = await withNode(first as RedisServer, (node) => node.cluster('KEYSLOT', '{one}'));
  const elsewhere = slot < 16_384 / 2 ? third : first;
  const logger = new RecordingLogger();
  const inbox = createInbox({ connection: elsewhere?.url ?? '', prefix: '{one}', logger });
  await expect(inbox.store(stored())).rejects.toThrow(/MOVED .* pass a `Cluster` of ioredis/);
  inbox.work({});
  await eventually(() => expect(logger.lines.join()).toMatch(/Redis failed: MOVED .* pass a `Cluster`/));
});

test('the health on a client of one node names the cluster too', async () => {
  const servers = await startCluster();
  // A script that counts jobs gets one key of the queue, and reads others, which are on other nodes.
  const server = await masterOf('bull:agent-platform-webhooks:', servers);
  const { warnings } = await createInbox({ connection: server.url }).health();
  expect(warnings.unreachable).toMatch(/pass a `Cluster` of ioredis/);
});

test('a cluster client with settings that a worker cannot use works, and keeps its settings', async () => {
  const connection = openCluster(await startCluster(), { redisOptions: { maxRetriesPerRequest: 2 } });
  const inbox = createInbox({ connection });
  const handled: string[] = [];
  inbox.work(processing(async ({ key }) => void handled.push(key)));
  const webhook = stored();
  await inbox.store(webhook);
  await eventually(() => expect(handled).toEqual([webhook.key]));
  expect(connection.options.redisOptions).toEqual({ maxRetriesPerRequest: 2 });
});

test('an event waits for the replica of its master, and survives the end of that master', async () => {
  const servers = await startCluster(1);
  const connection = openCluster(servers);
  const inbox = createInbox({ connection, replicas: 1 });
  const keys: string[] = [];
  const one = async () => {
    const webhook = stored();
    await inbox.store(webhook);
    keys.push(webhook.key);
  };
  await eventually(one);
  await Promise.all(Array.from({ length: 200 }, one));
  const counts = await Promise.all(
    servers.slice(0, 3).map((server) => withNode(server, (node) => node.dbsize())),
  );
  // The keys of one queue are on one node.
  const master = servers[counts.indexOf(Math.max(...counts))];
  await master?.stop();
  // Its replica has taken over and has none of its own: with `replicas: 1`, it takes no events, and loses none.
  const handled = new Set<string>();
  createInbox({ connection }).work(processing(async ({ key }) => void handled.add(key)));
  await eventually(() => expect(keys.filter((key) => !handled.has(key))).toEqual([]));
  expect(keys).toHaveLength(201);
});

test('events are stored again after the end of the master of their queue', async () => {
  const servers = await startCluster(1);
  const inbox = createInbox({ connection: openCluster(servers) });
  await inbox.store(stored());
  await (await masterOf('{agent-platform-webhooks}', servers)).stop();
  // They start before a replica has taken over, and wait for it.
  await Promise.all(Array.from({ length: 20 }, () => inbox.store(stored())));
  expect(await inbox.health()).toMatchObject({ ready: true });
});

test('without enough replicas in the cluster, an event is rejected with the reason', async () => {
  const inbox = createInbox({
    connection: openCluster(await startCluster()),
    replicas: 1,
    storeTimeout: 1_000,
  });
  await expect(inbox.store(stored())).rejects.toThrow('0 of 1 replicas');
});

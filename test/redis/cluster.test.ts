import { expect, test } from 'vitest';
import { createInbox } from '../bullmq/inbox-fixture.js';
import { eventually, processing, stored } from '../inbox/fixture.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { masterOf, openCluster, startCluster } from './cluster.js';
import { startProxy } from './proxy.js';
import { openClient, openStore } from './servers.js';

// What only concerns a cluster: `topologies.test.ts` has the rest.

test('a client of one node gets errors that name the cluster', async () => {
  const named = /pass a `Cluster` of ioredis/;
  const servers = await startCluster();
  // Without a hash tag, the keys of a script are on several nodes.
  const spread = createInbox({ connection: servers[0]?.url ?? '' });
  await expect(spread.store(stored())).rejects.toThrow(named);
  expect((await spread.health()).warnings.unreachable).toMatch(named);
  // With one, all are on the same node, which may be another.
  const owner = await masterOf('{one}', servers);
  const elsewhere = servers.find((server) => server !== owner)?.url ?? '';
  const logger = new RecordingLogger();
  const inbox = createInbox({ connection: elsewhere, prefix: '{one}', logger });
  await expect(inbox.store(stored())).rejects.toThrow(named);
  inbox.work({});
  await eventually(() => expect(logger.lines.join()).toMatch(/Redis failed: MOVED .* pass a `Cluster`/));
});

test('events wait for the replica of their master, and survive its end; later ones wait for another', async () => {
  const servers = await startCluster({ replicas: 1 });
  const connection = openCluster(servers);
  const inbox = createInbox({ connection, replicas: 1 });
  const storeOne = async (one: typeof inbox) => {
    const webhook = stored();
    await one.store(webhook);
    return webhook.key;
  };
  const keys = [await eventually(() => storeOne(inbox))];
  keys.push(...(await Promise.all(Array.from({ length: 200 }, () => storeOne(inbox)))));
  // The keys of one queue are on one node.
  await (await masterOf('{agent-platform-webhooks}', servers)).stop();
  // Its replica takes over and has none of its own: with `replicas: 1`, it takes no events, and loses none.
  const other = createInbox({ connection });
  keys.push(...(await Promise.all(Array.from({ length: 20 }, () => storeOne(other)))));
  expect(await other.health()).toMatchObject({ ready: true });
  const handled = new Set<string>();
  other.work(processing(async ({ key }) => void handled.add(key)));
  await eventually(() => expect(keys.filter((key) => !handled.has(key))).toEqual([]));
  expect(keys).toHaveLength(221);
}, 60_000);

test('a claim is made once a cluster is there, after its client had given up: "None of startup nodes"', async () => {
  const [server] = await startCluster({ masters: 1 });
  const proxy = await startProxy(1);
  const cluster = openCluster([proxy], { clusterRetryStrategy: () => null, lazyConnect: true });
  const claiming = openStore({ connection: cluster }).claim('key', 'owner', 60_000);
  await expect(cluster.ping()).rejects.toThrow('None of startup nodes is available');
  proxy.lead(server?.port ?? 0);
  await cluster.connect();
  expect(await claiming).toBe('new');
});

test('a claim is made once a cluster has its keys again: "Too many Cluster redirections"', async () => {
  const servers = await startCluster({ masters: 1 });
  const cluster = openCluster(servers, { maxRedirections: 1 });
  await cluster.ping();
  const admin = openClient(servers[0]?.url ?? '');
  await admin.cluster('DELSLOTS', 0);
  const claiming = openStore({ connection: cluster }).claim('key', 'owner', 60_000);
  await expect(cluster.get('key')).rejects.toThrow('Too many Cluster redirections');
  await admin.cluster('ADDSLOTS', 0);
  expect(await claiming).toBe('new');
});

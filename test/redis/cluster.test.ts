import { setTimeout as sleep } from 'node:timers/promises';
import { createWebhookReceiver } from 'agent-platform-sdk';
import { createRedisDedupe } from 'agent-platform-sdk/redis';
import { dedupeStoreConformance } from 'agent-platform-sdk/testing';
import { Cluster, Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { createInbox, untilIdle } from '../bullmq/inbox-fixture.js';
import { eventually, processing, record, stored } from '../inbox/fixture.js';
import { freePort } from '../support/free-port.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { post, secret } from '../webhooks/deliveries.js';

/** A node that notices within a second that another is gone, and copies to a replica at once. */
const NODE = '--save,,--cluster-enabled,yes,--cluster-node-timeout,1000,--repl-diskless-sync-delay,0'.split(
  ',',
);

async function withNode<Value>({ url }: RedisServer, act: (node: Redis) => Promise<Value>): Promise<Value> {
  const node = new Redis(url);
  try {
    return await act(node);
  } finally {
    node.disconnect();
  }
}

/** Starts three masters, with `replicas` replicas each, until the test ends. */
async function startCluster(replicas = 0): Promise<RedisServer[]> {
  const buses = await Promise.all(Array.from({ length: 3 * (1 + replicas) }, freePort));
  const servers = await Promise.all(buses.map((bus) => startRedis([...NODE, '--cluster-port', String(bus)])));
  onTestFinished(async () => {
    await Promise.all(servers.map((server) => server.stop()));
  });
  const masters = servers.slice(0, 3);
  const ids = await Promise.all(servers.map((server) => withNode(server, (node) => node.cluster('MYID'))));
  for (const [index, server] of masters.entries()) {
    const [from, to] = [Math.ceil((index * 16_384) / 3), Math.ceil(((index + 1) * 16_384) / 3) - 1];
    await withNode(server, (node) => node.cluster('ADDSLOTSRANGE', from, to));
  }
  for (const [index, { port }] of servers.entries()) {
    await withNode(servers[0] as RedisServer, (node) =>
      node.cluster('MEET', '127.0.0.1', port, buses[index] ?? 0),
    );
  }
  const agree = async (server: RedisServer) => {
    const info = await withNode(server, (node) => node.cluster('INFO'));
    expect(info).toMatch(new RegExp(`cluster_state:ok[^]*cluster_known_nodes:${servers.length}`));
  };
  await eventually(() => Promise.all(servers.map(agree)));
  for (const [index, server] of servers.slice(3).entries()) {
    await withNode(server, (node) => node.cluster('REPLICATE', ids[index % 3] ?? ''));
  }
  // A client that connects then knows the replicas too.
  const knowsReplicas = async (server: RedisServer) => {
    await agree(server);
    for (const [, , ...nodes] of await withNode(server, (node) => node.cluster('SLOTS'))) {
      expect(nodes).toHaveLength(1 + replicas);
    }
  };
  await eventually(() => Promise.all(servers.map(knowsReplicas)));
  return servers;
}

/** Finds the server that has the keys of a hash tag. */
async function masterOf(tag: string, servers: readonly RedisServer[]): Promise<RedisServer> {
  for (const server of servers.slice(0, 3)) {
    const isHere = await withNode(server, (node) =>
      node.exists(tag).then(
        () => true,
        () => false,
      ),
    );
    if (isHere) return server;
  }
  throw new Error('No master has it');
}

function openCluster(servers: readonly RedisServer[], options = {}): Cluster {
  const cluster = new Cluster(
    servers.map(({ port }) => ({ host: '127.0.0.1', port })),
    options,
  );
  cluster.on('error', () => undefined);
  onTestFinished(() => cluster.disconnect());
  return cluster;
}

test('an inbox works on a cluster of three masters with defaults alone', async () => {
  const cluster = openCluster(await startCluster());
  const inbox = createInbox({ connection: cluster });
  const receiver = createWebhookReceiver({ secret, inbox, logger: new RecordingLogger() });
  expect((await receiver.handle(post('lead_captured'))).status).toBe(200);
  expect((await receiver.handle(post('lead_captured'))).status).toBe(200);
  expect(await inbox.health()).toMatchObject({ ready: true, waiting: 1 });
  const handled: string[] = [];
  let runs = 0;
  const handlers = processing(async ({ type }) => {
    runs += 1;
    if (runs < 3) throw new Error('no');
    handled.push(type);
  });
  const worker = inbox.work(handlers);
  await eventually(() => expect(handled).toEqual(['lead_captured']));
  await worker.close();
  await inbox.close();
  // It was passed in, and stays open.
  expect(cluster.status).toBe('ready');
});

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

test.each(['bull', '{}', '{}{bull}'])(
  'the prefix %j, which spreads a queue over a cluster, is refused',
  (prefix) => {
    const connection = new Cluster([{ port: 1 }], { lazyConnect: true });
    expect(() => createInbox({ connection, prefix })).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', option: 'prefix' }),
    );
  },
);

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

test('the dedupe store keeps every rule on a cluster', async () => {
  const connection = openCluster(await startCluster());
  for (const { run } of dedupeStoreConformance) {
    let stores = 0;
    const keyPrefix = `${crypto.randomUUID()}:`;
    await expect(
      run(() => {
        stores += 1;
        return { store: createRedisDedupe({ connection, keyPrefix: `${keyPrefix}${stores}:` }) };
      }),
    ).resolves.toBeUndefined();
  }
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
  const connection = openCluster(servers);
  const inbox = createInbox({ connection });
  await inbox.store(stored());
  const master = await masterOf('{agent-platform-webhooks}', servers);
  // Only a replica that has copied takes over.
  await eventually(() =>
    withNode(master, async (node) => expect(await node.info()).toContain('state=online')),
  );
  await master.stop();
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

test('a worker whose cluster is gone closes without it', async () => {
  const servers = await startCluster();
  const { hooks, calls } = record();
  const inbox = createInbox({ connection: openCluster(servers), hooks });
  const worker = inbox.work(processing(async () => undefined));
  await inbox.store(stored());
  await eventually(() => expect(calls).toEqual(['handled']));
  await untilIdle(...servers.map((server) => server.url));
  await Promise.all(servers.map((server) => server.stop()));
  // Its clients wait to connect again.
  await sleep(500);
  await expect(worker.close({ grace: 500 })).resolves.toBeUndefined();
});

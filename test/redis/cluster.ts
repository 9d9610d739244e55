import { Cluster, Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import { eventually } from '../inbox/fixture.js';
import { freePort } from '../support/free-port.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';

/** A node that notices within a second that another is gone, and copies to a replica at once. */
const NODE = '--save,,--cluster-enabled,yes,--cluster-node-timeout,1000,--repl-diskless-sync-delay,0'.split(
  ',',
);

export async function withNode<Value>(
  { url }: RedisServer,
  act: (node: Redis) => Promise<Value>,
): Promise<Value> {
  const node = new Redis(url);
  try {
    return await act(node);
  } finally {
    node.disconnect();
  }
}

/** Starts three masters, with `replicas` replicas each, until the test ends. */
export async function startCluster(replicas = 0): Promise<RedisServer[]> {
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
  // A client that connects then knows the replicas too, and each of them has copied: only such a one takes over.
  const knowsReplicas = async (server: RedisServer) => {
    await agree(server);
    for (const [, , ...nodes] of await withNode(server, (node) => node.cluster('SLOTS'))) {
      expect(nodes).toHaveLength(1 + replicas);
    }
  };
  await eventually(() => Promise.all(servers.map(knowsReplicas)));
  const hasCopied = (server: RedisServer) =>
    withNode(server, async (node) => expect(await node.info()).toContain('state=online'));
  if (replicas > 0) await eventually(() => Promise.all(masters.map(hasCopied)));
  return servers;
}

/** Finds the server that has the keys of a hash tag. */
export async function masterOf(tag: string, servers: readonly RedisServer[]): Promise<RedisServer> {
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

export function openCluster(servers: readonly RedisServer[], options = {}): Cluster {
  const cluster = new Cluster(
    servers.map(({ port }) => ({ host: '127.0.0.1', port })),
    options,
  );
  cluster.on('error', () => undefined);
  onTestFinished(() => cluster.disconnect());
  return cluster;
}

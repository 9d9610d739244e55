import { Cluster } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import { eventually } from '../inbox/fixture.js';
import { freePort } from '../support/free-port.js';
import { openRedis, type RedisServer } from '../support/redis-server.js';
import { openClient } from './servers.js';

/** A node that notices within a second that another is gone. */
const NODE = [
  '--cluster-enabled',
  'yes',
  '--cluster-node-timeout',
  '1000',
  '--cluster-announce-ip',
  '127.0.0.1',
];

/** Starts masters, with `replicas` replicas each, until the test ends. The masters are the first ones. */
export async function startCluster({ masters = 3, replicas = 0 } = {}): Promise<RedisServer[]> {
  const buses = await Promise.all(Array.from({ length: masters * (1 + replicas) }, freePort));
  const servers = await Promise.all(buses.map((bus) => openRedis(...NODE, '--cluster-port', String(bus))));
  const nodes = servers.map(({ url }) => openClient(url));
  const ids = await Promise.all(nodes.map((node) => node.cluster('MYID')));
  for (const [index, node] of nodes.slice(0, masters).entries()) {
    const [from = 0, end = 0] = [index, index + 1].map((part) => Math.ceil((part * 16_384) / masters));
    await node.cluster('ADDSLOTSRANGE', from, end - 1);
  }
  for (const [index, { port }] of servers.entries()) {
    await nodes[0]?.cluster('MEET', '127.0.0.1', port, buses[index] ?? 0);
  }
  const agreed = new RegExp(`cluster_state:ok[^]*cluster_known_nodes:${nodes.length}`);
  await eventually(async () => {
    for (const node of nodes) expect(await node.cluster('INFO')).toMatch(agreed);
  });
  for (const [index, node] of nodes.slice(masters).entries()) {
    await node.cluster('REPLICATE', ids[index % masters] ?? '');
  }
  // A client that connects then knows the replicas too, and each of them has copied: only such a one takes over.
  await eventually(async () => {
    for (const node of nodes) {
      expect(await node.cluster('INFO')).toMatch(agreed);
      for (const [, , ...ofSlot] of await node.cluster('SLOTS')) expect(ofSlot).toHaveLength(1 + replicas);
    }
    if (replicas === 0) return;
    for (const master of nodes.slice(0, masters)) expect(await master.info()).toContain('state=online');
  });
  return servers;
}

/** Finds the server that has the keys of a hash tag. */
export async function masterOf(tag: string, servers: readonly RedisServer[]): Promise<RedisServer> {
  for (const server of servers) {
    const keys = await openClient(server.url)
      .exists(tag)
      .catch(() => undefined);
    if (keys !== undefined) return server;
  }
  throw new Error('No master has it');
}

export function openCluster(servers: readonly { port: number }[], options = {}): Cluster {
  const cluster = new Cluster(
    servers.map(({ port }) => ({ host: '127.0.0.1', port })),
    options,
  );
  cluster.on('error', () => undefined);
  onTestFinished(() => cluster.disconnect());
  return cluster;
}

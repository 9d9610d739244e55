import type { Redis } from 'ioredis';
import { isCluster, type RedisClient } from '../redis/connection.js';

/** The response to `INFO`, by field. */
export type ServerInfo = ReadonlyMap<string, string>;

/** Reads `INFO`. One section is cheaper than all. */
export async function readInfo(node: Redis, section?: 'memory' | 'server'): Promise<ServerInfo> {
  const text = await (section === undefined ? node.info() : node.info(section));
  return new Map(
    [...text.matchAll(/^(\w+):(.*)$/gm)].map(([, name = '', value = '']) => [name, value.trim()]),
  );
}

/** Returns the number in a field; 0 if there is none. */
export function numberIn(info: ServerInfo, field: string): number {
  return Number(info.get(field) ?? 0) || 0;
}

/** Reads the setting `appendfsync`; undefined if the provider of Redis forbids reading it. */
export async function readFsync(node: Redis): Promise<string | undefined> {
  try {
    const [, value] = (await node.config('GET', 'appendfsync')) as [string, string];
    return value;
  } catch {
    return undefined;
  }
}

/** Finds the connection to the Redis that takes the writes of a key: the client, or a node of its cluster. */
export async function findWriter(client: RedisClient, key: string): Promise<() => Redis> {
  if (!isCluster(client)) return () => client;
  const slot = await client.cluster('KEYSLOT', key);
  return () => {
    const master = client.slots[slot]?.[0];
    const node = client.nodes('master').find(({ options: { host, port } }) => `${host}:${port}` === master);
    if (node !== undefined) return node;
    // ioredis 6.0.0 looks for nodes again only when a command fails (`built/cluster/index.js:653`), and
    // without a node none is sent.
    client.refreshSlotsCache();
    // The word with which Redis itself refuses in this state, so that the event waits.
    throw new Error('CLUSTERDOWN No node is known for the keys of this queue');
  };
}

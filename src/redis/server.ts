import type { Redis } from 'ioredis';
import { isCluster, type RedisClient } from './connection.js';
import { isForbidden } from './failure.js';

/** The answer to `INFO`, by field. */
export type ServerInfo = ReadonlyMap<string, string>;

/** Returns undefined where the user of Redis may not run `INFO`. One section is cheaper than all. */
export async function readInfo(node: Redis, section?: 'memory'): Promise<ServerInfo | undefined> {
  try {
    const text = await (section === undefined ? node.info() : node.info(section));
    return new Map([...text.matchAll(/^(\w+):(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

/** Returns the number in a field; 0 where there is none. */
export function numberIn(info: ServerInfo, field: string): number {
  return Number(info.get(field) ?? 0) || 0;
}

/** Returns undefined where the provider of Redis forbids the command. */
export async function readFsync(node: Redis): Promise<string | undefined> {
  try {
    const [, value] = (await node.config('GET', 'appendfsync')) as [string, string];
    return value;
  } catch {
    return undefined;
  }
}

/** Gives the connection to the Redis that takes the writes of a key: the client itself, or a node of its cluster. */
export async function findWriter(client: RedisClient, key: string): Promise<() => Redis> {
  if (!isCluster(client)) return () => client;
  const slot = await client.cluster('KEYSLOT', key);
  return () => {
    const master = client.slots[slot]?.[0];
    const node = client.nodes('master').find(({ options: { host, port } }) => `${host}:${port}` === master);
    if (node !== undefined) return node;
    // ioredis asks for the nodes again only when a command of its own fails, and none is sent without a node.
    client.refreshSlotsCache();
    throw new Error('CLUSTERDOWN No node is known for the keys of this queue');
  };
}

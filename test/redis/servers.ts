import { createRedisDedupe, type RedisDedupe, type RedisDedupeOptions } from 'agent-platform-sdk/redis';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { openRedis, type RedisServer } from '../support/redis-server.js';
import { startProxy } from './proxy.js';

/** Opens a client until the test ends. Its Redis may end first. */
export function openClient(url: string, options = {}): Redis {
  const client = new Redis(url, options);
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  return client;
}

/** Opens a dedupe store until the test ends. */
export function openStore(
  options: Omit<RedisDedupeOptions, 'keyPrefix'> & { keyPrefix?: string },
): RedisDedupe {
  const store = createRedisDedupe({ keyPrefix: 'crm:', timeout: 15_000, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** Starts a Redis and its replica, until the test ends. */
export async function startPair() {
  const [primary, replica] = [await openRedis(), await openRedis()];
  const [address, copying] = [await startProxy(primary.port), await startProxy(primary.port)];
  await makeReplica(replica, copying.port);
  await untilCopied(primary);
  return {
    primary,
    replica,
    /** Leads to the one that takes writes. Connections stay open. */
    address,
    /** The way from the Redis to its replica: held, the replica lags. */
    copying,
    /** Swaps the two once all is copied, and leads the address to the other. */
    async failOver() {
      await untilCopied(primary);
      await makePrimary(replica);
      await makeReplica(primary, replica.port);
      address.lead(replica.port);
    },
  };
}

/** Makes a Redis a replica, of one that need not be there. */
export async function makeReplica({ url }: RedisServer, port: number): Promise<void> {
  await openClient(url).replicaof('127.0.0.1', port);
}

/** Makes a replica a Redis that takes writes. */
export async function makePrimary({ url }: RedisServer): Promise<void> {
  await openClient(url).replicaof('NO', 'ONE');
}

/** Resolves when a replica has what was written until now. */
export async function untilCopied({ url }: RedisServer): Promise<void> {
  const client = openClient(url);
  await client.set('written last', '');
  await client.wait(1, 0);
}

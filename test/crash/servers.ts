import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { type RedisProxy, startProxy } from '../redis/proxy.js';
import { DURABLE, type RedisServer, startRedis } from '../support/redis-server.js';
import type { Storage } from './settings.js';

// The Redis servers of the campaign.

/** Time that a write takes to the replica, in ms. */
const LAG_MS = 50;

export async function openRedis(args: readonly string[] = DURABLE): Promise<RedisServer> {
  const redis = await startRedis(args);
  onTestFinished(() => redis.stop());
  return redis;
}

export function openAdmin(redis: RedisServer): Redis {
  const admin = new Redis(redis.url);
  onTestFinished(() => admin.disconnect());
  return admin;
}

export function storageAt(server: { readonly port: number }): Storage {
  return { redis: addressOf(server) };
}

export function addressOf({ port }: { readonly port: number }) {
  return { host: '127.0.0.1', port };
}

/** Makes one Redis the replica of another, over a network with a lag. */
export async function replicate(primary: RedisServer, replica: RedisServer): Promise<RedisProxy> {
  const link = await startProxy(primary.port, LAG_MS);
  await withClient(replica, (client) => client.replicaof('127.0.0.1', link.port));
  return link;
}

/** Resolves when the replica of a Redis has caught up but for the lag. */
export async function replicaOnline(primary: RedisServer): Promise<void> {
  await withClient(primary, async (client) => {
    while (!/state=online/.test(await client.info('replication'))) await sleep(50);
  });
}

export async function withClient(
  server: RedisServer,
  act: (client: Redis) => Promise<unknown>,
): Promise<void> {
  const client = new Redis(server.url);
  await act(client);
  await client.quit();
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { type RedisProxy, startProxy } from '../redis/proxy.js';
import { type PostgresServer, type PostgresSettings, startPostgres } from '../support/postgres-server.js';
import { DURABLE, type RedisServer, startRedis } from '../support/redis-server.js';
import type { Storage } from './settings.js';

// The servers of the campaign. All stop when the test ends.

/** A port on which nothing listens. */
export const NOWHERE = 1;
/** Time that a write takes to the replica, in ms. */
const LAG_MS = 50;

export async function openRedis(args: readonly string[] = DURABLE): Promise<RedisServer> {
  const redis = await startRedis(args);
  onTestFinished(() => redis.stop());
  return redis;
}

/** Connects to a Redis beside the inboxes. */
export function openAdmin(redis: RedisServer): Redis {
  const admin = new Redis(redis.url);
  onTestFinished(() => admin.disconnect());
  return admin;
}

export function storageAt({ port }: { readonly port: number }) {
  return { redis: { host: '127.0.0.1', port } } satisfies Storage;
}

/** Makes one Redis the replica of another, over a network with a lag. */
export async function replicate(primary: RedisServer, replica: Redis): Promise<RedisProxy> {
  const link = await startProxy(primary.port, LAG_MS);
  await replica.replicaof('127.0.0.1', link.port);
  return link;
}

/** Resolves when the replica of a Redis has caught up but for the lag. */
export async function replicaOnline(primary: Redis): Promise<void> {
  while (!/state=online/.test(await primary.info('replication'))) await sleep(50);
}

/** A Postgres that keeps what it has acknowledged, also over a failure of power. */
export async function openPostgres(given: PostgresSettings = {}): Promise<PostgresServer> {
  const postgres = await startPostgres({ settings: ['shared_buffers=64MB'], ...given });
  onTestFinished(() => postgres.stop());
  return postgres;
}

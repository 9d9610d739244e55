import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { type RedisProxy, startProxy } from './proxy.js';

/** Nothing on disk, and replicas are copied to at once. */
const REPLICATED = ['--save', '', '--appendonly', 'no', '--repl-diskless-sync-delay', '0'];

/** Starts a Redis that can have replicas or be one, until the test ends. */
export async function startReplicated(): Promise<RedisServer> {
  const server = await startRedis(REPLICATED);
  onTestFinished(() => server.stop());
  return server;
}

/** A Redis and its replica behind one address, until the test ends. */
export interface RedisPair {
  /** The address: it leads to the one that takes writes. */
  readonly url: string;
  /** The replica, which takes writes after the failover. */
  readonly replicaUrl: string;
  /** Swaps the two once all is copied, and leads the address to the other. Connections stay open. */
  failOver(): Promise<void>;
  stop(): Promise<unknown>;
}

export async function startPair(): Promise<RedisPair> {
  const [primary, replica] = [await startReplicated(), await startReplicated()];
  await makeReplica(replica.url, primary.port);
  const proxy = await startProxy(primary.port);
  const failOver = async () => {
    await untilReplicas(primary.url, 1);
    await makePrimary(replica.url);
    await makeReplica(primary.url, replica.port);
    proxy.lead(replica.port);
  };
  const stop = () => Promise.all([primary.stop(), replica.stop()]);
  return { url: proxy.url, replicaUrl: replica.url, failOver, stop };
}

/** A Redis and a replica that can be made to lag, until the test ends. */
export interface Lagging {
  readonly port: number;
  readonly url: string;
  readonly replicaUrl: string;
  /** The way from the Redis to its replica: held, the replica lags. */
  readonly copying: RedisProxy;
  /** Kills the Redis, and makes the replica take its place as it is. */
  failOver(): Promise<void>;
}

export async function startLagging(): Promise<Lagging> {
  const [primary, replica] = [await startReplicated(), await startReplicated()];
  const copying = await startProxy(primary.port);
  await makeReplica(replica.url, copying.port);
  await untilReplicas(primary.url, 1);
  const failOver = async () => {
    await primary.stop();
    await makePrimary(replica.url);
  };
  return { port: primary.port, url: primary.url, replicaUrl: replica.url, copying, failOver };
}

/** Makes a Redis a replica, of one that need not be there. */
export function makeReplica(url: string, port: number): Promise<void> {
  return onceConnected(url, (client) => client.replicaof('127.0.0.1', port));
}

/** Makes a replica a Redis that takes writes. */
export function makePrimary(url: string): Promise<void> {
  return onceConnected(url, (client) => client.replicaof('NO', 'ONE'));
}

/** Resolves when `count` replicas have what was written until now. */
export function untilReplicas(url: string, count: number): Promise<void> {
  return onceConnected(url, async (client) => {
    await client.set('written last', '');
    await client.wait(count, 0);
  });
}

async function onceConnected(url: string, act: (client: Redis) => Promise<unknown>): Promise<void> {
  const client = new Redis(url);
  await act(client);
  await client.quit();
}

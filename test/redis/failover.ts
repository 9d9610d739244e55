import { connect, createServer } from 'node:net';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { listenOnLoopback } from '../support/loopback.js';
import { startRedis } from '../support/redis-server.js';

/** A Redis and its replica behind one name, until the test ends. */
export interface RedisPair {
  /** The name: it leads to the one that takes writes. */
  readonly url: string;
  /** The replica, which takes writes after the failover. */
  readonly replicaUrl: string;
  /** Lets the two change places, and the name lead to the other, when all is copied. Connections stay open. */
  failOver(): Promise<void>;
}

/** Nothing on disk, and a replica that is copied to at once. */
const ARGS = ['--save', '', '--appendonly', 'no', '--repl-diskless-sync-delay', '0'];

export async function startPair(): Promise<RedisPair> {
  const [primary, replica] = [await startRedis(ARGS), await startRedis(ARGS)];
  onTestFinished(async () => {
    await Promise.all([primary.stop(), replica.stop()]);
  });
  await makeReplica(replica.url, primary.port);
  let target = primary.port;
  const name = createServer((inside) => {
    const outside = connect(target, '127.0.0.1');
    inside.on('error', () => undefined).on('close', () => outside.destroy());
    outside.on('error', () => undefined).on('close', () => inside.destroy());
    inside.pipe(outside).pipe(inside);
  });
  const url = `redis://127.0.0.1:${await listenOnLoopback(name)}`;
  const failOver = async () => {
    await copied(primary.url);
    await makePrimary(replica.url);
    await makeReplica(primary.url, replica.port);
    target = replica.port;
  };
  return { url, replicaUrl: replica.url, failOver };
}

/** Makes a Redis a replica, of one that need not be there. */
export function makeReplica(url: string, port: number): Promise<void> {
  return onceConnected(url, (client) => client.replicaof('127.0.0.1', port));
}

/** Makes a replica a Redis that takes writes. */
export function makePrimary(url: string): Promise<void> {
  return onceConnected(url, (client) => client.replicaof('NO', 'ONE'));
}

/** Resolves when the replica has all that was written until now. */
function copied(url: string): Promise<void> {
  return onceConnected(url, async (client) => {
    await client.set('written last', '');
    await client.wait(1, 0);
  });
}

async function onceConnected(url: string, act: (client: Redis) => Promise<unknown>): Promise<void> {
  const client = new Redis(url);
  await act(client);
  await client.quit();
}

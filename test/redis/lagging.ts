import { connect, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { listenOnLoopback } from '../support/loopback.js';
import { startRedis } from '../support/redis-server.js';
import { makePrimary, makeReplica } from './failover.js';

/** A connection's way, which can be held up and cut. */
export interface Way {
  readonly port: number;
  /** Lets nothing that the target sends through, until it is released. */
  hold(): void;
  release(): void;
  /** Closes every connection; new ones are made at once. */
  cut(): void;
  /** Leads new connections to another port. */
  lead(target: number): void;
  /** The number of connections that were made. */
  readonly made: number;
}

/** Leads to a port of this machine, until the test ends. */
export async function startWay(target: number): Promise<Way> {
  const pairs = new Set<readonly [inside: Socket, outside: Socket]>();
  let [isHeld, made, to] = [false, 0, target];
  const server = createServer((inside) => {
    const outside = connect(to, '127.0.0.1');
    const pair = [inside, outside] as const;
    pairs.add(pair);
    made += 1;
    inside.pipe(outside);
    if (!isHeld) outside.pipe(inside);
    const end = () => {
      pairs.delete(pair);
      inside.destroy();
      outside.destroy();
    };
    for (const socket of pair) socket.on('error', () => undefined).on('close', end);
  });
  const port = await listenOnLoopback(server);
  return {
    port,
    hold() {
      isHeld = true;
      for (const [inside, outside] of pairs) outside.unpipe(inside).pause();
    },
    release() {
      isHeld = false;
      for (const [inside, outside] of pairs) outside.pipe(inside);
    },
    cut() {
      for (const [inside] of pairs) inside.destroy();
    },
    lead(other) {
      to = other;
    },
    get made() {
      return made;
    },
  };
}

/** Nothing on disk, and a replica that is copied to at once. */
export const REPLICATED = ['--save', '', '--appendonly', 'no', '--repl-diskless-sync-delay', '0'];

/** A Redis and a replica of it, until the test ends. */
export interface Lagging {
  readonly port: number;
  readonly url: string;
  readonly replicaUrl: string;
  /** The way from the Redis to its replica: held, the replica lags. */
  readonly copying: Way;
  /** Kills the Redis, and makes the replica take its place as it is. */
  failOver(): Promise<void>;
}

export async function startLagging(): Promise<Lagging> {
  const [primary, replica] = [await startRedis(REPLICATED), await startRedis(REPLICATED)];
  onTestFinished(async () => {
    await Promise.all([primary.stop(), replica.stop()]);
  });
  const copying = await startWay(primary.port);
  await makeReplica(replica.url, copying.port);
  await untilReplicas(primary.url, 1);
  const failOver = async () => {
    await primary.stop();
    await makePrimary(replica.url);
  };
  return { port: primary.port, url: primary.url, replicaUrl: replica.url, copying, failOver };
}

/** Resolves when so many replicas have what was written until now. */
export async function untilReplicas(url: string, count: number): Promise<void> {
  const client = new Redis(url);
  await client.set('written last', '');
  await client.wait(count, 0);
  await client.quit();
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { eventually } from '../inbox/fixture.js';
import { freePort } from '../support/free-port.js';
import type { RedisServer } from '../support/redis-server.js';
import { makeReplica, startReplicated, untilReplicas } from './replicated.js';

/** A Redis, its two replicas and three Sentinels, until the test ends. */
export interface Watched {
  /** Options with which ioredis asks the Sentinels for the Redis that takes writes. */
  readonly connection: { readonly sentinels: { host: string; port: number }[]; readonly name: string };
  readonly primary: RedisServer;
  /** Freezes the Redis: its connections stay open, and `resume` lets it go on where it was. */
  pause(): void;
  resume(): void;
  /** Resolves with the port of the Redis that takes writes, once that is another. */
  failedOver(): Promise<number>;
  /** Ends the Redis and its replicas, and not the Sentinels. */
  stop(): Promise<unknown>;
}

const NAME = 'inbox';

export async function startWatched(): Promise<Watched> {
  const primary = await startReplicated();
  const replicas = [await startReplicated(), await startReplicated()];
  for (const replica of replicas) await makeReplica(replica.url, primary.port);
  await untilReplicas(primary.url, replicas.length);
  const pid = await processOf(primary);
  const sentinels = await Promise.all([1, 2, 3].map(() => startSentinel(primary.port)));
  await eventually(() => Promise.all(sentinels.map(knowsAll)));
  return {
    connection: { sentinels: sentinels.map((port) => ({ host: '127.0.0.1', port })), name: NAME },
    primary,
    pause: () => void process.kill(pid, 'SIGSTOP'),
    resume: () => void process.kill(pid, 'SIGCONT'),
    stop: () => Promise.all([primary, ...replicas].map((server) => server.stop())),
    failedOver: () =>
      eventually(async () => {
        // A Sentinel that does not know of it yet would send a client back to the old one.
        const addresses = await Promise.all(sentinels.map((port) => ask(port, 'get-master-addr-by-name')));
        const ports = new Set(addresses.map((address) => Number((address as [string, string])[1])));
        const [port = 0] = ports;
        if (ports.size > 1 || port === primary.port) throw new Error('no failover yet');
        return port;
      }),
  };
}

async function processOf({ url }: RedisServer): Promise<number> {
  const client = new Redis(url);
  const info = await client.info('server');
  await client.quit();
  return Number(/process_id:(\d+)/.exec(info)?.[1]);
}

/** Starts a Sentinel that decides within a second or two. Resolves with its port. */
async function startSentinel(primary: number): Promise<number> {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'sentinel-'));
  const settings = join(directory, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${directory}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${primary} 2`,
    `sentinel down-after-milliseconds ${NAME} 1000`,
    `sentinel failover-timeout ${NAME} 3000`,
  ];
  writeFileSync(settings, lines.join('\n'));
  const server = spawn('redis-server', [settings, '--sentinel'], { stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  });
  return port;
}

/** Rejects while a Sentinel does not know the replicas and the other Sentinels. */
async function knowsAll(port: number): Promise<void> {
  const [replicas, others] = [await ask(port, 'replicas'), await ask(port, 'sentinels')] as unknown[][];
  if (replicas?.length !== 2 || others?.length !== 2) throw new Error('not all are known yet');
}

async function ask(port: number, about: string): Promise<unknown> {
  const client = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: 2 });
  client.on('error', () => undefined);
  try {
    return await client.call('SENTINEL', about, NAME);
  } finally {
    client.disconnect();
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { freePort } from './free-port.js';

/** A Redis server on a free port of this machine. */
export interface RedisServer {
  readonly port: number;
  readonly url: string;
  /** Kills it at once, as a crash would, and starts it again with the same port and files. */
  crash(pauseMs?: number): Promise<void>;
  /** Stops its process, which keeps its connections and responds to nothing. */
  freeze(): void;
  /** Continues a frozen process. */
  thaw(): void;
  stop(): Promise<void>;
}

/** Keeps nothing on disk, and copies to replicas at once. The fastest, for tests that do not restart Redis. */
const SETTINGS = ['--save', '', '--appendonly', 'no', '--repl-diskless-sync-delay', '0'];

/** Every acknowledged write is on disk, which the promise of the inbox depends on. */
export const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always'];

/** Starts a Redis, until the test ends. */
export async function openRedis(...args: readonly string[]): Promise<RedisServer> {
  const server = await startRedis(args);
  onTestFinished(() => server.stop());
  return server;
}

/** Starts a Redis, until it is stopped. */
export async function startRedis(args: readonly string[] = []): Promise<RedisServer> {
  const directory = mkdtempSync(join(tmpdir(), 'redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const launch = () => launchServer(port, directory, args);
  let server = await launch();
  // Leaves no server behind if the run is stopped half way.
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  return {
    port,
    url,
    async crash(pauseMs = 0) {
      await end(server, 'SIGKILL');
      await sleep(pauseMs);
      server = await launch();
    },
    freeze() {
      server.kill('SIGSTOP');
    },
    thaw() {
      server.kill('SIGCONT');
    },
    async stop() {
      process.off('exit', kill);
      await end(server, 'SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function launchServer(port: number, directory: string, args: readonly string[]): Promise<ChildProcess> {
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory];
  const common = ['--maxmemory-policy', 'noeviction', '--loglevel', 'warning', ...SETTINGS];
  const server = spawn('redis-server', [...own, ...common, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await Promise.race([untilReady(port), untilFailed(server)]);
  return server;
}

async function untilFailed(server: ChildProcess): Promise<never> {
  let log = '';
  server.stdout?.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const [code] = (await once(server, 'close')) as [number | null];
  throw new Error(`redis-server ended with ${code} instead of starting: ${log}`);
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill(signal);
  await ended;
}

/** Resolves when Redis has read its files and responds. */
async function untilReady(port: number): Promise<void> {
  const client = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 20, maxRetriesPerRequest: 1_000 });
  client.on('error', () => undefined);
  await client.ping().catch((error: Error) => {
    // A Redis that wants a password, or lacks the command with which ioredis checks that it is ready,
    // responds too.
    if (!/^(?:NOAUTH|ERR unknown command) /.test(error.message)) throw error;
  });
  client.disconnect();
}

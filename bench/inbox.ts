/** The inbox: events accepted and handled per second, beside plain BullMQ, on a Redis started here. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { InboxName, InboxTask } from './inbox-peers.js';
import { post } from './load.js';
import { type Running, start } from './processes.js';
import { type Effort, inTurns, type Peer, printTable } from './rounds.js';
import { conversationOf } from './samples.js';

const PEERS: readonly InboxName[] = ['plain BullMQ', 'this package'];
const EVENT = conversationOf(1_000);
const CONNECTIONS = 64;

const TABLES = [
  { figure: 'accepted', title: 'Accepted', unit: 'events/s' },
  { figure: 'worked', title: 'Handled', unit: 'events/s' },
  { figure: 'receiverCpu', title: 'Receiver', unit: 'µs of CPU per event' },
  { figure: 'workerCpu', title: 'Worker', unit: 'µs of CPU per event' },
  { figure: 'bytes', title: 'Memory of Redis', unit: 'bytes per waiting event' },
];

export async function inbox({ rounds, share }: Effort): Promise<void> {
  const server = await startRedis();
  for (const backlog of [0, 100_000]) {
    const [count, before] = [Math.ceil(2_000 * share), Math.ceil(backlog * share)];
    const effort = { rounds: Math.ceil(rounds / 2), share };
    const results = await inTurns(PEERS, effort, (peer) => startPeer(peer, server.url, count, before));
    for (const { figure, title, unit } of TABLES) {
      const table = { title: `${title}, events of 1 kB, ${before} waiting`, figure, unit };
      printTable({ ...table, beside: ['plain BullMQ'] }, results);
    }
  }
  await server.stop();
}

/** Starts a receiver, and a worker that is paused between turns. A turn adds and handles `count` events. */
async function startPeer(peer: InboxName, url: string, count: number, backlog: number): Promise<Peer> {
  const redis = new Redis(url);
  const queueName = `bench-${peer.replaceAll(' ', '-')}`;
  const queue = new Queue(queueName, { connection: redis });
  const launch = (side: InboxTask['side']) => start('inbox-peers.js', { side, peer, redis: url, queueName });
  const [receiver, worker] = await Promise.all([launch('receive'), launch('work')]);
  const accept = (events: number) => post(receiver.port, EVENT, events, CONNECTIONS);

  await queue.pause();
  // Warms up: a program that runs for months runs compiled code.
  await accept(count * 5);
  await workOff(queue, count * 5);
  await accept(backlog);

  return {
    async measure() {
      const memory = await usedMemory(redis);
      const accepted = await timed(receiver, async () => {
        await accept(count);
        return count;
      });
      const bytes = ((await usedMemory(redis)) - memory) / count;
      const worked = await timed(worker, () => workOff(queue, count));
      const rates = { accepted: accepted.perSecond, worked: worked.perSecond };
      return { ...rates, receiverCpu: accepted.cpu, workerCpu: worked.cpu, bytes };
    },
    async stop() {
      await Promise.all([receiver.stop(), worker.stop()]);
      await queue.obliterate({ force: true });
      await queue.close();
      await redis.quit();
    },
  };
}

/** Events per second, and the CPU of the process for each. */
async function timed(running: Running, work: () => Promise<number>) {
  const { cpu: before = 0 } = await running.measure();
  const started = performance.now();
  const events = await work();
  const perSecond = (events * 1_000) / (performance.now() - started);
  const { cpu: after = 0 } = await running.measure();
  return { perSecond, cpu: (after - before) / events };
}

/** Lets the worker handle at least `count` events, pauses it again, and returns how many it handled. */
async function workOff(queue: Queue, count: number): Promise<number> {
  const { unhandled: before } = await countJobs(queue);
  await queue.resume();
  while ((await countJobs(queue)).unhandled > before - count) await sleep(5);
  await queue.pause();
  while ((await countJobs(queue)).active > 0) await sleep(1);
  return before - (await countJobs(queue)).unhandled;
}

async function countJobs(queue: Queue): Promise<{ unhandled: number; active: number }> {
  const { failed = 0, completed: _, active = 0, ...waiting } = await queue.getJobCounts();
  if (failed > 0) throw new Error(`${failed} events failed`);
  return { unhandled: Object.values(waiting).reduce((sum, some) => sum + some, active), active };
}

async function usedMemory(redis: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
}

/** Starts a Redis on a free port that keeps nothing on disk, unless the options say so. */
export async function startRedis(
  keep: readonly string[] = ['--save', '', '--appendonly', 'no', '--dir', tmpdir()],
): Promise<{ url: string; stop: () => Promise<void> }> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  // A server that listens on TCP has an address with a port.
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const options = ['--bind', '127.0.0.1', ...keep];
  const server = spawn('redis-server', ['--port', String(port), ...options], { stdio: 'ignore' });
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  await once(server, 'spawn').catch(() => {
    throw new Error('redis-server is not installed: apt-get install -y --no-install-recommends redis-server');
  });
  const redis = new Redis(port, '127.0.0.1', { retryStrategy: () => 20 });
  redis.on('error', () => undefined);
  await redis.ping();
  await redis.quit();
  const stop = async () => {
    const ended = once(server, 'exit');
    kill();
    await ended;
  };
  return { url: `redis://127.0.0.1:${port}`, stop };
}

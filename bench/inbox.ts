/** The inbox: events accepted and worked off in a second, beside BullMQ by hand, on a Redis that is started here. */
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
import { type Effort, type Figures, inRounds, printTable } from './rounds.js';
import { conversationOf } from './samples.js';

const PEERS: readonly InboxName[] = ['plain BullMQ', 'this package'];
const QUEUE = 'bench';
const EVENT = conversationOf(1_000);
const CONNECTIONS = 64;

const TABLES = [
  { figure: 'accepted', title: 'Accepted', unit: 'events/s' },
  { figure: 'worked', title: 'Worked off', unit: 'events/s' },
  { figure: 'receiverCpu', title: 'Receiver', unit: 'µs of CPU an event' },
  { figure: 'workerCpu', title: 'Worker', unit: 'µs of CPU an event' },
  { figure: 'bytes', title: 'Memory of Redis', unit: 'bytes a waiting event' },
];

export async function inbox(effort: Effort): Promise<void> {
  const server = await startRedis();
  const rounds = Math.ceil(effort.rounds / 2);
  for (const waiting of [0, 100_000]) {
    const [count, before] = [Math.ceil(20_000 * effort.share), Math.ceil(waiting * effort.share)];
    const results = await inRounds(PEERS, rounds, (peer) =>
      measure(peer as InboxName, server.url, count, before),
    );
    for (const { figure, title, unit } of TABLES) {
      const table = { title: `${title}, events of 1 kB, ${before} waiting`, figure, unit };
      printTable({ ...table, beside: ['plain BullMQ'] }, results);
    }
  }
  await server.stop();
}

/** One receiver and one worker: accepts `count` events behind `waiting` others, and works them all off. */
async function measure(peer: InboxName, url: string, count: number, waiting: number): Promise<Figures> {
  const redis = new Redis(url);
  await redis.flushall();
  const queue = new Queue(QUEUE, { connection: redis });
  const launch = (side: InboxTask['side']) =>
    start('inbox-peers.js', { side, peer, redis: url, queueName: QUEUE });
  const [receiver, worker] = await Promise.all([launch('receive'), launch('work')]);

  // What runs for months is compiled code.
  await post(receiver.port, EVENT, count / 2, CONNECTIONS);
  await emptied(queue);
  await queue.pause();
  await post(receiver.port, EVENT, waiting, CONNECTIONS);

  const memory = await usedMemory(redis);
  const accepting = await timed(receiver, () => post(receiver.port, EVENT, count, CONNECTIONS));
  const bytes = ((await usedMemory(redis)) - memory) / count;
  const working = await timed(worker, async () => {
    await queue.resume();
    await emptied(queue);
  });

  await Promise.all([receiver.stop(), worker.stop()]);
  await queue.close();
  await redis.quit();
  return {
    accepted: count / accepting.seconds,
    worked: (waiting + count) / working.seconds,
    receiverCpu: accepting.cpu / count,
    workerCpu: working.cpu / (waiting + count),
    bytes,
  };
}

async function timed(process: Running, work: () => Promise<void>): Promise<{ seconds: number; cpu: number }> {
  const { cpu: before = 0 } = await process.measure();
  const begun = performance.now();
  await work();
  const seconds = (performance.now() - begun) / 1_000;
  const { cpu: after = 0 } = await process.measure();
  return { seconds, cpu: after - before };
}

/** Resolves when every event was handled. */
async function emptied(queue: Queue): Promise<void> {
  for (;;) {
    const { failed = 0, completed: _, ...left } = await queue.getJobCounts();
    if (failed > 0) throw new Error(`${failed} events failed`);
    if (Object.values(left).every((count) => count === 0)) return;
    await sleep(5);
  }
}

async function usedMemory(redis: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
}

/** A Redis on a free port that keeps nothing on disk. */
async function startRedis(): Promise<{ url: string; stop: () => Promise<void> }> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  // A server that listens on TCP has an address with a port.
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const options = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', tmpdir()];
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

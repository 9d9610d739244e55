import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { freePort } from '../../scripts/free-port.js';
import { Crew } from './crew.js';
import { deliver } from './load.js';
import type { Kind, Role } from './role.js';

/** One combination that is measured. */
export interface Case {
  readonly kind: Kind;
  /** On each side: so many receivers, and so many workers. */
  readonly processes: number;
  readonly bytes: number;
  readonly count: number;
  /** Events that wait in the queue before anything is measured, and are worked off with the rest. Default 0. */
  readonly waiting?: number;
}

/** The result of one round. */
export interface Figures {
  readonly acceptedPerSecond: number;
  readonly workedPerSecond: number;
  /** Processor time of the receivers, and of the workers, per event, in microseconds. */
  readonly acceptCpu: number;
  readonly workCpu: number;
  /** Processor time of Redis per event, stored and worked off, in microseconds: its one thread serves all. */
  readonly redisCpu: number;
  /** Memory of Redis per waiting event. */
  readonly bytesWaiting: number;
}

/** Small events for each process, before anything is measured: code that was compiled yet is what runs for months. */
const WARM_UP = 10_000;

export async function measure(one: Case, redisUrl: string): Promise<Figures> {
  const redis = new Redis(redisUrl);
  await redis.flushall();
  const queue = new Queue('bench', { connection: redis });
  const ports = await Promise.all(Array.from({ length: one.processes }, freePort));
  const role = { kind: one.kind, redisUrl, queueName: 'bench' };
  const receivers = await Crew.start(ports.map((port): Role => ({ ...role, side: 'receive', port })));
  const workers = await Crew.start(ports.map((port): Role => ({ ...role, side: 'work', port })));
  try {
    await deliver(ports, WARM_UP * one.processes, 1_000);
    await emptied(queue);
    await queue.pause();
    if (one.waiting !== undefined && one.waiting > 0) await deliver(ports, one.waiting, one.bytes);
    const before = await cpuOf(redis);
    const accepted = await accept(one, receivers, ports, redis);
    const acceptingCpu = (await cpuOf(redis)) - before;
    const waiting = await queue.getWaitingCount();
    const began = await cpuOf(redis);
    const worked = await work(waiting, workers, queue);
    const workingCpu = (await cpuOf(redis)) - began;
    return { ...accepted, ...worked, redisCpu: acceptingCpu / one.count + workingCpu / waiting };
  } finally {
    await Promise.all([receivers.stop(), workers.stop()]);
    await queue.close();
    await redis.quit();
  }
}

async function accept({ bytes, count }: Case, receivers: Crew, ports: readonly number[], redis: Redis) {
  const [cpu, memory, began] = [await receivers.cpu(), await usedMemory(redis), performance.now()];
  await deliver(ports, count, bytes);
  const seconds = (performance.now() - began) / 1_000;
  const acceptCpu = ((await receivers.cpu()) - cpu) / count;
  const bytesWaiting = ((await usedMemory(redis)) - memory) / count;
  return { acceptedPerSecond: count / seconds, acceptCpu, bytesWaiting };
}

/** Lets the workers work off what waits. */
async function work(count: number, workers: Crew, queue: Queue) {
  const [cpu, began] = [await workers.cpu(), performance.now()];
  await queue.resume();
  await emptied(queue);
  const seconds = (performance.now() - began) / 1_000;
  const workCpu = ((await workers.cpu()) - cpu) / count;
  return { workedPerSecond: count / seconds, workCpu };
}

async function emptied(queue: Queue): Promise<void> {
  while ((await queue.getJobCountByTypes('waiting', 'active')) > 0) await sleep(5);
}

async function cpuOf(redis: Redis): Promise<number> {
  const info = await redis.info('cpu');
  const seconds = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
  return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1_000_000;
}

async function usedMemory(redis: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
}

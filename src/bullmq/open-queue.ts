import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { RedisClient } from '../redis/connection.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { MemoryGauge } from './memory.js';
import type { BullMQSettings } from './options.js';
import { findWriter, readInfo } from './redis-info.js';
import { ReplicaGate } from './gate.js';

/** A connected queue, with the checks that an event passes on its way into it. */
export interface OpenQueue {
  readonly queue: Queue<StoredWebhook>;
  readonly client: RedisClient;
  /** Returns the connection to the Redis that takes the queue's writes: in a cluster, to one of its nodes. */
  readonly writer: () => Redis;
  readonly memory: MemoryGauge;
  readonly replicas: ReplicaGate;
}

/** Resolves when the queue is connected and the Redis that takes its writes is known. */
export async function openQueue(
  queue: Queue<StoredWebhook>,
  client: RedisClient,
  { highWater, replicas }: BullMQSettings,
): Promise<OpenQueue> {
  await queue.waitUntilReady();
  const writer = await findWriter(client, queue.toKey(''));
  return {
    queue,
    client,
    writer,
    memory: new MemoryGauge(highWater, () => readInfo(writer(), 'memory')),
    replicas: new ReplicaGate(replicas, writer, queue.toKey('write-probe')),
  };
}

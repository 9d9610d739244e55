import { Queue } from 'bullmq';
import { WebhookError } from '../errors/index.js';
import type { RedisClient } from '../redis/connection.js';
import { isOutOfMemory } from '../redis/failure.js';
import { onOneLine } from '../utils/printable.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { jobOptions } from './job.js';
import type { OpenQueue } from './open-queue.js';
import type { BullMQSettings } from './options.js';
import { readInfo } from './redis-info.js';

/** The oldest Redis that has all commands of BullMQ's scripts. */
const LEAST_VERSION = 6.2;

/**
 * Checks the version of Redis, and its permissions by storing a job in a queue of its own.
 *
 * A script of BullMQ stops half way at a command that is refused. In the inbox's queue, half an event would stay.
 *
 * @throws {WebhookError} This Redis is too old.
 */
export async function checkRedis({ client, writer }: OpenQueue, settings: BullMQSettings): Promise<void> {
  const version = (await readInfo(writer(), 'server')).get('redis_version');
  if (version !== undefined && Number.parseFloat(version) < LEAST_VERSION) {
    throw new WebhookError(`Redis ${version} is too old. The inbox needs ${LEAST_VERSION} or later.`);
  }
  await checkOwner(client, settings);
  const queue = new Queue<StoredWebhook>(`${settings.queueName}-probe`, {
    connection: client,
    prefix: settings.prefix,
    // Nobody reads its events.
    streams: { events: { maxLen: 0 } },
  });
  // BullMQ 6.7.0 prints the errors of a queue without a listener (`classes/queue-base.js:86`).
  queue.on('error', () => undefined);
  const probe = { ...PROBE, key: crypto.randomUUID() };
  try {
    const job = await queue.add(probe.type, probe, jobOptions(probe, settings));
    await job.remove();
  } catch (error) {
    await removeRemains(queue, client, probe.key).catch(() => undefined);
    // A full Redis executes no part of a script.
    if (!isOutOfMemory(error)) throw error;
  } finally {
    await queue.close();
  }
}

const PROBE = { version: 1, type: 'probe', payload: {}, deliveryId: 'probe', receivedAt: 1 } as const;

/**
 * Checks that no other application uses the queue. The first one with a name becomes its owner.
 *
 * @throws {WebhookError} It belongs to another application.
 */
export async function checkOwner(client: RedisClient, settings: BullMQSettings): Promise<void> {
  const { application, prefix, queueName } = settings;
  if (application === undefined) return;
  const key = `${prefix}:${queueName}:application`;
  await client.set(key, application, 'NX');
  const owner = await client.get(key);
  if (owner === application) return;
  throw new WebhookError(
    `The queue ${queueName} belongs to the application ${onOneLine(String(owner))}, not ${onOneLine(application)}. ` +
      'Two applications take events from each other: give each its own queueName.',
  );
}

/** The lists in which a job can be, and the sorted sets. */
const LISTS = ['wait', 'paused', 'active'];
const SETS = ['delayed', 'failed'];

/** KEYS: the job, its deduplication, the lists, the sets. ARGV: the id, and the number of lists. */
const REMOVE_REMAINS = `
for i = 3, #KEYS do
  local command = i < 3 + ARGV[2] and 'LPOS' or 'ZSCORE'
  if redis.call(command, KEYS[i], ARGV[1]) then return end
end
redis.call('DEL', KEYS[1], KEYS[2])`;

/** Removes the data of a job that a script has left half stored, and the mark of its duplicates. */
export async function removeRemains(queue: Queue, client: RedisClient, id: string): Promise<void> {
  const keys = [id, `de:${id}`, ...LISTS, ...SETS].map((key) => queue.toKey(key));
  await client.eval(REMOVE_REMAINS, keys.length, ...keys, id, LISTS.length);
}

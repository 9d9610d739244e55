import type { Redis } from 'ioredis';
import { WebhookError } from '../errors/index.js';
import { describeFull, type InboxWarnings, type SharedWarning } from '../inbox/health.js';
import { isCluster, type RedisClient, settingsOf } from '../redis/connection.js';
import { isOutOfMemory } from '../redis/failure.js';
import { onOneLine } from '../utils/printable.js';
import { findFull, newQueue, numberIn, type OpenQueue, readInfo, type ServerInfo } from './gate.js';
import { jobOptions } from './job.js';
import type { BullMQSettings } from './options.js';

// What the inbox looks at when it opens, and in its health.

/** The kind of a warning of {@link InboxHealth}. */
export type BullMQWarning =
  /** `maxmemory-policy` is not `noeviction`: a full Redis drops stored events. */
  | 'eviction'
  /** There is no `maxmemory`, so Redis grows until the system kills it. */
  | 'unlimited'
  /** Redis may lose stored events when it restarts or crashes. */
  | 'persistence'
  /** Replicas are connected, but the inbox waits for none of them. */
  | 'replicas'
  /** Your client has Sentinels, but no `failoverDetector`. */
  | 'failover';

/** The oldest Redis that has all commands of BullMQ's scripts. */
const LEAST_VERSION = 6.2;

/**
 * Checks the version of Redis, who owns the queue, and whether this user may store an event.
 *
 * @throws {WebhookError} This Redis is too old, or the queue belongs to another application.
 */
export async function checkRedis(opened: OpenQueue, settings: BullMQSettings): Promise<void> {
  const version = (await readInfo(opened.writer(), 'server')).get('redis_version');
  if (version !== undefined && Number.parseFloat(version) < LEAST_VERSION) {
    throw new WebhookError(`Redis ${version} is too old. The inbox needs ${LEAST_VERSION} or later.`);
  }
  await checkOwner(opened.client, settings);
  try {
    await storeProbe(opened, settings);
  } catch (error) {
    // A full Redis executes no part of a script.
    if (!isOutOfMemory(error)) throw error;
  }
}

const PROBE = { version: 1, type: 'probe', payload: {}, deliveryId: 'probe', receivedAt: 1 } as const;

/**
 * Stores an event in a queue of its own, and removes it. Permissions can be withdrawn.
 *
 * A script of BullMQ stops half way at a command that is refused. In the inbox's queue, half an event would stay.
 */
export async function storeProbe({ client }: OpenQueue, settings: BullMQSettings): Promise<void> {
  const queue = newQueue(`${settings.queueName}-probe`, {
    connection: client,
    prefix: settings.prefix,
    // Nobody reads its events.
    streams: { events: { maxLen: 0 } },
  });
  const probe = { ...PROBE, key: crypto.randomUUID() };
  try {
    const job = await queue.add(probe.type, probe, jobOptions(probe, settings));
    await job.remove();
  } catch (error) {
    // Otherwise each look leaves another half job.
    const halves = [probe.key, `de:${probe.key}`, 'wait', 'paused'].map((key) => queue.toKey(key));
    await client.del(...halves).catch(() => undefined);
    throw error;
  } finally {
    await queue.close();
  }
}

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

/** Looks for what can lose or stop stored events: settings of Redis, its memory, its replicas. */
export async function readWarnings(
  opened: OpenQueue,
  settings: BullMQSettings,
): Promise<InboxWarnings<BullMQWarning | SharedWarning>> {
  const node = opened.writer();
  const [info, fsync] = await Promise.all([readInfo(node), readFsync(node)]);
  const full = findFull(info, settings.highWater);
  const warnings: Partial<Record<BullMQWarning | SharedWarning, string | undefined | false>> = {
    full: full && describeFull(full),
    eviction: evictionWarning(info),
    unlimited:
      numberIn(info, 'maxmemory') === 0 &&
      'maxmemory is 0: Redis grows until the system kills it. Set maxmemory, or highWater has no effect.',
    persistence: persistenceWarning(info, fsync),
    replicas: replicasWarning(info, settings),
    failover: failoverWarning(settings),
  };
  return Object.fromEntries(Object.entries(warnings).filter(([, warning]) => warning));
}

/** Reads the setting `appendfsync`; undefined if the provider of Redis forbids reading it. */
async function readFsync(node: Redis): Promise<string | undefined> {
  try {
    const [, value] = (await node.config('GET', 'appendfsync')) as [string, string];
    return value;
  } catch {
    return undefined;
  }
}

function evictionWarning(info: ServerInfo): string | false {
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  if (policy === 'noeviction') return false;
  return `maxmemory-policy is ${policy}: a full Redis drops stored events. Set noeviction.`;
}

function persistenceWarning(info: ServerInfo, fsync: string | undefined): string | false {
  if (info.get('aof_enabled') === '0') {
    return 'appendonly is no: a Redis that restarts loses stored events. Set appendonly yes.';
  }
  if (info.get('aof_last_write_status') === 'err') return 'The append-only file cannot be written.';
  if (fsync === undefined || fsync === 'always') return false;
  return `appendfsync is ${fsync}: a crash loses the newest events. Set appendfsync always.`;
}

function replicasWarning(info: ServerInfo, { replicas }: BullMQSettings): string | false {
  const connected = numberIn(info, 'connected_slaves');
  if (connected === 0 || replicas > 0) return false;
  return (
    `${connected} replicas are connected, but the inbox waits for none: a failover loses the newest events. ` +
    'Set the option replicas.'
  );
}

/** Clients made here have the detector. */
function failoverWarning({ connection }: BullMQSettings): string | false {
  if (typeof connection === 'string' || isCluster(connection) || !('duplicate' in connection)) return false;
  const { sentinels, failoverDetector } = settingsOf(connection);
  if (!sentinels || failoverDetector === true) return false;
  return (
    'The client has no failoverDetector: after a failover it can write to a Redis that is no longer in use. ' +
    'Set it to true.'
  );
}

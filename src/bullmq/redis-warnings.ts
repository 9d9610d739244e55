import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { type OpenedClient, optionsOf, passwordsOf } from '../redis/connection.js';
import { cleanError, explained } from '../redis/failure.js';
import { memoryUse } from '../redis/memory.js';
import { numberIn, readFsync, type ServerInfo } from '../redis/server.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { InboxSettings } from './inbox-options.js';

/** The share of `maxmemory` from which dead letters are warned of. */
const MANY_DEAD_LETTERS = 0.2;
/** The number of dead letters whose size stands for that of all. */
const SAMPLE = 20;

/** A connected queue, its client, and the Redis that it is on. */
export interface QueueOnRedis extends OpenedClient {
  readonly queue: Queue<StoredWebhook>;
  /** Gives the connection to the Redis that takes the queue's writes: in a cluster, to one of its nodes. */
  readonly writer: () => Redis;
}

/** Returns what of Redis, of its memory and of its replicas can lose events or stop them. */
export async function readWarnings(
  opened: QueueOnRedis,
  info: ServerInfo | undefined,
  settings: InboxSettings,
): Promise<string[]> {
  if (info === undefined) {
    return [
      'The user of Redis may not run INFO: memory, disk and replicas cannot be watched. Allow it: +info.',
    ];
  }
  // They are only measured to warn of them: an event is stored all the same.
  const notMeasured = (error: unknown) => {
    const reason = explained(cleanError(error, passwordsOf(settings.connection)));
    return [`The dead letters cannot be measured: ${reason}`];
  };
  return [
    ...memoryWarnings(info, settings),
    ...(await deadLetterWarnings(opened, info).catch(notMeasured)),
    ...diskWarnings(info, await readFsync(opened.writer())),
    ...failoverWarnings(opened, info, settings),
  ];
}

function memoryWarnings(info: ServerInfo, { highWater }: InboxSettings): string[] {
  const warnings: string[] = [];
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction') {
    warnings.push(`maxmemory-policy is ${policy}: a full Redis drops stored events. Set noeviction.`);
  }
  const use = memoryUse(info);
  if (use === undefined) {
    warnings.push(
      'maxmemory is 0: Redis takes memory until the system kills it, and highWater has no effect. Set maxmemory.',
    );
  } else if (use.used >= use.maxmemory * highWater) {
    warnings.push(`More than ${Math.round(highWater * 100)} % of maxmemory is in use: no event is stored.`);
  }
  return warnings;
}

/** Bytes that dead letters hold, by the size of a few. */
async function deadLetterWarnings({ queue, writer }: QueueOnRedis, info: ServerInfo): Promise<string[]> {
  const use = memoryUse(info);
  if (use === undefined) return [];
  const ids = await queue.getRanges(['failed'], 0, SAMPLE - 1, true);
  if (ids.length === 0) return [];
  const node = writer();
  const sizes = await Promise.all(ids.map((id) => node.hstrlen(queue.toKey(id), 'data')));
  const count = await queue.getFailedCount();
  const held = (count * sizes.reduce((sum, size) => sum + size, 0)) / sizes.length;
  if (held < use.maxmemory * MANY_DEAD_LETTERS) return [];
  const percent = Math.round((held / use.maxmemory) * 100);
  return [
    `${count} dead letters hold about ${percent} % of maxmemory. Replay or remove them, or set deadLetterRetention.`,
  ];
}

function diskWarnings(info: ServerInfo, fsync: string | undefined): string[] {
  const warnings: string[] = [];
  if (info.get('aof_enabled') === '0') {
    warnings.push('appendonly is no: a Redis that restarts forgets stored events. Set appendonly yes.');
  } else if (fsync !== undefined && fsync !== 'always') {
    warnings.push(`appendfsync is ${fsync}: a crash loses what was stored last. Set appendfsync always.`);
  }
  if (info.get('aof_last_write_status') === 'err') warnings.push('The append-only file cannot be written.');
  return warnings;
}

function failoverWarnings(
  { client, isOwned }: QueueOnRedis,
  info: ServerInfo,
  { replicas }: InboxSettings,
): string[] {
  const warnings: string[] = [];
  const connected = numberIn(info, 'connected_slaves');
  if (connected > 0 && replicas === 0) {
    warnings.push(
      `${connected} replicas are connected, and none is waited for: a failover loses what was stored last. Set the option replicas.`,
    );
  }
  const { sentinels, failoverDetector } = optionsOf(client);
  if (!isOwned && sentinels && failoverDetector !== true) {
    warnings.push(
      'The client has no failoverDetector: after a failover it can write to a Redis that is no longer in use. Set it to true.',
    );
  }
  return warnings;
}

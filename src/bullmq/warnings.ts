import { isCluster, settingsOf } from '../redis/connection.js';
import { cleanError, withinTime } from '../redis/failure.js';
import { type MemoryUse, memoryUse } from './memory.js';
import type { InboxSettings } from './options.js';
import type { OpenQueue } from './queue.js';
import { numberIn, readFsync, readInfo, type ServerInfo } from './server.js';

/** The kind of a warning of {@link InboxHealth}. */
export type InboxWarning =
  /** Redis cannot be asked. */
  | 'unreachable'
  /** Redis refuses writes, or the replicas do not get them. */
  | 'refused'
  /** Redis is above `highWater`. */
  | 'full'
  /** `maxmemory-policy` is not `noeviction`: a full Redis drops stored events. */
  | 'eviction'
  /** There is no `maxmemory`. */
  | 'unlimited'
  /** Redis may forget stored events when it restarts or crashes. */
  | 'persistence'
  /** Replicas are connected, and none is waited for. */
  | 'replicas'
  /** The client that was passed in has Sentinels, and no `failoverDetector`. */
  | 'failover';

/** Warnings by their kind. */
export type InboxWarnings = Readonly<Partial<Record<InboxWarning, string>>>;

/** The state of an inbox. */
export interface InboxHealth {
  /** Whether an event can be stored: Redis takes writes, has room, and the `replicas` get the write. */
  readonly ready: boolean;
  /** Events that are still to be handled: `waiting`, `active` and `retrying` together. */
  readonly depth: number;
  /** Events that wait for a worker. */
  readonly waiting: number;
  /** Events whose handlers run, or whose worker has died a moment ago. */
  readonly active: number;
  /** Events that wait until a time: for a retry, or for a worker that has a handler. */
  readonly retrying: number;
  /** Events that could not be handled, and are kept. */
  readonly deadLetters: number;
  /** Milliseconds since the receipt of the oldest event that is next in line or is due first; 0 if there is none. */
  readonly oldestMs: number;
  /** Workers that are connected, in all processes; undefined if the provider of Redis forbids `CLIENT LIST`. */
  readonly workers: number | undefined;
  /** Dangers to stored events, and why `ready` is false, by kind. Each kind is also logged once, at `warn`. */
  readonly warnings: InboxWarnings;
}

/** Milliseconds in which replicas must get the write that shows whether Redis takes writes. */
const PROBING = 1_000;

/** The health if Redis cannot be asked. */
export function unreachable(error: unknown): InboxHealth {
  const counts = { depth: 0, waiting: 0, active: 0, retrying: 0, deadLetters: 0, oldestMs: 0 };
  const warnings = { unreachable: `Redis cannot be asked: ${cleanError(error).message}` };
  return { ready: false, ...counts, workers: undefined, warnings };
}

/** Asks Redis for the state of the inbox. */
export async function readHealth(opened: OpenQueue, settings: InboxSettings): Promise<InboxHealth> {
  const { queue } = opened;
  const [refused, counts, oldestMs, workers, found] = await Promise.all([
    refusalOf(opened),
    queue.getJobCounts('waiting', 'active', 'delayed', 'failed'),
    ageOfOldest(opened),
    queue.getWorkersCount().catch(() => undefined),
    readWarnings(opened, settings),
  ]);
  const { waiting = 0, active = 0, delayed: retrying = 0, failed: deadLetters = 0 } = counts;
  const warnings: InboxWarnings = refused === undefined ? found : { ...found, refused };
  return {
    ready: refused === undefined && warnings.full === undefined,
    depth: waiting + active + retrying,
    waiting,
    active,
    retrying,
    deadLetters,
    oldestMs,
    workers,
    warnings,
  };
}

/** Why Redis refuses a write; undefined if it takes one. */
async function refusalOf({ replicas }: OpenQueue): Promise<string | undefined> {
  try {
    await withinTime(replicas.probe(PROBING), PROBING, 'A write was tried');
    return undefined;
  } catch (error) {
    return `No event can be stored: ${cleanError(error).message}`;
  }
}

/** Reads one field of these jobs, and not their payloads. */
async function ageOfOldest({ queue, writer }: OpenQueue): Promise<number> {
  const [waiting, delayed] = await Promise.all([
    queue.getRanges(['waiting'], 0, 0, true),
    queue.getRanges(['delayed'], 0, 0, true),
  ]);
  const node = writer();
  const read = (id: string) => node.hget(queue.toKey(id), 'timestamp');
  const timestamps = await Promise.all([...waiting, ...delayed].map(read));
  const known = timestamps.flatMap((timestamp) => (timestamp === null ? [] : Number(timestamp)));
  return known.length === 0 ? 0 : Math.max(Date.now() - Math.min(...known), 0);
}

/** What can lose stored events or stop them: the settings of Redis, its memory, its replicas. */
export async function readWarnings(opened: OpenQueue, settings: InboxSettings): Promise<InboxWarnings> {
  const node = opened.writer();
  const [info, fsync] = await Promise.all([readInfo(node), readFsync(node)]);
  const use = memoryUse(info);
  const warnings: Record<InboxWarning, string | undefined | false> = {
    unreachable: undefined,
    refused: undefined,
    full: use !== undefined && fullWarning(use, settings),
    eviction: evictionWarning(info),
    unlimited:
      use === undefined &&
      'maxmemory is 0: Redis grows until the system kills it. Set maxmemory for highWater.',
    persistence: persistenceWarning(info, fsync),
    replicas: replicasWarning(info, settings),
    failover: failoverWarning(settings),
  };
  return Object.fromEntries(Object.entries(warnings).filter(([, warning]) => warning));
}

function fullWarning({ used, maxmemory }: MemoryUse, { highWater }: InboxSettings): string | false {
  if (used < maxmemory * highWater) return false;
  return `More than ${Math.round(highWater * 100)} % of maxmemory is in use: no event is stored until there is room.`;
}

function evictionWarning(info: ServerInfo): string | false {
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  if (policy === 'noeviction') return false;
  return `maxmemory-policy is ${policy}: a full Redis drops stored events. Set noeviction.`;
}

function persistenceWarning(info: ServerInfo, fsync: string | undefined): string | false {
  if (info.get('aof_enabled') === '0') {
    return 'appendonly is no: a Redis that restarts forgets stored events. Set appendonly yes.';
  }
  if (info.get('aof_last_write_status') === 'err') return 'The append-only file cannot be written.';
  if (fsync === undefined || fsync === 'always') return false;
  return `appendfsync is ${fsync}: a crash loses what was stored last. Set appendfsync always.`;
}

function replicasWarning(info: ServerInfo, { replicas }: InboxSettings): string | false {
  const connected = numberIn(info, 'connected_slaves');
  if (connected === 0 || replicas > 0) return false;
  return `${connected} replicas are connected, and none is waited for: a failover loses what was stored last. Set the option replicas.`;
}

/** Clients made here have the detector. */
function failoverWarning({ connection }: InboxSettings): string | false {
  if (typeof connection === 'string' || isCluster(connection) || !('duplicate' in connection)) return false;
  const { sentinels, failoverDetector } = settingsOf(connection);
  if (!sentinels || failoverDetector === true) return false;
  return 'The client has no failoverDetector: after a failover it can write to a Redis that is no longer in use. Set it to true.';
}

import { cleanError, withinTime } from '../redis/failure.js';
import type { OpenQueue } from './open-queue.js';
import type { InboxSettings } from './options.js';
import { type InboxWarnings, readWarnings } from './warnings.js';

/** The state of an inbox. */
export interface InboxHealth {
  /** Whether an event can be stored: Redis takes writes, has room, and the `replicas` get the write. */
  readonly ready: boolean;
  /** The number of events that are still to be handled: `waiting`, `active` and `retrying` together. */
  readonly depth: number;
  /** The number of events that wait for a worker. */
  readonly waiting: number;
  /** The number of events whose handlers run, or whose worker has just died. */
  readonly active: number;
  /** The number of events that wait until a certain time: for a retry, or for a worker that has a handler. */
  readonly retrying: number;
  /** The number of dead letters: events that could not be handled, and are kept. */
  readonly deadLetters: number;
  /**
   * Milliseconds since the receipt of the oldest event that is next in line or due first; 0 if there is none.
   */
  readonly oldestMs: number;
  /** Connected workers in all processes; undefined if the provider of Redis forbids `CLIENT LIST`. */
  readonly workers: number | undefined;
  /** What endangers stored events, and why `ready` is false. Each kind is also logged once, at `warn`. */
  readonly warnings: InboxWarnings;
}

/** Time limit of the test write, and of the wait for its replicas. */
const PROBE_TIMEOUT_MS = 1_000;

/** The health if Redis does not respond. */
export function unreachable(error: unknown): InboxHealth {
  const counts = { depth: 0, waiting: 0, active: 0, retrying: 0, deadLetters: 0, oldestMs: 0 };
  const warnings = { unreachable: `Redis is unreachable: ${cleanError(error).message}` };
  return { ready: false, ...counts, workers: undefined, warnings };
}

/** Reads the state of the inbox from Redis. */
export async function readHealth(opened: OpenQueue, settings: InboxSettings): Promise<InboxHealth> {
  const { queue } = opened;
  const [refused, counts, oldestMs, workers, found] = await Promise.all([
    findRefusal(opened),
    queue.getJobCounts('waiting', 'active', 'delayed', 'failed'),
    readOldestMs(opened),
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

/** Returns why Redis refuses a write; undefined if it takes one. */
async function findRefusal({ replicas }: OpenQueue): Promise<string | undefined> {
  try {
    await withinTime(replicas.probe(PROBE_TIMEOUT_MS), PROBE_TIMEOUT_MS, 'Test write timed out');
    return undefined;
  } catch (error) {
    return `No event can be stored: ${cleanError(error).message}`;
  }
}

/** Reads one field of these jobs, and not their payloads. */
async function readOldestMs({ queue, writer }: OpenQueue): Promise<number> {
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

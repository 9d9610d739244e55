import { cleanError, explained } from '../redis/failure.js';
import { memoryUse } from '../redis/memory.js';
import { readInfo } from '../redis/server.js';
import { withTimeLimit } from '../redis/waiting.js';
import type { InboxFailures, InboxReporter } from './inbox-hooks.js';
import type { InboxSettings } from './inbox-options.js';
import type { OpenQueue } from './inbox-queue.js';
import { readWarnings } from './redis-warnings.js';

/** The state of an inbox. */
export interface InboxHealth {
  /**
   * True if an event can be stored: Redis has just taken a write, has room below `highWater`, and the `replicas` that are asked
   * for have the write too.
   */
  readonly ready: boolean;
  /** Events that are still to be handled: `waiting`, `active` and `retrying` together. */
  readonly depth: number;
  /** Events that wait for a worker. */
  readonly waiting: number;
  /** Events whose handlers run, or whose worker has died a moment ago. */
  readonly active: number;
  /**
   * Events that wait until a time: that have failed and are to be retried, that a worker without a handler has given back, or, with
   * `newestOnly`, whose turn is taken.
   */
  readonly retrying: number;
  /** Events that could not be handled, and are kept. */
  readonly deadLetters: number;
  /**
   * Milliseconds since the receipt of the oldest event that is next in line or waits for a retry; 0 when there is none. Where
   * more than 1 000 wait for a retry, of the 500 that are due first and the 500 that are due last.
   */
  readonly oldestMs: number;
  /** The share of Redis' `maxmemory` that is used; undefined without a limit, or without the permission for `INFO`. */
  readonly memoryUsed: number | undefined;
  /** Counts of failures in this process since it began. */
  readonly failures: InboxFailures;
  /**
   * Dangers to events that were answered 200, from settings of Redis, its memory or its replicas; and why `ready` is false.
   * Empty when there is nothing to say. Each warning is also logged once, at `warn`.
   */
  readonly warnings: readonly string[];
}

const NOTHING = {
  depth: 0,
  waiting: 0,
  active: 0,
  retrying: 0,
  deadLetters: 0,
  oldestMs: 0,
  memoryUsed: undefined,
};

/** Milliseconds for which replicas may take to get the write that tells whether Redis takes writes. */
const PROBING = 1_000;
/** Retries that are looked at from each end of their line. */
const SAMPLE = 500;

/** The health that is returned when Redis cannot be asked. */
export function unreachable(
  error: unknown,
  passwords: readonly string[],
  failures: InboxFailures,
): InboxHealth {
  const warnings = [`Redis cannot be asked: ${explained(cleanError(error, passwords))}`];
  return { ready: false, ...NOTHING, failures: { ...failures }, warnings };
}

export async function readHealth(
  opened: OpenQueue,
  settings: InboxSettings,
  passwords: readonly string[],
  reporter: InboxReporter,
): Promise<InboxHealth> {
  const { queue } = opened;
  const [refusal, counts, oldestMs, info] = await Promise.all([
    refusalOf(opened),
    queue.getJobCounts('waiting', 'active', 'delayed', 'failed'),
    ageOfOldest(opened),
    readInfo(opened.writer()),
  ]);
  const { waiting = 0, active = 0, delayed: retrying = 0, failed: deadLetters = 0 } = counts;
  const warnings = await readWarnings(opened, info, settings);
  if (refusal !== undefined) {
    warnings.unshift(`No event can be stored: ${explained(cleanError(refusal, passwords))}`);
  } else reporter.redisWrites();
  reporter.warn(warnings);
  const use = info === undefined ? undefined : memoryUse(info);
  return {
    ready: refusal === undefined && (use === undefined || use.used < use.maxmemory * settings.highWater),
    depth: waiting + active + retrying,
    waiting,
    active,
    retrying,
    deadLetters,
    oldestMs,
    memoryUsed: use === undefined ? undefined : use.used / use.maxmemory,
    failures: { ...reporter.failures },
    warnings,
  };
}

/** Returns why Redis refuses a write; undefined if it takes one. */
async function refusalOf({ replicas }: OpenQueue): Promise<Error | undefined> {
  try {
    await withTimeLimit(replicas.probe(PROBING), PROBING, 'A write was tried');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(typeof error);
  }
}

/** Reads one field of each of these jobs, and not its payload. */
async function ageOfOldest({ queue, writer }: OpenQueue): Promise<number> {
  const ids = await Promise.all([
    queue.getRanges(['waiting'], 0, 0, true),
    queue.getRanges(['delayed'], 0, SAMPLE - 1, true),
    queue.getRanges(['delayed'], 0, SAMPLE - 1, false),
  ]);
  const node = writer();
  const read = (id: string) => node.hget(queue.toKey(id), 'timestamp');
  const timestamps = await Promise.all([...new Set(ids.flat())].map(read));
  const known = timestamps.flatMap((timestamp) => (timestamp === null ? [] : Number(timestamp)));
  return known.length === 0 ? 0 : Math.max(Date.now() - Math.min(...known), 0);
}

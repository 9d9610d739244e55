import { delayAfterStall } from '../inbox/delays.js';
import type { InboxEvent } from '../inbox/engine.js';
import type { RedisClient } from '../redis/connection.js';

// Whether it is the turn of an event that a worker has taken.

/** A difference between two clocks that does no harm, in ms. */
export const CLOCK_TOLERANCE_MS = 1_000;

/** A wait before the next run of an event. */
export interface PutOff {
  /** The time of Redis's clock, if it was just read. */
  readonly now?: number;
  /** How long, in ms. */
  readonly delay: number;
  /** Why its run has failed. Without it, no run has. */
  readonly failedReason?: string;
  /** The number of stalls after which it has waited. */
  readonly rested?: number;
}

/**
 * What a job keeps that BullMQ does not: when the event is `due` after its `wait`, by the clock of Redis, and the
 * number of stalls after which it has `rested`.
 */
const FIELDS = ['due', 'wait', 'rested'] as const;

/** The fields that a replay deletes, with BullMQ's own number of stalls. */
export const TURN_FIELDS = [...FIELDS, 'stc'] as const;

/**
 * Returns how long an event has to wait before it runs; undefined if it is its turn.
 *
 * After a stall it waits for a random time, and is not taken together with the event that has killed the worker.
 */
export async function waitBefore(
  worker: { now(): Promise<number>; toKey(id: string): string },
  client: RedisClient,
  { key, failures, stalls }: InboxEvent,
  lockDuration: number,
): Promise<PutOff | undefined> {
  if (failures + stalls === 0) return undefined;
  const [now, fields] = await Promise.all([worker.now(), client.hmget(worker.toKey(key), ...FIELDS)]);
  const [due = 0, wait = 0, rested = 0] = fields.map(Number);
  if (stalls > rested) return { now, delay: delayAfterStall(stalls, lockDuration), rested: stalls };
  const left = due - now;
  // A worker whose clock is ahead takes events too early. Longer than it had to wait: the clock of Redis was set back.
  return left > CLOCK_TOLERANCE_MS && left <= wait ? { now, delay: left } : undefined;
}

/** The longest delay before an event without a handler here is taken again, in ms: the least, a step, and the most. */
const UNHANDLED_MS = { least: 200, step: 4, most: 300_000 };

/**
 * Returns the delay before an event without a handler here is taken again, in ms.
 *
 * Half of it is random, so that a worker that has the handler comes to it among others. It grows with the number of
 * events that workers have handed back, so that they hand back some 300 in a second, however many there are.
 */
export function delayUnhandled(handedBack: number): number {
  const longest = Math.min(UNHANDLED_MS.least + UNHANDLED_MS.step * handedBack, UNHANDLED_MS.most);
  return Math.ceil(longest * (1 - 0.5 * Math.random()));
}

/** Counts the events that workers have handed back, by their types. Drops those that have no job any more. */
const COUNT = `
local counts = {}
for _, id in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local name = redis.call('HGET', ARGV[1] .. id, 'name')
  if name then counts[name] = (counts[name] or 0) + 1 else redis.call('SREM', KEYS[1], id) end
end
return cjson.encode(counts)`;

/**
 * Counts the events that workers have handed back, and that no worker of this process handles.
 *
 * @param prefix - The beginning of the queue's keys.
 */
export async function countUnhandled(
  client: RedisClient,
  prefix: string,
  handles: (type: string) => boolean,
): Promise<number> {
  const counts = (await client.eval(COUNT, 1, `${prefix}unhandled`, prefix)) as string;
  const byType = Object.entries(JSON.parse(counts) as Record<string, number>);
  return byType.reduce((sum, [type, count]) => (handles(type) ? sum : sum + count), 0);
}

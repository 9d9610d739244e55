import { delayAfterStall } from '../inbox/delays.js';
import type { TakenEvent } from '../inbox/engine.js';
import type { RedisClient } from '../redis/connection.js';
import { CLOCK_TOLERANCE_MS, type RedisClock } from './redis-clock.js';

// Whether it is the turn of an event that a worker has taken. Fields of its job keep what BullMQ does not:
// `due` and `wait`, by the clock of Redis, and `rested`, the number of stalls after which it has waited.

/** The fields that a replay deletes, and BullMQ's own number of stalls. */
export const TURN_FIELDS = ['due', 'wait', 'rested', 'stc'] as const;

/** Notes when an event is due. It is sent before what BullMQ sends next on the same connection. */
export function noteDue(
  client: RedisClient,
  job: string,
  clock: RedisClock,
  delay: number,
  rested?: number,
): Promise<unknown> {
  const due = ['due', clock.now() + delay, 'wait', delay];
  return setFields(client, job, rested === undefined ? due : [...due, 'rested', rested]);
}

const SET_FIELDS = `if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], unpack(ARGV)) end`;

/**
 * Sets fields of a job, unless it is gone.
 *
 * A failover may have lost it. `HSET` would then create it with these fields alone. BullMQ 6.7.0 stores no job whose
 * key exists (`commands/addStandardJob-9.lua`), so the next delivery would get a 200 and never run.
 */
export function setFields(
  client: RedisClient,
  job: string,
  fields: readonly (string | number)[],
): Promise<unknown> {
  return client.eval(SET_FIELDS, 1, job, ...fields);
}

/**
 * Returns how long an event has to wait before it runs, in ms; 0 if it is its turn.
 *
 * After a stall it waits for a random time, and is not taken together with the event that has killed the worker.
 *
 * @param job - The key of its job.
 */
export async function waitBefore(
  client: RedisClient,
  job: string,
  { failures, stalls }: TakenEvent,
  clock: RedisClock,
  lockDuration: number,
): Promise<number> {
  if (failures + stalls === 0) return 0;
  const [due, wait, rested] = (await client.hmget(job, 'due', 'wait', 'rested')).map(Number);
  if (stalls > (rested ?? 0)) {
    const delay = delayAfterStall(stalls, lockDuration);
    await noteDue(client, job, clock, delay, stalls);
    return delay;
  }
  const left = (due ?? 0) - clock.now();
  // A worker whose clock is ahead takes events too early. Longer than it had to wait: the clock of Redis was set back.
  return left > CLOCK_TOLERANCE_MS && left <= (wait ?? 0) ? left : 0;
}

/** The longest delay before an event without a handler here is taken again, in ms: at first, and at last. */
const UNHANDLED_DELAY_MS = { first: 1_000, last: 300_000 };

/**
 * Returns the delay before an event without a handler here is taken again, in ms.
 *
 * Random, so that a worker that has the handler comes to it among others. It grows with the square of the number of
 * delayed events: up to 2 s for a thousand, 101 s for ten thousand. So not many are given back in a second.
 */
export function delayUnhandled(delayed: number): number {
  const longest = Math.min(UNHANDLED_DELAY_MS.first + delayed ** 2 / 1_000, UNHANDLED_DELAY_MS.last);
  return Math.ceil(Math.random() * longest);
}

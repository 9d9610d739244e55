import { HUNDRED_YEARS_MS } from '../utils/waiting.js';
import type { Backoff, Settled } from './options.js';

/** Returns the delay before the next run of an event that has failed this many times, in ms. */
export function delayAfter(failures: number, { type, delay, jitter }: Settled<Backoff>): number {
  const longest = type === 'fixed' ? delay : delay * 2 ** (failures - 1);
  return Math.min(Math.ceil(longest * (1 - jitter * Math.random())), HUNDRED_YEARS_MS);
}

/** The base of the delays after a stall, in ms; `lockDuration`, if that is shorter. */
export const STALL_DELAY_MS = 1_000;

/**
 * Returns the delay before the next run of an event that has stalled this many times, in ms: up to 2, 4, 8, … seconds.
 *
 * It is random, because one event may have killed the worker of many: otherwise they ran beside it again.
 */
export function delayAfterStall(stalls: number, lockDuration: number): number {
  return Math.ceil(Math.random() * Math.min(STALL_DELAY_MS, lockDuration) * 2 ** stalls);
}

/**
 * What is due to be deleted is marked, and deleted this much later if it still is: a clock may be wrong for a while.
 *
 * Tests shorten it.
 */
export const DELETION = { delay: 3_600_000 };

import type { Backoff, Settled } from './options.js';

/** Returns the delay in ms before an event runs again that has failed this many times. */
export function delayAfter(failures: number, { type, delay, maxDelay, jitter }: Settled<Backoff>): number {
  const longest = type === 'fixed' ? delay : Math.min(delay * 2 ** (failures - 1), maxDelay);
  return Math.ceil(longest * (1 - jitter * Math.random()));
}

/** The base of the delays after a stall, in ms; `lockDuration`, if that is shorter. */
const STALL_DELAY_MS = 1_000;

/**
 * Returns the delay in ms before an event runs again that has stalled this many times.
 *
 * It is random, up to 2, 4, 8, … seconds: an event that killed its worker must not meet the same neighbours
 * again.
 */
export function delayAfterStall(stalls: number, lockDuration: number): number {
  return Math.ceil(Math.random() * Math.min(STALL_DELAY_MS, lockDuration) * 2 ** stalls);
}

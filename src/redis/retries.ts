import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two attempts: doubled each time, so that many who wait do not keep Redis from coming back. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 2_000;

/**
 * Repeats what can be done twice with the effect of once, while it fails in a way that passes. Each attempt is given the
 * milliseconds that are left, and keeps to them.
 */
export async function withRetries<Value>(
  attempt: (left: number) => Promise<Value>,
  ms: number,
  passes: (error: unknown) => boolean,
): Promise<Value> {
  const end = performance.now() + ms;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      return await attempt(Math.max(Math.ceil(end - performance.now()), 1));
    } catch (error) {
      if (!passes(error) || performance.now() + pause >= end) throw error;
    }
    await sleep(pause);
  }
}

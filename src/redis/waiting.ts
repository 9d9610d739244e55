import { setTimeout as sleep } from 'node:timers/promises';
import { WebhookError } from '../errors/index.js';

/** Rejects if Redis has not responded in time. Leaves no timer behind. The message begins with `what`. */
export function withTimeLimit<Value>(promise: Promise<Value>, ms: number, what: string): Promise<Value> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new WebhookError(`${what}: no response from Redis within ${ms} ms`));
    // Timers beyond 2^31 - 1 ms fire at once.
    const timer = setTimeout(fail, Math.min(ms, 2 ** 31 - 1));
    promise.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

/** Waits for a promise, and returns whether it was fulfilled in time. Never rejects. */
export function succeedsWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return withTimeLimit(promise, ms, 'Not shown').then(
    () => true,
    () => false,
  );
}

/** Pauses between two attempts, in ms. Doubled each time, so that many who wait do not overload a Redis that returns. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 2_000;

/**
 * Repeats an operation that may run twice, while `mayRepeat` accepts its errors and there is time.
 *
 * Each attempt gets the milliseconds that are left, and must keep to them.
 */
export async function withRetries<Value>(
  attempt: (left: number) => Promise<Value>,
  ms: number,
  mayRepeat: (error: unknown) => boolean,
): Promise<Value> {
  const end = performance.now() + ms;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      return await attempt(Math.max(Math.ceil(end - performance.now()), 1));
    } catch (error) {
      if (performance.now() + pause >= end || !mayRepeat(error)) throw error;
    }
    await sleep(pause);
  }
}

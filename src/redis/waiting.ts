import { setTimeout as sleep } from 'node:timers/promises';
import { WebhookError } from '../errors/index.js';
import { MAX_TIMEOUT } from '../validation/option-checks.js';

/** A hundred years: longer than anyone means, and not too long for Redis. */
export const MAX_MILLISECONDS = 3_155_760_000_000;

/** Rejects when Redis has not answered after so many milliseconds, and leaves no timer behind. `what` begins the message. */
export function withTimeLimit<Value>(promise: Promise<Value>, ms: number, what: string): Promise<Value> {
  // `Promise.race` would make more promises, for each event that is stored.
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new WebhookError(`${what}: no answer from Redis within ${ms} ms`)),
      Math.min(ms, MAX_TIMEOUT),
    );
    promise.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

/** Waits for a promise, and tells whether it was fulfilled in time. Never rejects. */
export function succeedsWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return withTimeLimit(promise, ms, 'Not shown').then(
    () => true,
    () => false,
  );
}

/** Milliseconds between two attempts: doubled each time, so that many who wait do not keep Redis from coming back. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 2_000;

/**
 * Repeats an operation that may be done twice, as long as it fails with an error that `isPassing` accepts and there is
 * time. Each attempt is given the milliseconds that are left, and keeps to them.
 */
export async function withRetries<Value>(
  attempt: (left: number) => Promise<Value>,
  ms: number,
  isPassing: (error: unknown) => boolean,
): Promise<Value> {
  const end = performance.now() + ms;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      return await attempt(Math.max(Math.ceil(end - performance.now()), 1));
    } catch (error) {
      if (!isPassing(error) || performance.now() + pause >= end) throw error;
    }
    await sleep(pause);
  }
}

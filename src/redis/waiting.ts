import { setTimeout as sleep } from 'node:timers/promises';
import { WebhookError } from '../errors/index.js';
import { MAX_TIMEOUT } from '../validation/option-checks.js';

/** A hundred years: more than anyone means, and what Redis can hold. */
export const MAX_MILLISECONDS = 3_155_760_000_000;

const OVERDUE = /* @__PURE__ */ Symbol('overdue');

/** Rejects when Redis has not answered after so many milliseconds. `what` begins the message. */
export async function withTimeLimit<Value>(
  promise: Promise<Value>,
  ms: number,
  what: string,
): Promise<Value> {
  const result = await orOverdue(promise, ms);
  if (result === OVERDUE) throw new WebhookError(`${what}: no answer from Redis within ${ms} ms`);
  return result;
}

/** Waits until a promise is fulfilled or rejected, and returns false when the time is over first. Never rejects. */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return (await orOverdue(Promise.allSettled([promise]), ms)) !== OVERDUE;
}

/** Leaves no timer behind. */
async function orOverdue<Value>(promise: Promise<Value>, ms: number): Promise<Value | typeof OVERDUE> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const overdue = new Promise<typeof OVERDUE>((resolve) => {
    timer = setTimeout(() => resolve(OVERDUE), Math.min(ms, MAX_TIMEOUT));
  });
  try {
    return await Promise.race([promise, overdue]);
  } finally {
    clearTimeout(timer);
  }
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

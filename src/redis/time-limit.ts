import { WebhookError } from '../errors/index.js';
import { MAX_TIMEOUT } from '../validation/option-checks.js';

/** A hundred years: more than anyone means, and what Redis can hold. */
export const MAX_MILLISECONDS = 3_155_760_000_000;

const OVERDUE = /* @__PURE__ */ Symbol('overdue');

/** Rejects when Redis has not answered after so many milliseconds. */
export async function withTimeLimit<Value>(
  promise: Promise<Value>,
  ms: number,
  what: string,
): Promise<Value> {
  const result = await orOverdue(promise, ms);
  if (result === OVERDUE) throw new WebhookError(`${what}: no answer from Redis within ${ms} ms`);
  return result;
}

/** Whether a promise is fulfilled, or rejected, within so many milliseconds. Never rejects. */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  return (await orOverdue(settled, ms)) !== OVERDUE;
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

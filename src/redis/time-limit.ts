import { WebhookError } from '../errors.js';

/** Rejects when a promise has not settled after so many milliseconds. Leaves no timer behind. */
export async function withTimeLimit<Value>(
  promise: Promise<Value>,
  ms: number,
  what: string,
): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const overdue = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new WebhookError(`${what}: no answer from Redis within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, overdue]);
  } finally {
    clearTimeout(timer);
  }
}

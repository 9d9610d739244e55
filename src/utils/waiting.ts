/** The longest delay of a timer. A longer one fires at once (Node, doc/api/timers.md, and browsers). */
export const MAX_TIMER_MS = 2_147_483_647;
/** Longer than anyone wants to wait, and short enough for the integers of Redis and SQLite. */
export const HUNDRED_YEARS_MS = 3_155_760_000_000;

/** Whether a value is a promise of any kind: that of another realm or of a library is no instance of `Promise`. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';
}

/** Resolves after `ms` milliseconds, or when the signal is aborted; without `ms`, only when it is aborted. */
export function sleep(ms: number | undefined, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = ms === undefined ? undefined : setTimeout(end, Math.max(Math.min(ms, MAX_TIMER_MS), 0));
    signal?.addEventListener('abort', end);
  });
}

/** Settles as the promise does; rejects after `ms` milliseconds with the error that `makeError` returns. */
export function within<Value>(promise: Promise<Value>, ms: number, makeError: () => Error): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(makeError()), Math.min(ms, MAX_TIMER_MS));
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Returns whether the promise is fulfilled within `ms` milliseconds. Never rejects. */
export function succeedsWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return within(promise, ms, () => new Error('late')).then(
    () => true,
    () => false,
  );
}

/**
 * Settles as the promise does; rejects with the reason of the signal as soon as that is aborted.
 *
 * An async function that awaits a promise that never settles keeps its variables, such as a body, in memory.
 */
export function unlessAborted<Value>(promise: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    // The reason is an error of this package, or whatever the caller aborted with.
    const abort = () => reject(signal.reason as Error);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
}

/** Delays double, so that many waiting callers do not overload a service that has just returned. */
const RETRY_DELAY_MS = { first: 100, last: 2_000 };

/**
 * Repeats an operation while `mayRepeat` accepts its errors and `ms` milliseconds have not passed.
 *
 * Each attempt gets the milliseconds that are left, and must keep to them.
 */
export async function withRetries<Value>(
  attempt: (msLeft: number) => Promise<Value>,
  ms: number,
  mayRepeat: (error: unknown) => boolean,
): Promise<Value> {
  const end = performance.now() + ms;
  for (let delay = RETRY_DELAY_MS.first; ; delay = Math.min(delay * 2, RETRY_DELAY_MS.last)) {
    try {
      return await attempt(Math.max(Math.ceil(end - performance.now()), 1));
    } catch (error) {
      if (performance.now() + delay >= end || !mayRepeat(error)) throw error;
    }
    await sleep(delay);
  }
}

/**
 * Lets the process end although a timer is pending. Where a timer is a number, as in browsers, nothing is
 * needed.
 */
export function unref(timer: unknown): void {
  (timer as { readonly unref?: () => void }).unref?.();
}

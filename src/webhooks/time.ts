import { WebhookError } from '../errors/index.js';

/** Resolves after so many milliseconds, or when the signal is aborted. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}

/** Rejects with a `WebhookError` if something takes more than so many milliseconds. */
export function within<Value>(ms: number, what: string, settling: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new WebhookError(`${what} within ${ms} ms.`)), ms);
    settling.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Rejects when the signal is aborted, if the promise has not settled by then.
 *
 * An async function that waits for a promise that never settles would keep its variables, such as a body, in memory.
 */
export function unlessAborted<Value>(settling: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (signal === undefined) return settling;
  return new Promise((resolve, reject) => {
    // An error of this package, or of the caller who aborted.
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort);
    settling.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Lets the process end although a timer is pending. Not every runtime has `unref`. */
export function unref(timer: unknown): void {
  (timer as { readonly unref?: () => void }).unref?.();
}

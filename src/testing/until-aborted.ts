/** Waits for a promise, but no longer than until the signal is aborted; leaves no listener behind. */
export function untilAborted<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    // A reason can be of any type, and `fetch` rejects with it as it is.
    const onAbort = (): void => reject(signal.reason as Error);
    const settled = (): void => signal.removeEventListener('abort', onAbort);
    promise.then(resolve, reject).finally(settled);
    signal.addEventListener('abort', onAbort);
  });
}

/** Waits for a promise, but no longer than the signal allows; leaves no listener behind. */
export async function untilAborted<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> {
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  signal.addEventListener('abort', stop);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

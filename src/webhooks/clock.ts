/** A source of time and timers. A test passes its own, and moves it by hand. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls back once, after `ms` milliseconds. Returns a handle for {@link Clock.clearTimeout}. */
  setTimeout(callback: () => void, ms: number): unknown;
  /** Cancels a pending callback. */
  clearTimeout(handle: unknown): void;
}

/** The runtime's own clock. Its timers do not keep a process alive: an open connection or a worker does. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => {
    const handle: unknown = setTimeout(callback, ms);
    // Node and Bun give an object with `unref`; browsers, Deno and Workers a number.
    (handle as { unref?: () => void }).unref?.();
    return handle;
  },
  // The cast undoes what `setTimeout` above widened.
  clearTimeout: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
};

/** Resolves after so many milliseconds, or at once when the signal is aborted. Leaves nothing behind. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clock.clearTimeout(handle);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const handle = clock.setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}

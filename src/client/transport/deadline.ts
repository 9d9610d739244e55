/** The reason for which a wait was ended from this side. */
export type Expiry = 'timeout' | 'totalTimeout' | 'abort';

/** Limits of something that takes time, and the signal that may end it before. */
export interface TimeLimits {
  /** Milliseconds for this alone. */
  readonly timeout: number;
  /** End of the whole call's time, by `performance.now()`. */
  readonly endsAt: number;
  /** The caller's. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Ends one attempt: at its timeout, at the end of the whole call's time, or when the caller aborts. The timer and the
 * listening are gone after `dispose`, so that a signal can be reused for any number of calls.
 */
export class Deadline {
  /** Stops the timer and the listening. */
  readonly dispose: () => void;
  readonly #controller = new AbortController();
  /** Settles when the time is over or the caller aborts; never rejects. */
  readonly #expired: Promise<Expiry>;
  #expiry: Expiry | undefined;

  constructor({ timeout, endsAt, signal }: TimeLimits) {
    const totalLeft = endsAt - performance.now();
    let settle: (expiry: Expiry) => void;
    // Not by listening to the signal: that costs more than a promise, and each attempt would pay it.
    this.#expired = new Promise((resolve) => {
      settle = resolve;
    });
    const expire = (expiry: Expiry): void => {
      this.#expiry ??= expiry;
      this.#controller.abort();
      settle(expiry);
    };
    const stopListening = signal && onAbort(signal, () => expire('abort'));
    const timer = setTimeout(
      expire,
      Math.min(timeout, totalLeft),
      totalLeft < timeout ? 'totalTimeout' : 'timeout',
    );
    this.dispose = () => {
      clearTimeout(timer);
      stopListening?.();
    };
    if (signal?.aborted) expire('abort');
    // Not by the timer, which would let a request go out first.
    if (totalLeft <= 0) expire('totalTimeout');
  }

  /** Aborted when the time is over or the caller aborts, for `fetch`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The reason for which the wait was ended early, if it was. */
  get expiry(): Expiry | undefined {
    return this.#expiry;
  }

  /** Waits for a promise, but no longer than this: a token function, a hook or a stream may ignore signals. */
  race<Value>(promise: Promise<Value>): Promise<Value> {
    return Promise.race([promise, this.#expired.then(throwExpired)]);
  }

  /** Throws where the time is over already. What it throws is shown for a hook alone, by its name: else `expiry` tells why. */
  throwIfExpired(): void {
    if (this.#expiry !== undefined) throwExpired(this.#expiry);
  }
}

function throwExpired(expiry: Expiry): never {
  // Its frames are none of the user's.
  throw Object.assign(new Error('expired'), { name: expiry, stack: '' });
}

interface Listeners {
  readonly callbacks: Set<() => void>;
  readonly notify: () => void;
}

const listenersOf = /* @__PURE__ */ new WeakMap<AbortSignal, Listeners>();

/**
 * Calls back when a signal is aborted, until the returned function is called. All who wait for one signal share one
 * listener: a runtime that finds more than ten warns of a leak, and a program may end a thousand calls by one signal.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, notify } = listenersOf.get(signal) ?? listenTo(signal);
  callbacks.add(callback);
  // Does nothing where it listens already.
  signal.addEventListener('abort', notify);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size === 0) signal.removeEventListener('abort', notify);
  };
}

function listenTo(signal: AbortSignal): Listeners {
  const callbacks = new Set<() => void>();
  const notify = () => {
    for (const callback of callbacks) callback();
  };
  const listeners = { callbacks, notify };
  listenersOf.set(signal, listeners);
  return listeners;
}

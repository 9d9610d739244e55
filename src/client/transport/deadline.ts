import type { CallSettings } from '../settings.js';
import { onAbort } from './on-abort.js';

/** Why a wait was ended from this side. */
export type Expiry = 'timeout' | 'totalTimeout' | 'abort';

/**
 * Ends one attempt, or one pause between two: at its timeout, at the end of the whole call's time, or when the
 * caller aborts. The timer and the listening are gone after `dispose`, so that a signal can be reused for any number of
 * calls.
 */
export class Deadline {
  /** Stops the timer and the listening. */
  readonly dispose: () => void;
  readonly #controller = new AbortController();
  /** Settles when the time is over or the caller aborts; never rejects. */
  readonly expired: Promise<void>;
  #expiry: Expiry | undefined;

  constructor(timeout: number, totalLeft: number, userSignal: AbortSignal | undefined) {
    let settle: () => void;
    // Not by listening to the signal: that costs more than a promise, and each attempt would pay it.
    this.expired = new Promise((resolve) => {
      settle = resolve;
    });
    const expire = (expiry: Expiry): void => {
      this.#expiry ??= expiry;
      this.#controller.abort();
      settle();
    };
    const stopListening = userSignal && onAbort(userSignal, () => expire('abort'));
    const timer = setTimeout(
      expire,
      Math.min(timeout, totalLeft),
      totalLeft < timeout ? 'totalTimeout' : 'timeout',
    );
    this.dispose = () => {
      clearTimeout(timer);
      stopListening?.();
    };
    if (userSignal?.aborted) expire('abort');
    // Not by the timer, which would let a request go out first.
    if (totalLeft <= 0) expire('totalTimeout');
  }

  /** Aborted when the time is over or the caller aborts, for `fetch`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What ended the wait early, if something did. */
  get expiry(): Expiry | undefined {
    return this.#expiry;
  }

  /** Waits for a promise, but no longer than this: a token function, a hook or a stream may ignore signals. */
  race<Value>(promise: Promise<Value>): Promise<Value> {
    return Promise.race([promise, this.expired.then(throwExpired)]);
  }
}

/** The time of one attempt, or of one hook; of a pause, whose length is given. */
export function deadlineOf(call: CallSettings, endsAt: number, timeout: number = call.timeout): Deadline {
  return new Deadline(timeout, endsAt - performance.now(), call.signal);
}

export function throwExpired(): never {
  throw new Error('expired');
}

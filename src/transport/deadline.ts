import type { CallSettings } from '../settings.js';

/** Why a wait was ended from this side. */
export type Expiry = 'timeout' | 'totalTimeout' | 'abort';

/**
 * Ends one attempt, or one pause between two: at its timeout, at the end of the whole call's time, or when the
 * caller aborts. One timer and one listener, both gone after `dispose`, so that a signal can be reused for any
 * number of calls.
 */
export class Deadline {
  /** Settles when the time is over or the caller aborts; never rejects. */
  readonly expired: Promise<Expiry>;
  readonly #controller = new AbortController();
  readonly #userSignal: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #onAbort = (): void => this.#expire('abort');
  #resolve: (expiry: Expiry) => void = () => undefined;
  #expiry: Expiry | undefined;

  constructor(timeout: number, totalLeft: number, userSignal: AbortSignal | undefined) {
    this.expired = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#timer = setTimeout(
      () => this.#expire(totalLeft < timeout ? 'totalTimeout' : 'timeout'),
      Math.max(0, Math.min(timeout, totalLeft)),
    );
    this.#userSignal = userSignal;
    if (userSignal?.aborted) this.#expire('abort');
    // Not by the timer, which would let a request go out first.
    else if (totalLeft <= 0) this.#expire('totalTimeout');
    else userSignal?.addEventListener('abort', this.#onAbort);
  }

  /** Aborted when the time is over, for `fetch`. */
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

  dispose(): void {
    clearTimeout(this.#timer);
    this.#userSignal?.removeEventListener('abort', this.#onAbort);
  }

  #expire(expiry: Expiry): void {
    if (this.#expiry !== undefined) return;
    this.#expiry = expiry;
    this.#controller.abort();
    this.#resolve(expiry);
  }
}

/** The time of one attempt, or of one hook; of a pause, whose length is given. */
export function deadlineOf(call: CallSettings, endsAt: number, timeout: number = call.timeout): Deadline {
  return new Deadline(timeout, endsAt - Date.now(), call.signal);
}

function throwExpired(expiry: Expiry): never {
  throw new Error(`ended by ${expiry}`);
}

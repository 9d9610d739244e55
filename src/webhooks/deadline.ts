import { WebhookError } from '../errors/index.js';
import { unref } from '../utils/waiting.js';

/** The result of a wait that the deadline has ended. */
export const LATE = /* @__PURE__ */ Symbol('late');

/**
 * The time that a delivery has. Each of its waits ends at the deadline by itself.
 *
 * Ended by one plain promise: listeners of the signal would make a delivery a third slower.
 */
export class Deadline {
  /** When it began, on the clock of `performance.now()`. */
  readonly startedAt = performance.now();
  /** Its end, on the same clock. */
  readonly at: number;
  /** Aborted at that time, or when the delivery is ended before. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  /** Ends the wait in progress. */
  #endWait: (() => void) | undefined;

  /** @param onPassed - Ends what does not wait here. */
  constructor(ms: number, onPassed: () => void) {
    this.at = this.startedAt + ms;
    this.signal = this.#controller.signal;
    this.#timer = setTimeout(() => {
      this.abort(new WebhookError(`The delivery was not handled within ${ms} ms.`));
      onPassed();
      this.#endWait?.();
    }, ms);
    unref(this.#timer);
  }

  /** Settles as `work` does; resolves with {@link LATE} at the deadline, after which the work goes on. */
  wait<Value>(work: Promise<Value>): Promise<Value | typeof LATE> {
    return new Promise((resolve, reject) => {
      this.#endWait = () => resolve(LATE);
      work.then(resolve, reject);
      if (this.signal.aborted) resolve(LATE);
    });
  }

  /** Ends the delivery before its time. */
  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

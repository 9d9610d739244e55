import { checkTimeout, checkWhole, type OptionNames, refuseUnknown } from '../validation/option-checks.js';

/** Options of `inbox.work`. */
export interface WorkOptions {
  /** The largest number of events that this worker processes at once. Default 10. */
  readonly concurrency?: number | undefined;
  /**
   * Milliseconds for the handlers of an event. Then their signal is aborted, and the run counts as failed: the event is
   * retried, and in the end a dead letter. A handler that goes on all the same is not waited for. Default 300 000: five
   * minutes, after which Node's `fetch` gives up waiting for an answer too.
   */
  readonly handlerTimeout?: number | undefined;
  /**
   * Milliseconds for which an event without a handler in one worker is given back to the queue, for others that may have
   * one. Then it becomes a dead letter, which can be replayed. To drop events of a type, give it a handler that does
   * nothing. Default 3 600 000: an hour, which is longer than most deployments take.
   */
  readonly unhandledTimeout?: number | undefined;
  /**
   * Milliseconds after which the event of a worker that died is free for another worker, which notices it within the
   * same time again. The lock is renewed while handlers run; an event loop that is blocked for longer loses it too.
   * Default 30 000.
   */
  readonly lockDuration?: number | undefined;
  /**
   * The number of times that a worker may die over an event, or lose its lock, before the event goes to the dead letters:
   * an event that makes every worker crash must not stop the queue. Default 5.
   */
  readonly maxStalls?: number | undefined;
}

/** Options of `close`, for a worker and for an inbox. */
export interface CloseOptions {
  /**
   * Milliseconds for events being processed to finish. Then the signals of their handlers are aborted, and the events go
   * back to the front of the queue, with one attempt less. Default 25 000, which is below the 30 s that Kubernetes waits.
   * The first call decides: a later one waits for the same end.
   */
  readonly grace?: number | undefined;
}

/** The checked options of a worker. */
export interface WorkSettings {
  readonly concurrency: number;
  readonly handlerTimeout: number;
  readonly unhandledTimeout: number;
  readonly lockDuration: number;
  readonly maxStalls: number;
}

const workOptions: OptionNames<WorkOptions> = {
  concurrency: true,
  handlerTimeout: true,
  unhandledTimeout: true,
  lockDuration: true,
  maxStalls: true,
};

const DEFAULT_CONCURRENCY = 10;
const DEFAULT_HANDLER_TIMEOUT = 300_000;
const DEFAULT_UNHANDLED_TIMEOUT = 3_600_000;
const DEFAULT_LOCK_DURATION = 30_000;
const DEFAULT_MAX_STALLS = 5;
const DEFAULT_GRACE = 25_000;

/** Checks the options of a worker, and fills in the defaults. */
export function resolveWork(options: WorkOptions): WorkSettings {
  refuseUnknown(options, workOptions);
  const { concurrency, handlerTimeout, unhandledTimeout, lockDuration, maxStalls } = options;
  return {
    concurrency: checkWhole('concurrency', 1, concurrency) ?? DEFAULT_CONCURRENCY,
    handlerTimeout: checkTimeout('handlerTimeout', handlerTimeout) ?? DEFAULT_HANDLER_TIMEOUT,
    unhandledTimeout: checkTimeout('unhandledTimeout', unhandledTimeout) ?? DEFAULT_UNHANDLED_TIMEOUT,
    lockDuration: checkTimeout('lockDuration', lockDuration) ?? DEFAULT_LOCK_DURATION,
    maxStalls: checkWhole('maxStalls', 1, maxStalls) ?? DEFAULT_MAX_STALLS,
  };
}

/** Checks the options of `close`, and returns the grace in milliseconds. */
export function resolveGrace(options: CloseOptions): number {
  refuseUnknown(options, { grace: true });
  return options.grace === 0 ? 0 : (checkTimeout('grace', options.grace) ?? DEFAULT_GRACE);
}

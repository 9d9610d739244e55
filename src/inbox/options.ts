import * as z from 'zod/v4/mini';
import { warnOfUnits } from '../utils/durations.js';
import { createLogger, type LeveledLogger, type Logger, type LogLevel } from '../utils/logger.js';
import { HUNDRED_YEARS_MS } from '../utils/waiting.js';
import {
  checkedBy,
  checkOptions,
  defined,
  func,
  loggingOptions,
  milliseconds,
  numberBetween,
  type OptionFields,
  oneOf,
  refuseOptions,
  wholeNumber,
} from '../validation/check-options.js';
import type { WebhookFailure } from '../webhooks/context.js';
import type { InboxHooks } from './hooks.js';

/** The delay between two runs of an event. */
export interface Backoff {
  /** `'exponential'` doubles the delay after each failure. */
  readonly type: 'fixed' | 'exponential';
  /** Milliseconds after the first failure. Default 1 000. */
  readonly delay?: number | undefined;
  /** The longest delay, in ms. Default 12 hours, or `delay` if that is longer. */
  readonly maxDelay?: number | undefined;
  /** The share of each delay that is random, from 0 to 1. Default 0.5. */
  readonly jitter?: number | undefined;
}

/** Options that every inbox has. */
export interface InboxOptions {
  /**
   * How often an event runs before it becomes a dead letter. Default 16.
   *
   * With the default `backoff`, the retries span four and a half to nine hours.
   */
  readonly attempts?: number | undefined;
  /**
   * The delay between two runs, in ms, or how it grows.
   *
   * Default: exponential from 1 000 ms. The delays are up to 1, 2, 4, … seconds, half of each random. With a number,
   * half of that is random too.
   */
  readonly backoff?: number | Backoff | undefined;
  /**
   * How long duplicates of an event are recognised after its receipt, in ms. Default 24 hours.
   *
   * While the event waits, runs or is a dead letter, duplicates are recognised at any age.
   */
  readonly retention?: number | undefined;
  /** How long dead letters are kept, in ms. Default 14 days. */
  readonly deadLetterRetention?: number | undefined;
  /**
   * Time limit for storing an event, in ms. Default 30 000.
   *
   * Storing is retried while there is no room, or the storage is away.
   *
   * After it the receiver responds with 500, and the service does not retry automatically (6.4). It must be
   * below the receiver's deadline. At most 64 MiB of events wait: beyond that, the receiver responds with 500
   * at once.
   */
  readonly storeTimeout?: number | undefined;
  /**
   * The name of your application, which the storage keeps. A process with another name is refused.
   *
   * Two applications with the same storage would take events from each other. Default none: nothing is
   * checked.
   */
  readonly application?: string | undefined;
  /** Callbacks for metrics and alerts. */
  readonly hooks?: InboxHooks | undefined;
  /** Receives the log lines. Default `console`. */
  readonly logger?: Logger | undefined;
  /**
   * The lowest level that is logged. Default `'warn'`. Environment: `AGENT_PLATFORM_LOG`.
   *
   * Dead letters and failures of the storage are logged at `error`, retries and lost locks at `warn`,
   * handled events at `info`.
   */
  readonly logLevel?: LogLevel | undefined;
}

/** Options of `inbox.work`. */
export interface WorkOptions {
  /** The largest number of events that this worker processes at once. Default 10. */
  readonly concurrency?: number | undefined;
  /**
   * Time limit for the handlers of an event, in ms. Default 300 000: five minutes.
   *
   * After it, the run has failed: the signal is aborted, and nobody waits for a handler that goes on.
   */
  readonly handlerTimeout?: number | undefined;
  /**
   * How long a worker that died keeps its events, in ms. Default 30 000.
   *
   * Then another worker takes them over. Noticing the death takes up to the same time again. The lock is
   * renewed while handlers run; a worker whose event loop is blocked for longer loses it too.
   */
  readonly lockDuration?: number | undefined;
  /**
   * How often an event may lose its worker or its lock. Default 5.
   *
   * The next time, it becomes a dead letter: an event that crashes every worker must not stop the queue.
   */
  readonly maxStalls?: number | undefined;
  /** Called for each failure of a handler, with the thrown value. `createWebhookHandlers` has its own. */
  readonly onError?: ((error: unknown, failure: WebhookFailure) => unknown) | undefined;
}

/** Options of `close`, for a worker and for an inbox. */
export interface CloseOptions {
  /**
   * Time for events in progress to finish, in ms. Default 25 000, below the 30 s that Kubernetes waits.
   *
   * After it, the signals of their handlers are aborted, and the events go back to the front of the queue.
   * Only the first call of `close` counts.
   */
  readonly grace?: number | undefined;
}

/** Options with their defaults filled in. */
export type Settled<Options> = { readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined> };

/** The options of an inbox that are used as given, or else by their default. */
type Plain = Omit<InboxOptions, 'application' | 'backoff' | 'logger' | 'logLevel'>;

/** The checked options that every inbox has. */
export interface InboxSettings extends Settled<Plain> {
  readonly application: string | undefined;
  readonly backoff: Settled<Backoff>;
  readonly log: LeveledLogger;
}

const DAY_MS = 86_400_000;

const INBOX_DEFAULTS: Settled<Plain> = {
  attempts: 16,
  retention: DAY_MS,
  deadLetterRetention: 14 * DAY_MS,
  storeTimeout: 30_000,
  hooks: {},
};

const BACKOFF_DEFAULTS: Settled<Backoff> = {
  type: 'exponential',
  delay: 1_000,
  maxDelay: DAY_MS / 2,
  jitter: 0.5,
};

const backoffFields: OptionFields<Backoff> = {
  type: oneOf(['fixed', 'exponential']),
  delay: z.optional(milliseconds()),
  maxDelay: z.optional(milliseconds()),
  jitter: z.optional(numberBetween(0, 1)),
};

const backoffNumber = /* @__PURE__ */ checkedBy((value) =>
  z.safeParse(milliseconds(), value).success
    ? undefined
    : 'must be milliseconds, or { type, delay, maxDelay, jitter }',
);

/**
 * Returns the fields of the options that every inbox has, for the schema of one.
 *
 * The kind of `backoff` chooses its schema: `z.union` would take 300 bytes of every bundle.
 */
export const inboxFields = (given: InboxOptions | undefined): OptionFields<InboxOptions> => ({
  attempts: z.optional(wholeNumber(1)),
  backoff: z.optional(typeof given?.backoff === 'object' ? z.strictObject(backoffFields) : backoffNumber),
  retention: z.optional(milliseconds(HUNDRED_YEARS_MS)),
  deadLetterRetention: z.optional(milliseconds(HUNDRED_YEARS_MS)),
  storeTimeout: z.optional(milliseconds()),
  application: z.optional(z.string().check(z.minLength(1, 'must be a name'))),
  hooks: z.optional(
    z.strictObject({
      onHandled: z.optional(func),
      onRetry: z.optional(func),
      onDeadLetter: z.optional(func),
    } satisfies OptionFields<InboxHooks>),
  ),
  ...loggingOptions(),
});

/** Fills in the defaults of the options that every inbox has, which are checked. */
export function settleOptions(options: InboxOptions): InboxSettings {
  const { application, logger, logLevel } = options;
  const [log, backoff] = [createLogger(logger, logLevel), settleBackoff(options.backoff)];
  const plain = { ...INBOX_DEFAULTS, ...defined(options) };
  const { attempts, retention, deadLetterRetention, storeTimeout, hooks } = plain;
  warnOfUnits(log, 'inbox', { retention, deadLetterRetention, storeTimeout });
  const { delay, maxDelay } = backoff;
  if (delay < LEAST_BACKOFF_MS) warnOfUnits(log, 'inbox', { backoff: delay });
  warnOfUnits(log, 'inbox', { 'backoff.maxDelay': maxDelay });
  return { attempts, retention, deadLetterRetention, storeTimeout, hooks, application, backoff, log };
}

const LEAST_BACKOFF_MS = 100;

function settleBackoff(given: InboxOptions['backoff'] = { type: 'exponential' }): Settled<Backoff> {
  const options = typeof given === 'number' ? ({ type: 'fixed', delay: given } as const) : given;
  const backoff = { ...BACKOFF_DEFAULTS, ...defined(options) };
  if (backoff.delay <= backoff.maxDelay) return backoff;
  if (options.maxDelay === undefined) return { ...backoff, maxDelay: backoff.delay };
  const text = `must be at least the delay, ${backoff.delay} ms, got ${backoff.maxDelay}.`;
  return refuseOptions('inbox', [{ option: 'backoff.maxDelay', text }]);
}

/** The checked options of a worker. */
export type WorkSettings = Settled<Omit<WorkOptions, 'onError'>>;

const WORK_DEFAULTS: WorkSettings = {
  concurrency: 10,
  handlerTimeout: 300_000,
  lockDuration: 30_000,
  maxStalls: 5,
};

const ofInbox = /* @__PURE__ */ checkedBy(
  () => 'belongs to the inbox: pass it to createSqliteInbox, createPostgresInbox or createBullMQInbox',
);

const workFields: OptionFields<WorkOptions & Pick<InboxOptions, 'attempts' | 'backoff'>> = {
  attempts: z.optional(ofInbox),
  backoff: z.optional(ofInbox),
  concurrency: z.optional(wholeNumber(1)),
  handlerTimeout: z.optional(milliseconds()),
  lockDuration: z.optional(milliseconds()),
  maxStalls: z.optional(wholeNumber(1)),
  onError: z.optional(func),
};

/** Checks the options of a worker, and fills in the defaults. */
export function resolveWork(options: WorkOptions, log: LeveledLogger): WorkSettings {
  checkOptions(z.strictObject(workFields), options, { of: 'inbox.work' });
  const { handlerTimeout, lockDuration } = options;
  warnOfUnits(log, 'inbox', { handlerTimeout, lockDuration });
  return { ...WORK_DEFAULTS, ...defined(options) };
}

const DEFAULT_GRACE_MS = 25_000;

const closeFields: OptionFields<CloseOptions> = { grace: z.optional(wholeNumber(0)) };

/** Checks the options of `close`, and returns the grace in milliseconds. */
export function resolveGrace(options: CloseOptions, log: LeveledLogger): number {
  checkOptions(z.strictObject(closeFields), options, { of: 'close' });
  warnOfUnits(log, 'inbox', { grace: options.grace });
  return options.grace ?? DEFAULT_GRACE_MS;
}

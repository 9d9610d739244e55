import type { BackoffOptions, Telemetry } from 'bullmq';
import * as z from 'zod/mini';
import {
  CONNECTION_RULE,
  isCluster,
  isConnection,
  type RedisConnection,
  settingsOf,
} from '../redis/connection.js';
import { createLogger, type LeveledLogger, type Logger, type LogLevel } from '../utils/logger.js';
import { HUNDRED_YEARS_MS } from '../utils/waiting.js';
import {
  checkOptions,
  func,
  loggingOptions,
  milliseconds,
  numberAboveZero,
  numberBetween,
  type OptionFields,
  oneOf,
  refuseOptions,
  wholeNumber,
} from '../validation/options.js';
import type { WebhookFailure } from '../webhooks/handlers.js';
import type { InboxHooks } from './hooks.js';

/** Options of `createBullMQInbox`. Pass the same where events are received and where they are processed. */
export interface BullMQInboxOptions {
  /**
   * The address of Redis, or a client.
   *
   * A client is used for storing as it is, and duplicated for each worker. The duplicate reconnects after a
   * failover; for storing, set the client's own `reconnectOnError`.
   */
  readonly connection: RedisConnection;
  /**
   * The name of the BullMQ queue, without `:`. Default `'agent-platform-webhooks'`, with a warning in the log.
   *
   * Choose one for each application: two that share a queue take events of each other.
   */
  readonly queueName?: string | undefined;
  /**
   * The beginning of every key in Redis. Default `'bull'`, where dashboards for BullMQ look.
   *
   * With a `Cluster` as connection, the default is the queue's name in braces: a cluster keeps the keys of a queue
   * on one node only if the prefix or the queue's name has a part in braces.
   */
  readonly prefix?: string | undefined;
  /**
   * The number of runs of an event before it becomes a dead letter. Default 16.
   *
   * With the default `backoff`, the retries reach over four and a half to nine hours.
   */
  readonly attempts?: number | undefined;
  /**
   * The delay between two runs: milliseconds, or BullMQ's `BackoffOptions`.
   *
   * Default: exponential from 1 000 ms with a jitter of 0.5, so within one second, two, four, …, half of each random.
   */
  readonly backoff?: number | BackoffOptions | undefined;
  /**
   * How long duplicates of an event are recognised after its receipt, in ms. Default 24 hours.
   *
   * While the event waits, runs or is a dead letter, duplicates are recognised at any age.
   */
  readonly retention?: number | undefined;
  /**
   * How long dead letters are kept, in ms. Default 14 days. Older ones are deleted when the next one comes.
   */
  readonly deadLetterRetention?: number | undefined;
  /**
   * Time limit of storing, in ms: it is retried while Redis restarts, fails over or is full. Default 30 000.
   *
   * After it the receiver responds with 500, and the service does not retry automatically (6.4). It must be below
   * the receiver's deadline. Waiting events hold at most 64 MiB; beyond it, the receiver responds with 500 at once.
   */
  readonly storeTimeout?: number | undefined;
  /**
   * The number of replicas that must have an event before it counts as stored. Default 0.
   *
   * Redis replicates after it has responded: with 0, a failover loses what was not replicated yet. If they are not
   * reached within `storeTimeout`, `store` rejects with an `InboxReplicasError`. A client that is passed in is
   * duplicated then, because waiting blocks its connection.
   */
  readonly replicas?: number | undefined;
  /**
   * The share of Redis' `maxmemory` above which no event is stored, from 0 to 1. Default 0.85.
   *
   * The rest is for the workers: in a full Redis they could not finish anything, and it would never be drained.
   * Without a `maxmemory`, it has no effect.
   */
  readonly highWater?: number | undefined;
  /** BullMQ's telemetry, such as `new BullMQOtel('crm')` of the package `bullmq-otel`. Default: none. */
  readonly telemetry?: Telemetry | undefined;
  /** Callbacks for metrics and alerts. */
  readonly hooks?: InboxHooks | undefined;
  /** Receives the log lines. Default `console`. */
  readonly logger?: Logger | undefined;
  /**
   * The least level that is logged. Default `'warn'`. Environment: `AGENT_PLATFORM_LOG`.
   *
   * Dead letters and failures of Redis are logged at `error`, retries and lost locks at `warn`, handled events at
   * `info`.
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
   * After it their signal is aborted, and the run counts as failed. A handler that goes on is not waited for.
   */
  readonly handlerTimeout?: number | undefined;
  /**
   * Age in ms at which an event becomes a dead letter if no worker has a handler for it. Default 3 600 000: an hour.
   *
   * Until then, a worker without a handler gives it back to the queue, for workers of a newer release. To drop
   * events of a type, give it a handler that does nothing.
   */
  readonly unhandledTimeout?: number | undefined;
  /**
   * Time in ms after which the event of a worker that died is free for another worker. Default 30 000.
   *
   * It is noticed within the same time again. The lock is renewed while handlers run; an event loop that is blocked for
   * longer loses it too.
   */
  readonly lockDuration?: number | undefined;
  /**
   * How many times a worker may die over an event, or lose its lock, before the event becomes a dead letter. Default 5.
   *
   * An event that makes every worker crash must not stop the queue.
   */
  readonly maxStalls?: number | undefined;
  /** Called for each failure of a handler, with what it threw. For `createWebhookHandlers`, use its own `onError`. */
  readonly onError?: ((error: unknown, failure: WebhookFailure) => unknown) | undefined;
}

/** Options of `close`, for a worker and for an inbox. */
export interface CloseOptions {
  /**
   * Time for events in progress to finish, in ms. Default 25 000, which is below the 30 s that Kubernetes waits.
   *
   * After it the signals of their handlers are aborted, and the events go back to the front of the queue. The first
   * call of `close` decides.
   */
  readonly grace?: number | undefined;
}

const name = z.string().check(z.regex(/^[^:]+$/, 'must be a text without `:` that is not empty'));

const inboxFields: OptionFields<BullMQInboxOptions> = {
  connection: z.custom(isConnection, CONNECTION_RULE),
  queueName: z.optional(name),
  prefix: z.optional(name),
  attempts: z.optional(wholeNumber(1)),
  backoff: z.optional(
    z.union(
      [
        milliseconds(),
        z.strictObject({
          type: oneOf(['fixed', 'exponential']),
          delay: z.optional(milliseconds()),
          jitter: z.optional(numberBetween(0, 1)),
        }),
      ],
      'must be milliseconds, or { type, delay, jitter }',
    ),
  ),
  retention: z.optional(milliseconds(HUNDRED_YEARS_MS)),
  deadLetterRetention: z.optional(milliseconds(HUNDRED_YEARS_MS)),
  storeTimeout: z.optional(milliseconds()),
  replicas: z.optional(wholeNumber(0)),
  highWater: z.optional(numberAboveZero(1)),
  telemetry: z.optional(z.looseObject({ tracer: z.unknown() })),
  hooks: z.optional(
    z.strictObject({
      onHandled: z.optional(func),
      onRetry: z.optional(func),
      onDeadLetter: z.optional(func),
    } satisfies OptionFields<InboxHooks>),
  ),
  ...loggingOptions,
};

const workFields: OptionFields<WorkOptions> = {
  concurrency: z.optional(wholeNumber(1)),
  handlerTimeout: z.optional(milliseconds()),
  unhandledTimeout: z.optional(milliseconds()),
  lockDuration: z.optional(milliseconds()),
  maxStalls: z.optional(wholeNumber(1)),
  onError: z.optional(func),
};

/** The checked options of an inbox. */
export interface InboxSettings {
  readonly connection: RedisConnection;
  readonly queueName: string;
  readonly prefix: string;
  readonly attempts: number;
  readonly backoff: number | BackoffOptions;
  readonly retention: number;
  readonly deadLetterRetention: number;
  readonly storeTimeout: number;
  readonly replicas: number;
  readonly highWater: number;
  readonly telemetry: Telemetry | undefined;
  readonly hooks: InboxHooks;
  readonly log: LeveledLogger;
  /** The logging options as passed, for handlers by type. */
  readonly logging: Pick<BullMQInboxOptions, 'logger' | 'logLevel'>;
}

const DAY = 86_400_000;

/** Checks the options of an inbox, and fills in the defaults. */
export function resolveInbox(options: BullMQInboxOptions): InboxSettings {
  checkOptions(z.strictObject(inboxFields), options, { of: 'createBullMQInbox' });
  const { connection, logger, logLevel } = options;
  const log = createLogger(logger, logLevel);
  if (options.queueName === undefined) {
    log.log('warn', () => 'inbox: set the option queueName: applications without one share a queue');
  }
  const queueName = options.queueName ?? 'agent-platform-webhooks';
  return {
    connection: withoutKeyPrefix(connection),
    queueName,
    prefix: prefixFor(connection, queueName, options.prefix),
    attempts: options.attempts ?? 16,
    backoff: options.backoff ?? { type: 'exponential', delay: 1_000, jitter: 0.5 },
    retention: options.retention ?? DAY,
    deadLetterRetention: options.deadLetterRetention ?? 14 * DAY,
    storeTimeout: options.storeTimeout ?? 30_000,
    replicas: options.replicas ?? 0,
    highWater: options.highWater ?? 0.85,
    telemetry: options.telemetry,
    hooks: options.hooks ?? {},
    log,
    logging: { logger, logLevel },
  };
}

/** BullMQ builds keys inside its scripts, where ioredis cannot add a prefix. */
function withoutKeyPrefix(connection: RedisConnection): RedisConnection {
  if (!settingsOf(connection).keyPrefix) return connection;
  return refuse('connection.keyPrefix', 'cannot be used with BullMQ. Use the option `prefix`.');
}

/** A script of BullMQ works on several keys. The part in braces decides on which node of a cluster they are. */
function prefixFor(connection: RedisConnection, queueName: string, prefix: string | undefined): string {
  if (!isCluster(connection)) return prefix ?? 'bull';
  const hashTag = /^[^{]*\{[^}]+\}/;
  const chosen = prefix ?? (hashTag.test(queueName) ? 'bull' : `{${queueName}}`);
  if (hashTag.test(`${chosen}:${queueName}`)) return chosen;
  return refuse('prefix', 'must have a part in braces for a cluster, such as `{bull}`.');
}

function refuse(option: string, text: string): never {
  return refuseOptions('createBullMQInbox', [{ option, text }]);
}

/** The checked options of a worker. */
export type WorkSettings = Required<{ readonly [Name in keyof Omit<WorkOptions, 'onError'>]: number }>;

/** Checks the options of a worker, and fills in the defaults. */
export function resolveWork(options: WorkOptions): WorkSettings {
  checkOptions(z.strictObject(workFields), options, { of: 'inbox.work' });
  return {
    concurrency: options.concurrency ?? 10,
    handlerTimeout: options.handlerTimeout ?? 300_000,
    unhandledTimeout: options.unhandledTimeout ?? 3_600_000,
    lockDuration: options.lockDuration ?? 30_000,
    maxStalls: options.maxStalls ?? 5,
  };
}

/** Checks the options of `close`, and returns the grace in milliseconds. */
export function resolveGrace(options: CloseOptions): number {
  checkOptions(z.strictObject({ grace: z.optional(wholeNumber(0)) }), options, { of: 'close' });
  return options.grace ?? 25_000;
}

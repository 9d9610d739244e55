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
import type { LoggingOptions } from './core/handlers.js';
import type { InboxHooks } from './core/hooks.js';
import { type Settled, withDefaults } from './core/options.js';

/** Options of `createBullMQInbox`. Pass the same where events are received and where they are processed. */
export interface BullMQInboxOptions {
  /**
   * The address of Redis, or a client.
   *
   * A client is used as it is for storing, and duplicated for each worker. The duplicates reconnect after a
   * failover; for storing, set the client's own `reconnectOnError`.
   */
  readonly connection: RedisConnection;
  /**
   * The name of the BullMQ queue, without `:`. Default `'agent-platform-webhooks'`, and a logged warning.
   *
   * Choose one for each application: two that share a queue consume each other's events.
   */
  readonly queueName?: string | undefined;
  /**
   * The beginning of every key in Redis. Default `'bull'`, where dashboards for BullMQ look.
   *
   * With a `Cluster` as connection, the default is the queue's name in braces: a cluster keeps the keys of a
   * queue on one node only if the prefix or the queue's name has a part in braces.
   */
  readonly prefix?: string | undefined;
  /**
   * The number of runs of an event before it becomes a dead letter. Default 16.
   *
   * With the default `backoff`, the retries span four and a half to nine hours.
   */
  readonly attempts?: number | undefined;
  /**
   * The delay between two runs, in ms, or BullMQ's `BackoffOptions`.
   *
   * Default: exponential from 1 000 ms with a jitter of 0.5: up to 1, 2, 4, … seconds, half of each random.
   */
  readonly backoff?: number | BackoffOptions | undefined;
  /**
   * How long duplicates of an event are recognised after its receipt, in ms. Default 24 hours.
   *
   * While the event waits, runs or is a dead letter, duplicates are recognised at any age.
   */
  readonly retention?: number | undefined;
  /**
   * How long dead letters are kept, in ms. Default 14 days.
   *
   * Older ones are deleted when the next one is added.
   */
  readonly deadLetterRetention?: number | undefined;
  /**
   * Time limit for storing an event, in ms. Default 30 000. Storing is retried while Redis restarts, fails
   * over or is full.
   *
   * After it the receiver responds with 500, and the service does not retry automatically (6.4). It must be
   * below the receiver's deadline. Waiting events hold at most 64 MiB; beyond it, the receiver responds with
   * 500 at once.
   */
  readonly storeTimeout?: number | undefined;
  /**
   * The number of replicas that must have an event before it counts as stored. Default 0.
   *
   * Redis replicates after it has responded: with 0, a failover loses what was not replicated yet. If too few
   * replicas are reached within `storeTimeout`, `store` rejects with an `InboxReplicasError`. With 1 or more,
   * a client that is passed in is duplicated, because waiting for replicas blocks its connection.
   */
  readonly replicas?: number | undefined;
  /**
   * The share of Redis's `maxmemory` above which no event is stored, above 0 and at most 1. Default 0.85.
   *
   * The rest is for the workers: in a full Redis they could not finish anything, and it would never be
   * drained. Without a `maxmemory`, it has no effect.
   */
  readonly highWater?: number | undefined;
  /** BullMQ's telemetry, such as `new BullMQOtel('crm')` from the package `bullmq-otel`. Default: none. */
  readonly telemetry?: Telemetry | undefined;
  /** Callbacks for metrics and alerts. */
  readonly hooks?: InboxHooks | undefined;
  /** Receives the log lines. Default `console`. */
  readonly logger?: Logger | undefined;
  /**
   * The lowest level that is logged. Default `'warn'`. Environment: `AGENT_PLATFORM_LOG`.
   *
   * Dead letters and failures of Redis are logged at `error`, retries and lost locks at `warn`, handled
   * events at `info`.
   */
  readonly logLevel?: LogLevel | undefined;
}

const name = z.string().check(z.regex(/^[^:]+$/, 'must be a non-empty string without `:`'));

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

/** The options that are used as given, or else by their default. */
type Plain = Omit<BullMQInboxOptions, 'connection' | 'prefix' | 'telemetry' | 'logger' | 'logLevel'>;

/** The checked options of an inbox. */
export interface InboxSettings extends Settled<Plain> {
  readonly connection: RedisConnection;
  readonly prefix: string;
  readonly telemetry: Telemetry | undefined;
  readonly log: LeveledLogger;
  /** For handlers by type, which log too. */
  readonly logging: LoggingOptions;
}

const DAY_MS = 86_400_000;

const DEFAULTS: Settled<Plain> = {
  queueName: 'agent-platform-webhooks',
  attempts: 16,
  backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 },
  retention: DAY_MS,
  deadLetterRetention: 14 * DAY_MS,
  storeTimeout: 30_000,
  replicas: 0,
  highWater: 0.85,
  hooks: {},
};
const DEFAULT_PREFIX = 'bull';

/** Checks the options of an inbox, and fills in the defaults. */
export function resolveInbox(options: BullMQInboxOptions): InboxSettings {
  checkOptions(z.strictObject(inboxFields), options, { of: 'createBullMQInbox' });
  const { connection, telemetry, logger, logLevel } = options;
  const plain = withDefaults(DEFAULTS, options);
  const log = createLogger(logger, logLevel);
  if (options.queueName === undefined) {
    log.log('warn', () => 'inbox: set the option queueName: applications without one share a queue');
  }
  return {
    ...plain,
    connection: withoutKeyPrefix(connection),
    prefix: prefixFor(connection, plain.queueName, options.prefix),
    telemetry,
    log,
    logging: { logger, logLevel },
  };
}

/** ioredis cannot add its prefix to the keys that BullMQ builds inside its scripts. */
function withoutKeyPrefix(connection: RedisConnection): RedisConnection {
  if (!settingsOf(connection).keyPrefix) return connection;
  return refuse('connection.keyPrefix', 'cannot be used with BullMQ. Use the option `prefix`.');
}

/**
 * Chooses the beginning of the keys.
 *
 * Each script of BullMQ uses several keys, and a cluster keeps them on one node only if they share a hash
 * tag: the part in braces, see
 * https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags.
 */
function prefixFor(connection: RedisConnection, queueName: string, prefix: string | undefined): string {
  if (!isCluster(connection)) return prefix ?? DEFAULT_PREFIX;
  const hashTag = /^[^{]*\{[^}]+\}/;
  const chosen = prefix ?? (hashTag.test(queueName) ? DEFAULT_PREFIX : `{${queueName}}`);
  if (hashTag.test(`${chosen}:${queueName}`)) return chosen;
  return refuse('prefix', 'must have a part in braces for a cluster, such as `{bull}`.');
}

function refuse(option: string, text: string): never {
  return refuseOptions('createBullMQInbox', [{ option, text }]);
}

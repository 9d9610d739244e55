import type { Telemetry } from 'bullmq';
import { LeveledLogger, type Logger, type LogLevel } from '../ground/logger.js';
import { checkConnection, isCluster, optionsOf, type RedisConnection } from '../redis/connection.js';
import { MAX_MILLISECONDS } from '../redis/waiting.js';
import {
  checkHooks,
  checkLogger,
  checkOneOf,
  checkTimeout,
  checkWhole,
  type OptionNames,
  refuseOption,
  refuseUnknown,
  resolveLogLevel,
  shown,
} from '../validation/option-checks.js';
import { DEFAULT_WINDOW } from '../webhooks/dedupe.js';
import { INBOX_HOOKS, type InboxHooks } from './inbox-hooks.js';

/** The wait of an event between two runs of its handlers. */
export interface InboxBackoff {
  /** `'fixed'`: the same each time; `'exponential'`: doubled each time. */
  readonly type: 'fixed' | 'exponential';
  /** Milliseconds before the first retry. */
  readonly delay: number;
  /** The random part of each wait, from 0 to 1, so that many events do not come back at once. */
  readonly jitter?: number | undefined;
}

/** Options of `createBullMQInbox`. Pass the same where events are received and where they are processed. */
export interface BullMQInboxOptions {
  /**
   * The address of Redis, or a client. A client is used for storing as it is, and duplicated for each worker. The duplicate
   * reconnects after a failover; for storing, set the client's own `reconnectOnError`.
   */
  readonly connection: RedisConnection;
  /**
   * The name of the BullMQ queue, without `:`. Choose one for each application: two that share a queue take events of each other.
   * To rename a queue, let the workers empty it first. Default `'agent-platform-webhooks'`, with a warning in the log.
   */
  readonly queueName?: string | undefined;
  /**
   * The beginning of every key in Redis. Default `'bull'`, where dashboards for BullMQ look; with a `Cluster` as connection,
   * the name of the queue in braces. A cluster keeps the keys of a queue on one node only if the prefix or the name of the queue
   * has a part in braces.
   */
  readonly prefix?: string | undefined;
  /**
   * The number of runs of an event before it goes to the dead letters. Default 16: with the default `backoff`, retries reach over
   * four and a half to nine hours, so that an evening in which a system behind the handlers is down needs no replay.
   */
  readonly attempts?: number | undefined;
  /**
   * The wait between two runs: milliseconds, or a way in which they grow. Default exponential from 1 000 with a jitter of
   * 0.5: within one second, two, four, …, of which half is random.
   */
  readonly backoff?: number | InboxBackoff | undefined;
  /**
   * Milliseconds from the receipt of an event in which a copy of it is recognised, even after it was handled. While it
   * waits, runs or is a dead letter, copies are recognised at any age. Default 24 hours.
   */
  readonly retention?: number | undefined;
  /**
   * Milliseconds after which a dead letter may be deleted; it is when the next one comes. Default: kept until it is
   * replayed or removed, so that nothing is lost silently; watch `health().deadLetters`.
   */
  readonly deadLetterRetention?: number | undefined;
  /**
   * Milliseconds for which storing is retried while Redis restarts or fails over. After that the delivery is answered 500,
   * and the service does not send it again. Keep it below the receiver's deadline. Default 30 000.
   */
  readonly storeTimeout?: number | undefined;
  /**
   * The number of replicas that must have an event before it counts as stored. Redis copies to its replicas after it has
   * answered: with 0, a failover loses what was not copied yet. Where they are not reached within `storeTimeout`, `store` rejects
   * with an `InboxReplicasError`. A client that is passed in is duplicated then, because each wait blocks its connection.
   * Default 0.
   */
  readonly replicas?: number | undefined;
  /**
   * The share of Redis' `maxmemory` above which no event is stored, from 0 to 1: `store` rejects with an `InboxFullError`. A Redis
   * that is quite full stops the workers too, so nothing would ever be drained. Read from `INFO` at most once a second while
   * there is room; without a `maxmemory`, or without the permission for `INFO`, it does nothing. Default 0.85.
   */
  readonly highWater?: number | undefined;
  /**
   * BullMQ's own telemetry, such as `new BullMQOtel('crm')` of the package `bullmq-otel`: spans for storing and processing, the latter
   * in the trace of the former. Payloads are in none. Default: none.
   */
  readonly telemetry?: Telemetry | undefined;
  /** Callbacks to feed metrics. */
  readonly hooks?: InboxHooks | undefined;
  /** Receives the log lines. Default `console`. */
  readonly logger?: Logger | undefined;
  /**
   * Dead letters and a Redis that is away are logged at `error`, retries, stalls and lost locks at `warn`, each run at
   * `info`. Default `'warn'`. Environment: `AGENT_PLATFORM_LOG`.
   */
  readonly logLevel?: LogLevel | undefined;
}

/** The checked options of an inbox. */
export interface InboxSettings {
  readonly connection: RedisConnection;
  readonly queueName: string;
  readonly prefix: string;
  readonly attempts: number;
  readonly backoff: number | InboxBackoff;
  readonly retention: number;
  readonly deadLetterRetention: number | undefined;
  readonly storeTimeout: number;
  readonly replicas: number;
  readonly highWater: number;
  readonly telemetry: Telemetry | undefined;
  readonly hooks: InboxHooks;
  readonly log: LeveledLogger;
  /** The logging options as passed, for the receiver that runs handlers. */
  readonly logging: Pick<BullMQInboxOptions, 'logger' | 'logLevel'>;
}

const inboxOptions: OptionNames<BullMQInboxOptions> = {
  connection: true,
  queueName: true,
  prefix: true,
  attempts: true,
  backoff: true,
  retention: true,
  deadLetterRetention: true,
  storeTimeout: true,
  replicas: true,
  highWater: true,
  telemetry: true,
  hooks: true,
  logger: true,
  logLevel: true,
};
const backoffOptions: OptionNames<InboxBackoff> = { type: true, delay: true, jitter: true };

const DEFAULT_QUEUE_NAME = 'agent-platform-webhooks';
const DEFAULT_ATTEMPTS = 16;
const DEFAULT_BACKOFF: InboxBackoff = { type: 'exponential', delay: 1_000, jitter: 0.5 };
const DEFAULT_STORE_TIMEOUT = 30_000;
const DEFAULT_HIGH_WATER = 0.85;

const DEFAULT_NAME_WARNING =
  'inbox: the option queueName is not set: another application that leaves it out takes events from the same queue';

/** Checks the options of an inbox, and fills in the defaults. */
export function resolveInbox(options: BullMQInboxOptions): InboxSettings {
  refuseUnknown(options, inboxOptions);
  const { deadLetterRetention, logLevel } = options;
  const logger = checkLogger(options.logger);
  const log = new LeveledLogger(logger, resolveLogLevel(logLevel));
  const connection = withoutKeyPrefix(checkConnection(options.connection));
  const queueName = checkName('queueName', options.queueName) ?? DEFAULT_QUEUE_NAME;
  const settings: InboxSettings = {
    connection,
    queueName,
    prefix: checkPrefix(options.prefix, queueName, connection),
    attempts: checkWhole('attempts', 1, options.attempts) ?? DEFAULT_ATTEMPTS,
    backoff: checkBackoff(options.backoff) ?? DEFAULT_BACKOFF,
    retention: checkDuration('retention', options.retention) ?? DEFAULT_WINDOW,
    deadLetterRetention: checkDuration('deadLetterRetention', deadLetterRetention),
    storeTimeout: checkTimeout('storeTimeout', options.storeTimeout) ?? DEFAULT_STORE_TIMEOUT,
    replicas: checkWhole('replicas', 0, options.replicas) ?? 0,
    highWater: checkShare('highWater', options.highWater) ?? DEFAULT_HIGH_WATER,
    telemetry: checkTelemetry(options.telemetry),
    hooks: checkHooks(INBOX_HOOKS, options.hooks) ?? {},
    log,
    logging: { logger, logLevel },
  };
  if (options.queueName === undefined) log.log('warn', () => DEFAULT_NAME_WARNING);
  return settings;
}

/** BullMQ builds keys inside its scripts, where ioredis cannot add a prefix. */
function withoutKeyPrefix(connection: RedisConnection): RedisConnection {
  const keyPrefix = keyPrefixOf(connection) ?? '';
  if (keyPrefix === '') return connection;
  return refuseOption('connection.keyPrefix', 'cannot be used with BullMQ. Use the option `prefix`');
}

function keyPrefixOf(connection: RedisConnection): string | null | undefined {
  if (typeof connection === 'string') return new URL(connection).searchParams.get('keyPrefix');
  return (
    optionsOf(connection).keyPrefix ?? ('options' in connection ? connection.options.keyPrefix : undefined)
  );
}

/** A script of BullMQ works on several keys, which must be on one node of a cluster: what is in braces decides on which. */
function checkPrefix(prefix: string | undefined, queueName: string, connection: RedisConnection): string {
  const inCluster = isCluster(connection);
  const hashTag = /^[^{]*\{[^}]+\}/;
  const name =
    checkName('prefix', prefix) ?? (inCluster && !hashTag.test(queueName) ? `{${queueName}}` : 'bull');
  if (!inCluster || hashTag.test(`${name}:${queueName}`)) return name;
  return refuseOption('prefix', 'must have a part in braces for a cluster, such as `{bull}`');
}

/** BullMQ joins its keys with colons. */
function checkName(option: string, name: string | undefined): string | undefined {
  if (name === undefined || (typeof name === 'string' && /^[^:]+$/.test(name))) return name;
  return refuseOption(option, `must be a string that is not empty and holds no \`:\`, got ${shown(name)}`);
}

function checkTelemetry(telemetry: Telemetry | undefined): Telemetry | undefined {
  if (telemetry === undefined || telemetry?.tracer !== undefined) return telemetry;
  return refuseOption('telemetry', 'must be a `Telemetry` of BullMQ, with a `tracer`');
}

function checkShare(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (typeof value === 'number' && value > 0 && value <= 1)) return value;
  return refuseOption(option, `must be a number above 0 and at most 1, got ${shown(value)}`);
}

function checkDuration(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (typeof value === 'number' && value >= 1 && value <= MAX_MILLISECONDS))
    return value;
  return refuseOption(
    option,
    `must be a number of milliseconds from 1 to ${MAX_MILLISECONDS}, got ${shown(value)}`,
  );
}

function checkBackoff(backoff: number | InboxBackoff | undefined): number | InboxBackoff | undefined {
  if (backoff === undefined) return undefined;
  if (typeof backoff === 'number') return checkTimeout('backoff', backoff);
  refuseUnknown(backoff, backoffOptions, 'backoff');
  const { type, delay, jitter } = backoff;
  const kind = checkOneOf('backoff.type', ['fixed', 'exponential'], type);
  if (kind === undefined) refuseOption('backoff.type', "is missing: give 'fixed' or 'exponential'");
  if (checkTimeout('backoff.delay', delay) === undefined)
    refuseOption('backoff.delay', 'is missing: give milliseconds');
  if (jitter === undefined || (typeof jitter === 'number' && jitter >= 0 && jitter <= 1)) return backoff;
  return refuseOption('backoff.jitter', `must be a number from 0 to 1, got ${shown(jitter)}`);
}

import { LeveledLogger, type Logger, type LogLevel } from '../ground/logger.js';
import { checkConnection, type RedisConnection } from '../redis/connection.js';
import { MAX_MILLISECONDS } from '../redis/time-limit.js';
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
import { DEFAULT_WINDOW } from '../webhooks/limits.js';
import { INBOX_HOOKS, type InboxHooks } from './inbox-hooks.js';

/** How long an event waits between two runs of its handlers. */
export interface InboxBackoff {
  /** `'fixed'`: the same each time; `'exponential'`: doubled each time. */
  readonly type: 'fixed' | 'exponential';
  /** Milliseconds before the first retry. */
  readonly delay: number;
  /** From 0 to 1: the part of each wait that is drawn at random, so that many events do not come back at once. */
  readonly jitter?: number | undefined;
}

/** What `createBullMQInbox` takes. Receiving and working sides pass the same. */
export interface BullMQInboxOptions {
  /**
   * Where Redis is. A client that is passed in is used for storing as it is, and duplicated for each worker. The duplicate
   * reconnects after a failover; for storing, set the client's own `reconnectOnError`.
   */
  readonly connection: RedisConnection;
  /** The name of the BullMQ queue; without `:`. Default `'agent-platform-webhooks'`. */
  readonly queueName?: string | undefined;
  /** What every key in Redis begins with. Default `'bull'`, where dashboards for BullMQ look. */
  readonly prefix?: string | undefined;
  /** How often the handlers are run for an event before it goes to the dead letters. Default 10. */
  readonly attempts?: number | undefined;
  /**
   * The wait between two runs: milliseconds, or how they grow. Default exponential from 1 000 with a jitter of 0.5: ten
   * attempts within about eight minutes.
   */
  readonly backoff?: number | InboxBackoff | undefined;
  /**
   * Milliseconds for which copies of an event are recognised, from its receipt, also after it was handled. Copies of
   * an event that waits, runs or is a dead letter are recognised however old it is. Default 24 hours.
   */
  readonly retention?: number | undefined;
  /**
   * Milliseconds after which a dead letter is dropped, when another one comes. Default: kept until it is replayed or
   * removed, so that nothing is lost silently; watch `health().deadLetters`.
   */
  readonly deadLetterRetention?: number | undefined;
  /**
   * Milliseconds until storing is given up, and the delivery answered 500. The service does not send it again, so
   * that it is worth waiting for a Redis that restarts or fails over: until then, storing is retried. Keep it below the
   * receiver's deadline. Default 30 000.
   */
  readonly storeTimeout?: number | undefined;
  /** Functions to feed metrics. */
  readonly hooks?: InboxHooks | undefined;
  /** Where log lines go. Default `console`. */
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
  readonly hooks: InboxHooks;
  readonly log: LeveledLogger;
  /** As it was passed, for the receiver that handlers are run by. */
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
  hooks: true,
  logger: true,
  logLevel: true,
};
const backoffOptions: OptionNames<InboxBackoff> = { type: true, delay: true, jitter: true };

const DEFAULT_QUEUE_NAME = 'agent-platform-webhooks';
const DEFAULT_ATTEMPTS = 10;
const DEFAULT_BACKOFF: InboxBackoff = { type: 'exponential', delay: 1_000, jitter: 0.5 };
const DEFAULT_STORE_TIMEOUT = 30_000;

/** Checks the options of an inbox, and fills in the defaults. */
export function resolveInbox(options: BullMQInboxOptions): InboxSettings {
  refuseUnknown(options, inboxOptions);
  const { deadLetterRetention, logLevel } = options;
  const logger = checkLogger(options.logger);
  return {
    connection: withoutKeyPrefix(checkConnection(options.connection)),
    queueName: checkName('queueName', options.queueName) ?? DEFAULT_QUEUE_NAME,
    prefix: checkName('prefix', options.prefix) ?? 'bull',
    attempts: checkWhole('attempts', 1, options.attempts) ?? DEFAULT_ATTEMPTS,
    backoff: checkBackoff(options.backoff) ?? DEFAULT_BACKOFF,
    retention: checkDuration('retention', options.retention) ?? DEFAULT_WINDOW,
    deadLetterRetention: checkDuration('deadLetterRetention', deadLetterRetention),
    storeTimeout: checkTimeout('storeTimeout', options.storeTimeout) ?? DEFAULT_STORE_TIMEOUT,
    hooks: checkHooks(INBOX_HOOKS, options.hooks) ?? {},
    log: new LeveledLogger(logger, resolveLogLevel(logLevel)),
    logging: { logger, logLevel },
  };
}

/** BullMQ builds keys inside its scripts, which ioredis cannot prefix. */
function withoutKeyPrefix(connection: RedisConnection): RedisConnection {
  if (typeof connection === 'string') return connection;
  const { keyPrefix } = 'duplicate' in connection ? connection.options : connection;
  if (keyPrefix === undefined || keyPrefix === '') return connection;
  return refuseOption('connection.keyPrefix', 'cannot be used with BullMQ. Use the option `prefix`');
}

/** BullMQ joins its keys with colons. */
function checkName(option: string, name: string | undefined): string | undefined {
  if (name === undefined || (typeof name === 'string' && /^[^:]+$/.test(name))) return name;
  return refuseOption(option, `must be a string that is not empty and holds no \`:\`, got ${shown(name)}`);
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
  refuseMissing('backoff.type', checkOneOf('backoff.type', ['fixed', 'exponential'], type));
  refuseMissing('backoff.delay', checkTimeout('backoff.delay', delay));
  if (jitter === undefined || (typeof jitter === 'number' && jitter >= 0 && jitter <= 1)) return backoff;
  return refuseOption('backoff.jitter', `must be a number from 0 to 1, got ${shown(jitter)}`);
}

function refuseMissing(option: string, value: unknown): void {
  if (value === undefined) refuseOption(option, 'is missing');
}

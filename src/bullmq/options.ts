import type { Telemetry } from 'bullmq';
import * as z from 'zod/v4/mini';
import { type InboxOptions, type InboxSettings, inboxFields, settleOptions } from '../inbox/options.js';
import {
  CONNECTION_RULE,
  isCluster,
  isConnection,
  type RedisConnection,
  settingsOf,
} from '../redis/connection.js';
import {
  checkOptions,
  numberAboveZero,
  type OptionFields,
  refuseOptions,
  wholeNumber,
} from '../validation/check-options.js';

/** Options of `createBullMQInbox`. Pass the same where events are received and where they are processed. */
export interface BullMQInboxOptions extends InboxOptions {
  /**
   * The address of Redis, or a client.
   *
   * The inbox stores with your client as it is, and duplicates it for each worker. The duplicates reconnect after a
   * failover. For storing, set `reconnectOnError` of your client.
   */
  readonly connection: RedisConnection;
  /**
   * The name of the BullMQ queue, without `:`. Default `'agent-platform-webhooks'`, with a warning.
   *
   * Choose one for each application: two that share a queue take each other's events.
   */
  readonly queueName?: string | undefined;
  /**
   * The beginning of every key in Redis. Default `'bull'`, where dashboards for BullMQ look.
   *
   * With a `Cluster` as connection, the default is the queue's name in braces. A cluster keeps the keys of a queue on
   * one node only if the prefix or the queue's name has a part in braces.
   */
  readonly prefix?: string | undefined;
  /**
   * The number of replicas that must have an event before `store` resolves. Default 0.
   *
   * With 0, a failover loses the newest events, because Redis replicates after it has responded. If too few replicas
   * have an event within `storeTimeout`, `store` rejects with an `InboxReplicasError`. With 1 or more, the inbox
   * duplicates your client, because waiting for replicas blocks its connection.
   */
  readonly replicas?: number | undefined;
  /**
   * The share of Redis's `maxmemory` above which no event is stored. Default 0.85.
   *
   * It must be above 0 and at most 1. The rest is for the workers, because they cannot finish anything in a full
   * Redis. Without a `maxmemory`, it has no effect.
   */
  readonly highWater?: number | undefined;
  /** BullMQ's telemetry, such as `new BullMQOtel('crm')` from the package `bullmq-otel`. Default: none. */
  readonly telemetry?: Telemetry | undefined;
}

const name = z.string().check(z.regex(/^[^:]+$/, 'must be a non-empty string without `:`'));

const fields: Omit<OptionFields<BullMQInboxOptions>, keyof InboxOptions> = {
  connection: z.custom(isConnection, CONNECTION_RULE),
  queueName: z.optional(name),
  prefix: z.optional(name),
  replicas: z.optional(wholeNumber(0)),
  highWater: z.optional(numberAboveZero(1)),
  telemetry: z.optional(z.looseObject({ tracer: z.unknown() })),
};

/** The checked options of an inbox. */
export interface BullMQSettings extends InboxSettings {
  readonly connection: RedisConnection;
  readonly queueName: string;
  readonly prefix: string;
  readonly replicas: number;
  readonly highWater: number;
  readonly telemetry: Telemetry | undefined;
}

const DEFAULT_QUEUE_NAME = 'agent-platform-webhooks';
const DEFAULT_HIGH_WATER = 0.85;
const DEFAULT_PREFIX = 'bull';

/** Checks the options of an inbox, and fills in the defaults. */
export function resolveBullMQ(options: BullMQInboxOptions): BullMQSettings {
  checkOptions(z.strictObject({ ...inboxFields(options), ...fields }), options, { of: 'createBullMQInbox' });
  const { connection, queueName = DEFAULT_QUEUE_NAME, prefix, telemetry } = options;
  const { replicas = 0, highWater = DEFAULT_HIGH_WATER } = options;
  const settings = settleOptions(options);
  if (options.queueName === undefined) {
    const warning = 'inbox: no queueName is set. Set one, because applications without one share a queue.';
    settings.log.log('warn', () => warning);
  }
  return {
    ...settings,
    connection: usable(connection),
    queueName,
    prefix: prefixFor(connection, queueName, prefix),
    replicas,
    highWater,
    telemetry,
  };
}

/** ioredis cannot add its prefix to the keys that BullMQ builds in its scripts, whose results have to be numbers. */
function usable(connection: RedisConnection): RedisConnection {
  const { keyPrefix, stringNumbers } = settingsOf(connection);
  if (stringNumbers) refuse('connection.stringNumbers', 'cannot be used with BullMQ. Leave it out.');
  if (!keyPrefix) return connection;
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

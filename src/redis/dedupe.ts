import * as z from 'zod/v4/mini';
import { warnOfUnits } from '../utils/durations.js';
import { createLogger } from '../utils/logger.js';
import { HUNDRED_YEARS_MS, succeedsWithin, withRetries } from '../utils/waiting.js';
import { checkOptions, milliseconds } from '../validation/check-options.js';
import type { ClaimResult, DedupeStore } from '../webhooks/dedupe/store.js';
import {
  CONNECTION_RULE,
  isConnection,
  leaveReplica,
  openClient,
  outliveFailover,
  type RedisClient,
  type RedisConnection,
} from './connection.js';
import { isTransient, redisFailure, withinTime } from './failure.js';

/** Options of {@link createRedisDedupe}. */
export interface RedisDedupeOptions {
  /** The address of Redis, or a client. */
  readonly connection: RedisConnection;
  /**
   * The beginning of every key, such as `'crm:'`. Required: give each application its own.
   *
   * Two applications with one prefix take each other's events for duplicates: only one handles each.
   */
  readonly keyPrefix: string;
  /**
   * Time limit for an operation, in ms. Default 2 000. Keep it well below the receiver's deadline.
   *
   * After it, the receiver handles the event without the store.
   */
  readonly timeout?: number | undefined;
}

/** A {@link DedupeStore} on Redis, shared by any number of receivers. */
export interface RedisDedupe extends DedupeStore {
  /** Claims an event for an owner, in one atomic step. Rejects with a `WebhookError` if Redis fails. */
  claim(key: string, owner: string, leaseMs: number): Promise<ClaimResult>;
  /** Marks an event as handled unless another owner holds it, in one atomic step. */
  complete(key: string, owner: string, ttlMs: number): Promise<void>;
  /** Releases the owner's claim, in one atomic step. */
  release(key: string, owner: string): Promise<void>;
  /** Closes the connection, unless it was passed in as a client. */
  close(): Promise<void>;
}

export const DEFAULT_TIMEOUT_MS = 2_000;

const NO_PREFIX = {
  option: 'keyPrefix',
  text:
    'must be the name of your application, such as `crm:`. If two applications share a prefix, each skips ' +
    "the other's events as duplicates.",
};

const schema = z.strictObject({
  connection: z.custom(isConnection, CONNECTION_RULE),
  keyPrefix: z.optional(z.string()),
  timeout: z.optional(milliseconds()),
});

/**
 * Makes a store of handled events that receivers on several machines share.
 *
 * Each operation is one Lua script on one key: two receivers never both get `'new'`. Keys expire by themselves.
 *
 * Redis must not evict keys (`maxmemory-policy noeviction`): an event whose key is gone is handled twice. A
 * Redis that loses its memory has the same effect, and no other.
 *
 * @throws {ConfigurationError} An option is wrong. The message never contains the connection.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver } from 'agent-platform-sdk';
 * import { createRedisDedupe } from 'agent-platform-sdk/redis';
 *
 * const store = createRedisDedupe({
 *   connection: process.env.REDIS_URL ?? 'redis://localhost:6379',
 *   keyPrefix: 'crm:',
 * });
 * const secret = process.env.AGENT_PLATFORM_WEBHOOK_SECRET;
 * export const receiver = createWebhookReceiver({ secret, dedupe: { store } });
 * ```
 */
export function createRedisDedupe(options: RedisDedupeOptions): RedisDedupe {
  // From JavaScript it may be missing.
  checkOptions(schema, options, { of: 'createRedisDedupe' }, () => (options.keyPrefix ? [] : [NO_PREFIX]));
  warnOfUnits(createLogger(), 'createRedisDedupe', { timeout: options.timeout });
  return new RedisDedupeStore(options);
}

class RedisDedupeStore implements RedisDedupe {
  readonly #client: RedisClient;
  readonly #isOwned: boolean;
  readonly #keyPrefix: string;
  readonly #timeout: number;

  constructor({ connection, keyPrefix, timeout = DEFAULT_TIMEOUT_MS }: RedisDedupeOptions) {
    const { client, isOwned } = openClient(connection, {
      // An operation whose time is over must not wait in memory until Redis returns.
      maxRetriesPerRequest: 1,
      connectTimeout: timeout,
      socketTimeout: timeout,
      reconnectOnError: leaveReplica(),
    });
    this.#client = client;
    this.#isOwned = isOwned;
    this.#keyPrefix = keyPrefix;
    this.#timeout = timeout;
    // Each failing operation rejects itself. ioredis 6.0.0 prints the errors of a client without a listener
    // (`built/Redis.js:584`).
    if (isOwned) client.on('error', (error: Error) => outliveFailover(client, error));
  }

  async claim(key: string, owner: string, leaseMs: number): Promise<ClaimResult> {
    // The script returns nothing else.
    return (await this.#run('claimed', CLAIM, key, [owner, wholeMs(leaseMs)])) as ClaimResult;
  }

  async complete(key: string, owner: string, ttlMs: number): Promise<void> {
    await this.#run('marked as handled', COMPLETE, key, [owner, wholeMs(ttlMs)]);
  }

  async release(key: string, owner: string): Promise<void> {
    await this.#run('released', RELEASE, key, [owner]);
  }

  async close(): Promise<void> {
    if (!this.#isOwned) return;
    // `quit` waits for commands in progress; without a connection there are none.
    if (this.#client.status === 'ready') await succeedsWithin(this.#client.quit(), this.#timeout);
    this.#client.disconnect();
  }

  /** Each operation may run twice: the owner is the same, and so is the result. */
  async #run(
    done: string,
    script: string,
    key: string,
    args: readonly (string | number)[],
  ): Promise<unknown> {
    const message = `The event could not be ${done} in Redis`;
    const attempt = (left: number) =>
      withinTime(this.#client.eval(script, 1, this.#keyPrefix + key, ...args), left, message);
    try {
      return await withRetries(attempt, this.#timeout, isTransient);
    } catch (error) {
      throw redisFailure(message, error);
    }
  }
}

/** Returns a number of milliseconds that Redis takes: whole, at least one, and within a 64-bit integer. */
function wholeMs(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), 1), HUNDRED_YEARS_MS);
}

// A key holds `done`, or `held:` and the owner of the claim. It expires with the claim or the window.

const CLAIM = `
local value, mine = redis.call('GET', KEYS[1]), 'held:' .. ARGV[1]
if value == 'done' then return 'done' end
if value and value ~= mine then return 'pending' end
redis.call('SET', KEYS[1], mine, 'PX', ARGV[2])
return 'new'`;

/** An owner whose lease ran out completes too, unless another has claimed since. */
const COMPLETE = `
local value = redis.call('GET', KEYS[1])
if value and value ~= 'done' and value ~= 'held:' .. ARGV[1] then return 0 end
redis.call('SET', KEYS[1], 'done', 'PX', ARGV[2])
return 1`;

const RELEASE = `
if redis.call('GET', KEYS[1]) ~= 'held:' .. ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

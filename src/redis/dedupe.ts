import type { Redis } from 'ioredis';
import { checkTimeout, refuseOption, refuseUnknown } from '../validation/option-checks.js';
import type { ClaimResult, DedupeStore } from '../webhooks/dedupe-store.js';
import { checkConnection, leaveReplica, openClient, type RedisConnection, secretsOf } from './connection.js';
import { claimScript, completeScript, releaseScript } from './dedupe-scripts.js';
import { isRefusedForNow, redisFailure } from './failure.js';
import type { LuaScript } from './lua-script.js';
import { withRetries } from './retries.js';
import { MAX_MILLISECONDS, settlesWithin, withTimeLimit } from './time-limit.js';

/** What {@link createRedisDedupe} takes. */
export interface RedisDedupeOptions {
  /** Where Redis is. */
  readonly connection: RedisConnection;
  /** What every key begins with. Default `'agent-platform:dedupe:'`. */
  readonly keyPrefix?: string | undefined;
  /**
   * Milliseconds until an operation is given up; the receiver then does what its `dedupe.ifUnavailable` says. Keep it
   * well below the receiver's deadline. Default 2 000.
   */
  readonly timeout?: number | undefined;
}

/** A {@link DedupeStore} on Redis, for any number of receivers. */
export interface RedisDedupe extends DedupeStore {
  /** Claims an event for an owner: one atomic step. Rejects with a `WebhookError` where Redis does not answer. */
  claim(key: string, owner: string, leaseMs: number): Promise<ClaimResult>;
  /** Marks an event as handled, unless another owner holds it: one atomic step. */
  complete(key: string, owner: string, ttlMs: number): Promise<void>;
  /** Gives up the owner's claim: one atomic step. */
  release(key: string, owner: string): Promise<void>;
  /** Closes the connection, unless it was passed in as a client. */
  close(): Promise<void>;
}

const DEFAULT_KEY_PREFIX = 'agent-platform:dedupe:';
const DEFAULT_TIMEOUT = 2_000;

/**
 * A store for duplicates that receivers on several machines share. Each operation is one Lua script on one key, so
 * that two receivers never both get `'new'`. Keys expire by themselves: no clean-up, nothing that scans.
 *
 * Redis must not evict keys (`maxmemory-policy noeviction`): a key that is gone is an event that is handled twice. A
 * Redis that loses its memory costs the same, and no more.
 *
 * @throws {ConfigurationError} An option is wrong. The message never shows the connection.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver } from 'agent-platform-sdk';
 * import { createRedisDedupe } from 'agent-platform-sdk/redis';
 *
 * const store = createRedisDedupe({ connection: process.env.REDIS_URL ?? 'redis://localhost:6379' });
 * const secret = process.env.WORKSPACE_SECRET ?? '';
 * export const receiver = createWebhookReceiver({ secret, dedupe: { store } });
 * ```
 */
export function createRedisDedupe(options: RedisDedupeOptions): RedisDedupe {
  refuseUnknown(options, { connection: true, keyPrefix: true, timeout: true });
  const { connection, keyPrefix = DEFAULT_KEY_PREFIX } = options;
  if (typeof keyPrefix !== 'string') refuseOption('keyPrefix', `must be a string, got ${typeof keyPrefix}`);
  const timeout = checkTimeout('timeout', options.timeout) ?? DEFAULT_TIMEOUT;
  return new RedisDedupeStore(checkConnection(connection), keyPrefix, timeout);
}

class RedisDedupeStore implements RedisDedupe {
  readonly #client: Redis;
  readonly #isOwned: boolean;
  readonly #secrets: readonly string[];
  readonly #keyPrefix: string;
  readonly #timeout: number;

  constructor(connection: RedisConnection, keyPrefix: string, timeout: number) {
    // An operation that is given up must not wait in memory for a Redis that is away for long.
    const defaults = {
      maxRetriesPerRequest: 1,
      connectTimeout: timeout,
      socketTimeout: timeout,
      reconnectOnError: leaveReplica('rejected'),
    };
    const { client, isOwned } = openClient(connection, defaults);
    this.#client = client;
    this.#isOwned = isOwned;
    this.#secrets = secretsOf(connection);
    this.#keyPrefix = keyPrefix;
    this.#timeout = timeout;
    // Each operation that fails says so itself; ioredis would print what nobody listens to.
    if (isOwned) client.on('error', () => undefined);
  }

  async claim(key: string, owner: string, leaseMs: number): Promise<ClaimResult> {
    // The script returns nothing else.
    return (await this.#run('claimed', claimScript, key, owner, leaseMs)) as ClaimResult;
  }

  async complete(key: string, owner: string, ttlMs: number): Promise<void> {
    await this.#run('marked as handled', completeScript, key, owner, ttlMs);
  }

  async release(key: string, owner: string): Promise<void> {
    await this.#run('released', releaseScript, key, owner);
  }

  async close(): Promise<void> {
    if (!this.#isOwned || this.#client.status === 'end') return;
    // `quit` lets what is under way end first; without a connection there is nothing to wait for.
    if (this.#client.status === 'ready') await settlesWithin(this.#client.quit(), this.#timeout);
    this.#client.disconnect();
  }

  async #run(what: string, script: LuaScript, key: string, owner: string, ms?: number): Promise<unknown> {
    const message = `The event could not be ${what} in Redis`;
    const args = ms === undefined ? [owner] : [owner, wholeMilliseconds(ms)];
    const attempt = (left: number) =>
      withTimeLimit(script.run(this.#client, this.#keyPrefix + key, args), left, message);
    try {
      return await withRetries(attempt, this.#timeout, isRefusedForNow);
    } catch (error) {
      throw redisFailure(message, error, this.#secrets);
    }
  }
}

/** Redis takes whole milliseconds, at least one, and a time that a 64-bit number can hold. */
function wholeMilliseconds(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), 1), MAX_MILLISECONDS);
}

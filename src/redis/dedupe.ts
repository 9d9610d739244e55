import { createHash } from 'node:crypto';
import { forCaller } from '../errors/caller.js';
import { checkTimeout, refuseOption, refuseUnknown } from '../validation/option-checks.js';
import type { ClaimResult, DedupeStore } from '../webhooks/dedupe.js';
import {
  checkConnection,
  leaveReplica,
  openClient,
  outliveFailover,
  passwordsOf,
  type RedisClient,
  type RedisConnection,
} from './connection.js';
import { isConnectionLost, isRefusedForNow, redisFailure } from './failure.js';
import { MAX_MILLISECONDS, succeedsWithin, withRetries, withTimeLimit } from './waiting.js';

/** Options of {@link createRedisDedupe}. */
export interface RedisDedupeOptions {
  /** The address of Redis, or a client. */
  readonly connection: RedisConnection;
  /**
   * The beginning of every key. Default `'agent-platform:dedupe:'`. Applications that share one Redis need one each: else, of an event
   * that goes to both, only one would handle its copy.
   */
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
  return forCaller(createRedisDedupe, () => storeOf(options));
}

function storeOf(options: RedisDedupeOptions): RedisDedupe {
  refuseUnknown(options, { connection: true, keyPrefix: true, timeout: true });
  const { connection, keyPrefix = DEFAULT_KEY_PREFIX } = options;
  if (typeof keyPrefix !== 'string') refuseOption('keyPrefix', `must be a string, got ${typeof keyPrefix}`);
  const timeout = checkTimeout('timeout', options.timeout) ?? DEFAULT_TIMEOUT;
  return new RedisDedupeStore(checkConnection(connection), keyPrefix, timeout);
}

class RedisDedupeStore implements RedisDedupe {
  readonly #client: RedisClient;
  readonly #isOwned: boolean;
  readonly #passwords: readonly string[];
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
    this.#passwords = passwordsOf(connection);
    this.#keyPrefix = keyPrefix;
    this.#timeout = timeout;
    // Each operation that fails says so itself; ioredis would print what nobody listens to.
    if (isOwned) client.on('error', (error: Error) => outliveFailover(client, error));
  }

  async claim(key: string, owner: string, leaseMs: number): Promise<ClaimResult> {
    // The script returns nothing else.
    return (await this.#run(CLAIM, 'claimed', key, owner, leaseMs)) as ClaimResult;
  }

  async complete(key: string, owner: string, ttlMs: number): Promise<void> {
    await this.#run(COMPLETE, 'marked as handled', key, owner, ttlMs);
  }

  async release(key: string, owner: string): Promise<void> {
    await this.#run(RELEASE, 'released', key, owner);
  }

  async close(): Promise<void> {
    if (!this.#isOwned || this.#client.status === 'end') return;
    // `quit` lets what is under way end first; without a connection there is nothing to wait for.
    if (this.#client.status === 'ready') await succeedsWithin(this.#client.quit(), this.#timeout);
    this.#client.disconnect();
  }

  async #run(script: Script, done: string, key: string, owner: string, ms?: number): Promise<unknown> {
    const message = `The event could not be ${done} in Redis`;
    const args = ms === undefined ? [owner] : [owner, wholeMilliseconds(ms)];
    const attempt = (left: number) =>
      withTimeLimit(runScript(this.#client, script, this.#keyPrefix + key, args), left, message);
    try {
      return await withRetries(attempt, this.#timeout, isPassing);
    } catch (error) {
      throw redisFailure(message, error, this.#passwords);
    }
  }
}

/** Each operation may be done twice: it asks for the same owner, and comes to the same end. */
function isPassing(error: unknown): boolean {
  return isRefusedForNow(error) || isConnectionLost(error);
}

/** Redis takes whole milliseconds, at least one, and a time that a 64-bit number can hold. */
function wholeMilliseconds(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), 1), MAX_MILLISECONDS);
}

/** A Lua script on one key, which Redis runs as one atomic step, and the digest by which Redis remembers it. */
interface Script {
  readonly text: string;
  readonly digest: string;
}

const script = (text: string): Script => ({ text, digest: createHash('sha1').update(text).digest('hex') });

/** A key holds `done`, or `held:` and the owner of the claim. It expires with the claim or the window. */
const CLAIM = /* @__PURE__ */ script(`
local value, mine = redis.call('GET', KEYS[1]), 'held:' .. ARGV[1]
if value == 'done' then return 'done' end
if value and value ~= mine then return 'pending' end
redis.call('SET', KEYS[1], mine, 'PX', ARGV[2])
return 'new'`);

/** An owner whose lease ran out completes too, unless another has claimed since. */
const COMPLETE = /* @__PURE__ */ script(`
local value = redis.call('GET', KEYS[1])
if value and value ~= 'done' and value ~= 'held:' .. ARGV[1] then return 0 end
redis.call('SET', KEYS[1], 'done', 'PX', ARGV[2])
return 1`);

const RELEASE = /* @__PURE__ */ script(`
if redis.call('GET', KEYS[1]) ~= 'held:' .. ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`);

/** Runs a script by its digest, and sends its text where Redis does not have it, as after a restart. */
async function runScript(
  client: RedisClient,
  { text, digest }: Script,
  key: string,
  args: readonly (string | number)[],
): Promise<unknown> {
  try {
    return await client.evalsha(digest, 1, key, ...args);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return client.eval(text, 1, key, ...args);
  }
}

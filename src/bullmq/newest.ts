import type { Job, Worker } from 'bullmq';
import { passwordsOf, type RedisClient } from '../redis/connection.js';
import { redisFailure } from '../redis/failure.js';
import { validateOwn } from '../validation/validate.js';
import { sha256 } from '../webhooks/dedupe-key.js';
import { DEFAULT_WINDOW } from '../webhooks/dedupe-store.js';
import { workspaceOf } from '../webhooks/delivery.js';
import { isWebhookEventType, webhookEvents } from '../webhooks/events.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { ageOf, type NewestOnly, snapshotKey } from '../webhooks/newest.js';
import type { InboxSettings } from './inbox-options.js';
import { giveBacksOf } from './job-record.js';
import { toFailure } from './run.js';

/**
 * Keeps the order of snapshots across workers, in one hash for each key. It holds the snapshot that was handled last, and the
 * job that has the turn. The lease of a turn is BullMQ's own lock of that job: a worker that dies, and a run that ends, give
 * the turn up without another step.
 *
 * `isOlder` of `webhooks/newest.ts`, once more in Lua.
 */
const SCRIPT = `
local saved = redis.call('HMGET', KEYS[1], 'createdAt', 'receivedAt', 'sequence', 'holder')
local function isOlder()
  if not saved[2] then return false end
  local created, last = tonumber(ARGV[4]), tonumber(saved[1])
  if created and last and created ~= last then return created < last end
  local received, lastReceived = tonumber(ARGV[5]), tonumber(saved[2])
  if received ~= lastReceived then return received < lastReceived end
  return tonumber(ARGV[6]) < tonumber(saved[3])
end
local older = isOlder()
if ARGV[1] == 'begin' then
  if older then return 'older' end
  local holder = saved[4]
  if holder and holder ~= ARGV[3] and redis.call('EXISTS', ARGV[2] .. holder .. ':lock') == 1 then return 'taken' end
  redis.call('HSET', KEYS[1], 'holder', ARGV[3])
elseif not older then
  redis.call('HSET', KEYS[1], 'createdAt', ARGV[4], 'receivedAt', ARGV[5], 'sequence', ARGV[6])
end
redis.call('PEXPIRE', KEYS[1], ARGV[7])
return 'ours'`;

/** The turn of a snapshot: its own; of another event of its key; or past, because a newer one was handled. */
export type Turn = 'ours' | 'taken' | 'older';

/** Milliseconds until an event whose turn is taken asks again: doubled each time. */
const ASKING = { first: 50, last: 5_000 };

/** Lets the events of one key be handled one at a time, by all workers together, and none after a newer one. */
export class NewestInRedis {
  readonly #newestOnly: NewestOnly;
  readonly #worker: Worker<StoredWebhook>;
  readonly #client: RedisClient;
  readonly #ttl: number;
  readonly #passwords: readonly string[];

  /** Of each key, the last snapshot is remembered for the retention, but a day at least: retries and replays are late. */
  constructor(
    newestOnly: NewestOnly,
    worker: Worker<StoredWebhook>,
    client: RedisClient,
    { retention, connection }: InboxSettings,
  ) {
    this.#newestOnly = newestOnly;
    this.#worker = worker;
    this.#client = client;
    this.#ttl = Math.ceil(Math.max(retention, DEFAULT_WINDOW));
    this.#passwords = passwordsOf(connection);
  }

  /** Asks for the turn of an event. One that is no snapshot always has it. */
  begin(job: Job<StoredWebhook>): Promise<Turn> {
    return this.#step('begin', job);
  }

  /** Remembers an event that was handled, while its job still has its lock. */
  async end(job: Job<StoredWebhook>): Promise<void> {
    await this.#step('end', job);
  }

  async #step(step: 'begin' | 'end', { id = '', data }: Job<StoredWebhook>): Promise<Turn> {
    try {
      const key = keyOf(this.#newestOnly, data);
      return key === undefined ? 'ours' : await this.#ask(step, await sha256(key), id, data);
    } catch (error) {
      throw toFailure(error);
    }
  }

  async #ask(step: string, hash: string, id: string, stored: StoredWebhook): Promise<Turn> {
    const {
      createdAt = '',
      receivedAt,
      sequence,
    } = ageOf(stored.payload, stored.receivedAt, stored.sequence ?? 0);
    const position = [createdAt, receivedAt, sequence];
    const args = [
      this.#worker.toKey(`newest:${hash}`),
      step,
      this.#worker.toKey(''),
      id,
      ...position,
      this.#ttl,
    ];
    try {
      // The script returns nothing else.
      return (await this.#client.eval(SCRIPT, 1, ...args)) as Turn;
    } catch (error) {
      throw redisFailure('The turn of a snapshot could not be found out', error, this.#passwords);
    }
  }
}

/** Milliseconds for which an event whose turn is taken goes back to the queue. In part random, so that not all come at once. */
export function nextAsking(job: Job): number {
  const longest = Math.min(ASKING.first * 2 ** giveBacksOf(job), ASKING.last);
  return longest * (0.5 + Math.random() / 2);
}

/** An event that does not fit is no snapshot of anything: the handlers' receiver says what is wrong with it. */
function keyOf(newestOnly: NewestOnly, stored: StoredWebhook): string | undefined {
  const { type, payload, unnamedWorkspace } = stored;
  if (!isWebhookEventType(type) || !validateOwn(webhookEvents[type].payload, payload, 'tolerant').ok)
    return undefined;
  return snapshotKey(newestOnly, { type, payload, ...workspaceOf(stored) }, unnamedWorkspace);
}

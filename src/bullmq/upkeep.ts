import { DELETION } from '../inbox/delays.js';
import type { RedisClient } from '../redis/connection.js';
import { ClockWatch } from '../utils/clock.js';
import type { JobWorker } from './job-worker.js';
import type { RedisClock } from './redis-clock.js';

/** The longest time between two rounds, in ms. */
const MAX_INTERVAL_MS = 15_000;
/** The largest number of jobs that a step of a round looks at. */
const BATCH_SIZE = 1_000;

/**
 * Renews locks. Returns the ids of those that were lost.
 *
 * Also renews a lock that has expired while nobody noticed, because then no other worker has the job. BullMQ 6.7.0
 * gives up such a lock (`commands/extendLocks-1.lua`), and stops for as long as the clock was set back
 * (`classes/lock-manager.js:55`).
 *
 * KEYS: active, stalled. ARGV: the beginning of all keys, ms, and an id and a token for each lock.
 */
const RENEW = `
local lost = {}
for i = 3, #ARGV, 2 do
  local id, token = ARGV[i], ARGV[i + 1]
  local lock = ARGV[1] .. id .. ':lock'
  local owner = redis.call('GET', lock)
  if owner == token or (not owner and redis.call('LPOS', KEYS[1], id)) then
    redis.call('SET', lock, token, 'PX', ARGV[2])
    redis.call('SREM', KEYS[2], id)
  else
    lost[#lost + 1] = id
  end
end
return lost`;

/**
 * Mends what wrong clocks have written, and deletes old dead letters. Returns Redis's own time.
 *
 * BullMQ 6.7.0 writes and compares the times of its workers' clocks (`Date.now` in `classes/job.js`).
 *
 * - A job that waits for longer than its delay, because the clock that wrote its time was ahead, waits from now on.
 *   The marker wakes an idle worker, as a new job does.
 * - Due jobs come first, if the clock of this worker is behind.
 * - Dead letters of which the retention is over are marked, by one time for all, and deleted once the mark is old
 *   enough, if it still is.
 *
 * KEYS: delayed, failed, deletion, marker. ARGV: the beginning of all keys, this worker's time, the rank from which
 * to look at delayed jobs, how many, the retention of dead letters, and the age of a mark.
 */
const MEND = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local base, rank, batch = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])
local scale, tolerance = 4096, 1000

local delayed = redis.call('ZREVRANGE', KEYS[1], rank, rank + batch - 1, 'WITHSCORES')
for i = 1, #delayed, 2 do
  local latest = now + tonumber(redis.call('HGET', base .. delayed[i], 'delay') or 0)
  if tonumber(delayed[i + 1]) / scale > latest + tolerance then
    redis.call('ZADD', KEYS[1], latest * scale, delayed[i])
    redis.call('ZADD', KEYS[4], 0, '0')
  end
end
if now - ARGV[2] > tolerance then
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], 1, now * scale, 'LIMIT', 0, batch)) do
    redis.call('ZADD', KEYS[1], 0, id)
  end
end

local oldest = now - ARGV[5]
local mark = redis.call('HMGET', KEYS[3], 'at', 'upTo')
local age = now - tonumber(mark[1] or now + 1)
if age >= tonumber(ARGV[6]) then
  local upTo = math.min(tonumber(mark[2]), oldest)
  local old = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', upTo, 'LIMIT', 0, batch)
  for _, id in ipairs(old) do
    redis.call('ZREM', KEYS[2], id)
    redis.call('DEL', base .. id, base .. id .. ':logs', base .. id .. ':lock')
  end
  if #old < batch then age = -1 end
end
if age < 0 then redis.call('HSET', KEYS[3], 'at', now, 'upTo', oldest) end
return {now, #delayed}`;

/** What the upkeep needs. */
export interface UpkeepParts {
  readonly worker: JobWorker;
  readonly client: RedisClient;
  readonly clock: RedisClock;
  readonly lockDuration: number;
  readonly deadLetterRetention: number;
}

/** Keeps locks, frees jobs of dead workers, mends times, and deletes old dead letters. */
export class Upkeep {
  /** The token of each job that runs, by its id. */
  readonly running = new Map<string, string>();
  readonly #parts: UpkeepParts;
  readonly #watch: ClockWatch;
  /** Until then, it frees no jobs: other workers may have been away too, and need time to renew their locks. */
  #quietUntil = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Where the next round looks at delayed jobs: many with right times may be further ahead than a wrong one. */
  #rank = 0;
  #hasEnded = false;

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
    this.#watch = new ClockWatch(parts.lockDuration);
    void this.#round();
  }

  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  async #round(): Promise<void> {
    const { worker, lockDuration } = this.#parts;
    if (this.#watch.hasJumped()) this.#quietUntil = performance.now() + lockDuration;
    try {
      await this.#renew();
      await this.#mend();
      if (performance.now() >= this.#quietUntil && !this.#hasEnded) await worker.freeStalled();
    } catch (error) {
      if (!this.#hasEnded) worker.emit('error', error as Error);
    }
    if (this.#hasEnded) return;
    this.#timer = setTimeout(() => void this.#round(), Math.min(lockDuration / 2, MAX_INTERVAL_MS));
  }

  async #renew(): Promise<void> {
    if (this.running.size === 0) return;
    const { worker, client, lockDuration } = this.#parts;
    const args = [worker.toKey(''), Math.ceil(lockDuration), ...[...this.running].flat()];
    // The ids that the script returns.
    const lost = (await client.eval(
      RENEW,
      2,
      worker.toKey('active'),
      worker.toKey('stalled'),
      ...args,
    )) as string[];
    for (const id of lost) this.running.delete(id);
    if (lost.length > 0) worker.emit('lockRenewalFailed', lost);
  }

  async #mend(): Promise<void> {
    const { worker, client, clock, deadLetterRetention } = this.#parts;
    const keys = ['delayed', 'failed', 'deletion', 'marker'].map((key) => worker.toKey(key));
    const looks = [this.#rank, BATCH_SIZE];
    const args = [worker.toKey(''), Date.now(), ...looks, deadLetterRetention, DELETION.delay];
    // The two numbers that the script returns.
    const [now, seen] = (await client.eval(MEND, keys.length, ...keys, ...args)) as [number, number];
    clock.set(now);
    this.#rank = seen < 2 * BATCH_SIZE ? 0 : this.#rank + BATCH_SIZE;
  }
}

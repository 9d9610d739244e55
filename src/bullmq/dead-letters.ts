import { ErrorCode } from 'bullmq';
import type { DeadLetter, DeadLetterStorage } from '../inbox/dead-letters.js';
import type { RedisClient } from '../redis/connection.js';
import { newQueue, type OpenQueue } from './gate.js';
import { type InboxJob, reasonOf, toEvent } from './job.js';
import type { BullMQSettings } from './options.js';
import { CLOCK_TOLERANCE_MS, TURN_FIELDS } from './turn.js';

/** The dead letters of a queue: BullMQ's failed jobs. */
export class FailedJobs implements DeadLetterStorage {
  readonly #open: () => Promise<OpenQueue>;

  constructor(open: () => Promise<OpenQueue>) {
    this.#open = open;
  }

  async list(after: string, limit: number): Promise<DeadLetter[]> {
    const keys = (await this.keys()).filter((key) => key > after).sort();
    const letters = await Promise.all(keys.slice(0, limit).map((key) => this.get(key)));
    return letters.flatMap((letter) => letter ?? []);
  }

  async get(key: string): Promise<DeadLetter | undefined> {
    const job = await find(await this.#open(), key);
    return job && toDeadLetter(job);
  }

  async keys(): Promise<readonly string[]> {
    const { queue } = await this.#open();
    return queue.getRanges(['failed'], 0, -1, true);
  }

  async replay(key: string): Promise<boolean> {
    const opened = await this.#open();
    const job = await find(opened, key);
    if (job === undefined) return false;
    // BullMQ 6.7.0 resets the attempts and not the number of stalls (`commands/reprocessJob-9.lua:50`).
    await opened.client.hdel(opened.queue.toKey(key), ...TURN_FIELDS);
    try {
      await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
      return true;
    } catch (error) {
      if (!wasReplayed(error)) throw error;
      return false;
    }
  }

  async remove(key: string): Promise<boolean> {
    const job = await find(await this.#open(), key);
    await job?.remove();
    return job !== undefined;
  }
}

async function find({ queue }: OpenQueue, key: string): Promise<InboxJob | undefined> {
  const job = (await queue.getJob(key)) as InboxJob | undefined;
  return job !== undefined && (await job.isFailed()) ? job : undefined;
}

/** Whether someone else was faster, by the code that BullMQ 6.7.0 sets (`classes/finished-errors.js:53`). */
function wasReplayed(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === ErrorCode.JobNotInState || code === ErrorCode.JobNotExist;
}

function toDeadLetter(job: InboxJob): DeadLetter {
  const { key, failures, stalls } = toEvent(job);
  return {
    id: key,
    webhook: job.data,
    reason: reasonOf(job),
    attempts: failures + stalls,
    failedAt: job.finishedOn ?? 0,
  };
}

/**
 * Dates a dead letter by the clock of Redis, unless it is gone. BullMQ 6.7.0 uses that of the worker.
 *
 * KEYS: failed, the job. ARGV: its id, the time that it has, and a difference that does no harm.
 */
const DATE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if math.abs(now - ARGV[2]) < tonumber(ARGV[3]) then return end
if redis.call('ZADD', KEYS[1], 'XX', 'CH', now, ARGV[1]) == 1 then redis.call('HSET', KEYS[2], 'finishedOn', now) end`;

/** Dates a job that has just become a dead letter by the clock of Redis. */
export function dateByRedis(client: RedisClient, prefix: string, job: InboxJob): Promise<unknown> {
  const { id = '', finishedOn = 0 } = job;
  return client.eval(DATE, 2, `${prefix}failed`, prefix + id, id, finishedOn, CLOCK_TOLERANCE_MS);
}

/** The number of dead letters that one script deletes. */
const CLEAN_BATCH_SIZE = 1_000;

/** Deletes the dead letters whose retention is over by the clock of Redis. A worker's may be ahead by days. */
export async function deleteOld(client: RedisClient, settings: BullMQSettings, now: number): Promise<void> {
  const { queueName, prefix, deadLetterRetention } = settings;
  const queue = newQueue(queueName, { connection: client, prefix, skipMetasUpdate: true });
  try {
    let deleted: readonly string[];
    do {
      // BullMQ subtracts it from the time of this machine.
      const age = Date.now() - now + deadLetterRetention;
      deleted = await queue.clean(age, CLEAN_BATCH_SIZE, 'failed');
    } while (deleted.length === CLEAN_BATCH_SIZE);
  } finally {
    await queue.close();
  }
}

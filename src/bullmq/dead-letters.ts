import { ErrorCode } from 'bullmq';
import { redisFailure } from '../redis/failure.js';
import {
  checkSelect,
  type DeadLetter,
  isSelected,
  type ListDeadLettersOptions,
  resolveList,
  type SelectDeadLetter,
} from './core/dead-letters.js';
import { type InboxJob, reasonOf, runsOf } from './job.js';
import type { OpenQueue } from './open-queue.js';

/** The number of dead letters that are replayed at the same time. */
const REPLAY_BATCH_SIZE = 20;

/**
 * The events that could not be handled: BullMQ's failed jobs of `inbox.queue`.
 *
 * Each method rejects with a `WebhookError` if Redis is unreachable or refuses.
 *
 * @example
 * ```ts
 * import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
 *
 * const inbox = createBullMQInbox({ connection: process.env.REDIS_URL ?? 'redis://localhost:6379' });
 * const { deadLetters } = inbox;
 *
 * for (const { id, reason, webhook } of await deadLetters.list({ limit: 10 })) {
 *   console.log(reason, webhook.type);
 *   if (webhook.type === 'bug_reported') await deadLetters.remove(id);
 *   else await deadLetters.replay(id);
 * }
 * await deadLetters.replayAll(({ webhook }) => webhook.type === 'lead_captured');
 * ```
 */
export class DeadLetters {
  readonly #open: () => Promise<OpenQueue>;

  /** Use `inbox.deadLetters`. */
  constructor(open: () => Promise<OpenQueue>) {
    this.#open = open;
  }

  /** Returns a page of them, the oldest first. */
  async list(options: ListDeadLettersOptions = {}): Promise<DeadLetter[]> {
    const { start, limit } = resolveList(options);
    return this.#ask(async ({ queue }) => {
      const jobs = (await queue.getJobs('failed', start, start + limit - 1, true)) as (
        | InboxJob
        | undefined
      )[];
      // A job that someone removes in the meantime is undefined, unlike in the types of BullMQ 6.7.0.
      return jobs.flatMap((job) => (job === undefined ? [] : toDeadLetter(job)));
    });
  }

  /** Returns one, or undefined if there is none with this id. */
  async get(id: string): Promise<DeadLetter | undefined> {
    const job = await this.#ask((opened) => find(opened, id));
    return job && toDeadLetter(job);
  }

  /**
   * Puts one back into the queue, with its full number of attempts.
   *
   * @returns False if there is none with this id, or someone else has just replayed it.
   */
  async replay(id: string): Promise<boolean> {
    return this.#ask((opened) => replayOne(opened, id, () => true));
  }

  /**
   * Puts all events back into the queue that are dead letters now, each once.
   *
   * @param select - Returns true for a dead letter to replay; not awaited. Default: all.
   * @returns The number of events that were put back.
   */
  async replayAll(select: (letter: DeadLetter) => boolean = () => true): Promise<number> {
    checkSelect(select);
    return this.#ask(async (opened) => {
      // All ids first: pages would shift when an event is put back.
      const ids = await opened.queue.getRanges(['failed'], 0, -1, true);
      let replayed = 0;
      for (let start = 0; start < ids.length; start += REPLAY_BATCH_SIZE) {
        const batch = ids.slice(start, start + REPLAY_BATCH_SIZE);
        const results = await Promise.all(batch.map((id) => replayOne(opened, id, select)));
        replayed += results.filter(Boolean).length;
      }
      return replayed;
    });
  }

  /**
   * Deletes one. A duplicate that comes later is a new event.
   *
   * @returns False if there is none with this id.
   */
  async remove(id: string): Promise<boolean> {
    return this.#ask(async (opened) => {
      const job = await find(opened, id);
      await job?.remove();
      return job !== undefined;
    });
  }

  /** Runs a query. Its errors are replaced: those of ioredis contain the command with all arguments. */
  async #ask<Value>(query: (opened: OpenQueue) => Promise<Value>): Promise<Value> {
    try {
      return await query(await this.#open());
    } catch (error) {
      throw redisFailure('The dead letters are out of reach', error);
    }
  }
}

async function find({ queue }: OpenQueue, id: string): Promise<InboxJob | undefined> {
  const job = (await queue.getJob(id)) as InboxJob | undefined;
  return job !== undefined && (await job.isFailed()) ? job : undefined;
}

async function replayOne(opened: OpenQueue, id: string, select: SelectDeadLetter): Promise<boolean> {
  const job = await find(opened, id);
  if (job === undefined || !isSelected(toDeadLetter(job), select)) return false;
  // BullMQ 6.7.0 resets the attempts and not the number of stalls (`commands/reprocessJob-9.lua:50`).
  await opened.client.hdel(opened.queue.toKey(id), 'stc');
  try {
    await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
    return true;
  } catch (error) {
    if (!wasReplayed(error)) throw error;
    return false;
  }
}

/** Whether someone else was faster, by the code that BullMQ 6.7.0 sets (`classes/finished-errors.js:53`). */
function wasReplayed(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === ErrorCode.JobNotInState || code === ErrorCode.JobNotExist;
}

function toDeadLetter(job: InboxJob): DeadLetter {
  return {
    id: job.id ?? '',
    webhook: job.data,
    reason: reasonOf(job),
    attempts: runsOf(job),
    failedAt: job.finishedOn ?? 0,
  };
}

import type { DeadLetter, DeadLetterStorage } from '../inbox/dead-letters.js';
import { redisFailure } from '../redis/failure.js';
import { type InboxJob, reasonOf, runsOf } from './job.js';
import type { OpenQueue } from './open-queue.js';

/** The dead letters of a queue: BullMQ's failed jobs. */
export class FailedJobs implements DeadLetterStorage {
  readonly #open: () => Promise<OpenQueue>;

  constructor(open: () => Promise<OpenQueue>) {
    this.#open = open;
  }

  async list(start: number, limit: number): Promise<DeadLetter[]> {
    return this.#ask(async ({ queue }) => {
      const jobs = (await queue.getJobs('failed', start, start + limit - 1, true)) as (
        | InboxJob
        | undefined
      )[];
      // A job that someone removes in the meantime is undefined, unlike in the types of BullMQ 6.7.0.
      return jobs.flatMap((job) => (job === undefined ? [] : toDeadLetter(job)));
    });
  }

  async get(id: string): Promise<DeadLetter | undefined> {
    const job = await this.#ask((opened) => find(opened, id));
    return job && toDeadLetter(job);
  }

  async ids(): Promise<readonly string[]> {
    return this.#ask(({ queue }) => queue.getRanges(['failed'], 0, -1, true));
  }

  async replay(id: string, isWanted: (letter: DeadLetter) => boolean): Promise<boolean> {
    return this.#ask(async (opened) => {
      const job = await find(opened, id);
      if (job === undefined || !isWanted(toDeadLetter(job))) return false;
      // BullMQ 6.7.0 resets the attempts and not the number of stalls (`commands/reprocessJob-9.lua:50`).
      await opened.client.hdel(opened.queue.toKey(id), 'stc');
      try {
        await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
        return true;
      } catch (error) {
        if (await job.isFailed()) throw error;
        // Someone else was faster.
        return false;
      }
    });
  }

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

function toDeadLetter(job: InboxJob): DeadLetter {
  return {
    id: job.id ?? '',
    webhook: job.data,
    reason: reasonOf(job),
    attempts: runsOf(job),
    failedAt: job.finishedOn ?? 0,
  };
}

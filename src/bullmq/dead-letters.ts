import { ErrorCode } from 'bullmq';
import type { DeadLetter, DeadLetterStorage } from '../inbox/dead-letters.js';
import { type InboxJob, reasonOf, toTaken } from './job.js';
import type { OpenQueue } from './open-queue.js';
import { TURN_FIELDS } from './turn.js';

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

  async replay(key: string, isWanted: (letter: DeadLetter) => Promise<boolean>): Promise<boolean> {
    const opened = await this.#open();
    const job = await find(opened, key);
    if (job === undefined || !(await isWanted(toDeadLetter(job)))) return false;
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
  const { key, failures, stalls } = toTaken(job);
  return {
    id: key,
    webhook: job.data,
    reason: reasonOf(job),
    attempts: failures + stalls,
    failedAt: job.finishedOn ?? 0,
  };
}

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
    const ids = (await this.ids()).filter((id) => id > after).sort();
    const letters = await Promise.all(ids.slice(0, limit).map((id) => this.get(id)));
    return letters.flatMap((letter) => letter ?? []);
  }

  async get(id: string): Promise<DeadLetter | undefined> {
    const job = await find(await this.#open(), id);
    return job && toDeadLetter(job);
  }

  async ids(): Promise<readonly string[]> {
    const { queue } = await this.#open();
    return queue.getRanges(['failed'], 0, -1, true);
  }

  async replay(id: string, isWanted: (letter: DeadLetter) => boolean): Promise<boolean> {
    const opened = await this.#open();
    const job = await find(opened, id);
    if (job === undefined || !isWanted(toDeadLetter(job))) return false;
    // BullMQ 6.7.0 resets the attempts and not the number of stalls (`commands/reprocessJob-9.lua:50`).
    await opened.client.hdel(opened.queue.toKey(id), ...TURN_FIELDS);
    try {
      await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
      return true;
    } catch (error) {
      if (!wasReplayed(error)) throw error;
      return false;
    }
  }

  async remove(id: string): Promise<boolean> {
    const job = await find(await this.#open(), id);
    await job?.remove();
    return job !== undefined;
  }
}

async function find({ queue }: OpenQueue, id: string): Promise<InboxJob | undefined> {
  const job = (await queue.getJob(id)) as InboxJob | undefined;
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

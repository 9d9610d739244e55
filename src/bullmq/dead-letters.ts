import type { Job } from 'bullmq';
import { checkWhole, refuseUnknown } from '../validation/option-checks.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { OpenQueue } from './inbox-queue.js';

/** An event that could not be handled, and is kept. */
export interface DeadLetter {
  /** The key of the event: what `replay` and `remove` take. */
  readonly id: string;
  /** The event as it was stored. */
  readonly webhook: StoredWebhook;
  /** Why the last run failed, marked fields masked. */
  readonly reason: string;
  /** How often its handlers were run. */
  readonly attempts: number;
  /** When it became a dead letter, in milliseconds since the Unix epoch. */
  readonly failedAt: number;
}

/** Which dead letters to list: a page, the oldest first. */
export interface ListDeadLettersOptions {
  /** How many to pass over. Default 0. */
  readonly start?: number | undefined;
  /** How many to return at most. Default 50. */
  readonly limit?: number | undefined;
}

/** Payloads may be as large as the receiver takes: a page must fit in memory. */
const PAGE = 20;
const DEFAULT_LIMIT = 50;

/**
 * The events whose attempts are used up, or that do not fit the document.
 *
 * @example
 * ```ts
 * import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
 *
 * const inbox = createBullMQInbox({ connection: process.env.REDIS_URL ?? 'redis://localhost:6379' });
 * const { deadLetters } = inbox;
 *
 * console.log(await deadLetters.count());
 * for (const { id, reason } of await deadLetters.list({ limit: 10 })) {
 *   const letter = await deadLetters.get(id);
 *   console.log(reason, letter?.webhook.type);
 *   if (letter?.webhook.type === 'webhook_test') await deadLetters.remove(id);
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

  /** How many there are. */
  async count(): Promise<number> {
    const { queue } = await this.#open();
    return queue.getFailedCount();
  }

  /** A page of them, the oldest first. */
  async list(options: ListDeadLettersOptions = {}): Promise<DeadLetter[]> {
    refuseUnknown(options, { start: true, limit: true });
    const start = checkWhole('start', 0, options.start) ?? 0;
    const jobs = await this.#page(start, checkWhole('limit', 1, options.limit) ?? DEFAULT_LIMIT);
    return jobs.map(describe);
  }

  /** One of them; undefined where there is none of this id. */
  async get(id: string): Promise<DeadLetter | undefined> {
    const job = await this.#find(id);
    return job === undefined ? undefined : describe(job);
  }

  /**
   * Puts one back into the queue, with its full number of attempts.
   *
   * @returns Whether there was one; false too where someone else has just replayed it.
   */
  async replay(id: string): Promise<boolean> {
    const job = await this.#find(id);
    return job !== undefined && retry(job);
  }

  /**
   * Puts all of them back into the queue: those that are dead letters now, not those that fail again meanwhile.
   *
   * @param select - Which ones. Default: all.
   * @returns How many were put back.
   */
  async replayAll(select: (letter: DeadLetter) => boolean = () => true): Promise<number> {
    const until = Date.now();
    const { queue } = await this.#open();
    // All ids at once: a place in the list moves when someone else replays or removes at the same time.
    const ids = await queue.getRanges(['failed'], 0, -1, true);
    const replayOne = async (id: string): Promise<boolean> => {
      const job = await this.#find(id);
      return job !== undefined && (job.finishedOn ?? 0) <= until && select(describe(job)) && retry(job);
    };
    let replayed = 0;
    for (let start = 0; start < ids.length; start += PAGE) {
      const results = await Promise.all(ids.slice(start, start + PAGE).map(replayOne));
      replayed += results.filter(Boolean).length;
    }
    return replayed;
  }

  /**
   * Drops one for good. A copy that comes later is an event of its own.
   *
   * @returns Whether there was one.
   */
  async remove(id: string): Promise<boolean> {
    const job = await this.#find(id);
    if (job === undefined) return false;
    await job.remove();
    return true;
  }

  async #page(start: number, limit: number): Promise<Job<StoredWebhook>[]> {
    const { queue } = await this.#open();
    // The getter's type is that of a job without methods; it returns jobs.
    return (await queue.getJobs(['failed'], start, start + limit - 1, true)) as Job<StoredWebhook>[];
  }

  async #find(id: string): Promise<Job<StoredWebhook> | undefined> {
    const { queue } = await this.#open();
    const job = (await queue.getJob(id)) as Job<StoredWebhook> | undefined;
    return job !== undefined && (await job.isFailed()) ? job : undefined;
  }
}

/** False where the job is no dead letter any more: someone else was faster. */
async function retry(job: Job<StoredWebhook>): Promise<boolean> {
  try {
    await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
    return true;
  } catch (error) {
    if (await job.isFailed()) throw error;
    return false;
  }
}

function describe(job: Job<StoredWebhook>): DeadLetter {
  return {
    id: job.id ?? '',
    webhook: job.data,
    reason: job.failedReason,
    attempts: job.attemptsMade,
    failedAt: job.finishedOn ?? 0,
  };
}

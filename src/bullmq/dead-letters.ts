import * as z from 'zod/mini';
import { redisFailure } from '../redis/failure.js';
import { checkOptions, func, type OptionFields, wholeNumber } from '../validation/options.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { type InboxJob, reasonOf, runsOf } from './job.js';
import type { OpenQueue } from './queue.js';

/** An event that could not be handled, and is kept. */
export interface DeadLetter {
  /** The key of the event: what `replay` and `remove` take. */
  readonly id: string;
  /** The event as it was stored. */
  readonly webhook: StoredWebhook;
  /** Why it failed: the message of the last error, or what happened to the event. */
  readonly reason: string;
  /** The number of runs of its handlers, those included that lost their worker or their lock. */
  readonly attempts: number;
  /** The time at which it became a dead letter, in milliseconds since the Unix epoch. */
  readonly failedAt: number;
}

/** A page of dead letters, the oldest first. */
export interface ListDeadLettersOptions {
  /** The number of dead letters before the page. Default 0. */
  readonly start?: number | undefined;
  /** The largest number to return. Default 50. All are held in memory: take fewer if events are large. */
  readonly limit?: number | undefined;
}

const listFields: OptionFields<ListDeadLettersOptions> = {
  start: z.optional(wholeNumber(0)),
  limit: z.optional(wholeNumber(1)),
};

/** Dead letters that are replayed at once. */
const BATCH = 20;

/**
 * The events that could not be handled. They are BullMQ's failed jobs of `inbox.queue`.
 *
 * Each method rejects with a `WebhookError` if Redis is unreachable or refuses.
 *
 * @example
 * ```ts
 * import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
 *
 * const { deadLetters } = createBullMQInbox({ connection: process.env.REDIS_URL ?? 'redis://localhost:6379' });
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

  /** Reads a page of them, the oldest first. */
  async list(options: ListDeadLettersOptions = {}): Promise<DeadLetter[]> {
    checkOptions(z.strictObject(listFields), options, { of: 'deadLetters.list' });
    const { start = 0, limit = 50 } = options;
    return this.#ask(async ({ queue }) => {
      const jobs = (await queue.getJobs('failed', start, start + limit - 1, true)) as (
        | InboxJob
        | undefined
      )[];
      // One that someone else removes meanwhile is undefined.
      return jobs.flatMap((job) => (job === undefined ? [] : toDeadLetter(job)));
    });
  }

  /** Reads one; undefined if there is none with this id. */
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
    checkOptions(z.strictObject({ select: func }), { select }, { of: 'deadLetters.replayAll' });
    return this.#ask(async (opened) => {
      // All ids first: pages would shift when an event is put back.
      const ids = await opened.queue.getRanges(['failed'], 0, -1, true);
      let replayed = 0;
      for (let start = 0; start < ids.length; start += BATCH) {
        const batch = ids.slice(start, start + BATCH);
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

  /** ioredis' own errors contain the command with all arguments: none is passed on. */
  async #ask<Value>(ask: (opened: OpenQueue) => Promise<Value>): Promise<Value> {
    try {
      return await ask(await this.#open());
    } catch (error) {
      throw redisFailure('The dead letters are out of reach', error);
    }
  }
}

async function find({ queue }: OpenQueue, id: string): Promise<InboxJob | undefined> {
  const job = (await queue.getJob(id)) as InboxJob | undefined;
  return job !== undefined && (await job.isFailed()) ? job : undefined;
}

async function replayOne(
  opened: OpenQueue,
  id: string,
  select: (letter: DeadLetter) => boolean,
): Promise<boolean> {
  const job = await find(opened, id);
  // Only `true` counts: an async function, possible from JavaScript, returns a promise for everything.
  if (job === undefined || select(toDeadLetter(job)) !== true) return false;
  // BullMQ does not reset the number of stalls.
  await opened.client.hdel(opened.queue.toKey(id), 'stc');
  try {
    await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
    return true;
  } catch (error) {
    if (await job.isFailed()) throw error;
    // Someone else was faster.
    return false;
  }
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

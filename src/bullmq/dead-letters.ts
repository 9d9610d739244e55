import type { Job } from 'bullmq';
import { checkWhole, refuseUnknown } from '../validation/option-checks.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { OpenQueue } from './inbox-queue.js';
import { reasonOf, runsOf } from './job-record.js';

/** An event that could not be handled, and is kept. */
export interface DeadLetter {
  /** The key of the event: what `replay` and `remove` take. */
  readonly id: string;
  /** The event as it was stored. */
  readonly webhook: StoredWebhook;
  /** The error of the last run, or what has happened to the event, with marked fields and credentials masked. */
  readonly reason: string;
  /** The number of runs of its handlers, those that lost their worker or their lock included. */
  readonly attempts: number;
  /** The time at which it became a dead letter, in milliseconds since the Unix epoch. */
  readonly failedAt: number;
}

/** A page of dead letters, the oldest first. */
export interface ListDeadLettersOptions {
  /** The number of dead letters before the page. Default 0. */
  readonly start?: number | undefined;
  /** The largest number to return. Default 50. */
  readonly limit?: number | undefined;
  /**
   * The most bytes of stored events in a page. It ends before the event that would exceed them, and holds one event at least.
   * Default 16 777 216, which is 16 MiB.
   */
  readonly maxBytes?: number | undefined;
}

const DEFAULT_LIMIT = 50;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
/** Dead letters that are read at once: the events must fit in memory. */
const BATCH: PageSize = { limit: 20, maxBytes: DEFAULT_MAX_BYTES };

/**
 * The events whose attempts are used up, or whose payload is invalid.
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

  /** Counts them. */
  async count(): Promise<number> {
    const { queue } = await this.#open();
    return queue.getFailedCount();
  }

  /**
   * Reads a page of them, the oldest first. Where the events are large, it is shorter than `limit`: the next page begins at `start`
   * and the length of this one, and the one after the last is empty.
   */
  async list(options: ListDeadLettersOptions = {}): Promise<DeadLetter[]> {
    refuseUnknown(options, { start: true, limit: true, maxBytes: true });
    const start = checkWhole('start', 0, options.start) ?? 0;
    const limit = checkWhole('limit', 1, options.limit) ?? DEFAULT_LIMIT;
    const maxBytes = checkWhole('maxBytes', 1, options.maxBytes) ?? DEFAULT_MAX_BYTES;
    const opened = await this.#open();
    const ids = await opened.queue.getRanges(['failed'], start, start + limit - 1, true);
    for await (const page of pagesOf(ids, opened, { limit, maxBytes })) {
      const jobs = await Promise.all(page.map((id) => this.#find(id)));
      return jobs.flatMap((job) => (job === undefined ? [] : describe(job)));
    }
    return [];
  }

  /** Reads one; undefined if there is none with this id. */
  async get(id: string): Promise<DeadLetter | undefined> {
    const job = await this.#find(id);
    return job === undefined ? undefined : describe(job);
  }

  /**
   * Puts one back into the queue, with its full number of attempts.
   *
   * @returns True if there was one; false also if someone else has just replayed it.
   */
  async replay(id: string): Promise<boolean> {
    const job = await this.#find(id);
    return job !== undefined && this.#retry(job);
  }

  /**
   * Puts all events back into the queue that are dead letters now. One that fails again meanwhile is not put back twice.
   *
   * @param select - Returns true for a dead letter that is to be replayed. Default: all.
   * @returns The number of events that were put back.
   */
  async replayAll(select: (letter: DeadLetter) => boolean = () => true): Promise<number> {
    const until = Date.now();
    const opened = await this.#open();
    // All ids at once: pages would shift when someone else replays or removes at the same time.
    const ids = await opened.queue.getRanges(['failed'], 0, -1, true);
    const replayOne = async (id: string): Promise<boolean> => {
      const job = await this.#find(id);
      return job !== undefined && (job.finishedOn ?? 0) <= until && select(describe(job)) && this.#retry(job);
    };
    let replayed = 0;
    for await (const page of pagesOf(ids, opened, BATCH)) {
      const results = await Promise.all(page.map(replayOne));
      replayed += results.filter(Boolean).length;
    }
    return replayed;
  }

  /**
   * Deletes one. A copy that comes later is a new event.
   *
   * @returns True if there was one.
   */
  async remove(id: string): Promise<boolean> {
    const job = await this.#find(id);
    if (job === undefined) return false;
    await job.remove();
    return true;
  }

  async #find(id: string): Promise<Job<StoredWebhook> | undefined> {
    const { queue } = await this.#open();
    const job = (await queue.getJob(id)) as Job<StoredWebhook> | undefined;
    return job !== undefined && (await job.isFailed()) ? job : undefined;
  }

  /** Returns false if someone else was faster, so that the job is no longer a dead letter. */
  async #retry(job: Job<StoredWebhook>): Promise<boolean> {
    const { queue, client } = await this.#open();
    // BullMQ does not reset the number of stalls, nor how long no worker had a handler (the progress).
    await client.hdel(queue.toKey(job.id ?? ''), 'stc', 'progress');
    try {
      await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
      return true;
    } catch (error) {
      if (await job.isFailed()) throw error;
      return false;
    }
  }
}

/** Events whose size is asked for at once. */
const ASKED = 100;

interface PageSize {
  readonly limit: number;
  readonly maxBytes: number;
}

/** Splits ids into pages by the sizes of their events, without reading the events. */
async function* pagesOf(
  ids: readonly string[],
  { queue, client }: OpenQueue,
  { limit, maxBytes }: PageSize,
): AsyncGenerator<readonly string[]> {
  let page: string[] = [];
  let bytes = 0;
  let sizes: readonly number[] = [];
  for (const [index, id] of ids.entries()) {
    const place = index % ASKED;
    if (place === 0) {
      const asked = ids.slice(index, index + ASKED);
      sizes = await Promise.all(asked.map((one) => client.hstrlen(queue.toKey(one), 'data')));
    }
    const size = sizes[place] ?? 0;
    if (page.length === limit || (page.length > 0 && bytes + size > maxBytes)) {
      yield page;
      [page, bytes] = [[], 0];
    }
    page.push(id);
    bytes += size;
  }
  if (page.length > 0) yield page;
}

function describe(job: Job<StoredWebhook>): DeadLetter {
  return {
    id: job.id ?? '',
    webhook: job.data,
    reason: reasonOf(job),
    attempts: runsOf(job),
    failedAt: job.finishedOn ?? 0,
  };
}

import type { Job } from 'bullmq';
import { typeName } from '../ground/issues.js';
import { redisFailure } from '../redis/failure.js';
import { withTimeLimit } from '../redis/waiting.js';
import { checkFunction, checkWhole, refuseOption, refuseUnknown } from '../validation/option-checks.js';
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
/** Milliseconds that Redis may take to read or change one, or to read a page of them. */
const ANSWERING = 5_000;

const OUT_OF_REACH = 'The dead letters are out of reach';

/**
 * The events whose attempts are used up, or whose payload is invalid. Each method rejects with a `WebhookError` where Redis is not
 * there within 2 seconds, does not answer within 5, or refuses; the message says why, and holds nothing of an event.
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
  readonly #passwords: readonly string[];

  /** Use `inbox.deadLetters`. */
  constructor(open: () => Promise<OpenQueue>, passwords: readonly string[]) {
    this.#open = open;
    this.#passwords = passwords;
  }

  /** Counts them. */
  async count(): Promise<number> {
    return this.#ask(({ queue }) => queue.getFailedCount());
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
    const ids = await this.#ask(({ queue }) => queue.getRanges(['failed'], start, start + limit - 1, true));
    for await (const page of this.#pagesOf(ids, { limit, maxBytes })) {
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
   * @param select - Returns true for a dead letter that is to be replayed, and false for one that is not; it is not awaited. Default: all.
   * @returns The number of events that were put back.
   * @throws {ConfigurationError} `select` is no function, or returns anything but true or false.
   */
  async replayAll(select: (letter: DeadLetter) => boolean = () => true): Promise<number> {
    checkFunction('select', select);
    // All at once: pages would shift when someone else replays or removes at the same time.
    const failedAt = await this.#ask(failureTimes);
    const replayOne = async (id: string): Promise<boolean> => {
      const job = await this.#find(id);
      const isSame = job !== undefined && job.finishedOn === failedAt.get(id);
      return isSame && isSelected(describe(job), select) && this.#retry(job);
    };
    let replayed = 0;
    for await (const page of this.#pagesOf([...failedAt.keys()], BATCH)) {
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
    await this.#ask(() => job.remove());
    return true;
  }

  #find(id: string): Promise<Job<StoredWebhook> | undefined> {
    return this.#ask(async ({ queue }) => {
      const job = (await queue.getJob(id)) as Job<StoredWebhook> | undefined;
      return job !== undefined && (await job.isFailed()) ? job : undefined;
    });
  }

  /** Returns false if someone else was faster, so that the job is no longer a dead letter. */
  #retry(job: Job<StoredWebhook>): Promise<boolean> {
    return this.#ask(async ({ queue, client }) => {
      // BullMQ does not reset the number of stalls, nor how long no worker had a handler (the progress).
      await client.hdel(queue.toKey(job.id ?? ''), 'stc', 'progress');
      try {
        await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
        return true;
      } catch (error) {
        if (await job.isFailed()) throw error;
        return false;
      }
    });
  }

  /** Splits ids into pages by the sizes of their events, without reading the events. */
  async *#pagesOf(ids: readonly string[], { limit, maxBytes }: PageSize): AsyncGenerator<readonly string[]> {
    let page: string[] = [];
    let bytes = 0;
    let sizes: readonly number[] = [];
    for (const [index, id] of ids.entries()) {
      const place = index % ASKED;
      if (place === 0) {
        const asked = ids.slice(index, index + ASKED);
        sizes = await this.#ask((opened) => sizesOf(opened, asked));
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

  /** Asks Redis, for a while. Its own errors hold the command with all arguments: none gets out. */
  async #ask<Value>(ask: (opened: OpenQueue) => Promise<Value>): Promise<Value> {
    const opened = await this.#open();
    try {
      return await withTimeLimit(ask(opened), ANSWERING, OUT_OF_REACH);
    } catch (error) {
      throw redisFailure(OUT_OF_REACH, error, this.#passwords);
    }
  }
}

/** Events whose size is asked for at once. */
const ASKED = 100;

interface PageSize {
  readonly limit: number;
  readonly maxBytes: number;
}

function sizesOf({ queue, client }: OpenQueue, ids: readonly string[]): Promise<number[]> {
  return Promise.all(ids.map((id) => client.hstrlen(queue.toKey(id), 'data')));
}

/**
 * Reads when each became a dead letter, by the clock of its worker. The same time later on tells that it is still the same failure;
 * the clock of this machine would not.
 */
async function failureTimes({ queue, client }: OpenQueue): Promise<ReadonlyMap<string, number>> {
  const found = await client.zrange(queue.toKey('failed'), '0', '-1', 'WITHSCORES');
  const times = new Map<string, number>();
  for (let index = 0; index < found.length; index += 2)
    times.set(found[index] ?? '', Number(found[index + 1]));
  return times;
}

function isSelected(letter: DeadLetter, select: (letter: DeadLetter) => boolean): boolean {
  // From JavaScript, it may return a promise: taken for true, it would replay everything.
  const answer: unknown = select(letter);
  if (typeof answer === 'boolean') return answer;
  void Promise.allSettled([answer]);
  return refuseOption('select', `must return true or false, and is not awaited; got ${typeName(answer)}`);
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

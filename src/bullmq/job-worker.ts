import { ErrorCode, type Processor, type Span, Worker, type WorkerOptions } from 'bullmq';
import type { RedisClient } from '../redis/connection.js';
import { sleep } from '../utils/waiting.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { InboxJob } from './job.js';

/**
 * Puts a job that waits again back among the active ones, without a lock.
 *
 * Looks from the front, where stalled jobs go. Returns 0 if the job is gone, or was replayed since it was taken:
 * BullMQ then counts its starts from 0.
 *
 * KEYS: wait, paused, delayed, active, the job. ARGV: the id, and the number of starts with this one.
 */
const RECLAIM = `
local id = ARGV[1]
if tonumber(redis.call('HGET', KEYS[5], 'ats') or 0) < tonumber(ARGV[2]) then return 0 end
local waits = redis.call('LREM', KEYS[1], -1, id) + redis.call('LREM', KEYS[2], -1, id)
if waits + redis.call('ZREM', KEYS[3], id) > 0 then redis.call('RPUSH', KEYS[4], id) end
return 1`;

const LISTS = ['wait', 'paused', 'delayed', 'active'] as const;

/** The largest number of such times that are remembered. */
const MAX_YIELDS = 1_000;

/** The token with which BullMQ 6.7.0 completes a job whoever has its lock (`commands/includes/removeLock.lua:2`). */
const ANY_LOCK = '0';

/** BullMQ's worker, which also records late successes and leaves events to other workers. */
export class JobWorker extends Worker<StoredWebhook, string> {
  /** When this worker takes no job, by the clock of this machine, which BullMQ uses too. */
  readonly #yields: { readonly from: number; readonly until: number }[] = [];
  readonly #client: RedisClient;

  constructor(
    name: string,
    processor: Processor<StoredWebhook, string>,
    options: WorkerOptions,
    client: RedisClient,
  ) {
    super(name, processor, options);
    this.#client = client;
  }

  /** Takes no job from a time on, for some milliseconds, so that other workers go first. */
  yieldAt(from: number, ms: number): void {
    if (this.#yields.length < MAX_YIELDS) this.#yields.push({ from, until: from + ms });
  }

  // BullMQ 5.81.5 has an argument more.
  protected override async moveToActive(...args: [token: string, name?: string]): Promise<InboxJob> {
    const now = Date.now();
    while (this.#yields[0] !== undefined && this.#yields[0].until <= now) this.#yields.shift();
    const [next] = this.#yields;
    if (next !== undefined && next.from <= now) await sleep(next.until - now);
    return super.moveToActive(...args);
  }

  /**
   * Records a success even if the lock was lost, unless the event has ended otherwise.
   *
   * | the event meanwhile | the success |
   * |---|---|
   * | has no lock, and nobody noticed | counts |
   * | waits to run again | counts: it does not run again |
   * | runs in another worker | counts: the end of that run is not recorded |
   * | was handled by another worker | changes nothing |
   * | is a dead letter, or was replayed since | changes nothing |
   */
  protected override async handleCompleted(
    result: string,
    job: InboxJob,
    token: string,
    fetchNext?: () => boolean,
    span?: Span,
  ): Promise<InboxJob> {
    try {
      return await super.handleCompleted(result, job, token, fetchNext, span);
    } catch (error) {
      if (!isLostLock(error)) throw error;
      await this.#completeLate(job, result);
      // As BullMQ returns it if it takes no next job, whatever its types say.
      return undefined as unknown as InboxJob;
    }
  }

  async #completeLate(job: InboxJob, result: string): Promise<void> {
    const keys = [...LISTS, job.id ?? ''].map((key) => this.toKey(key));
    try {
      const isSame = await this.#client.eval(
        RECLAIM,
        keys.length,
        ...keys,
        job.id ?? '',
        job.attemptsStarted,
      );
      if (isSame === 0) throw endedError(job);
      await job.moveToCompleted(result, ANY_LOCK, false);
      this.emit('completed', job, result, 'active');
    } catch (error) {
      this.emit('error', error as Error);
    }
  }

  /**
   * Puts the jobs of dead workers back into the queue.
   *
   * BullMQ 6.7.0 has no public way but its own timer, which does not know when a worker was away (`classes/worker.js`).
   */
  async freeStalled(): Promise<void> {
    await (this as unknown as { moveStalledJobsToWait(): Promise<void> }).moveStalledJobsToWait();
  }

  /**
   * Ends although `close` waits for Redis, so that it connects no more.
   *
   * BullMQ 6.7.0 waits: https://github.com/taskforcesh/bullmq/issues/4656.
   */
  async end(): Promise<void> {
    await this.pause(true);
    // BullMQ 5.81.5 has this connection instead of a backend (`classes/worker.js`), which the types of 6 lack.
    const { blockingConnection } = this as unknown as {
      blockingConnection?: { close(force: true): unknown };
    };
    await (blockingConnection ?? this.getBackend()).close(true);
  }
}

/** Makes an error like BullMQ's own. */
function endedError({ id }: InboxJob): Error {
  const error = new Error(
    `Job ${id} was handled by another worker, or replayed, while its handlers still ran`,
  );
  return Object.assign(error, { code: ErrorCode.JobNotInState });
}

const LOST_LOCK: readonly unknown[] = [
  ErrorCode.JobNotExist,
  ErrorCode.JobLockNotExist,
  ErrorCode.JobLockMismatch,
  ErrorCode.JobNotInState,
];

function isLostLock(error: unknown): boolean {
  return LOST_LOCK.includes((error as { readonly code?: unknown }).code);
}

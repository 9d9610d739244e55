import { ErrorCode, type Processor, type Span, Worker, type WorkerOptions } from 'bullmq';
import { PAUSE_MS } from '../inbox/timing.js';
import type { RedisClient } from '../redis/connection.js';
import { isReplyError } from '../redis/failure.js';
import { sleep } from '../utils/waiting.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { InboxJob } from './job.js';
import { CLOCK_TOLERANCE_MS, type PutOff } from './turn.js';

/**
 * Gives the lock of a job back to the run that has lost it. Returns 0 if the end of that run does not count.
 *
 * A job that waits again becomes active. Looks from the front, where stalled jobs go. BullMQ counts the starts of a
 * job from 0 again when it was replayed.
 *
 * KEYS: wait, paused, delayed, active, the job, its lock. ARGV: the id, the number of starts with this one, the token,
 * the duration of a lock, and 1 if the end counts although another worker runs the event.
 */
const RECLAIM = `
local id = ARGV[1]
if tonumber(redis.call('HGET', KEYS[5], 'ats') or 0) < tonumber(ARGV[2]) then return 0 end
if ARGV[5] == '0' and redis.call('EXISTS', KEYS[6]) == 1 then return 0 end
local waits = redis.call('LREM', KEYS[1], -1, id) + redis.call('LREM', KEYS[2], -1, id)
if waits + redis.call('ZREM', KEYS[3], id) > 0 then redis.call('RPUSH', KEYS[4], id) end
if not redis.call('LPOS', KEYS[4], id) then return 0 end
redis.call('SET', KEYS[6], ARGV[3], 'PX', ARGV[4])
return 1`;

const LISTS = ['wait', 'paused', 'delayed', 'active'] as const;

/** What delays a job by a time that is given. BullMQ 6.7.0 has it in a backend, and 5.81.5 in `scripts`. */
interface Delaying {
  moveToDelayed(
    id: string,
    now: number,
    delay: number,
    token: string,
    options: { readonly skipAttempt: boolean; readonly fieldsToUpdate: Record<string, unknown> },
  ): Promise<unknown>;
}

/** BullMQ's worker, whose runs may end after they have lost their locks, and whose times are those of Redis. */
export class JobWorker extends Worker<StoredWebhook, string> {
  readonly #client: RedisClient;
  #hasEnded = false;

  constructor(
    name: string,
    processor: Processor<StoredWebhook, string>,
    options: WorkerOptions,
    client: RedisClient,
  ) {
    super(name, processor, options);
    this.#client = client;
  }

  /** Reads the clock of Redis, in milliseconds since the Unix epoch. The clocks of the machines may be wrong. */
  async now(): Promise<number> {
    const [seconds, microseconds] = await this.#client.time();
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  }

  /**
   * Puts a job off by Redis's clock. With a reason, its run has failed, and was an attempt.
   *
   * BullMQ's `moveToDelayed` and its own retries use the clock of this machine (6.7.0, `classes/job.js:492`).
   *
   * @returns Whether the clock of this machine is ahead, so that this worker would take the job again at once.
   */
  async putOff(job: InboxJob, token: string, wait: PutOff): Promise<boolean> {
    const { delay, failedReason, rested, now = await this.now() } = wait;
    const fieldsToUpdate = {
      due: now + delay,
      wait: delay,
      ...(failedReason !== undefined && { failedReason }),
      ...(rested !== undefined && { rested }),
    };
    const { scripts } = this as unknown as { readonly scripts?: Delaying };
    const skipAttempt = failedReason === undefined;
    const options = { skipAttempt, fieldsToUpdate };
    await (scripts ?? this.getBackend()).moveToDelayed(job.id ?? '', now, delay, token, options);
    if (!skipAttempt) job.attemptsMade += 1;
    return Date.now() - now > CLOCK_TOLERANCE_MS;
  }

  /** Returns which of these events other workers have taken. A lock that has only expired is nobody's. */
  async takenByOthers(ids: readonly string[]): Promise<string[]> {
    const owners = await Promise.all(ids.map((id) => this.#client.get(this.toKey(`${id}:lock`))));
    return ids.filter((_, index) => owners[index] && !owners[index].startsWith(`${this.id}:`));
  }

  /**
   * Records the end of a run, although its lock was lost, and for as long as Redis refuses it.
   *
   * | the event meanwhile | a success | a failure |
   * |---|---|---|
   * | has no lock, and nobody noticed | counts | counts |
   * | waits to run again | counts: it does not run again | counts |
   * | runs in another worker | counts: the end of that run is not recorded | changes nothing |
   * | was handled by another worker | changes nothing | changes nothing |
   * | is a dead letter, or was replayed since | changes nothing | changes nothing |
   *
   * @returns False if it changes nothing, which is emitted as an error.
   */
  async record(
    job: InboxJob,
    token: string,
    end: 'success' | 'failure',
    write: () => Promise<unknown>,
  ): Promise<boolean> {
    return this.untilAnswered(async () => {
      for (;;) {
        try {
          await write();
          return true;
        } catch (error) {
          if (!isLostLock(error)) throw error;
          if (await this.#reclaim(job, token, end)) continue;
          this.emit('error', endedError(job));
          return false;
        }
      }
    });
  }

  /** Repeats what Redis refuses, once a second, until this worker ends. Each refusal is emitted as an error. */
  async untilAnswered<Value>(ask: () => Promise<Value>): Promise<Value> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!isReplyError(error) || this.#hasEnded) throw error;
        this.emit('error', error as Error);
        await sleep(PAUSE_MS);
      }
    }
  }

  async #reclaim(job: InboxJob, token: string, end: 'success' | 'failure'): Promise<boolean> {
    const id = job.id ?? '';
    const keys = [...LISTS, id, `${id}:lock`].map((key) => this.toKey(key));
    const { lockDuration = 0 } = this.opts;
    const counts = end === 'success' ? 1 : 0;
    const args = [id, job.attemptsStarted, token, Math.ceil(lockDuration), counts];
    return (await this.#client.eval(RECLAIM, keys.length, ...keys, ...args)) === 1;
  }

  /** Records a success, and takes the next job. */
  protected override async handleCompleted(
    result: string,
    job: InboxJob,
    token: string,
    fetchNext?: () => boolean,
    span?: Span,
  ): Promise<InboxJob> {
    // BullMQ returns nothing if it takes no next job, whatever its types say.
    let next = undefined as unknown as InboxJob;
    await this.record(job, token, 'success', async () => {
      next = await super.handleCompleted(result, job, token, fetchNext, span);
    });
    return next;
  }

  /**
   * Ends although `close` waits for Redis, so that it connects no more.
   *
   * BullMQ 6.7.0 waits: https://github.com/taskforcesh/bullmq/issues/4656.
   */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.pause(true);
    // Its timer would keep the process.
    await this.lockManager.close();
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
    `Job ${id} was taken or handled by another worker, or replayed, while its handlers still ran`,
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

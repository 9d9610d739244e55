import { ErrorCode, type Processor, type Span, Worker, type WorkerOptions } from 'bullmq';
import { PAUSE_MS } from '../inbox/timing.js';
import type { RedisClient } from '../redis/connection.js';
import { isReplyError, isTransient } from '../redis/failure.js';
import { sleep } from '../utils/waiting.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { InboxJob } from './job.js';
import { CLOCK_TOLERANCE_MS, type PutOff } from './turn.js';

/**
 * Takes an event back for a run that has lost its lock. Returns 0 if the run cannot have it.
 *
 * A job that waits again becomes active; stalled jobs go to the front. BullMQ counts the starts of a job from 0 again
 * when it was replayed. A worker that has a job with more stalls than rests only puts it off, and runs it later.
 *
 * KEYS: wait, paused, delayed, active, the job, its lock. ARGV: the id, the number of starts with this one, the token,
 * the duration of a lock, and 1 if it may have it although another run has it.
 */
const RECLAIM = `
local id = ARGV[1]
local job = redis.call('HMGET', KEYS[5], 'ats', 'stc', 'rested')
if tonumber(job[1] or 0) < tonumber(ARGV[2]) then return 0 end
local isRun = redis.call('EXISTS', KEYS[6]) == 1 and tonumber(job[2] or 0) <= tonumber(job[3] or 0)
if isRun and ARGV[5] == '0' then return 0 end
local waits = redis.call('LREM', KEYS[1], -1, id) + redis.call('LREM', KEYS[2], -1, id)
if waits + redis.call('ZREM', KEYS[3], id) > 0 then redis.call('RPUSH', KEYS[4], id) end
if not redis.call('LPOS', KEYS[4], id) then return 0 end
redis.call('SET', KEYS[6], ARGV[3], 'PX', ARGV[4])
return 1`;

const LISTS = ['wait', 'paused', 'delayed', 'active'] as const;

/** A run of the handlers for a job. */
export interface JobRun {
  readonly job: InboxJob;
  readonly token: string;
}

/** BullMQ's worker, whose runs may end after they have lost their locks, and whose times are those of Redis. */
export class JobWorker extends Worker<StoredWebhook, string> {
  /** The latest run of each event here, unless another worker has taken the event. */
  readonly runs = new Map<string, JobRun>();
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
    const { lockManager, runs } = this;
    const untrack = lockManager.untrackJob.bind(lockManager);
    // BullMQ 6.7.0 renews no lock of a run any more if this worker has taken its event again, and put it off
    // (`classes/worker.js:649`).
    lockManager.untrackJob = (id) => {
      const run = runs.get(id);
      if (run === undefined) untrack(id);
      else lockManager.trackJob(id, run.token, Date.now());
    };
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
    // BullMQ 5.81.5 has it there instead of in a backend (`classes/scripts.js:866`), which the types of 6 lack.
    const { scripts = this.getBackend() } = this as unknown as {
      readonly scripts?: ReturnType<JobWorker['getBackend']>;
    };
    const skipAttempt = failedReason === undefined;
    await scripts.moveToDelayed(job.id ?? '', now, delay, token, { skipAttempt, fieldsToUpdate });
    if (!skipAttempt) job.attemptsMade += 1;
    return Date.now() - now > CLOCK_TOLERANCE_MS;
  }

  /**
   * Records the end of a run, although its lock was lost, and for as long as Redis refuses it.
   *
   * | during the run, the event | a success | a failure |
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
          if (await this.reclaim({ job, token }, end === 'success')) continue;
          this.emit('error', endedError(job));
          return false;
        }
      }
    });
  }

  /**
   * Repeats what Redis refuses, once a second, until this worker ends. Each refusal is emitted as an error.
   *
   * A slot that moves in a cluster is refused with MOVED or TRYAGAIN, and ioredis gives up after 16 redirections.
   */
  async untilAnswered<Value>(ask: () => Promise<Value>): Promise<Value> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (this.#hasEnded || !(isReplyError(error) || isTransient(error))) throw error;
        this.emit('error', error as Error);
        await sleep(PAUSE_MS);
      }
    }
  }

  /** Takes an event back for its run. False if it has ended, or another run has it, unless `evenFromOthers`. */
  async reclaim({ job, token }: JobRun, evenFromOthers = false): Promise<boolean> {
    const id = job.id ?? '';
    const keys = [...LISTS, id, `${id}:lock`].map((key) => this.toKey(key));
    const { lockDuration = 0 } = this.opts;
    const args = [id, job.attemptsStarted, token, Math.ceil(lockDuration), evenFromOthers ? 1 : 0];
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

import { type Job, WaitingError, Worker } from 'bullmq';
import { type ClientFamily, leaveReplica, openFamily } from '../redis/connection.js';
import { settlesWithin } from '../redis/time-limit.js';
import { checkTimeout, checkWhole, refuseUnknown } from '../validation/option-checks.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { InboxSettings } from './inbox-options.js';
import type { InboxReporter } from './reporter.js';
import { Run, runJob } from './run.js';
import { describeJob } from './stored-job.js';
import type { WebhookProcessor } from './webhook-handlers.js';

/** What `inbox.work` takes beside the receiver or the handlers. */
export interface WorkOptions {
  /** How many events this worker processes at once. Default 10. */
  readonly concurrency?: number | undefined;
  /**
   * Milliseconds after which the event of a worker that died is free for another, which notices within as much again.
   * Renewed while handlers run; an event loop that is blocked for longer loses it too. Default 30 000.
   */
  readonly lockDuration?: number | undefined;
  /**
   * How often a worker may die over an event, or lose its lock, before the event goes to the dead letters: one that makes every worker
   * crash must not stop the queue. Default 5.
   */
  readonly maxStalls?: number | undefined;
}

/** What `close` of a worker and of an inbox takes. */
export interface CloseOptions {
  /**
   * Milliseconds that events being processed have to finish. After that the signals of their handlers are aborted, and the
   * events go back to the front of the queue. Default 25 000, which is below the 30 s that Kubernetes waits.
   */
  readonly grace?: number | undefined;
}

const DEFAULT_CONCURRENCY = 10;
const DEFAULT_LOCK_DURATION = 30_000;
const DEFAULT_MAX_STALLS = 5;
const DEFAULT_GRACE = 25_000;
/** Milliseconds after the grace for giving events back; without Redis they come back when their locks run out. */
const RETURNING = 3_000;

/**
 * Processes the events of an inbox, in this process.
 *
 * @example
 * ```ts
 * import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
 *
 * const inbox = createBullMQInbox({ connection: process.env.REDIS_URL ?? 'redis://localhost:6379' });
 * const worker = inbox.work({ lead_captured: ({ payload }) => console.log(payload.leadEmail) });
 * process.on('SIGTERM', () => void worker.close({ grace: 10_000 }));
 * ```
 */
export class InboxWorker {
  readonly #worker: Worker<StoredWebhook>;
  readonly #clients: ClientFamily;
  readonly #processor: WebhookProcessor;
  /** What runs now, by the key of its event; of several runs of one event, the newest. */
  readonly #runs = new Map<string, Run>();
  /** Events whose latest run has lost its lock: BullMQ tells so again when it cannot record the end. */
  readonly #lost = new Set<string>();
  readonly #reporter: InboxReporter;
  #givesBack = false;
  #closing: Promise<void> | undefined;

  /** Use `inbox.work`. */
  constructor(
    settings: InboxSettings,
    reporter: InboxReporter,
    processor: WebhookProcessor,
    options: WorkOptions,
  ) {
    refuseUnknown(options, { concurrency: true, lockDuration: true, maxStalls: true });
    this.#processor = processor;
    this.#reporter = reporter;
    const workerOptions = workerSettings(settings, options);
    const reconnectOnError = leaveReplica('resent', (error) => reporter.redisFailed(error));
    // What waits for Redis here waits as long as it takes: no one waits for the answer, and nothing is lost.
    this.#clients = openFamily(settings.connection, { maxRetriesPerRequest: null }, reconnectOnError);
    this.#worker = new Worker(settings.queueName, (job, token) => this.#run(job, token), {
      ...workerOptions,
      connection: this.#clients.client,
    });
    this.#listen();
  }

  /** Takes no more events, and resolves when those being processed have finished or gone back to the queue. */
  close(options: CloseOptions = {}): Promise<void> {
    refuseUnknown(options, { grace: true });
    const grace = options.grace === 0 ? 0 : (checkTimeout('grace', options.grace) ?? DEFAULT_GRACE);
    this.#closing ??= this.#close(grace);
    return this.#closing;
  }

  async #run(job: Job<StoredWebhook>, token: string | undefined): Promise<void> {
    if (this.#givesBack) return moveBack(job, token);
    const key = job.id ?? '';
    const run = this.#begin(key);
    const running = runJob(this.#processor, job.data, run);
    const [end] = await Promise.allSettled([running]);
    await this.#end(key, run);
    const isReturned = end.status === 'fulfilled' && end.value === 'returned';
    if (isReturned && !run.isLost) return moveBack(job, token);
    if (isReturned || run.isOvertaken) throw new WaitingError();
    await running;
  }

  #begin(key: string): Run {
    const run = new Run();
    const older = this.#runs.get(key);
    if (older !== undefined) {
      this.#loseLock(key);
      run.overtake(older);
    }
    this.#lost.delete(key);
    this.#runs.set(key, run);
    return run;
  }

  /** With the end of any run, BullMQ stops renewing the lock of its event: an overtaken run ends after the newer one. */
  async #end(key: string, run: Run): Promise<void> {
    await run.newerEnded;
    if (run.older === undefined) this.#runs.delete(key);
    else this.#runs.set(key, run.older);
    run.end();
  }

  #listen(): void {
    const reporter = this.#reporter;
    this.#worker.on('completed', (job) => this.#completed(job));
    this.#worker.on('failed', (job, error) => this.#failed(job, error));
    this.#worker.on('stalled', (key) => reporter.stalled(key));
    this.#worker.on('lockRenewalFailed', (keys) => {
      for (const key of keys) this.#loseLock(key);
    });
    this.#worker.on('error', (error) => this.#report(error));
    this.#clients.client.on('ready', () => reporter.redisReady());
  }

  #completed(job: Job<StoredWebhook>): void {
    this.#lost.delete(job.id ?? '');
    this.#reporter.handled(describeJob(job));
  }

  #failed(job: Job<StoredWebhook> | undefined, thrown: Error): void {
    if (job === undefined) return;
    this.#lost.delete(job.id ?? '');
    const failure = { ...describeJob(job), error: thrown.cause ?? thrown };
    if (job.finishedOn === undefined) this.#reporter.retrying(failure);
    else this.#reporter.deadLetter(failure);
  }

  /** BullMQ tells with each renewal that fails, and of runs that have just ended too, whose locks need none. */
  #loseLock(key: string): void {
    const run = this.#runs.get(key);
    if (run === undefined || run.isLost) return;
    this.#tellLost(key);
    run.lose();
  }

  #tellLost(key: string): void {
    if (this.#lost.has(key)) return;
    this.#lost.add(key);
    this.#reporter.lockLost(key);
  }

  /** BullMQ tells everything by `error`: a Redis that failed, and a job that is no longer this worker's. */
  #report(error: Error): void {
    const lost =
      /^(?:Missing lock for job|Lock mismatch for job|Missing key for job|Job) (\S+?)(?:\.| is not| Cmd|$)/.exec(
        error.message,
      );
    if (lost?.[1] !== undefined) this.#tellLost(lost[1]);
    else if (!error.message.startsWith('could not renew lock')) this.#reporter.redisFailed(error);
  }

  async #close(grace: number): Promise<void> {
    const giveBack = setTimeout(() => {
      // What is on its way from Redis to this worker has not begun.
      this.#givesBack = true;
      for (const run of this.#runs.values()) run.giveBack();
    }, grace);
    // Without Redis, closing would wait for it for ever.
    const finished = await settlesWithin(this.#worker.close(), grace + RETURNING);
    clearTimeout(giveBack);
    const { client } = this.#clients;
    if (finished && client.status === 'ready') await settlesWithin(client.quit(), RETURNING);
    this.#clients.disconnect();
  }
}

async function moveBack(job: Job<StoredWebhook>, token: string | undefined): Promise<never> {
  await job.moveToWait(token);
  // Tells BullMQ that the job has left this worker's hands already.
  throw new WaitingError();
}

function workerSettings(settings: InboxSettings, options: WorkOptions) {
  const { prefix, deadLetterRetention } = settings;
  const lockDuration = checkTimeout('lockDuration', options.lockDuration) ?? DEFAULT_LOCK_DURATION;
  return {
    prefix,
    concurrency: checkWhole('concurrency', 1, options.concurrency) ?? DEFAULT_CONCURRENCY,
    lockDuration,
    stalledInterval: lockDuration,
    maxStalledCount: checkWhole('maxStalls', 1, options.maxStalls) ?? DEFAULT_MAX_STALLS,
    removeOnComplete: { count: 0 },
    ...(deadLetterRetention === undefined ? {} : { removeOnFail: { age: deadLetterRetention / 1_000 } }),
  };
}

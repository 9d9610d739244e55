import { type Job, WaitingError, Worker } from 'bullmq';
import { type ClientFamily, leaveReplica, openFamily } from '../redis/connection.js';
import { settlesWithin } from '../redis/waiting.js';
import { checkTimeout, checkWhole, refuseUnknown } from '../validation/option-checks.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { InboxReporter } from './inbox-hooks.js';
import type { InboxSettings } from './inbox-options.js';
import { Run, toInboxRun, type WebhookProcessor } from './run.js';

/** Options of `inbox.work`. */
export interface WorkOptions {
  /** The largest number of events that this worker processes at once. Default 10. */
  readonly concurrency?: number | undefined;
  /**
   * Milliseconds after which the event of a worker that died is free for another worker, which notices it within the
   * same time again. The lock is renewed while handlers run; an event loop that is blocked for longer loses it too.
   * Default 30 000.
   */
  readonly lockDuration?: number | undefined;
  /**
   * The number of times that a worker may die over an event, or lose its lock, before the event goes to the dead letters:
   * an event that makes every worker crash must not stop the queue. Default 5.
   */
  readonly maxStalls?: number | undefined;
}

/** Options of `close`, for a worker and for an inbox. */
export interface CloseOptions {
  /**
   * Milliseconds for events being processed to finish. Then the signals of their handlers are aborted, and the events go
   * back to the front of the queue. Default 25 000, which is below the 30 s that Kubernetes waits.
   */
  readonly grace?: number | undefined;
}

const DEFAULT_CONCURRENCY = 10;
const DEFAULT_LOCK_DURATION = 30_000;
const DEFAULT_MAX_STALLS = 5;
const DEFAULT_GRACE = 25_000;
/** Milliseconds after the grace to give events back. Without Redis they are free when their locks expire. */
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
  readonly #reporter: InboxReporter;
  /** The runs in progress by key: one for each event, or several, the newest last, where a run lost its lock. */
  readonly #runs = new Map<string, Run[]>();
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
    // A command of the worker waits for Redis without a limit: no delivery waits for its answer, and nothing is lost.
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

  /** Handles one event. BullMQ records the result, and lets it be retried if this rejects. */
  async #run(job: Job<StoredWebhook>, token: string | undefined): Promise<void> {
    if (this.#givesBack) return moveBack(job, token);
    const key = job.id ?? '';
    const run = this.#begin(key);
    const handling = run.handle(this.#processor, job.data);
    await Promise.allSettled([handling]);
    await this.#end(key, run);
    // The event belongs to another run, which records its own end.
    if (run.isLost) throw new WaitingError();
    if ((await handling) === 'returned') return moveBack(job, token);
  }

  #begin(key: string): Run {
    const runs = this.#runs.get(key) ?? [];
    // BullMQ gives an event to a second run only when the first has lost its lock.
    this.#lose(key);
    const run = new Run();
    runs.push(run);
    this.#runs.set(key, runs);
    return run;
  }

  /** Waits for newer runs of the event first: when any run of it ends, BullMQ stops renewing the event's lock. */
  async #end(key: string, run: Run): Promise<void> {
    const runs = this.#runs.get(key) ?? [];
    while (runs.at(-1) !== run) await runs.at(-1)?.ended.promise;
    runs.pop();
    if (runs.length === 0) this.#runs.delete(key);
    run.ended.resolve();
  }

  /** Ignores a run that has just ended, or has been told before: BullMQ repeats a loss at every renewal. */
  #lose(key: string): void {
    const run = this.#runs.get(key)?.at(-1);
    if (run === undefined || run.isLost) return;
    this.#reporter.lockLost(key);
    run.lose();
  }

  #listen(): void {
    const reporter = this.#reporter;
    this.#worker.on('completed', (job) => reporter.handled(toInboxRun(job)));
    this.#worker.on('failed', (job, error) => this.#failed(job, error));
    this.#worker.on('stalled', (key) => reporter.stalled(key));
    this.#worker.on('lockRenewalFailed', (keys) => {
      for (const key of keys) this.#lose(key);
    });
    this.#worker.on('error', (error) => this.#report(error));
    this.#clients.client.on('ready', () => reporter.redisReady());
  }

  #failed(job: Job<StoredWebhook> | undefined, thrown: Error): void {
    if (job === undefined) return;
    const failure = { ...toInboxRun(job), error: thrown.cause ?? thrown };
    if (job.finishedOn === undefined) this.#reporter.retrying(failure);
    else this.#reporter.deadLetter(failure);
  }

  #report(error: Error & { readonly code?: unknown }): void {
    // BullMQ emits this after `lockRenewalFailed`, which has been told.
    if (error.message.startsWith('could not renew lock')) return;
    // BullMQ's own errors have a number of its `ErrorCode`; the codes of Redis and of Node are strings.
    if (typeof error.code === 'number') this.#reporter.notRecorded(error);
    else this.#reporter.redisFailed(error);
  }

  async #close(grace: number): Promise<void> {
    const giveBack = setTimeout(() => {
      // An event that reaches this worker from now on is not begun.
      this.#givesBack = true;
      for (const run of [...this.#runs.values()].flat()) run.giveBack();
    }, grace);
    // Without Redis, closing would wait for it for ever.
    const finished = await settlesWithin(this.#worker.close(), grace + RETURNING);
    clearTimeout(giveBack);
    const { client } = this.#clients;
    if (finished && client.status === 'ready') await settlesWithin(client.quit(), RETURNING);
    this.#clients.disconnect();
  }
}

/** Puts an event back to the front of the queue. Rejects, because BullMQ must not record an end of the run. */
async function moveBack(job: Job<StoredWebhook>, token: string | undefined): Promise<never> {
  await job.moveToWait(token);
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

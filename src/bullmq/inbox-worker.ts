import { type Job, WaitingError, Worker } from 'bullmq';
import { checkTimeout, refuseUnknown } from '../option-checks.js';
import { type ClientFamily, openFamily } from '../redis/connection.js';
import { settlesWithin } from '../redis/time-limit.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { checkWhole, type InboxSettings } from './inbox-options.js';
import type { InboxReporter } from './reporter.js';
import { Run, runJob } from './run.js';
import { describeJob } from './stored-job.js';
import type { WebhookProcessor } from './webhook-handlers.js';

/** What `inbox.work` takes beside the receiver or the handlers. */
export interface WorkOptions {
  /** How many events are worked at once by this worker. Default 10. */
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
   * Milliseconds that events in work have to finish. After that the signals of their handlers are aborted, and the
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
 * Works off the events of an inbox, in this process.
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
  /** What runs now, by the key of its event. */
  readonly #runs = new Map<string, Run>();
  readonly #reporter: InboxReporter;
  #closing: Promise<void> | undefined;

  /** Use `inbox.work`. */
  constructor(
    settings: InboxSettings,
    reporter: InboxReporter,
    processor: WebhookProcessor,
    options: WorkOptions,
  ) {
    refuseUnknown(options, ['concurrency', 'lockDuration', 'maxStalls']);
    this.#processor = processor;
    this.#reporter = reporter;
    const workerOptions = workerSettings(settings, options);
    // What waits for Redis here waits as long as it takes: no one waits for the answer, and nothing is lost.
    this.#clients = openFamily(settings.connection, { maxRetriesPerRequest: null });
    this.#worker = new Worker(settings.queueName, (job, token) => this.#run(job, token), {
      ...workerOptions,
      connection: this.#clients.client,
    });
    this.#listen();
  }

  /** Takes no more events, and resolves when those in work have finished or gone back to the queue. */
  close(options: CloseOptions = {}): Promise<void> {
    refuseUnknown(options, ['grace']);
    const grace = options.grace === 0 ? 0 : (checkTimeout('grace', options.grace) ?? DEFAULT_GRACE);
    this.#closing ??= this.#close(grace);
    return this.#closing;
  }

  async #run(job: Job<StoredWebhook>, token: string | undefined): Promise<void> {
    const key = job.id ?? '';
    const run = new Run();
    this.#runs.set(key, run);
    try {
      if ((await runJob(this.#processor, job.data, run)) === 'handled') return;
    } finally {
      // A run that lost its lock may have been overtaken by another of the same event, here.
      if (this.#runs.get(key) === run) this.#runs.delete(key);
    }
    await job.moveToWait(token);
    // Tells BullMQ that the job has left this worker's hands already.
    throw new WaitingError();
  }

  #listen(): void {
    const reporter = this.#reporter;
    this.#worker.on('completed', (job) => reporter.handled(describeJob(job)));
    this.#worker.on('failed', (job, error) => this.#failed(job, error));
    this.#worker.on('stalled', (key) => reporter.stalled(key));
    this.#worker.on('lockRenewalFailed', (keys) => {
      for (const key of keys) this.#loseLock(key);
    });
    this.#worker.on('error', (error) => this.#report(error));
    this.#clients.client.on('ready', () => reporter.redisReady());
  }

  #failed(job: Job<StoredWebhook> | undefined, thrown: Error): void {
    if (job === undefined) return;
    const failure = { ...describeJob(job), error: thrown.cause ?? thrown };
    if (job.finishedOn === undefined) this.#reporter.retrying(failure);
    else this.#reporter.deadLetter(failure);
  }

  #loseLock(key: string): void {
    this.#reporter.lockLost(key);
    this.#runs.get(key)?.lose();
  }

  /** BullMQ tells everything by `error`: a Redis that failed, and a job that is no longer this worker's. */
  #report(error: Error): void {
    const lost =
      /^(?:Missing lock for job|Lock mismatch for job|Missing key for job|Job) (\S+?)(?:\.| is not| Cmd|$)/.exec(
        error.message,
      );
    if (lost !== null) this.#reporter.lockLost(lost[1]);
    else if (!error.message.startsWith('could not renew lock')) this.#reporter.redisFailed(error);
  }

  async #close(grace: number): Promise<void> {
    const giveBack = setTimeout(() => {
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

function workerSettings(settings: InboxSettings, options: WorkOptions) {
  const { prefix, deadLetterRetention } = settings;
  const lockDuration = checkTimeout('lockDuration', options.lockDuration) ?? DEFAULT_LOCK_DURATION;
  return {
    prefix,
    concurrency: checkWhole('concurrency', options.concurrency) ?? DEFAULT_CONCURRENCY,
    lockDuration,
    stalledInterval: lockDuration,
    maxStalledCount: checkWhole('maxStalls', options.maxStalls) ?? DEFAULT_MAX_STALLS,
    removeOnComplete: { count: 0 },
    ...(deadLetterRetention === undefined ? {} : { removeOnFail: { age: deadLetterRetention / 1_000 } }),
  };
}

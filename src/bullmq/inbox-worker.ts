import { type Job, WaitingError, Worker } from 'bullmq';
import { WebhookError } from '../errors/index.js';
import { type ClientFamily, leaveReplica, openFamily } from '../redis/connection.js';
import { succeedsWithin } from '../redis/waiting.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { countUnhandled, giveBack, giveBackFor, nextLook, retryFirst } from './give-back.js';
import type { InboxReporter } from './inbox-hooks.js';
import type { InboxSettings } from './inbox-options.js';
import { isStalled, stalledReason, toInboxEvent, toInboxRun } from './job-record.js';
import { Rest, withoutInfo } from './refusing-redis.js';
import { Run, readStored, type WebhookProcessor } from './run.js';
import {
  type CloseOptions,
  resolveGrace,
  resolveWork,
  type WorkOptions,
  type WorkSettings,
} from './work-options.js';

/** The end of an event that is told as a success. */
type Done = 'handled';

/**
 * A command of a worker waits for Redis without a limit: no delivery waits for its answer, and nothing is lost. One that waits for
 * events and was given up would go on in Redis, and take the sign that an event is there.
 */
const WITHOUT_LIMIT = { maxRetriesPerRequest: null, commandTimeout: undefined };

/** Milliseconds until a command is repeated that was rejected as its client ended. By default BullMQ waits for 15 seconds. */
const REPEATING = 1_000;

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
  readonly #worker: Worker<StoredWebhook, Done>;
  readonly #settings: WorkSettings;
  readonly #rest: Rest;
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
    this.#settings = resolveWork(options);
    this.#processor = processor;
    this.#reporter = reporter;
    const reconnectOnError = leaveReplica('resent', (error) => reporter.redisFailed(error));
    this.#clients = openFamily(settings.connection, WITHOUT_LIMIT, reconnectOnError);
    withoutInfo(this.#clients.client);
    try {
      this.#worker = new Worker(settings.queueName, (job, token) => this.#run(job, token), {
        ...toBullMQ(settings, this.#settings),
        connection: this.#clients.client,
      });
    } catch (error) {
      this.#clients.disconnect();
      throw error;
    }
    this.#rest = new Rest(this.#worker);
    this.#listen();
  }

  /** Takes no more events, and resolves when those being processed have finished or gone back to the queue. */
  async close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(resolveGrace(options));
    return this.#closing;
  }

  /** Handles one event. BullMQ records the result, and lets it be retried if this rejects. */
  async #run(job: Job<StoredWebhook>, token: string | undefined): Promise<Done> {
    if (this.#givesBack) return giveBack(job, token);
    const stored = readStored(job.data);
    if (this.#processor.handles?.(stored.type) === false) return this.#leaveToOthers(job, token);
    const key = job.id ?? '';
    const run = this.#begin(key);
    const handling = run.handle(this.#processor, stored, this.#settings.handlerTimeout);
    await handling.catch(() => undefined);
    await this.#end(key, run);
    // The event belongs to another run, which records its own end.
    if (run.isLost) throw new WaitingError();
    if (run.isGivenBack) retryFirst(job);
    await handling;
    return 'handled';
  }

  /** Gives an event that has no handler here to workers that may have one, until it has been looked at for too long. */
  async #leaveToOthers(job: Job<StoredWebhook>, token: string | undefined): Promise<never> {
    const timeout = this.#settings.unhandledTimeout;
    const unhandledMs = await countUnhandled(job, timeout);
    this.#reporter.unhandled({ ...toInboxEvent(job), unhandledMs, leftMs: timeout - unhandledMs });
    return giveBackFor(nextLook(unhandledMs, timeout), job, token);
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
    const worker = this.#worker;
    worker.on('completed', (job) => reporter.handled(toInboxRun(job)));
    worker.on('failed', (job, error) => this.#failed(job, error));
    worker.on('stalled', (key) => reporter.stalled(key));
    worker.on('lockRenewalFailed', (keys) => {
      for (const key of keys) this.#lose(key);
    });
    for (const success of ['completed', 'failed', 'drained'] as const) {
      worker.on(success, () => this.#rest.forget());
    }
    worker.on('error', (error) => this.#report(error));
    this.#clients.client.on('ready', () => reporter.redisReady());
  }

  #failed(job: Job<StoredWebhook> | undefined, thrown: Error): void {
    if (job === undefined) return;
    const error = isStalled(job) ? new WebhookError(stalledReason(job)) : (thrown.cause ?? thrown);
    const failure = { ...toInboxRun(job), error };
    if (job.finishedOn === undefined) this.#reporter.retrying(failure);
    else this.#reporter.deadLetter(failure);
  }

  #report(error: Error & { readonly code?: unknown }): void {
    // BullMQ emits this after `lockRenewalFailed`, which has been told.
    if (error.message.startsWith('could not renew lock')) return;
    // BullMQ's own errors have a number of its `ErrorCode`; the codes of Redis and of Node are strings.
    if (typeof error.code === 'number') this.#reporter.notRecorded(error);
    else this.#reporter.redisFailed(error);
    // The class that ioredis gives to the refusals of Redis.
    if (error.name === 'ReplyError') this.#rest.begin();
  }

  async #close(grace: number): Promise<void> {
    const giveBack = setTimeout(() => {
      // An event that reaches this worker from now on is not begun.
      this.#givesBack = true;
      for (const run of [...this.#runs.values()].flat()) run.giveBack();
    }, grace);
    this.#rest.end();
    // Without Redis, closing would wait for it for ever.
    const finished = await succeedsWithin(this.#worker.close(), grace + RETURNING);
    clearTimeout(giveBack);
    const { client } = this.#clients;
    if (finished && client.status === 'ready') await succeedsWithin(client.quit(), RETURNING);
    this.#clients.disconnect();
  }
}

function toBullMQ({ prefix, deadLetterRetention, telemetry }: InboxSettings, work: WorkSettings) {
  return {
    prefix,
    concurrency: work.concurrency,
    lockDuration: work.lockDuration,
    stalledInterval: work.lockDuration,
    maxStalledCount: work.maxStalls,
    runRetryDelay: REPEATING,
    removeOnComplete: { count: 0 },
    ...(telemetry === undefined ? {} : { telemetry }),
    // Seconds.
    ...(deadLetterRetention === undefined ? {} : { removeOnFail: { age: deadLetterRetention / 1_000 } }),
  };
}

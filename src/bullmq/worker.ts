import { WaitingError, Worker } from 'bullmq';
import type { RedisOptions } from 'ioredis';
import type { WebhookError } from '../errors/index.js';
import { lockLostError, workerClosedError } from '../inbox/failure.js';
import type { EventHandlers } from '../inbox/handlers.js';
import { type CloseOptions, resolveGrace, type WorkSettings } from '../inbox/options.js';
import type { InboxReporter } from '../inbox/reporter.js';
import { type Done, runStored } from '../inbox/run.js';
import { leaveReplica, newClient, outliveFailover, type RedisClient } from '../redis/connection.js';
import { cleanError } from '../redis/failure.js';
import { onOneLine } from '../utils/printable.js';
import { succeedsWithin } from '../utils/waiting.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { errorOf, type InboxJob, toJobError, toRun } from './job.js';
import type { BullMQSettings } from './options.js';
import { OtherWorkers } from './other-workers.js';

/**
 * Settings of a worker's clients. A command waits for Redis without a limit: no delivery waits for it, and
 * nothing is lost.
 *
 * BullMQ 6.7.0 refuses another `maxRetriesPerRequest` (`classes/redis-connection.js:163`). ioredis 6.0.0
 * takes an undefined `commandTimeout` for none (`built/Redis.js:368`), which its types do not say.
 */
const WITHOUT_LIMIT = { maxRetriesPerRequest: null, commandTimeout: undefined } as RedisOptions;

/**
 * Delay in ms before BullMQ repeats a command that was rejected because its client ended.
 *
 * The default of BullMQ 6.7.0 is 15 seconds (`classes/worker.js:40`).
 */
const REPEAT_DELAY_MS = 1_000;
/** Time in ms for which a worker pauses after Redis refused a command. */
const PAUSE_MS = 1_000;
/** Time limit for giving events back after the grace, in ms. Without Redis, their locks expire instead. */
const RETURN_TIMEOUT_MS = 3_000;

/**
 * BullMQ's worker, which can also end while its own `close` waits for Redis.
 *
 * `close` of BullMQ 6.7.0 never resolves without Redis: https://github.com/taskforcesh/bullmq/issues/4656
 */
class EndableWorker extends Worker<StoredWebhook, Done> {
  async end(): Promise<void> {
    // Stops the timer of the stalled check.
    await this.pause(true);
    await this.lockManager.close();
    // BullMQ 5.81.5 has this connection instead of a backend (`classes/worker.js`), which the types of 6 lack.
    const { blockingConnection } = this as unknown as {
      blockingConnection?: { close(force: true): unknown };
    };
    await (blockingConnection ?? this.getBackend()).close(true);
  }
}

/** What a worker is made of. */
export interface WorkerParts {
  readonly settings: BullMQSettings;
  readonly work: WorkSettings;
  readonly reporter: InboxReporter;
  readonly handlers: EventHandlers;
  /** Called when the worker has closed. */
  readonly onClosed: () => void;
}

/**
 * Processes the events of an inbox, in this process.
 *
 * @example
 * ```ts
 * import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
 *
 * const inbox = createBullMQInbox({ connection: process.env.REDIS_URL ?? 'redis://localhost:6379' });
 * const worker = inbox.work({ lead_captured: ({ payload }) => console.log(payload.leadEmail) });
 * worker.bullmq.on('stalled', (key) => console.warn('runs again', key));
 * process.on('SIGTERM', () => void worker.close({ grace: 10_000 }));
 * ```
 */
export class InboxWorker {
  /** BullMQ's own worker, for its events and metrics. Close this object instead of it. */
  readonly bullmq: Worker<StoredWebhook, Done>;
  readonly #worker: EndableWorker;
  readonly #parts: WorkerParts;
  readonly #client: RedisClient;
  readonly #others: OtherWorkers;
  // Why the signal of a run is aborted.
  readonly #closed = workerClosedError();
  readonly #lost = lockLostError();
  #givesBack = false;
  #pausing: ReturnType<typeof setTimeout> | undefined;
  #closing: Promise<void> | undefined;

  /** Use `inbox.work`. */
  constructor(parts: WorkerParts) {
    const { settings, work, reporter, handlers } = parts;
    this.#parts = parts;
    const reconnectOnError = leaveReplica('resent', (error) => reporter.storageFailed(cleanError(error)));
    this.#client = newClient(settings.connection, { reconnectOnError }, WITHOUT_LIMIT);
    this.#client.on('error', (error: Error) => outliveFailover(this.#client, error));
    // Three parameters: BullMQ 6.7.0 makes no signal for a function with fewer (`classes/worker.js:83`).
    this.#worker = new EndableWorker(
      settings.queueName,
      (job, token, signal) => this.#run(job, token, signal),
      {
        connection: this.#client,
        prefix: settings.prefix,
        concurrency: work.concurrency,
        lockDuration: work.lockDuration,
        stalledInterval: work.lockDuration,
        maxStalledCount: work.maxStalls,
        runRetryDelay: REPEAT_DELAY_MS,
        removeOnComplete: { count: 0 },
        // In seconds.
        removeOnFail: { age: settings.deadLetterRetention / 1_000 },
        ...(settings.telemetry === undefined ? {} : { telemetry: settings.telemetry }),
      },
    );
    this.bullmq = this.#worker;
    this.#others = new OtherWorkers({
      client: this.#client,
      toKey: (name) => this.#worker.toKey(name),
      handles: (type) => handlers.handles(type),
      unhandledTimeout: work.unhandledTimeout,
    });
    this.#listen();
  }

  /** Takes no more events, and resolves when those in progress have finished or gone back to the queue. */
  async close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(resolveGrace(options));
    return this.#closing;
  }

  /** Runs the handlers for one event. BullMQ records the end, and retries the event if this rejects. */
  async #run(job: InboxJob, token?: string, signal = new AbortController().signal): Promise<Done> {
    const { work, handlers, reporter } = this.#parts;
    if (this.#givesBack) return giveBack(job, token);
    const abort = (reason: WebhookError) => this.#cancel(job.id, reason);
    try {
      const outcome = await runStored(job.data, handlers, {
        signal,
        handlerTimeout: work.handlerTimeout,
        abort,
      });
      if (outcome !== 'unhandled') return outcome;
    } catch (error) {
      if (signal.reason === this.#closed) return await giveBack(job, token);
      // Another run records the end of the event.
      if (signal.reason === this.#lost) throw new WaitingError();
      throw toJobError(signal.aborted ? signal.reason : error);
    }
    reporter.unhandled(job.name, work.unhandledTimeout);
    return this.#others.leave(job, token);
  }

  /**
   * Aborts the signal of a run. The reason has to be an error, because `fetch` rejects with it.
   *
   * BullMQ 6.7.0 declares it as a string, and passes it to `abort` as it is (`classes/lock-manager.js:137`).
   */
  #cancel(key: string | undefined, reason: WebhookError): void {
    this.bullmq.cancelJob(key ?? '', reason as unknown as string);
  }

  #listen(): void {
    const { reporter } = this.#parts;
    this.bullmq
      .on('completed', (job, done) => {
        const describe = () => toRun(job);
        if (done === 'ignored') reporter.ignored(describe);
        else reporter.handled(describe);
      })
      .on('failed', (job, error) => job && this.#reportFailure(job, error))
      .on('stalled', (key) => reporter.stalled(key))
      .on('lockRenewalFailed', (keys) => {
        for (const key of keys) {
          reporter.lockLost(key);
          this.#cancel(key, this.#lost);
        }
      })
      .on('error', (error) => this.#failed(error));
  }

  /** BullMQ sets the end of a job only if it does not run again. */
  #reportFailure(job: InboxJob, error: Error): void {
    const { reporter } = this.#parts;
    const failure = { ...toRun(job), error: errorOf(job, error) };
    if (job.finishedOn === undefined) reporter.retried(failure);
    else reporter.deadLetter(failure);
  }

  #failed(error: Error & { readonly code?: unknown }): void {
    const { reporter } = this.#parts;
    // BullMQ 6.7.0 emits it for each lock that `lockRenewalFailed` has just named
    // (`classes/lock-manager.js:41`).
    if (error.message.startsWith('could not renew lock')) return;
    // The codes of BullMQ's own errors are numbers (`classes/finished-errors.js:53`), those of Node strings.
    if (typeof error.code === 'number') {
      return reporter.warn(`the end of a run was not recorded: ${onOneLine(error.message)}`);
    }
    reporter.storageFailed(cleanError(error));
    // The name that ioredis 6.0.0 gives to refusals of Redis (`built/resp/errors.js:7`).
    if (error.name === 'ReplyError') this.#pause();
  }

  /** BullMQ 6.7.0 repeats a refused command at once (`classes/worker.js:962`), thousands of times a second. */
  #pause(): void {
    if (this.#pausing !== undefined || this.#closing !== undefined) return;
    void this.bullmq.pause(true);
    this.#pausing = setTimeout(() => {
      this.#pausing = undefined;
      void this.bullmq.resume();
    }, PAUSE_MS);
  }

  async #close(grace: number): Promise<void> {
    clearTimeout(this.#pausing);
    this.#others.close();
    const timer = setTimeout(() => {
      // An event that reaches this worker from now on is not started.
      this.#givesBack = true;
      this.bullmq.cancelAllJobs(this.#closed as unknown as string);
    }, grace);
    const hasClosed = await succeedsWithin(this.bullmq.close(), grace + RETURN_TIMEOUT_MS);
    clearTimeout(timer);
    if (!hasClosed) await succeedsWithin(this.#worker.end(), 0);
    else if (this.#client.status === 'ready') await succeedsWithin(this.#client.quit(), RETURN_TIMEOUT_MS);
    this.#client.disconnect();
    this.#parts.onClosed();
  }
}

/** Puts an event back to the front of the queue. Costs no attempt. Rejects, so that BullMQ records no end. */
async function giveBack(job: InboxJob, token: string | undefined): Promise<never> {
  await job.moveToWait(token);
  throw new WaitingError();
}

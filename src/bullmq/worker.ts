import { DelayedError, WaitingError, Worker } from 'bullmq';
import type { RedisOptions } from 'ioredis';
import { WebhookError } from '../errors/index.js';
import { leaveReplica, newClient, outliveFailover, type RedisClient } from '../redis/connection.js';
import { succeedsWithin, unlessAborted } from '../utils/waiting.js';
import type { WebhookHandlers } from '../webhooks/handlers.js';
import { checkStored, type StoredWebhook } from '../webhooks/inbox.js';
import type { InboxReporter } from './hooks.js';
import { type Done, type InboxJob, toFailure, unhandledFailure } from './job.js';
import { type CloseOptions, type InboxSettings, resolveGrace, type WorkSettings } from './options.js';

/**
 * Settings of a worker's clients. A command waits for Redis without a limit: no delivery waits for it, and nothing is lost.
 *
 * ioredis takes an undefined setting for none, which its types do not know.
 */
const WITHOUT_LIMIT = { maxRetriesPerRequest: null, commandTimeout: undefined } as RedisOptions;

/** Milliseconds until BullMQ repeats a command that was rejected as its client ended. Its default is 15 seconds. */
const REPEATING = 1_000;
/** Milliseconds for which a worker pauses after Redis refused a command. */
const PAUSE = 1_000;
/** Milliseconds after the grace for giving events back. Without Redis they are free when their locks expire. */
const RETURNING = 3_000;
/** Milliseconds until an event without a handler is looked at again: a quarter of its age, within these. */
const LOOKING = { first: 1_000, last: 300_000 };

/** BullMQ's worker, which can also end while its own `close` waits for Redis. */
class EndableWorker extends Worker<StoredWebhook, Done> {
  async end(): Promise<void> {
    // Ends the timer of the stalled check.
    await this.pause(true);
    await this.lockManager.close();
    await this.getBackend().close(true);
  }
}

/** The parts that a worker is made of. */
export interface WorkerParts {
  readonly settings: InboxSettings;
  readonly work: WorkSettings;
  readonly reporter: InboxReporter;
  readonly handlers: Pick<WebhookHandlers, 'process' | 'handles'>;
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
  // Reasons of aborted signals.
  readonly #closed = new WebhookError('The worker closed before the handlers had settled.');
  readonly #lost = new WebhookError('The lock of the event was lost: another worker runs it.');
  #givesBack = false;
  #pausing: ReturnType<typeof setTimeout> | undefined;
  #closing: Promise<void> | undefined;

  /** Use `inbox.work`. */
  constructor(parts: WorkerParts) {
    const { settings, work, reporter } = parts;
    this.#parts = parts;
    const reconnectOnError = leaveReplica('resent', (error) => reporter.redisFailed(error));
    this.#client = newClient(settings.connection, { reconnectOnError }, WITHOUT_LIMIT);
    this.#client.on('error', (error: Error) => outliveFailover(this.#client, error));
    // With three parameters: BullMQ gives a signal only to those.
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
        runRetryDelay: REPEATING,
        removeOnComplete: { count: 0 },
        // In seconds.
        removeOnFail: { age: settings.deadLetterRetention / 1_000 },
        ...(settings.telemetry === undefined ? {} : { telemetry: settings.telemetry }),
      },
    );
    this.bullmq = this.#worker;
    this.#listen();
  }

  /** Takes no more events, and resolves when those in progress have finished or gone back to the queue. */
  async close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(resolveGrace(options));
    return this.#closing;
  }

  /** Handles one event. BullMQ records the end, and retries the event if this rejects. */
  async #run(job: InboxJob, token?: string, signal = new AbortController().signal): Promise<Done> {
    const { work, handlers, reporter } = this.#parts;
    if (this.#givesBack) return giveBack(job, token);
    const overdue = () =>
      this.#cancel(job.id, `The handlers had not settled within ${work.handlerTimeout} ms (handlerTimeout).`);
    const timer = setTimeout(overdue, work.handlerTimeout);
    try {
      const stored = checkStored(job.data);
      if (handlers.handles(stored.type)) {
        await unlessAborted(handlers.process(stored, { signal }), signal);
        return 'handled';
      }
      if (stored.type === 'webhook_test') return 'ignored';
    } catch (error) {
      if (signal.reason === this.#closed) return await giveBack(job, token);
      // Another run records the end of the event.
      if (signal.reason === this.#lost) throw new WaitingError();
      throw toFailure(signal.aborted ? signal.reason : error);
    } finally {
      clearTimeout(timer);
    }
    reporter.unhandled(job.name, work.unhandledTimeout);
    return leaveToOthers(job, token, work.unhandledTimeout);
  }

  /** BullMQ declares the reason as text. As an error, `fetch` and others reject with it. */
  #cancel(key: string | undefined, reason: string | Error): void {
    const error = typeof reason === 'string' ? new WebhookError(reason) : reason;
    this.bullmq.cancelJob(key ?? '', error as unknown as string);
  }

  #listen(): void {
    const { reporter } = this.#parts;
    this.bullmq
      .on('completed', (job, done) => (done === 'ignored' ? reporter.ignored(job) : reporter.handled(job)))
      .on('failed', (job, error) => job && reporter.failed(job, error))
      .on('stalled', (key) => reporter.stalled(key))
      .on('lockRenewalFailed', (keys) => {
        for (const key of keys) {
          reporter.lockLost(key);
          this.#cancel(key, this.#lost);
        }
      })
      .on('error', (error) => this.#failed(error));
  }

  #failed(error: Error & { readonly code?: unknown }): void {
    const { reporter } = this.#parts;
    // Emitted after `lockRenewalFailed`.
    if (error.message.startsWith('could not renew lock')) return;
    // BullMQ's own errors have a number of its `ErrorCode`; the codes of Redis and of Node are strings.
    if (typeof error.code === 'number') return reporter.notRecorded(error);
    reporter.redisFailed(error);
    // The class that ioredis gives to refusals of Redis.
    if (error.name === 'ReplyError') this.#pause();
  }

  /** BullMQ would repeat a refused command at once, thousands of times a second. */
  #pause(): void {
    if (this.#pausing !== undefined || this.#closing !== undefined) return;
    void this.bullmq.pause(true);
    this.#pausing = setTimeout(() => {
      this.#pausing = undefined;
      void this.bullmq.resume();
    }, PAUSE);
  }

  async #close(grace: number): Promise<void> {
    clearTimeout(this.#pausing);
    const timer = setTimeout(() => {
      // An event that reaches this worker from now on is not started.
      this.#givesBack = true;
      this.bullmq.cancelAllJobs(this.#closed as unknown as string);
    }, grace);
    // Without Redis, BullMQ would wait for it forever.
    const finished = await succeedsWithin(this.bullmq.close(), grace + RETURNING);
    clearTimeout(timer);
    if (!finished) await succeedsWithin(this.#worker.end(), 0);
    if (finished && this.#client.status === 'ready') await succeedsWithin(this.#client.quit(), RETURNING);
    this.#client.disconnect();
    this.#parts.onClosed();
  }
}

/** Puts an event back to the front of the queue. Costs no attempt. Rejects, so that BullMQ records no end. */
async function giveBack(job: InboxJob, token: string | undefined): Promise<never> {
  await job.moveToWait(token);
  throw new WaitingError();
}

/** Gives an event without a handler back for workers that may have one, until it is too old. */
async function leaveToOthers(job: InboxJob, token: string | undefined, timeout: number): Promise<never> {
  const age = Math.max(Date.now() - job.timestamp, 0);
  if (age >= timeout) throw unhandledFailure(timeout);
  const delay = Math.min(Math.max(age / 4, LOOKING.first), LOOKING.last, timeout - age);
  await job.moveToDelayed(Date.now() + Math.ceil(delay), token);
  throw new DelayedError();
}

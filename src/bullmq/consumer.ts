import { Worker } from 'bullmq';
import type { RedisOptions } from 'ioredis';
import type { Consumer, Runner } from '../inbox/engine.js';
import { stalledError } from '../inbox/failure.js';
import type { InboxReporter } from '../inbox/reporter.js';
import { leaveReplica, newClient, outliveFailover, type RedisClient } from '../redis/connection.js';
import { cleanError } from '../redis/failure.js';
import { onOneLine } from '../utils/printable.js';
import { succeedsWithin } from '../utils/waiting.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { type InboxJob, isStalled, settle, toTaken } from './job.js';
import type { BullMQSettings } from './options.js';

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
export class EndableWorker extends Worker<StoredWebhook, string> {
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

/** Takes jobs for a worker, by BullMQ's own worker, which keeps their locks and records the ends of their runs. */
export class JobConsumer implements Consumer {
  readonly bullmq: EndableWorker;
  readonly #client: RedisClient;
  readonly #runner: Runner;
  readonly #reporter: InboxReporter;
  /** The reports of runs whose end BullMQ is recording. */
  readonly #reports = new WeakMap<InboxJob | Error, () => void>();
  #pausing: ReturnType<typeof setTimeout> | undefined;
  #isClosing = false;

  constructor(settings: BullMQSettings, runner: Runner, reporter: InboxReporter) {
    this.#runner = runner;
    this.#reporter = reporter;
    const reconnectOnError = leaveReplica('resent', (error) => reporter.storageFailed(cleanError(error)));
    this.#client = newClient(settings.connection, { reconnectOnError }, WITHOUT_LIMIT);
    this.#client.on('error', (error: Error) => outliveFailover(this.#client, error));
    const { concurrency, lockDuration, maxStalls } = runner.settings;
    this.bullmq = new EndableWorker(settings.queueName, (job, token) => this.#process(job, token), {
      connection: this.#client,
      prefix: settings.prefix,
      concurrency,
      lockDuration,
      stalledInterval: lockDuration,
      maxStalledCount: maxStalls,
      runRetryDelay: REPEAT_DELAY_MS,
      removeOnComplete: { count: 0 },
      // In seconds.
      removeOnFail: { age: settings.deadLetterRetention / 1_000 },
      ...(settings.telemetry === undefined ? {} : { telemetry: settings.telemetry }),
    });
    this.#listen();
  }

  async close(grace: number): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#pausing);
    const hasClosed = await succeedsWithin(this.bullmq.close(), grace + RETURN_TIMEOUT_MS);
    if (!hasClosed) await succeedsWithin(this.bullmq.end(), 0);
    else if (this.#client.status === 'ready') await succeedsWithin(this.#client.quit(), RETURN_TIMEOUT_MS);
    this.#client.disconnect();
  }

  /** BullMQ's processor: its result or its error says how the run has ended. */
  async #process(job: InboxJob, token: string | undefined): Promise<string> {
    const { ending, report } = await this.#runner.run(toTaken(job));
    try {
      const result = await settle(job, token, ending);
      this.#reports.set(job, report);
      return result;
    } catch (error) {
      // BullMQ passes the error on to `failed`.
      this.#reports.set(error as Error, report);
      throw error;
    }
  }

  #listen(): void {
    this.bullmq
      .on('completed', (job) => this.#reports.get(job)?.())
      .on('failed', (job, error) => job && this.#reportFailure(job, error))
      .on('stalled', (key) => this.#reporter.stalled(key))
      .on('lockRenewalFailed', (keys) => {
        for (const key of keys) this.#runner.lockLost(key);
      })
      .on('error', (error) => this.#failed(error));
  }

  #reportFailure(job: InboxJob, error: Error): void {
    const report = this.#reports.get(error);
    if (report !== undefined) return report();
    // Otherwise an end was refused, such as by a full Redis, and BullMQ has recorded that as a failure.
    const cause = isStalled(job) ? stalledError(job.stalledCounter) : cleanError(error);
    this.#runner.failedByEngine(toTaken(job), cause, job.finishedOn === undefined ? 'retry' : 'dead');
  }

  #failed(error: Error & { readonly code?: unknown }): void {
    // BullMQ 6.7.0 emits it for each lock that `lockRenewalFailed` has just named
    // (`classes/lock-manager.js:41`).
    if (error.message.startsWith('could not renew lock')) return;
    // The codes of BullMQ's own errors are numbers (`classes/finished-errors.js:53`), those of Node strings.
    if (typeof error.code === 'number') {
      return this.#reporter.warn(`the end of a run was not recorded: ${onOneLine(error.message)}`);
    }
    this.#reporter.storageFailed(cleanError(error));
    // The name that ioredis 6.0.0 gives to refusals of Redis (`built/resp/errors.js:7`).
    if (error.name === 'ReplyError') this.#pause();
  }

  /** BullMQ 6.7.0 repeats a refused command at once (`classes/worker.js:962`), thousands of times a second. */
  #pause(): void {
    if (this.#pausing !== undefined || this.#isClosing) return;
    void this.bullmq.pause(true);
    this.#pausing = setTimeout(() => {
      this.#pausing = undefined;
      void this.bullmq.resume();
    }, PAUSE_MS);
  }
}

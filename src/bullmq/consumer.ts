import { type Processor, UnrecoverableError, WaitingError } from 'bullmq';
import type { RedisOptions } from 'ioredis';
import type { Consumer, Ending, InboxEvent, Runner } from '../inbox/engine.js';
import { stalledError, unhandledError } from '../inbox/failure.js';
import type { InboxReporter } from '../inbox/reporter.js';
import { PAUSE_MS, RECORD_MS } from '../inbox/timing.js';
import { leaveReplica, newClient, outliveFailover, type RedisClient } from '../redis/connection.js';
import { cleanError, isReplyError } from '../redis/failure.js';
import { onOneLine } from '../utils/printable.js';
import { succeedsWithin } from '../utils/waiting.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { checkOwner } from './checks.js';
import { dateByRedis, deleteOld } from './dead-letters.js';
import { type InboxJob, isOurs, isStalled, toEvent } from './job.js';
import { type JobRun, JobWorker } from './job-worker.js';
import type { BullMQSettings } from './options.js';
import { delayUnhandled, type PutOff, waitBefore } from './turn.js';

/**
 * Settings of a worker's clients, whose commands wait for Redis without a limit.
 *
 * No delivery waits for them, and nothing is lost.
 *
 * BullMQ 6.7.0 refuses another `maxRetriesPerRequest` (`classes/redis-connection.js:163`). ioredis 6.0.0
 * takes an undefined `commandTimeout` for none (`built/Redis.js:368`), which its types do not say.
 */
const WITHOUT_LIMIT = {
  maxRetriesPerRequest: null,
  commandTimeout: undefined,
  enableOfflineQueue: true,
} as RedisOptions;

/**
 * Delay before BullMQ repeats a command that was rejected because its client ended, in ms.
 *
 * The default of BullMQ 6.7.0 is 15 seconds (`classes/worker.js:40`).
 */
const REPEAT_DELAY_MS = 1_000;
/**
 * Seconds after which an idle worker looks for events that are due.
 *
 * Redis may have announced them to a worker without a handler. The default of BullMQ 6.7.0 is 5
 * (`classes/worker.js:40`).
 */
const IDLE_POLL_S = 1;
/** How long `health` warns of a command that Redis refused, in ms. */
const REFUSAL_MS = 60_000;

/** The longest time between two looks for dead letters that are due for deletion, in ms. */
const CLEAN_MS = 3_600_000;

/** A run that has ended, or that has not begun because the event has to wait or nobody handles it. */
interface EndedJob {
  readonly ending: Ending | ({ readonly kind: 'put off' } & PutOff);
  /** Undefined if there is nothing to report. */
  readonly report?: () => void;
}

/** The parts of a consumer. */
export interface ConsumerParts {
  readonly settings: BullMQSettings;
  readonly runner: Runner;
  readonly reporter: InboxReporter;
}

/** Takes jobs for a worker, and has the ends of their runs recorded: {@link JobConsumer.#recordEnd}. */
export class JobConsumer implements Consumer {
  readonly bullmq: JobWorker;
  readonly #client: RedisClient;
  readonly #parts: ConsumerParts;
  #failure: { readonly message: string; readonly until: number } | undefined;
  #pausing: ReturnType<typeof setTimeout> | undefined;
  #cleaning: ReturnType<typeof setInterval> | undefined;
  #isClosing = false;

  constructor(parts: ConsumerParts) {
    this.#parts = parts;
    const { settings, runner } = parts;
    const defaults = { reconnectOnError: leaveReplica() };
    this.#client = newClient(settings.connection, defaults, WITHOUT_LIMIT);
    this.#client.on('error', (error: Error) => {
      outliveFailover(this.#client, error);
      if (!this.#isClosing) this.#failed(error);
    });
    const { concurrency, lockDuration, maxStalls } = runner.settings;
    const options = {
      connection: this.#client,
      prefix: settings.prefix,
      concurrency,
      lockDuration,
      stalledInterval: lockDuration,
      maxStalledCount: maxStalls,
      drainDelay: IDLE_POLL_S,
      runRetryDelay: REPEAT_DELAY_MS,
      autorun: false,
      removeOnComplete: { count: 0 },
      ...(settings.telemetry && { telemetry: settings.telemetry }),
    };
    const process: Processor<StoredWebhook, string> = (job, token) => this.#process(job, token);
    this.bullmq = new JobWorker(settings.queueName, process, options, this.#client);
    this.#listen();
    void this.#start();
  }

  /** Starts to take events, unless the queue belongs to another application. */
  async #start(): Promise<void> {
    const { settings, reporter } = this.#parts;
    const check = () =>
      checkOwner(this.#client, settings).catch((error: unknown) => {
        if (!this.#isClosing) throw error;
      });
    try {
      await this.bullmq.untilAnswered(check);
    } catch (error) {
      const clean = cleanError(error);
      reporter.storageFailed(clean);
      this.#failure = { message: clean.message, until: Number.POSITIVE_INFINITY };
      return void this.bullmq.close();
    }
    if (this.#isClosing) return;
    const clean = () => this.#send(this.#clean());
    this.#cleaning = setInterval(clean, Math.min(settings.deadLetterRetention, CLEAN_MS));
    clean();
    this.bullmq.run().catch((error: Error) => this.#failed(error));
  }

  async #clean(): Promise<void> {
    await deleteOld(this.#client, this.#parts.settings, await this.bullmq.now());
  }

  /** Why this worker takes no events: Redis has refused a command in the last minute, or it is not connected. */
  get failure(): string | undefined {
    const { message, until = 0 } = this.#failure ?? {};
    return performance.now() < until || this.#client.status !== 'ready' ? message : undefined;
  }

  async close(grace: number): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#pausing);
    clearInterval(this.#cleaning);
    const hasClosed = await succeedsWithin(this.bullmq.close(), grace + RECORD_MS);
    if (!hasClosed) await succeedsWithin(this.bullmq.end(), 0);
    this.#client.disconnect();
  }

  /** BullMQ's processor. */
  async #process(job: InboxJob, token = ''): Promise<string> {
    const event = toEvent(job);
    // Most events run at once.
    const isAtOnce = job.attemptsStarted === 1 && this.#takes(job);
    const early = isAtOnce ? undefined : await this.bullmq.untilAnswered(() => this.#beforeRun(job, event));
    return this.#recordEnd(job, token, early ?? (await this.#run(event, { job, token })));
  }

  #takes(job: InboxJob): boolean {
    return !isOurs(job) || this.#parts.runner.handles(job.name);
  }

  /** Returns what becomes of an event that does not run now: it has to wait, or nobody handles it. */
  async #beforeRun(job: InboxJob, event: InboxEvent): Promise<EndedJob | undefined> {
    const { runner, settings } = this.#parts;
    const { bullmq } = this;
    const run = bullmq.runs.get(event.key);
    // Its lock had expired, for example because Redis was away, and its run goes on here.
    if (run !== undefined && (await bullmq.reclaim(run, true))) return { ending: { kind: 'lost' } };
    const unhandled = bullmq.toKey('unhandled');
    if (this.#takes(job)) {
      this.#send(this.#client.srem(unhandled, event.key));
      const wait = await waitBefore(bullmq, this.#client, event, runner.settings.lockDuration);
      return wait && { ending: { kind: 'put off', ...wait } };
    }
    const added = this.#client.sadd(unhandled, event.key);
    const [now, handedBack] = await Promise.all([bullmq.now(), this.#client.scard(unhandled), added]);
    if (now - event.receivedAt <= settings.deadLetterRetention) {
      return { ending: { kind: 'put off', now, delay: delayUnhandled(handedBack) } };
    }
    this.#send(this.#client.srem(unhandled, event.key));
    const error = unhandledError();
    const report = () => runner.failedByEngine(event, error, 'dead');
    return { ending: { kind: 'dead', reason: error.message }, report };
  }

  async #run(event: InboxEvent, run: JobRun): Promise<EndedJob> {
    const { runs } = this.bullmq;
    runs.set(event.key, run);
    const ended = await this.#parts.runner.run(event);
    if (runs.get(event.key) === run) runs.delete(event.key);
    return ended;
  }

  /**
   * Records how a run has ended.
   *
   * | ending | here | BullMQ's own code |
   * |---|---|---|
   * | done | returns, and the job carries the report | deletes the job, takes the next one, emits `completed` |
   * | retry | delays the job by Redis's clock, and emits `failed` | takes the next one |
   * | dead | moves the job to the failed ones, and emits `failed` | takes the next one |
   * | put off | delays the job by Redis's clock | takes the next one |
   * | given back | moves the job to the front | takes the next one |
   * | lost | | takes the next one |
   *
   * All but the first throw a `WaitingError`, for which BullMQ records nothing.
   */
  async #recordEnd(job: InboxJob, token: string, { ending, report }: EndedJob): Promise<string> {
    const { bullmq } = this;
    if (report !== undefined) job.report = report;
    switch (ending.kind) {
      case 'done':
        return ending.kind;
      case 'retry':
        await this.#putOff(job, token, { delay: ending.delay, failedReason: ending.reason });
        break;
      case 'put off':
        await this.#putOff(job, token, ending);
        break;
      case 'dead': {
        const error = new UnrecoverableError(ending.reason);
        if (await bullmq.record(job, token, 'failure', () => job.moveToFailed(error, token))) {
          bullmq.emit('failed', job, error, 'active');
        }
        break;
      }
      case 'given back':
        await bullmq.record(job, token, 'failure', () => job.moveToWait(token));
        break;
      case 'lost':
        break;
    }
    throw new WaitingError();
  }

  async #putOff(job: InboxJob, token: string, wait: PutOff): Promise<void> {
    const { bullmq } = this;
    let isAhead = false;
    const isRecorded = await bullmq.record(job, token, 'failure', async () => {
      isAhead = await bullmq.putOff(job, token, wait);
    });
    if (isRecorded && wait.failedReason !== undefined) {
      bullmq.emit('failed', job, new Error(wait.failedReason), 'active');
    }
    // It would take at once what it has just put off.
    if (isAhead) this.#pause();
  }

  #listen(): void {
    const { reporter } = this.#parts;
    this.bullmq
      .on('completed', (job: InboxJob) => job.report?.())
      .on('failed', (job: InboxJob | undefined, error) => job && this.#reportFailure(job, error))
      .on('stalled', (key) => reporter.stalled(key))
      .on('lockRenewalFailed', (keys) => this.#send(this.#reclaim(keys)))
      .on('error', (error) => this.#failed(error));
  }

  /** Takes the events of expired locks back for their runs, and aborts the runs whose events others have. */
  async #reclaim(keys: readonly string[]): Promise<void> {
    const { runs } = this.bullmq;
    for (const key of keys) {
      const run = runs.get(key);
      if (run === undefined || (await this.bullmq.reclaim(run))) continue;
      if (runs.get(key) === run) runs.delete(key);
      this.#parts.runner.lockLost(key);
    }
  }

  #reportFailure(job: InboxJob, error: Error): void {
    if (job.finishedOn !== undefined) {
      this.#send(dateByRedis(this.#client, this.bullmq.toKey(''), job));
    }
    if (job.report !== undefined) return job.report();
    // Otherwise BullMQ has made it a failure.
    const cause = isStalled(job) ? stalledError(job.stalledCounter) : cleanError(error);
    this.#parts.runner.failedByEngine(toEvent(job), cause, job.finishedOn === undefined ? 'retry' : 'dead');
  }

  #failed(error: Error & { readonly code?: unknown }): void {
    const { reporter } = this.#parts;
    // A lock that has expired: `lockRenewalFailed` comes too.
    if (error.message.startsWith('could not renew lock')) return;
    // The codes of BullMQ's own errors are numbers (`classes/finished-errors.js:53`), those of Node strings.
    if (typeof error.code === 'number') {
      return reporter.warn(`the end of a run was not recorded: ${onOneLine(error.message)}`);
    }
    const clean = cleanError(error);
    reporter.storageFailed(clean);
    const isRefusal = isReplyError(error);
    this.#failure = { message: clean.message, until: isRefusal ? performance.now() + REFUSAL_MS : 0 };
    if (isRefusal) this.#pause();
  }

  /**
   * BullMQ 6.7.0 repeats a refused command at once (`classes/worker.js:962`), thousands of times a second. A worker
   * that has not started yet does not, and `resume` would start it.
   */
  #pause(): void {
    if (this.#pausing !== undefined || this.#isClosing || !this.bullmq.isRunning()) return;
    void this.bullmq.pause(true);
    this.#pausing = setTimeout(() => {
      this.#pausing = undefined;
      void this.bullmq.resume();
    }, PAUSE_MS);
  }

  /** Sends a command without waiting for it. Later commands of the same connection run after it. */
  #send(sent: Promise<unknown>): void {
    sent.catch((error: Error) => this.#isClosing || this.#failed(error));
  }
}

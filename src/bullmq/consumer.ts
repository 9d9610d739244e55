import { type Processor, UnrecoverableError } from 'bullmq';
import type { RedisOptions } from 'ioredis';
import type { Consumer, Ending, Runner, TakenEvent } from '../inbox/engine.js';
import { NoHandlerError, stalledError } from '../inbox/failure.js';
import type { InboxReporter } from '../inbox/reporter.js';
import { PAUSE_MS, RECORD_MS } from '../inbox/timing.js';
import { leaveReplica, newClient, outliveFailover, type RedisClient } from '../redis/connection.js';
import { cleanError, isReplyError } from '../redis/failure.js';
import { onOneLine } from '../utils/printable.js';
import { succeedsWithin } from '../utils/waiting.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { giveBack, type InboxJob, isOurs, isStalled, settle, toTaken } from './job.js';
import { JobWorker } from './job-worker.js';
import type { BullMQSettings } from './options.js';
import { checkOwner } from './probe.js';
import { CLOCK_TOLERANCE_MS, RedisClock } from './redis-clock.js';
import { delayUnhandled, noteDue, setFields, waitBefore } from './turn.js';
import { Upkeep } from './upkeep.js';

/**
 * Settings of a worker's clients, whose commands wait for Redis without a limit.
 *
 * No delivery waits for them, and nothing is lost.
 *
 * BullMQ 6.7.0 refuses another `maxRetriesPerRequest` (`classes/redis-connection.js:163`). ioredis 6.0.0
 * takes an undefined `commandTimeout` for none (`built/Redis.js:368`), which its types do not say.
 */
const WITHOUT_LIMIT = { maxRetriesPerRequest: null, commandTimeout: undefined } as RedisOptions;

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
/** How long a worker leaves a due event that it gave back to others, in ms. One may have the handler. */
const MAX_YIELD_MS = 100;
/** How long `health` warns of a command that Redis refused, in ms. */
const REFUSAL_MS = 60_000;

/**
 * The key of the function that reports a run once BullMQ has recorded its end. The job has it, or the error that
 * the processor threw.
 *
 * A `WeakMap` of them costs V8 (Node 24) a tenth of a worker's time, for the collection of its garbage.
 */
const REPORT = Symbol('report');

type Reported<Carrier> = Carrier & { [REPORT]?: () => void };

function reportedBy<Carrier extends object>(carrier: Carrier, report: () => void): Carrier {
  return Object.assign(carrier, { [REPORT]: report });
}

/** The parts of a consumer. */
export interface ConsumerParts {
  readonly settings: BullMQSettings;
  readonly runner: Runner;
  readonly reporter: InboxReporter;
  /** Called when it has closed. */
  readonly onClosed: () => void;
}

/** Takes jobs for a worker. BullMQ's own worker records the ends of their runs. */
export class JobConsumer implements Consumer {
  readonly bullmq: JobWorker;
  readonly #client: RedisClient;
  readonly #clock = new RedisClock();
  readonly #parts: ConsumerParts;
  readonly #upkeep: Upkeep;
  #refusal: { readonly message: string; readonly at: number } | undefined;
  #pausing: ReturnType<typeof setTimeout> | undefined;
  #isClosing = false;

  constructor(parts: ConsumerParts) {
    this.#parts = parts;
    const { settings, runner } = parts;
    const reconnectOnError = leaveReplica('resent', (error) =>
      parts.reporter.storageFailed(cleanError(error)),
    );
    this.#client = newClient(settings.connection, { reconnectOnError }, WITHOUT_LIMIT);
    this.#client.on('error', (error: Error) => outliveFailover(this.#client, error));
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
      // The upkeep does both.
      skipLockRenewal: true,
      skipStalledCheck: true,
      removeOnComplete: { count: 0 },
      ...(settings.telemetry === undefined ? {} : { telemetry: settings.telemetry }),
    };
    const process: Processor<StoredWebhook, string> = (job, token) => this.#process(job, token);
    this.bullmq = new JobWorker(settings.queueName, process, options, this.#client);
    this.#listen();
    this.#upkeep = new Upkeep({
      worker: this.bullmq,
      client: this.#client,
      clock: this.#clock,
      lockDuration,
      deadLetterRetention: settings.deadLetterRetention,
    });
    void this.#start();
  }

  /** Starts to take events, unless the queue belongs to another application. */
  async #start(): Promise<void> {
    try {
      await checkOwner(this.#client, this.#parts.settings);
    } catch (error) {
      if (this.#isClosing) return;
      const clean = cleanError(error);
      this.#parts.reporter.storageFailed(clean);
      this.#refusal = { message: clean.message, at: Number.POSITIVE_INFINITY };
      return void this.bullmq.close();
    }
    this.bullmq.run().catch((error: Error) => this.#failed(error));
  }

  /** Why Redis has refused a command of this worker in the last minute. */
  get refusal(): string | undefined {
    const { message, at } = this.#refusal ?? { message: undefined, at: 0 };
    return performance.now() - at < REFUSAL_MS ? message : undefined;
  }

  async close(grace: number): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#pausing);
    const hasClosed = await succeedsWithin(this.bullmq.close(), grace + RECORD_MS);
    this.#upkeep.end();
    if (!hasClosed) await succeedsWithin(this.bullmq.end(), 0);
    this.#client.disconnect();
    this.#parts.onClosed();
  }

  /** BullMQ's processor: its result or its error says how the run has ended. */
  async #process(job: InboxJob, token = ''): Promise<string> {
    const { running } = this.#upkeep;
    const event = toTaken(job);
    running.set(event.key, token);
    try {
      // Most events run at once.
      if (job.attemptsStarted > 1 || !this.#handles(job)) await this.#awaitTurn(job, event, token);
      const { ending, report } = await this.#parts.runner.run(event);
      return await this.#settle(job, token, ending, report);
    } finally {
      // Unless this worker has taken it again in the meantime.
      if (running.get(event.key) === token) running.delete(event.key);
    }
  }

  #handles(job: InboxJob): boolean {
    return !isOurs(job) || this.#parts.runner.handles(job.name);
  }

  /** Throws to give back an event that has to wait, or to bury one that nobody handles. */
  async #awaitTurn(job: InboxJob, event: TakenEvent, token: string): Promise<void> {
    const { runner, settings } = this.#parts;
    const unhandled = this.bullmq.toKey('unhandled');
    if (!this.#handles(job)) {
      if (this.#clock.now() - event.receivedAt > settings.deadLetterRetention) {
        this.#send(this.#client.srem(unhandled, event.key));
        throw this.#nobodyHandles(event);
      }
      this.#send(this.#client.sadd(unhandled, event.key));
      const delayed = await this.#client.zcard(this.bullmq.toKey('delayed'));
      const delay = delayUnhandled(delayed);
      // It still takes events for half of the time, even if all delayed events are its own.
      this.bullmq.yieldAt(Date.now() + delay, Math.min(delay / (2 * delayed + 2), MAX_YIELD_MS));
      return giveBack(job, token, delay);
    }
    this.#send(this.#client.srem(unhandled, event.key));
    const { lockDuration } = runner.settings;
    const wait = await waitBefore(this.#client, this.#keyOf(job), event, this.#clock, lockDuration);
    if (wait > 0) await giveBack(job, token, wait);
  }

  #nobodyHandles(event: TakenEvent): Error {
    const error = new NoHandlerError();
    const thrown = new UnrecoverableError(error.message);
    return reportedBy(thrown, () => this.#parts.runner.failedByEngine(event, error, 'dead'));
  }

  async #settle(job: InboxJob, token: string, ending: Ending, report: () => void): Promise<string> {
    if (ending.kind === 'retry') {
      this.#send(noteDue(this.#client, this.#keyOf(job), this.#clock, ending.delay));
    }
    try {
      const result = await settle(job, token, ending);
      reportedBy(job, report);
      return result;
    } catch (error) {
      // BullMQ passes the error on to `failed`.
      throw reportedBy(error as Error, report);
    }
  }

  #listen(): void {
    const { reporter, runner } = this.#parts;
    this.bullmq
      .on('completed', (job: Reported<InboxJob>) => job[REPORT]?.())
      .on('failed', (job, error) => job && this.#reportFailure(job, error))
      .on('stalled', (key) => reporter.stalled(key))
      .on('lockRenewalFailed', (keys) => {
        for (const key of keys) runner.lockLost(key);
      })
      .on('error', (error) => this.#failed(error));
  }

  #reportFailure(job: InboxJob, error: Reported<Error>): void {
    if (job.finishedOn !== undefined) this.#dateFailure(job);
    if (error[REPORT] !== undefined) return error[REPORT]();
    // Otherwise Redis refused to record an end, for example because it is full, and BullMQ made that a failure.
    const cause = isStalled(job) ? stalledError(job.stalledCounter) : cleanError(error);
    this.#parts.runner.failedByEngine(toTaken(job), cause, job.finishedOn === undefined ? 'retry' : 'dead');
  }

  /** Dates a dead letter by the clock of Redis. BullMQ used the clock of this machine. */
  #dateFailure(job: InboxJob): void {
    if (Math.abs(this.#clock.behind()) < CLOCK_TOLERANCE_MS) return;
    const now = this.#clock.now();
    this.#send(this.#client.zadd(this.bullmq.toKey('failed'), 'XX', now, job.id ?? ''));
    this.#send(setFields(this.#client, this.#keyOf(job), ['finishedOn', now]));
  }

  #failed(error: Error & { readonly code?: unknown }): void {
    const { reporter } = this.#parts;
    // The codes of BullMQ's own errors are numbers (`classes/finished-errors.js:53`), those of Node strings.
    if (typeof error.code === 'number') {
      return reporter.warn(`the end of a run was not recorded: ${onOneLine(error.message)}`);
    }
    const clean = cleanError(error);
    reporter.storageFailed(clean);
    if (!isReplyError(error)) return;
    this.#refusal = { message: clean.message, at: performance.now() };
    this.#pause();
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

  /** Sends a command without waiting for it. Later commands of the same connection run after it. */
  #send(sent: Promise<unknown>): void {
    sent.catch((error: Error) => this.#isClosing || this.#failed(error));
  }

  #keyOf(job: InboxJob): string {
    return this.bullmq.toKey(job.id ?? '');
  }
}

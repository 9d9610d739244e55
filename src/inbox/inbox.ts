import { WebhookError } from '../errors/index.js';
import { bindMethods } from '../utils/bound.js';
import { sleep, succeedsWithin, unref, within, withRetries } from '../utils/waiting.js';
import type { StoredWebhook, WebhookInbox } from '../webhooks/inbox.js';
import { DeadLetters } from './dead-letters.js';
import type { Consumer, Engine } from './engine.js';
import { closedError } from './failure.js';
import {
  type InboxHealth,
  type InboxWarnings,
  type SharedWarning,
  toHealth,
  UNATTENDED_MS,
  UNKNOWN,
} from './health.js';
import {
  type CloseOptions,
  type InboxSettings,
  resolveGrace,
  resolveWork,
  type WorkOptions,
} from './options.js';
import type { InboxReporter } from './reporter.js';
import { type EventHandlers, type HandlersByType, toHandlers } from './work-handlers.js';
import { type InboxWorker, Runs, type WorkerParts } from './worker.js';

/*
 * How an event goes through an inbox:
 *
 * 1. Stored: the receiver has verified a delivery, and `store` waits until the engine has taken the event.
 *    Then the receiver responds with 200.
 * 2. Run (`worker.ts`, `run.ts`): the engine gives the event to a worker, with a lock that is renewed. If the
 *    worker dies or loses the lock, the event is given to another one. A run comes to one of five endings
 *    (`engine.ts`), which the engine records.
 * 3. Retried: if a handler fails, the event waits for the backoff, and runs again. An event whose type has no
 *    handler in a worker waits for a worker that has one.
 * 4. Dead letter (`dead-letters.ts`): an event without attempts left, or with an invalid payload, is kept for
 *    a while.
 */

/** Limits the events that wait to be stored, in characters: they are in memory. Tests lower it. */
export const WAITING = { most: 64 * 1024 * 1024 };

/** An engine gives up this much before its time limit, in ms, so that its own error is reported. */
const EARLIER_MS = 10;
/** Time limit of the test write that `health` makes, in ms. */
const PROBE_TIMEOUT_MS = 1_000;

/** The shortest time between two looks for a worker, in ms. Each counts all events. */
const LEAST_WATCH_MS = 1_000;

/** Milliseconds between two looks of `idle`. */
const IDLE_POLL_MS = 10;
/** Milliseconds after which `idle` says what it waits for. */
const IDLE_QUIET_MS = 2_000;

/** Time limit for closing the storage, in ms. */
const CLOSE_STORAGE_MS = 500;

/** The parts of an inbox. */
export interface InboxParts<Warning extends string, Takes extends Consumer, Worker> {
  readonly settings: InboxSettings;
  readonly reporter: InboxReporter;
  readonly engine: Engine<Warning, Takes>;
  /** The class of its workers. */
  readonly Worker: new (
    parts: WorkerParts<Takes>,
  ) => Worker;
}

/** Keeps each event until a worker has handled it. */
export class Inbox<
  Warning extends string = string,
  Takes extends Consumer = Consumer,
  Worker extends InboxWorker<Takes> = InboxWorker<Takes>,
> implements WebhookInbox
{
  /** The events that failed for good. */
  readonly deadLetters: DeadLetters;
  /** Time limit of `store`, in ms. */
  readonly storeTimeout: number;
  readonly #parts: InboxParts<Warning, Takes, Worker>;
  /** The number of characters in events that wait to be stored. */
  #waitingChars = 0;
  /** The workers of this process, each with its consumer and its handlers. */
  readonly #workers = new Map<Worker, { readonly consumer: Takes; readonly handlers: EventHandlers }>();
  #watching: ReturnType<typeof setTimeout> | undefined;
  #closing: Promise<void> | undefined;
  /** They reject the calls that still wait for the storage when the inbox has closed. */
  readonly #rejecters = new Set<(reason: Error) => void>();

  /** Use `createSqliteInbox`, `createPostgresInbox` or `createBullMQInbox`. */
  constructor(parts: InboxParts<Warning, Takes, Worker>) {
    this.#parts = parts;
    this.storeTimeout = parts.settings.storeTimeout;
    bindMethods(this);
    this.deadLetters = new DeadLetters(parts.engine.deadLetters, (query) =>
      this.#ask(query, 'Cannot read the dead letters'),
    );
  }

  /**
   * Stores an event, unless its key is there already. The receiver calls it.
   *
   * Resolves when the event is stored. Retries while the storage is away or full, which is safe, because each
   * key is stored once.
   *
   * @throws {InboxFullError} There was no room for all of `storeTimeout`.
   * @throws {WebhookError} It was not stored in time. The message gives the reason, and contains nothing of
   * the event.
   */
  async store(event: StoredWebhook): Promise<void> {
    const { engine, reporter } = this.#parts;
    const json = JSON.stringify(event);
    const { length } = json;
    if (this.#waitingChars + length > WAITING.most) {
      const problem = `More than ${WAITING.most} characters of events wait to be stored`;
      throw new WebhookError(`${problem}: ${reporter.storage} does not keep up`);
    }
    this.#waitingChars += length;
    const leave = () => void (this.#waitingChars -= length);
    let storing: Promise<void> = Promise.resolve();
    const notStored = `The event could not be stored in ${reporter.storage}`;
    const attempt = (msLeft: number): Promise<void> => {
      storing = engine.store(event, Math.max(msLeft - EARLIER_MS, 1), json);
      return within(storing, msLeft, () => new WebhookError(`${notStored}: no response within ${msLeft} ms`));
    };
    try {
      const store = () => withRetries(attempt, this.storeTimeout, (error) => engine.mayPass(error));
      await this.#ask(store, notStored);
      for (const { consumer } of this.#workers.values()) consumer.wake?.();
      this.#watch();
    } finally {
      // Only now: an attempt that timed out may still wait for its connection, with the event in memory.
      storing.then(leave, leave);
    }
  }

  /**
   * Looks whether events have waited for a minute without a worker: a receiver responds with 200 all the same.
   *
   * Goes on for as long as there are events.
   */
  #watch(delay = UNATTENDED_MS): void {
    if (this.#watching !== undefined || this.#workers.size > 0 || this.#closing !== undefined) return;
    this.#watching = setTimeout(() => void this.#look(), delay);
    unref(this.#watching);
  }

  async #look(): Promise<void> {
    this.#watching = undefined;
    const { depth, oldestMs = 0 } = await this.health();
    if (depth === 0) return;
    const left = UNATTENDED_MS - oldestMs;
    this.#watch(left > 0 ? Math.max(left, LEAST_WATCH_MS) : UNATTENDED_MS);
  }

  /**
   * Starts processing stored events, in this process.
   *
   * Any number of workers in any number of processes share one inbox; each event goes to one worker at a time.
   * Handlers must be idempotent: if a worker dies inside them, the event runs again.
   *
   * @param work - Handlers by event type, or `createWebhookHandlers()`. They need no secret.
   * @throws {ConfigurationError} An option is wrong, there is no such event type, or `work` is a receiver.
   *
   * @example
   * ```ts
   * import { createSqliteInbox } from 'agent-platform-sdk/sqlite';
   *
   * const inbox = createSqliteInbox({ path: '/data/webhooks.db' });
   * inbox.work(
   *   {
   *     lead_captured: async ({ payload }, { signal }) => {
   *       const body = JSON.stringify({ name: payload.leadName, email: payload.leadEmail });
   *       const response = await fetch('https://crm.example/leads', { method: 'POST', body, signal });
   *       // `fetch` resolves for a 500 too. A handler that throws is retried.
   *       if (!response.ok) throw new Error(`the CRM responded with ${response.status}`);
   *     },
   *   },
   *   { concurrency: 50, onError: (error, { event }) => console.error(event?.type, error) },
   * );
   * process.on('SIGTERM', () => void inbox.close());
   * ```
   */
  work(work: HandlersByType | EventHandlers, options: WorkOptions = {}): Worker {
    if (this.#closing !== undefined) throw closedError();
    const { engine, settings, reporter, Worker } = this.#parts;
    const handlers = toHandlers(work, options.onError, settings.log);
    const runs = new Runs({
      settings,
      reporter,
      work: resolveWork(options, settings.log),
      handlers,
      anyHandles: (type) => this.#handles(type),
    });
    const consumer = engine.consume(runs);
    const onClosed = () => {
      this.#workers.delete(worker);
      this.#watch();
    };
    const worker: Worker = new Worker({ consumer, runs, log: settings.log, onClosed });
    this.#workers.set(worker, { consumer, handlers });
    return worker;
  }

  /** Whether a worker of this process handles events of a type. The service's test event needs no handler. */
  #handles(type: string): boolean {
    return (
      type === 'webhook_test' || [...this.#workers.values()].some(({ handlers }) => handlers.handles(type))
    );
  }

  /**
   * Returns the state of the inbox, for a readiness probe and for metrics. Never rejects.
   *
   * @example
   * ```ts
   * import { createSqliteInbox } from 'agent-platform-sdk/sqlite';
   *
   * const inbox = createSqliteInbox({ path: '/data/webhooks.db' });
   * const { ready, depth, deadLetters, warnings } = await inbox.health();
   * console.log(ready, depth, deadLetters, Object.values(warnings));
   * ```
   */
  async health(): Promise<InboxHealth<Warning>> {
    const { engine, reporter } = this.#parts;
    const handles = (type: string) => this.#handles(type);
    const looking = this.#findObstacles();
    try {
      const { counts, warnings } = await engine.health(this.#workers.size > 0 ? handles : undefined);
      const health = toHealth<Warning>(counts, { ...warnings, ...(await looking) });
      reporter.warnOfAll(health.warnings);
      return health;
    } catch (error) {
      const unreachable = `Cannot reach the inbox: ${engine.clean(error).message}`;
      return toHealth<Warning>(UNKNOWN, { unreachable });
    }
  }

  /** Makes a test write, and looks for a worker of this process that takes no events. Never rejects. */
  async #findObstacles(): Promise<InboxWarnings<SharedWarning>> {
    const { engine } = this.#parts;
    const late = () => new WebhookError(`no response within ${PROBE_TIMEOUT_MS} ms`);
    const refused = await within(engine.probe(PROBE_TIMEOUT_MS - EARLIER_MS), PROBE_TIMEOUT_MS, late).then(
      () => undefined,
      (error: unknown) => `No event can be stored: ${engine.clean(error).message}`,
    );
    const [failure] = [...this.#workers.values()].flatMap(({ consumer }) => consumer.failure ?? []);
    return {
      ...(refused && { refused }),
      ...(failure && { worker: `A worker of this process takes no events: ${failure}` }),
    };
  }

  /**
   * Resolves when no event waits or runs. For tests, because it polls the storage.
   *
   * Events that wait for a retry count too. After two seconds, a line at `warn` says what it waits for.
   *
   * @throws {WebhookError} The inbox is closed.
   *
   * @example
   * ```ts
   * import { createSqliteInbox } from 'agent-platform-sdk/sqlite';
   *
   * const inbox = createSqliteInbox({ path: '/tmp/webhooks.db' });
   * inbox.work({ lead_captured: ({ payload }) => console.log(payload.leadEmail) });
   * await inbox.idle();
   * ```
   */
  async idle(): Promise<void> {
    const startedAt = performance.now();
    let hasSaid = false;
    for (;;) {
      const { depth, waiting, active, retrying, workers, warnings } = await this.health();
      if (depth === 0) return;
      if (this.#closing !== undefined) throw closedError();
      if (!hasSaid && performance.now() - startedAt >= IDLE_QUIET_MS) {
        hasSaid = true;
        const counts = `${waiting} waiting, ${active} running, ${retrying} to be retried; ${workers} workers`;
        const what = depth === undefined ? Object.values(warnings).join(' ') : counts;
        this.#parts.reporter.warn(`idle() waits for events: ${what}`);
      }
      await sleep(IDLE_POLL_MS);
    }
  }

  /**
   * Lets events in progress finish or go back to the queue, and closes the storage.
   *
   * Takes at most `grace` and three seconds, whatever the storage does. A Redis client of yours stays open.
   *
   * @throws {ConfigurationError} `grace` is wrong. Nothing is closed then.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    resolveGrace(options, this.#parts.settings.log);
    this.#closing ??= this.#close(options);
    return this.#closing;
  }

  async #close(options: CloseOptions): Promise<void> {
    clearTimeout(this.#watching);
    await Promise.all([...this.#workers.keys()].map((worker) => worker.close(options)));
    await succeedsWithin(this.#parts.engine.close(), CLOSE_STORAGE_MS);
    // Lets callers continue first whose call has just succeeded.
    await sleep(0);
    for (const reject of this.#rejecters) reject(closedError());
  }

  /**
   * Waits for the storage, until the inbox has closed: a command in a Redis client of yours may wait for longer.
   *
   * Replaces the errors of the storage, which may contain more than is safe to log.
   */
  #ask<Value>(query: () => Promise<Value>, problem: string): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#rejecters.add(reject);
      query()
        .finally(() => this.#rejecters.delete(reject))
        .then(resolve, (error: unknown) => reject(this.#failure(problem, error)));
    });
  }

  /** Makes an error that is safe to log. */
  #failure(what: string, error: unknown): WebhookError {
    if (error instanceof WebhookError) return error;
    const cause = this.#parts.engine.clean(error);
    return new WebhookError(`${what}: ${cause.message}`, { cause });
  }
}

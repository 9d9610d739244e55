import { InboxFullError } from '../errors/inbox.js';
import { WebhookError } from '../errors/index.js';
import { DeadLetters } from '../inbox/dead-letters.js';
import { type EventHandlers, type HandlersByType, toHandlers } from '../inbox/handlers.js';
import type { InboxHealth, InboxWarnings } from '../inbox/health.js';
import { type CloseOptions, resolveGrace, resolveWork, type WorkOptions } from '../inbox/options.js';
import { InboxReporter } from '../inbox/reporter.js';
import { WaitingRoom } from '../inbox/waiting-room.js';
import { withRetries } from '../utils/waiting.js';
import type { StoredWebhook, WebhookInbox } from '../webhooks/inbox.js';
import { DeadRows } from './dead-letters.js';
import { fileFailure, mayPass } from './failure.js';
import { InboxFile } from './file.js';
import { type InboxWarning, readHealth } from './health.js';
import { resolveInbox, type SqliteInboxOptions, type SqliteSettings } from './options.js';
import { InboxWorker } from './worker.js';

/*
 * The way of an event through the inbox:
 *
 * 1. Stored: the receiver has verified a delivery, and `store` adds a row (`events.ts`). The receiver
 *    responds with 200 when the row is on the disk: `writer.ts` commits what comes at the same time
 *    together.
 * 2. Run (`worker.ts`): a worker takes the event, with a lock in its row that the worker renews, and runs
 *    the handlers (`run.ts`). If the worker dies or loses the lock, another one takes the event. When all
 *    handlers have succeeded, the row is deleted, and its key remembered.
 * 3. Retried: if a handler fails, the event waits for the backoff, and runs again.
 * 4. Parked: an event without a handler here waits for a worker that has one.
 * 5. Dead letter (`dead-letters.ts`): an event without attempts left, or with an invalid payload, is kept
 *    for a while.
 *
 * `database.ts` opens the file and has its tables, `disk.ts` measures the room, `health.ts` counts.
 * What does not know SQLite stands in `src/inbox/`.
 */

const MAKE_ROOM = 'Make room on the disk, start more workers, or remove dead letters.';

/** A durable inbox in one file, for all processes of one machine. */
export class SqliteInbox implements WebhookInbox {
  /** The events that could not be handled. */
  readonly deadLetters: DeadLetters;
  /** Time limit of `store`, in ms. */
  readonly storeTimeout: number;
  readonly #settings: SqliteSettings;
  readonly #reporter: InboxReporter;
  readonly #file: InboxFile;
  readonly #waiting = new WaitingRoom();
  readonly #workers = new Set<InboxWorker>();
  #closing: Promise<void> | undefined;

  /** Use {@link createSqliteInbox}. */
  constructor(options: SqliteInboxOptions) {
    this.#settings = resolveInbox(options);
    this.storeTimeout = this.#settings.storeTimeout;
    this.#reporter = new InboxReporter(this.#settings, 'the file');
    this.#file = new InboxFile(this.#settings, this.#reporter);
    this.deadLetters = new DeadLetters(new DeadRows(this.#file), fileFailure);
    this.#warn(this.#file.disk.warnings());
  }

  /**
   * Stores an event, unless its key is there already. Called by the receiver. Resolves when it is on the
   * disk.
   *
   * @throws {InboxFullError} The disk had less than `minFree` for all of `storeTimeout`.
   * @throws {WebhookError} It was not stored in time. The message gives the reason, and contains nothing of
   * the event.
   */
  async store(webhook: StoredWebhook): Promise<void> {
    const data = JSON.stringify(webhook);
    const add = (msLeft: number) => this.#add(webhook, data, msLeft);
    const leave = this.#waiting.enter(data.length);
    try {
      await withRetries(add, this.storeTimeout, mayPass);
    } catch (error) {
      throw fileFailure('The event could not be stored in the file', error);
    } finally {
      leave();
    }
    for (const worker of this.#workers) worker.wake();
  }

  async #add(webhook: StoredWebhook, data: string, timeout: number): Promise<void> {
    const file = this.#file;
    const full = await file.read(() => file.disk.fullBy());
    if (full !== undefined) throw new InboxFullError(full, MAKE_ROOM);
    await file.write(() => file.events.store(webhook, data, Date.now()), timeout);
  }

  /**
   * Starts processing stored events, in this process.
   *
   * Any number of workers in any number of processes of this machine share one file; each event is given to
   * one at a time. Handlers must be idempotent: if a worker dies inside them, the event runs again.
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
  work(work: HandlersByType | EventHandlers, options: WorkOptions = {}): InboxWorker {
    if (this.#closing !== undefined) throw new WebhookError('The inbox is closed.');
    const worker: InboxWorker = new InboxWorker({
      file: this.#file,
      settings: this.#settings,
      work: resolveWork(options),
      reporter: this.#reporter,
      handlers: toHandlers(work, options.onError, this.#settings.logging),
      onClosed: () => this.#workers.delete(worker),
    });
    this.#workers.add(worker);
    return worker;
  }

  /**
   * Returns the state of the inbox, for a readiness probe and for metrics. Never rejects.
   *
   * A damaged file stays `ready`, and has the warning `damaged`: an event that is refused would be lost for
   * certain.
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
  async health(): Promise<InboxHealth<InboxWarning>> {
    const health = await readHealth(this.#file);
    this.#warn(health.warnings);
    return health;
  }

  /**
   * Stops taking events, lets those in progress finish or go back to the queue, and closes the file.
   *
   * @throws {ConfigurationError} `grace` is wrong. Nothing is closed then.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    resolveGrace(options);
    this.#closing ??= this.#close(options);
    return this.#closing;
  }

  async #close(options: CloseOptions): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => worker.close(options)));
    await this.#file.close();
  }

  #warn(warnings: InboxWarnings<InboxWarning>): void {
    for (const [kind, warning] of Object.entries(warnings)) this.#reporter.warnOnce(kind, warning);
  }
}

/**
 * Makes a durable inbox for webhooks in one file, for receivers and workers on one machine.
 *
 * With it, a receiver responds with 200 when the event is on the disk. Workers run the handlers until they
 * succeed, and keep an event that fails for good as a dead letter. It needs no server, and no other
 * package.
 *
 * It needs Node 22.22.3, 24.15 or later, Bun or Deno, and a disk that outlives the process: in a container,
 * a volume. An event is as safe as that disk. On several machines, use `createBullMQInbox`.
 *
 * @throws {ConfigurationError} An option is wrong, the file cannot be opened, or this runtime has no safe
 * SQLite.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { createWebhookReceiver } from 'agent-platform-sdk';
 * import { createSqliteInbox } from 'agent-platform-sdk/sqlite';
 *
 * const inbox = createSqliteInbox({ path: '/data/webhooks.db' });
 * const receiver = createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET, inbox });
 * createServer(receiver.node).listen(3000);
 *
 * inbox.work({ lead_captured: ({ payload }) => console.log(payload.leadEmail) }, { concurrency: 20 });
 * ```
 */
export function createSqliteInbox(options: SqliteInboxOptions): SqliteInbox {
  return new SqliteInbox(options);
}

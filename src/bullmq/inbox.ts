import { forCaller } from '../errors/caller.js';
import { WebhookError } from '../errors/index.js';
import { passwordsOf } from '../redis/connection.js';
import { isConnectionLost, isRefusedForNow, redisFailure } from '../redis/failure.js';
import { withRetries, withTimeLimit } from '../redis/waiting.js';
import type { StoredWebhook, WebhookInbox } from '../webhooks/inbox.js';
import { DeadLetters } from './dead-letters.js';
import { type InboxHealth, readHealth, unreachable } from './health.js';
import { InboxReporter } from './inbox-hooks.js';
import { type BullMQInboxOptions, type InboxSettings, resolveInbox } from './inbox-options.js';
import { InboxQueue, type OpenQueue } from './inbox-queue.js';
import { InboxWorker } from './inbox-worker.js';
import { jobData } from './job-data.js';
import { toProcessor, type WebhookHandlers, type WebhookProcessor } from './run.js';
import { type CloseOptions, resolveGrace, type WorkOptions } from './work-options.js';

/*
 * The way of an event through the inbox:
 *
 * 1. Stored: the receiver has verified a delivery, and `store` adds it to the queue as a job (`inbox-queue.ts`). The id of
 *    the job is the key of the event, so that a copy adds nothing. Then the delivery is answered 200.
 * 2. Taken: a worker takes the job, with a lock that it renews (`inbox-worker.ts`). If the worker dies or loses the lock,
 *    another worker takes the job.
 * 3. Handled: the handlers run with the event (`run.ts`). When all have succeeded, the job is deleted, and its key is
 *    remembered for the rest of the retention.
 * 4. Retried: if a handler fails, the job waits for the backoff, and is taken again.
 * 5. Dead-lettered: a job whose attempts are used up, or whose payload is invalid, is kept until it is replayed or removed
 *    (`dead-letters.ts`).
 *
 * Each step is logged, counted and told to the hooks (`inbox-hooks.ts`). `health.ts` counts the jobs of each stage.
 */

/** Milliseconds for which `health` waits for Redis, and `deadLetters` for a connection to it. */
const ASKING = 2_000;

const NOT_STORED = 'The event could not be stored in Redis';

/** A durable inbox on BullMQ. */
export class BullMQInbox implements WebhookInbox {
  /** The events that could not be handled. */
  readonly deadLetters: DeadLetters;
  readonly #settings: InboxSettings;
  readonly #passwords: readonly string[];
  readonly #reporter: InboxReporter;
  readonly #queue: InboxQueue;
  readonly #workers = new Set<InboxWorker>();
  #isClosed = false;

  /** Use {@link createBullMQInbox}. */
  constructor(options: BullMQInboxOptions) {
    this.#settings = resolveInbox(options);
    const { connection, log, hooks } = this.#settings;
    this.#passwords = passwordsOf(connection);
    this.#reporter = new InboxReporter(log, hooks, this.#passwords);
    this.#queue = new InboxQueue(this.#settings, this.#reporter);
    this.deadLetters = new DeadLetters(() => this.#open(), this.#passwords);
  }

  /**
   * Stores an event, unless it is there already. Called by the receiver.
   *
   * @throws {InboxFullError} Redis is fuller than `highWater` allows.
   * @throws {InboxReplicasError} The event did not reach as many `replicas` as are asked for in time.
   * @throws {WebhookError} Redis did not store the event in time. The message says why, and holds nothing of the event.
   */
  async store(webhook: StoredWebhook): Promise<void> {
    const began = performance.now();
    const isAsked = this.#settings.hooks.onStored !== undefined;
    const duplicate = await this.#add(jobData(webhook), isAsked);
    if (duplicate === undefined) {
      this.#reporter.redisWrites();
      return;
    }
    const { key, type, workspace } = webhook;
    this.#reporter.stored({ key, type, workspace, duplicate, durationMs: performance.now() - began });
  }

  /** Adds an event, made by `jobData`, and tells whether it is a duplicate, if that is asked. */
  async #add(webhook: StoredWebhook, isAsked: boolean): Promise<boolean | undefined> {
    let isRepeated = false;
    // Safe to repeat if the answer of Redis was lost: the key is the id of the job.
    const attempt = (left: number) =>
      withTimeLimit(this.#queue.add(webhook, left, isAsked), left, NOT_STORED);
    const isPassing = (error: unknown) => {
      const isLost = isConnectionLost(error);
      isRepeated ||= isLost;
      return isLost || isRefusedForNow(error);
    };
    try {
      const isThere = await withRetries(attempt, this.#settings.storeTimeout, isPassing);
      // After an answer was lost, the job that is there may be this very delivery's.
      return isThere && !isRepeated;
    } catch (error) {
      throw redisFailure(NOT_STORED, error, this.#passwords);
    }
  }

  /**
   * Starts processing stored events, in this process. Any number of workers in any number of processes share one
   * queue; each event is given to one at a time. Handlers must be idempotent, because the event of a worker that dies
   * inside them is run again.
   *
   * @param work - A receiver with its handlers, or handlers by event type, which need no secret.
   * @throws {ConfigurationError} An option is wrong, or there is no such event type.
   * @throws {WebhookError} The inbox is closed.
   *
   * @example
   * ```ts
   * import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
   *
   * const inbox = createBullMQInbox({ connection: process.env.REDIS_URL ?? 'redis://localhost:6379' });
   * inbox.work(
   *   {
   *     lead_captured: async ({ payload }, { signal }) => {
   *       const body = JSON.stringify({ name: payload.leadName, email: payload.leadEmail });
   *       const response = await fetch('https://crm.example/leads', { method: 'POST', body, signal });
   *       // `fetch` resolves for a 500 too. A handler that throws is retried.
   *       if (!response.ok) throw new Error(`the CRM answered ${response.status}`);
   *     },
   *   },
   *   { concurrency: 50 },
   * );
   * process.on('SIGTERM', () => void inbox.close());
   * ```
   */
  work(work: WebhookProcessor | WebhookHandlers, options: WorkOptions = {}): InboxWorker {
    if (this.#isClosed) throw new WebhookError('The inbox is closed.');
    const processor = toProcessor(work, this.#settings.logging);
    const worker = new InboxWorker(this.#settings, this.#reporter, processor, options);
    this.#workers.add(worker);
    return worker;
  }

  /**
   * Returns the state of the inbox, for a readiness probe and for metrics. Never rejects.
   *
   * @example
   * ```ts
   * import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
   *
   * const inbox = createBullMQInbox({ connection: process.env.REDIS_URL ?? 'redis://localhost:6379' });
   * const { ready, depth, deadLetters, warnings } = await inbox.health();
   * console.log(ready, depth, deadLetters, warnings);
   * ```
   */
  async health(): Promise<InboxHealth> {
    const read = (opened: OpenQueue) => readHealth(opened, this.#settings, this.#passwords, this.#reporter);
    try {
      const asking = this.#queue.open(ASKING).then(read);
      return await withTimeLimit(asking, ASKING, 'The inbox was asked');
    } catch (error) {
      return unreachable(error, this.#passwords, this.#reporter.failures);
    }
  }

  /**
   * Takes no more events, lets those being processed finish or go back to the queue, and closes the connections. A client
   * that was passed in stays open.
   *
   * @throws {ConfigurationError} `grace` is wrong. Nothing is closed then.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    resolveGrace(options);
    this.#isClosed = true;
    await Promise.all([...this.#workers].map((worker) => worker.close(options)));
    await this.#queue.close();
  }

  async #open(): Promise<OpenQueue> {
    try {
      return await this.#queue.open(ASKING);
    } catch (error) {
      throw redisFailure('The inbox could not be opened', error, this.#passwords);
    }
  }
}

/**
 * Makes a durable inbox for webhooks on BullMQ and Redis, for the receiving and for the working side, in one process
 * or in many. With it, a receiver answers 200 when the event is in Redis. Then workers run the handlers until they
 * succeed, and keep an event that fails for good as a dead letter.
 *
 * An event is as safe as Redis keeps it: set `maxmemory-policy noeviction`, `appendonly yes` and `appendfsync always`.
 * `health().warnings` names each setting that is weaker. Connects when it is first used.
 *
 * @throws {ConfigurationError} An option is wrong. The message never shows the connection.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { createWebhookReceiver } from 'agent-platform-sdk';
 * import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
 *
 * const inbox = createBullMQInbox({ connection: process.env.REDIS_URL ?? 'redis://localhost:6379' });
 * const secret = process.env.WORKSPACE_SECRET ?? '';
 * const receiver = createWebhookReceiver({ secret, inbox }).on('lead_captured', async (event) => {
 *   console.log(event.payload.leadEmail);
 * });
 *
 * createServer(receiver.node).listen(3000);
 * inbox.work(receiver, { concurrency: 20 });
 * ```
 */
export function createBullMQInbox(options: BullMQInboxOptions): BullMQInbox {
  return forCaller(createBullMQInbox, () => new BullMQInbox(options));
}

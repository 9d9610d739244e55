import type { Queue } from 'bullmq';
import { WebhookError } from '../errors/index.js';
import { DeadLetters } from '../inbox/dead-letters.js';
import { type EventHandlers, type HandlersByType, toHandlers } from '../inbox/handlers.js';
import { type InboxHealth, unreachableHealth } from '../inbox/health.js';
import { type CloseOptions, resolveGrace, resolveWork, type WorkOptions } from '../inbox/options.js';
import { InboxReporter } from '../inbox/reporter.js';
import { cleanError, redisFailure, withinTime } from '../redis/failure.js';
import type { StoredWebhook, WebhookInbox } from '../webhooks/inbox.js';
import { FailedJobs } from './dead-letters.js';
import { readHealth } from './health.js';
import { type BullMQInboxOptions, type BullMQSettings, resolveInbox } from './options.js';
import { InboxQueue } from './queue.js';
import type { InboxWarning } from './warnings.js';
import { InboxWorker } from './worker.js';

/*
 * The way of an event through the inbox:
 *
 * 1. Stored (`queue.ts`): the receiver has verified a delivery, and `store` adds it to the queue as a job,
 *    whose id is the key of the event. Then the receiver responds with 200.
 * 2. Run (`worker.ts`): a worker takes the job, with a lock that BullMQ renews, and runs the handlers. If the
 *    worker dies or loses the lock, another one takes the job. When all handlers have succeeded, the job is
 *    deleted.
 * 3. Retried: if a handler fails, the job waits for the backoff, and runs again.
 * 4. Dead letter (`dead-letters.ts`): a job without attempts left, or with an invalid payload, is kept for a
 *    while.
 *
 * `job.ts` describes an event to BullMQ, `health.ts` counts, `warnings.ts` looks at the settings of Redis.
 * What does not know BullMQ stands in `src/inbox/`.
 */

/** Time limit of `health`, and of the connection that `deadLetters` needs, in ms. */
const QUERY_TIMEOUT_MS = 2_000;

/** A durable inbox on BullMQ. */
export class BullMQInbox implements WebhookInbox {
  /** The events that could not be handled: BullMQ's failed jobs of `queue`. */
  readonly deadLetters: DeadLetters;
  /** Time limit of `store`, in ms. */
  readonly storeTimeout: number;
  readonly #settings: BullMQSettings;
  readonly #reporter: InboxReporter;
  readonly #queue: InboxQueue;
  readonly #workers = new Set<InboxWorker>();
  #isClosed = false;

  /** Use {@link createBullMQInbox}. */
  constructor(options: BullMQInboxOptions) {
    this.#settings = resolveInbox(options);
    this.storeTimeout = this.#settings.storeTimeout;
    this.#reporter = new InboxReporter(this.#settings, 'Redis');
    this.#queue = new InboxQueue(this.#settings, this.#reporter);
    this.deadLetters = new DeadLetters(
      new FailedJobs(() => this.#queue.open(QUERY_TIMEOUT_MS)),
      redisFailure,
    );
  }

  /** BullMQ's own queue, for counts, metrics and dashboards. Connects, and is closed with the inbox. */
  get queue(): Queue<StoredWebhook> {
    return this.#queue.queue;
  }

  /**
   * Stores an event, unless its key is there already. Called by the receiver.
   *
   * @throws {InboxFullError} Redis was above `highWater` for all of `storeTimeout`.
   * @throws {InboxReplicasError} The event did not reach enough `replicas` in time.
   * @throws {WebhookError} Redis did not store the event in time. The message gives the reason, and contains
   * nothing of the event.
   */
  async store(webhook: StoredWebhook): Promise<void> {
    await this.#queue.store(webhook);
  }

  /**
   * Starts processing stored events, in this process.
   *
   * Any number of workers in any number of processes share one queue; each event is given to one at a time.
   * Handlers must be idempotent: if a worker dies inside them, the event runs again.
   *
   * @param work - Handlers by event type, or `createWebhookHandlers()`. They need no secret.
   * @throws {ConfigurationError} An option is wrong, there is no such event type, or `work` is a receiver.
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
   *       if (!response.ok) throw new Error(`the CRM responded with ${response.status}`);
   *     },
   *   },
   *   { concurrency: 50, onError: (error, { event }) => console.error(event?.type, error) },
   * );
   * process.on('SIGTERM', () => void inbox.close());
   * ```
   */
  work(work: HandlersByType | EventHandlers, options: WorkOptions = {}): InboxWorker {
    if (this.#isClosed) throw new WebhookError('The inbox is closed.');
    const worker: InboxWorker = new InboxWorker({
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
   * @example
   * ```ts
   * import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
   *
   * const inbox = createBullMQInbox({ connection: process.env.REDIS_URL ?? 'redis://localhost:6379' });
   * const { ready, depth, deadLetters, warnings } = await inbox.health();
   * console.log(ready, depth, deadLetters, Object.values(warnings));
   * ```
   */
  async health(): Promise<InboxHealth<InboxWarning>> {
    const reading = this.#queue.open(QUERY_TIMEOUT_MS).then((opened) => readHealth(opened, this.#settings));
    try {
      const health = await withinTime(reading, QUERY_TIMEOUT_MS, 'Health check timed out');
      for (const [kind, warning] of Object.entries(health.warnings)) this.#reporter.warnOnce(kind, warning);
      return health;
    } catch (error) {
      return unreachableHealth(`Redis is unreachable: ${cleanError(error).message}`);
    }
  }

  /**
   * Stops taking events, lets those in progress finish or go back to the queue, and closes the connections.
   *
   * A client that was passed in stays open.
   *
   * @throws {ConfigurationError} `grace` is wrong. Nothing is closed then.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    resolveGrace(options);
    this.#isClosed = true;
    await Promise.all([...this.#workers].map((worker) => worker.close(options)));
    await this.#queue.close();
  }
}

/**
 * Makes a durable inbox for webhooks on BullMQ and Redis, for receivers and workers.
 *
 * With it, a receiver responds with 200 when the event is in Redis. Workers run the handlers until they
 * succeed, and keep an event that fails for good as a dead letter.
 *
 * An event is as safe as Redis keeps it: set `maxmemory-policy noeviction`, `appendonly yes` and `appendfsync
 * always`. `health().warnings` names each setting that is weaker. Connects when it is first used.
 *
 * @throws {ConfigurationError} An option is wrong. The message never contains the connection.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { createWebhookReceiver } from 'agent-platform-sdk';
 * import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
 *
 * const inbox = createBullMQInbox({ connection: process.env.REDIS_URL ?? 'redis://localhost:6379' });
 * const receiver = createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET, inbox });
 * createServer(receiver.node).listen(3000);
 *
 * inbox.work({ lead_captured: ({ payload }) => console.log(payload.leadEmail) }, { concurrency: 20 });
 * ```
 */
export function createBullMQInbox(options: BullMQInboxOptions): BullMQInbox {
  return new BullMQInbox(options);
}

import { WebhookError } from '../errors/index.js';
import { secretsOf } from '../redis/connection.js';
import { isConnectionLost, isRefusedForNow, redisFailure } from '../redis/failure.js';
import { withRetries } from '../redis/retries.js';
import { withTimeLimit } from '../redis/time-limit.js';
import type { StoredWebhook, WebhookInbox } from '../webhooks/inbox.js';
import { DeadLetters } from './dead-letters.js';
import { type InboxHealth, readHealth, unreachable } from './health.js';
import { type BullMQInboxOptions, type InboxSettings, resolveInbox } from './inbox-options.js';
import { InboxQueue } from './inbox-queue.js';
import { type CloseOptions, InboxWorker, type WorkOptions } from './inbox-worker.js';
import { InboxReporter } from './reporter.js';
import { jobData, jobOptions } from './stored-job.js';
import { toProcessor, type WebhookHandlers, type WebhookProcessor } from './webhook-handlers.js';

/** Milliseconds for which `health` and `deadLetters` wait for Redis. */
const ASKING = 2_000;

const NOT_STORED = 'The event could not be stored in Redis';

/** A durable inbox on BullMQ. */
export class BullMQInbox implements WebhookInbox {
  /** The events that could not be handled. */
  readonly deadLetters: DeadLetters;
  readonly #settings: InboxSettings;
  readonly #secrets: readonly string[];
  readonly #reporter: InboxReporter;
  readonly #queue: InboxQueue;
  readonly #workers = new Set<InboxWorker>();
  #isClosed = false;

  /** Use {@link createBullMQInbox}. */
  constructor(options: BullMQInboxOptions) {
    this.#settings = resolveInbox(options);
    const { connection, log, hooks } = this.#settings;
    this.#secrets = secretsOf(connection);
    this.#reporter = new InboxReporter(log, hooks, this.#secrets);
    this.#queue = new InboxQueue(this.#settings, this.#reporter);
    this.deadLetters = new DeadLetters(() => this.#open());
  }

  /**
   * Stores an event, unless it is there already. Called by the receiver.
   *
   * @throws {WebhookError} Redis did not store it in time; it says why, and holds nothing of the event.
   */
  async store(webhook: StoredWebhook): Promise<void> {
    const began = performance.now();
    // The key is the id of the job: one that was stored without an answer is not stored twice.
    const attempt = (left: number) => withTimeLimit(this.#add(webhook, left), left, NOT_STORED);
    try {
      await withRetries(attempt, this.#settings.storeTimeout, passes);
    } catch (error) {
      throw redisFailure(NOT_STORED, error, this.#secrets);
    }
    const { key, type, workspace } = webhook;
    this.#reporter.stored({ key, type, workspace, durationMs: performance.now() - began });
  }

  /**
   * Starts processing stored events, in this process. Any number of workers in any number of processes share one
   * queue; each event is given to one at a time. A receiver or handlers are run as in `receiver.process`: handlers must be
   * idempotent, because the event of a worker that dies inside them is run again.
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
   * How the inbox is doing: for a readiness probe and for metrics. Never rejects.
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
    const { failures } = this.#reporter;
    try {
      const asking = this.#open().then((opened) => readHealth(opened, failures));
      return await withTimeLimit(asking, ASKING, 'The inbox could not be asked');
    } catch {
      return unreachable(failures);
    }
  }

  /**
   * Takes no more events, lets those being processed finish or go back to the queue, and closes the connections. A client that was
   * passed in stays open.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#workers].map((worker) => worker.close(options)));
    await this.#queue.close();
  }

  async #add(webhook: StoredWebhook, timeout: number): Promise<void> {
    const { queue } = this.#queue.connected ?? (await this.#queue.open(timeout));
    await queue.add(webhook.type, jobData(webhook), jobOptions(webhook, this.#settings));
  }

  async #open(): ReturnType<InboxQueue['open']> {
    try {
      return await this.#queue.open(ASKING);
    } catch (error) {
      throw redisFailure('The inbox could not be opened', error, this.#secrets);
    }
  }
}

/** Whether storing may succeed when it is retried. */
const passes = (error: unknown) => isRefusedForNow(error) || isConnectionLost(error);

/**
 * Makes a durable inbox for webhooks on BullMQ and Redis, for the receiving and for the working side, in one process
 * or in many. With it, a receiver answers 200 when the event is in Redis; workers run the handlers then, again and
 * again until they succeed, and keep what fails for good as a dead letter.
 *
 * The promise is as strong as the Redis: it needs `maxmemory-policy noeviction`, `appendonly yes` and
 * `appendfsync always`. `health().warnings` names what is weaker. Connects when it is first used.
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
  return new BullMQInbox(options);
}

import type { Queue, Worker } from 'bullmq';
import type { Consumer } from '../inbox/engine.js';
import { Inbox } from '../inbox/inbox.js';
import { InboxReporter } from '../inbox/reporter.js';
import { InboxWorker } from '../inbox/worker.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { BullMQWarning } from './checks.js';
import { BullMQEngine } from './engine.js';
import { type BullMQInboxOptions, resolveBullMQ } from './options.js';

/** The public part of a consumer. `JobWorker` is not: BullMQ 5 declares what it overrides in another form. */
interface BullMQConsumer extends Consumer {
  readonly bullmq: Worker<StoredWebhook, string>;
}

/** A worker on BullMQ. */
export class BullMQInboxWorker extends InboxWorker<BullMQConsumer> {
  /** BullMQ's own worker, for its events and metrics. Close this object instead of it. */
  get bullmq(): Worker<StoredWebhook, string> {
    return this.consumer.bullmq;
  }
}

/** A durable inbox on BullMQ. */
export class BullMQInbox extends Inbox<BullMQWarning, BullMQConsumer, BullMQInboxWorker> {
  readonly #engine: BullMQEngine;

  /** Use {@link createBullMQInbox}. */
  constructor(options: BullMQInboxOptions) {
    const settings = resolveBullMQ(options);
    const reporter = new InboxReporter(settings, 'Redis');
    const engine = new BullMQEngine(settings, reporter);
    super({ settings, reporter, engine, Worker: BullMQInboxWorker });
    this.#engine = engine;
  }

  /** BullMQ's own queue, for counts, metrics and dashboards. Connects, and is closed with the inbox. */
  get queue(): Queue<StoredWebhook> {
    return this.#engine.queue;
  }
}

/**
 * Makes a durable inbox for webhooks on BullMQ and Redis, for receivers and workers.
 *
 * With it, a receiver responds with 200 when the event is in Redis. Workers run the handlers until they
 * succeed, and keep an event that fails for good as a dead letter.
 *
 * Events are only as safe as your Redis: set `maxmemory-policy noeviction`, `appendonly yes` and `appendfsync
 * always`. `health().warnings` names each setting that is less safe. The inbox connects on first use.
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

import { type JobsOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { WebhookError } from '../errors/index.js';
import { leaveReplica, type OpenedClient, openClient } from '../redis/connection.js';
import { settlesWithin, withTimeLimit } from '../redis/waiting.js';
import { workspaceOf } from '../webhooks/delivery.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { InboxReporter } from './inbox-hooks.js';
import type { InboxSettings } from './inbox-options.js';

/** A connected queue and its client. */
export interface OpenQueue extends OpenedClient {
  readonly queue: Queue<StoredWebhook>;
}

/**
 * Settings of the client that stores. It waits for a Redis that restarts, but not for ever: a socket that does not answer
 * is closed, and a command is rejected after so many attempts to connect.
 */
const STORING_DEFAULTS = {
  socketTimeout: 10_000,
  maxRetriesPerRequest: 20,
  retryStrategy: (times: number) => Math.min(times * 100, 1_000),
};

/** Milliseconds that each step of closing may take. */
const CLOSING = 2_000;

/** The storing side of an inbox: puts events into the queue of BullMQ. Connects when it is first needed. */
export class InboxQueue {
  readonly #settings: InboxSettings;
  readonly #reporter: InboxReporter;
  #client: OpenedClient | undefined;
  #ready: Promise<void> | undefined;
  #queue: Promise<Queue<StoredWebhook>> | undefined;
  #open: OpenQueue | undefined;
  #isClosed = false;

  constructor(settings: InboxSettings, reporter: InboxReporter) {
    this.#settings = settings;
    this.#reporter = reporter;
  }

  /** Adds an event as a job, unless there is a job of the same key. Rejects if Redis is not there in time. */
  async add(webhook: StoredWebhook, timeout: number): Promise<void> {
    const { queue } = await this.open(timeout);
    await queue.add(webhook.type, jobData(webhook), jobOptions(webhook, this.#settings));
  }

  /** Resolves once Redis is there, and rejects if it is not in time. */
  async open(timeout: number): Promise<OpenQueue> {
    if (this.#isClosed) throw new WebhookError('The inbox is closed.');
    if (this.#open?.client.status === 'ready') return this.#open;
    const { client, isOwned } = this.#connect();
    // The event waits here, and not as a command that ioredis would send even after the time is over.
    if (client.status !== 'ready')
      await withTimeLimit(this.#whenReady(client), timeout, 'Redis is not there');
    this.#queue ??= this.#create(client);
    const queue = await withTimeLimit(this.#queue, timeout, 'Redis is not there');
    this.#open = { queue, client, isOwned };
    return this.#open;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const closing = this.#queue?.then((queue) => queue.close());
    if (closing !== undefined) await settlesWithin(closing, CLOSING);
    if (this.#client?.isOwned !== true) return;
    const { client } = this.#client;
    if (client.status === 'ready') await settlesWithin(client.quit(), CLOSING);
    client.disconnect();
  }

  #connect(): OpenedClient {
    if (this.#client !== undefined) return this.#client;
    const tell = (error: Error) => this.#reporter.redisFailed(error);
    // The inbox itself repeats what was refused; ioredis would do so even after the delivery was answered.
    const reconnectOnError = leaveReplica('rejected', tell);
    this.#client = openClient(this.#settings.connection, { ...STORING_DEFAULTS, reconnectOnError });
    const { client, isOwned } = this.#client;
    if (isOwned) client.on('error', tell);
    client.on('ready', () => this.#reporter.redisReady());
    return this.#client;
  }

  /** Returns the same promise to all who wait, however many deliveries come meanwhile. */
  #whenReady(client: Redis): Promise<void> {
    if (client.status === 'wait') client.connect().catch(() => undefined);
    this.#ready ??= new Promise((resolve) => {
      client.once('ready', () => {
        this.#ready = undefined;
        resolve();
      });
    });
    return this.#ready;
  }

  async #create(client: Redis): Promise<Queue<StoredWebhook>> {
    const { queueName, prefix } = this.#settings;
    const queue = new Queue<StoredWebhook>(queueName, { connection: client, prefix });
    // The listener of the client reports errors; without a listener here, BullMQ would print them.
    queue.on('error', () => undefined);
    try {
      await queue.waitUntilReady();
      return queue;
    } catch (error) {
      // A queue whose connection was cut while it began never recovers: the next call makes another.
      this.#queue = undefined;
      throw error;
    }
  }
}

/** Returns the known fields of a webhook, without the secret: they are stored. */
export function jobData(webhook: StoredWebhook): StoredWebhook {
  const { version, key, type, payload, envelope, deliveryId, receivedAt, traceContext } = webhook;
  return {
    ...(version === undefined ? {} : { version }),
    key,
    type,
    payload: withoutSecret(payload),
    ...workspaceOf(webhook),
    ...(envelope === undefined ? {} : { envelope: withoutSecret(envelope) }),
    deliveryId,
    receivedAt,
    ...(traceContext === undefined ? {} : { traceContext }),
  };
}

/** The receiver has removed the secret already, but `inbox.store` can be called by anyone. */
function withoutSecret(payload: StoredWebhook['payload']): StoredWebhook['payload'] {
  if (!Object.hasOwn(payload, 'workspaceSecret')) return payload;
  const { workspaceSecret, ...rest } = payload;
  return rest;
}

/**
 * Makes the key of the event the id of its job: while that job waits, runs or is a dead letter, no second one can be
 * added. The key is the id of BullMQ's deduplication too, which remembers it in a few bytes after the job is gone, for the
 * rest of the retention.
 */
function jobOptions({ key, receivedAt }: StoredWebhook, settings: InboxSettings): JobsOptions {
  const { attempts, backoff, retention } = settings;
  return {
    jobId: key,
    deduplication: { id: key, ttl: Math.ceil(retention) },
    attempts,
    // BullMQ's type does not allow `undefined` for `jitter`; its code does.
    backoff: backoff as JobsOptions['backoff'] & {},
    timestamp: receivedAt,
    // The reason of a failure is kept; stack traces show paths of the worker, and grow with every attempt.
    stackTraceLimit: 0,
  };
}

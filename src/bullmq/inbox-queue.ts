import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { WebhookError } from '../errors/index.js';
import { leaveReplica, type OpenedClient, openClient } from '../redis/connection.js';
import { settlesWithin, withTimeLimit } from '../redis/time-limit.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { InboxSettings } from './inbox-options.js';
import type { InboxReporter } from './reporter.js';

/** A queue that is connected, and its connection. */
export interface OpenQueue extends OpenedClient {
  readonly queue: Queue<StoredWebhook>;
}

/**
 * The storing side's connection. A Redis that restarts is waited for, but what waits is bounded: a socket that does
 * not answer is given up, and a command goes with it after so many attempts to connect.
 */
const STORING_DEFAULTS = {
  socketTimeout: 10_000,
  maxRetriesPerRequest: 20,
  retryStrategy: (times: number) => Math.min(times * 100, 1_000),
};

/** Milliseconds for each step of closing; a Redis that is away has none. */
const CLOSING = 2_000;

/** The queue behind an inbox. Connects when it is first needed. */
export class InboxQueue {
  readonly #settings: InboxSettings;
  readonly #reporter: InboxReporter;
  #opened: OpenedClient | undefined;
  #queue: Promise<Queue<StoredWebhook>> | undefined;
  #ready: Promise<void> | undefined;
  #open: OpenQueue | undefined;
  #isClosed = false;

  constructor(settings: InboxSettings, reporter: InboxReporter) {
    this.#settings = settings;
    this.#reporter = reporter;
  }

  /** The queue, where it is connected at this moment. */
  get connected(): OpenQueue | undefined {
    return this.#open?.client.status === 'ready' && !this.#isClosed ? this.#open : undefined;
  }

  /** Resolves once Redis is there; rejects when it is not in time. */
  async open(timeout: number): Promise<OpenQueue> {
    if (this.#isClosed) throw new WebhookError('The inbox is closed.');
    const { client, isOwned } = this.#connect();
    // What is to be stored waits here, and not in a command that would outlive its time.
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
    if (this.#opened?.isOwned !== true) return;
    const { client } = this.#opened;
    if (client.status === 'ready') await settlesWithin(client.quit(), CLOSING);
    client.disconnect();
  }

  #connect(): OpenedClient {
    if (this.#opened !== undefined) return this.#opened;
    const tell = (error: Error) => this.#reporter.redisFailed(error);
    // The inbox stores again what was refused; ioredis would send it even when the delivery has long been answered.
    const reconnectOnError = leaveReplica('rejected', tell);
    this.#opened = openClient(this.#settings.connection, { ...STORING_DEFAULTS, reconnectOnError });
    const { client, isOwned } = this.#opened;
    if (isOwned) client.on('error', tell);
    client.on('ready', () => this.#reporter.redisReady());
    return this.#opened;
  }

  /** One promise for all who wait, however many deliveries come meanwhile. */
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
    // The client's own listener has told already; without one here, BullMQ would print the error.
    queue.on('error', () => undefined);
    try {
      await queue.waitUntilReady();
      return queue;
    } catch (error) {
      // A queue that was cut off while it began never recovers: the next call makes another.
      this.#queue = undefined;
      throw error;
    }
  }
}

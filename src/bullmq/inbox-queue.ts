import { Queue } from 'bullmq';
import { InboxFullError } from '../errors/inbox.js';
import { WebhookError } from '../errors/index.js';
import {
  isCluster,
  leaveReplica,
  type OpenedClient,
  openClient,
  openOwnClient,
  optionsOf,
  outliveFailover,
  type RedisClient,
  writeTogether,
} from '../redis/connection.js';
import { MemoryGauge } from '../redis/memory.js';
import { ReplicaGate } from '../redis/replicas.js';
import { findWriter, readInfo } from '../redis/server.js';
import { succeedsWithin, withTimeLimit } from '../redis/waiting.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { InboxReporter } from './inbox-hooks.js';
import type { InboxSettings } from './inbox-options.js';
import { jobOptions } from './job-data.js';
import { type QueueOnRedis, readWarnings } from './redis-warnings.js';

/** A connected queue, with the checks that an event passes on its way into it. */
export interface OpenQueue extends QueueOnRedis {
  /** Tells whether there is memory for an event. */
  readonly memory: MemoryGauge;
  /** Makes an event wait for replicas. */
  readonly replicas: ReplicaGate;
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

/**
 * Tells a copy of an event from a new one, as it is added. BullMQ answers both alike. So Redis is asked whether it has the job, or
 * remembers its key, by a command that is sent together with the addition: no further round trip.
 */
class Duplicates {
  /** The additions under way, by key: of copies that come at once, each waits for the one before. */
  readonly #adding = new Map<string, Promise<unknown>>();

  /** Adds an event, and tells whether it was there before. */
  async add(
    { queue, client, writer }: QueueOnRedis,
    key: string,
    add: () => Promise<unknown>,
  ): Promise<boolean> {
    while (this.#adding.has(key)) await this.#adding.get(key);
    const { stream } = writer();
    const asking = Promise.all([client.exists(queue.toKey(key), queue.toKey(`de:${key}`)), add()]);
    this.#adding.set(key, Promise.allSettled([asking]));
    try {
      const [found] = await asking;
      // On a new connection, ioredis repeats by itself what was not answered: the job may be this very delivery's.
      return found > 0 && writer().stream === stream;
    } finally {
      this.#adding.delete(key);
    }
  }
}

/** The storing side of an inbox: puts events into the queue of BullMQ. Connects when it is first needed. */
export class InboxQueue {
  readonly #settings: InboxSettings;
  readonly #reporter: InboxReporter;
  readonly #duplicates = new Duplicates();
  #client: OpenedClient | undefined;
  #ready: Promise<void> | undefined;
  #opening: Promise<OpenQueue> | undefined;
  #open: OpenQueue | undefined;
  /** Why Redis is not there: what its client said last. */
  #failure: Error | undefined;
  #isClosed = false;

  constructor(settings: InboxSettings, reporter: InboxReporter) {
    this.#settings = settings;
    this.#reporter = reporter;
  }

  /**
   * Adds an event, made by `jobData`, as a job, unless there is a job of the same key. Rejects if Redis is not there in time, has
   * no room, or has not copied the event to enough replicas in time. Tells whether it was there before, if that is asked.
   */
  async add(webhook: StoredWebhook, timeout: number, tellDuplicate: boolean): Promise<boolean | undefined> {
    const end = performance.now() + timeout;
    const opened = await this.open(timeout);
    const { queue, client, memory, replicas } = opened;
    const full = await memory.fullBy();
    if (full !== undefined) throw new InboxFullError(full, this.#settings.highWater);
    let isThere: boolean | undefined;
    const addJob = () => queue.add(webhook.type, webhook, jobOptions(webhook, this.#settings));
    const add = async () => {
      if (tellDuplicate) isThere = await this.#duplicates.add(opened, webhook.key, addJob);
      else await addJob();
    };
    if (!isCluster(client)) writeTogether(client);
    if (this.#settings.replicas === 0) await add();
    else await replicas.write(add, end - performance.now());
    return isThere;
  }

  /** Resolves once Redis is there, and rejects if it is not in time. */
  async open(timeout: number): Promise<OpenQueue> {
    if (this.#isClosed) throw new WebhookError('The inbox is closed.');
    if (this.#open?.client.status === 'ready') return this.#open;
    const opened = this.#connect();
    // The event waits here, and not as a command that ioredis would send even after the time is over.
    if (opened.client.status !== 'ready') await this.#whenReadyWithin(opened.client, timeout);
    this.#opening ??= this.#create(opened);
    this.#open = await withTimeLimit(this.#opening, timeout, 'Redis is not there');
    return this.#open;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const closing = this.#opening?.then(({ queue }) => queue.close());
    if (closing !== undefined) await succeedsWithin(closing, CLOSING);
    if (this.#client === undefined) return;
    const { client, isOwned } = this.#client;
    client.off('error', this.#failed).off('ready', this.#connected);
    if (!isOwned) return;
    // Closing can fail too, and ioredis would print what nobody listens to.
    client.on('error', () => undefined);
    if (client.status === 'ready') await succeedsWithin(client.quit(), CLOSING);
    client.disconnect();
  }

  #connect(): OpenedClient {
    if (this.#client !== undefined) return this.#client;
    this.#client = this.#makeClient();
    this.#client.client.on('error', this.#failed).on('ready', this.#connected);
    return this.#client;
  }

  readonly #failed = (error: Error): void => {
    this.#failure = error;
    this.#reporter.redisFailed(error);
    if (this.#client !== undefined) outliveFailover(this.#client.client, error);
  };

  readonly #connected = (): void => {
    this.#failure = undefined;
    this.#reporter.redisReady();
  };

  #makeClient(): OpenedClient {
    const { connection, replicas } = this.#settings;
    // The inbox itself repeats what was refused; ioredis would do so even after the delivery was answered.
    const reconnectOnError = leaveReplica('rejected', this.#failed);
    const opened = openClient(connection, { ...STORING_DEFAULTS, reconnectOnError });
    // `WAIT` blocks a connection, and that of the application is not ours to block.
    if (opened.isOwned || replicas === 0) return opened;
    return { client: openOwnClient(connection, {}, reconnectOnError), isOwned: true };
  }

  async #whenReadyWithin(client: RedisClient, timeout: number): Promise<void> {
    if (await succeedsWithin(this.#whenReady(client), timeout)) return;
    if (this.#failure !== undefined) throw this.#failure;
    const hint = optionsOf(client).tls === undefined ? '' : '. Does it speak TLS?';
    throw new WebhookError(`Redis is not there: no answer from Redis within ${timeout} ms${hint}`);
  }

  /** Returns the same promise to all who wait, however many deliveries come meanwhile. */
  #whenReady(client: RedisClient): Promise<void> {
    if (client.status === 'wait') client.connect().catch(() => undefined);
    this.#ready ??= new Promise((resolve) => {
      client.once('ready', () => {
        this.#ready = undefined;
        resolve();
      });
    });
    return this.#ready;
  }

  async #create({ client, isOwned }: OpenedClient): Promise<OpenQueue> {
    try {
      return await this.#setUp(client, isOwned);
    } catch (error) {
      // A queue whose connection was cut while it began never recovers: the next call makes another.
      this.#opening = undefined;
      throw error;
    }
  }

  async #setUp(client: RedisClient, isOwned: boolean): Promise<OpenQueue> {
    const { queueName, prefix, telemetry, highWater, replicas } = this.#settings;
    const writer = await findWriter(client, `${prefix}:${queueName}:`);
    const info = await readInfo(writer());
    // BullMQ asks for the version with `INFO`, and gives up where it may not.
    const queue = new Queue<StoredWebhook>(queueName, {
      connection: client,
      prefix,
      skipVersionCheck: info === undefined,
      ...(telemetry === undefined ? {} : { telemetry }),
    });
    // The listener of the client reports errors; without a listener here, BullMQ would print them.
    queue.on('error', () => undefined);
    try {
      await queue.waitUntilReady();
    } catch (error) {
      // It would go on listening to the client, which may be the application's.
      await succeedsWithin(queue.close(), CLOSING);
      throw error;
    }
    const opened: OpenQueue = {
      queue,
      client,
      isOwned,
      writer,
      memory: new MemoryGauge(highWater, () => readInfo(writer(), 'memory')),
      replicas: new ReplicaGate(replicas, writer, queue.toKey('write-probe')),
    };
    this.#reporter.warn(await readWarnings(opened, info, this.#settings));
    return opened;
  }
}

import { Queue } from 'bullmq';
import { InboxFullError } from '../errors/inbox.js';
import { WebhookError } from '../errors/index.js';
import {
  leaveReplica,
  newClient,
  type OpenedClient,
  openClient,
  outliveFailover,
  type RedisClient,
} from '../redis/connection.js';
import { cleanError, isOutOfMemory, isTransient, redisFailure, withinTime } from '../redis/failure.js';
import { succeedsWithin, withRetries } from '../utils/waiting.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { InboxReporter } from './core/reporter.js';
import { jobOptions } from './job.js';
import { type OpenQueue, openQueue } from './open-queue.js';
import type { InboxSettings } from './options.js';
import { readWarnings } from './warnings.js';

/**
 * Settings of the client that stores. It waits for a Redis that restarts, but not forever.
 *
 * A socket that does not respond is closed, and a command is rejected after this many attempts to connect.
 */
const STORING_DEFAULTS = {
  socketTimeout: 10_000,
  maxRetriesPerRequest: 20,
  retryStrategy: (times: number) => Math.min(times * 100, 1_000),
};

/** Time limit of each step of closing, in ms. */
const CLOSE_TIMEOUT_MS = 2_000;
/** The largest number of characters in events that are being stored, or wait for Redis or for room in it. */
const MAX_WAITING_CHARS = 64 * 1024 * 1024;

const NOT_STORED = 'The event could not be stored in Redis';

/** The storing side of an inbox: puts events into the queue of BullMQ. Connects when it is first needed. */
export class InboxQueue {
  readonly #settings: InboxSettings;
  readonly #reporter: InboxReporter;
  #client: OpenedClient | undefined;
  #queue: Queue<StoredWebhook> | undefined;
  #ready: Promise<void> | undefined;
  #opening: Promise<OpenQueue> | undefined;
  /** Why Redis is unreachable: the last error of the client. */
  #failure: Error | undefined;
  /** The number of characters in events that are being stored, or wait. */
  #waitingChars = 0;
  #isClosed = false;

  constructor(settings: InboxSettings, reporter: InboxReporter) {
    this.#settings = settings;
    this.#reporter = reporter;
  }

  /**
   * Stores an event, unless its key is there already.
   *
   * Retries while Redis is away, refuses for now, or is full. Repeating is safe if the response of Redis was
   * lost: the key is the id of the job.
   */
  async store(webhook: StoredWebhook): Promise<void> {
    const chars = JSON.stringify(webhook).length;
    if (this.#waitingChars + chars > MAX_WAITING_CHARS) {
      throw new WebhookError(
        `${NOT_STORED}: more than ${MAX_WAITING_CHARS} characters of events wait for it`,
      );
    }
    this.#waitingChars += chars;
    let adding: Promise<void> = Promise.resolve();
    const attempt = (msLeft: number): Promise<void> => {
      adding = this.#add(webhook, msLeft);
      return withinTime(adding, msLeft, NOT_STORED);
    };
    try {
      await withRetries(attempt, this.#settings.storeTimeout, passesByItself);
    } catch (error) {
      throw redisFailure(NOT_STORED, error);
    } finally {
      // A command that timed out stays in the memory of ioredis, until its connection ends.
      const giveBack = () => {
        this.#waitingChars -= chars;
      };
      adding.then(giveBack, giveBack);
    }
  }

  /** Adds an event as a job. Rejects if Redis has no room, or too few replicas have the event in time. */
  async #add(webhook: StoredWebhook, timeout: number): Promise<void> {
    const end = performance.now() + timeout;
    const { queue, memory, replicas } = await this.open(timeout);
    const full = await memory.fullBy();
    if (full !== undefined) throw new InboxFullError(full, this.#settings.highWater);
    const add = () => queue.add(webhook.type, webhook, jobOptions(webhook, this.#settings));
    if (this.#settings.replicas === 0) await add();
    else await replicas.write(add, end - performance.now());
  }

  /** BullMQ's queue. Connects. */
  get queue(): Queue<StoredWebhook> {
    if (this.#queue !== undefined) return this.#queue;
    const { queueName, prefix, telemetry } = this.#settings;
    const queue = new Queue<StoredWebhook>(queueName, {
      connection: this.#connect().client,
      prefix,
      ...(telemetry === undefined ? {} : { telemetry }),
    });
    this.#queue = queue;
    // The client's own listener reports errors. BullMQ 6.7.0 prints those of a queue without a listener
    // (`classes/queue-base.js:86`).
    queue.on('error', () => undefined);
    queue.waitUntilReady().catch(() => {
      // BullMQ 6.7.0 keeps the rejected promise of its first connection forever
      // (`classes/redis-connection.js:150`). The next call makes another queue.
      if (this.#queue === queue) this.#queue = undefined;
      // An open queue keeps its listeners on the client, which may be the application's.
      queue.close().catch(() => undefined);
    });
    return queue;
  }

  /** Resolves when Redis is connected, and rejects if it is not in time. */
  async open(timeout: number): Promise<OpenQueue> {
    if (this.#isClosed) throw new WebhookError('The inbox is closed.');
    const { client } = this.#connect();
    // The event waits here, and not as a command that ioredis would send even after the time is over.
    if (client.status !== 'ready' && !(await succeedsWithin(this.#whenReady(client), timeout))) {
      throw (
        this.#failure ?? new WebhookError(`Redis is unreachable: no response from Redis within ${timeout} ms`)
      );
    }
    this.#opening ??= this.#setUp(client).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#client === undefined) return;
    const { client, isOwned } = this.#client;
    if (this.#queue !== undefined) await succeedsWithin(this.#queue.close(), CLOSE_TIMEOUT_MS);
    client.off('error', this.#failed).off('ready', this.#connected);
    if (!isOwned) return;
    // Closing can fail too. ioredis 6.0.0 prints the errors of a client without a listener
    // (`built/Redis.js:584`).
    client.on('error', () => undefined);
    if (client.status === 'ready') await succeedsWithin(client.quit(), CLOSE_TIMEOUT_MS);
    client.disconnect();
  }

  #connect(): OpenedClient {
    if (this.#isClosed) throw new WebhookError('The inbox is closed.');
    if (this.#client === undefined) {
      this.#client = this.#makeClient();
      this.#client.client.on('error', this.#failed).on('ready', this.#connected);
    }
    return this.#client;
  }

  #makeClient(): OpenedClient {
    const { connection, replicas } = this.#settings;
    // `store` repeats what was refused; ioredis would do so even after the receiver has responded.
    const reconnectOnError = leaveReplica('rejected', this.#failed);
    const opened = openClient(connection, { ...STORING_DEFAULTS, reconnectOnError });
    // `WAIT` blocks its connection, and that of the application is not ours to block.
    if (opened.isOwned || replicas === 0) return opened;
    return { client: newClient(connection, { reconnectOnError }), isOwned: true };
  }

  readonly #failed = (error: Error): void => {
    this.#failure = error;
    this.#reporter.redisFailed(cleanError(error));
    if (this.#client !== undefined) outliveFailover(this.#client.client, error);
  };

  readonly #connected = (): void => {
    this.#failure = undefined;
  };

  /** Returns one promise to all who wait, and adds one listener to the client. */
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

  async #setUp(client: RedisClient): Promise<OpenQueue> {
    const opened = await openQueue(this.queue, client, this.#settings);
    const warnings = Object.entries(await readWarnings(opened, this.#settings));
    for (const [kind, warning] of warnings) this.#reporter.warnOnce(kind, warning);
    return opened;
  }
}

/** Whether storing may soon succeed: Redis is away, refuses for now, or is full. */
function passesByItself(error: unknown): boolean {
  return isTransient(error) || isOutOfMemory(error) || error instanceof InboxFullError;
}

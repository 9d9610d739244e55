import type { Queue } from 'bullmq';
import { InboxFullError } from '../errors/inbox.js';
import type { Engine, FoundHealth, Runner } from '../inbox/engine.js';
import { closedError } from '../inbox/failure.js';
import { UNKNOWN } from '../inbox/health.js';
import type { InboxReporter } from '../inbox/reporter.js';
import {
  leaveReplica,
  newClient,
  type OpenedClient,
  openClient,
  outliveFailover,
  type RedisClient,
} from '../redis/connection.js';
import { cleanError, isOutOfMemory, isReplyError, isTransient, withinTime } from '../redis/failure.js';
import { succeedsWithin, unlessAborted } from '../utils/waiting.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { type BullMQWarning, checkRedis, readWarnings, storeProbe } from './checks.js';
import { JobConsumer } from './consumer.js';
import { FailedJobs } from './dead-letters.js';
import { newQueue, type OpenQueue, openQueue } from './gate.js';
import { jobOptions } from './job.js';
import type { BullMQSettings } from './options.js';
import { countUnhandled } from './turn.js';

/**
 * Settings of the client that stores. It waits for a Redis that restarts, but not forever.
 *
 * It closes a socket that does not respond, and rejects a command after this many attempts to connect.
 */
const STORING_DEFAULTS = {
  socketTimeout: 10_000,
  maxRetriesPerRequest: 20,
  retryStrategy: (times: number) => Math.min(times * 100, 1_000),
};

const PAUSED = 'The queue is paused: no worker takes events. Resume it, for example in the dashboard.';
const MAKE_ROOM = 'Raise maxmemory, start more workers, or remove dead letters.';
/** Time limit of closing, in ms. The workers are closed by then. */
const CLOSE_TIMEOUT_MS = 1_000;

/** Time limit of `health`, and of the connection that `deadLetters` needs, in ms. */
const QUERY_TIMEOUT_MS = 2_000;

/**
 * Events as jobs of BullMQ. Connects when it is first needed.
 *
 * `gate.ts` is what an event passes on its way into the queue, and `checks.ts` what the inbox looks at when it opens
 * and in its health. `job.ts` describes an event to BullMQ. `consumer.ts` takes events for a worker, `turn.ts` says
 * whether one runs now, and `job-worker.ts` records how its run has ended.
 */
export class BullMQEngine implements Engine<BullMQWarning, JobConsumer> {
  readonly deadLetters = new FailedJobs(() => this.#open(QUERY_TIMEOUT_MS));
  readonly mayPass = mayPass;
  readonly clean = cleanError;
  readonly #settings: BullMQSettings;
  readonly #reporter: InboxReporter;
  #client: OpenedClient | undefined;
  #queue: Queue<StoredWebhook> | undefined;
  #ready: Promise<void> | undefined;
  #opening: Promise<OpenQueue> | undefined;
  /** Why Redis is unreachable: the last error of the client. */
  #failure: Error | undefined;
  readonly #closing = new AbortController();

  constructor(settings: BullMQSettings, reporter: InboxReporter) {
    this.#settings = settings;
    this.#reporter = reporter;
  }

  /** Adds an event as a job. Rejects if Redis has no room, or too few replicas have the event in time. */
  async store(event: StoredWebhook, timeout: number): Promise<void> {
    const end = performance.now() + timeout;
    const { queue, fullBy, replicas } = await this.#open(timeout);
    const full = await fullBy();
    if (full !== undefined) throw new InboxFullError(full, MAKE_ROOM);
    const add = () => queue.add(event.type, event, jobOptions(event, this.#settings));
    try {
      if (this.#settings.replicas === 0) await add();
      else await replicas.write(add, end - performance.now());
    } catch (error) {
      // A command may have been forbidden since. The next event is preceded by a check, so that no half of it stays.
      if (isReplyError(error) && !mayPass(error)) this.#opening = undefined;
      throw error;
    }
  }

  consume(runner: Runner): JobConsumer {
    return new JobConsumer({ settings: this.#settings, runner, reporter: this.#reporter });
  }

  async probe(timeout: number): Promise<void> {
    const opened = await this.#open(timeout);
    await Promise.all([opened.replicas.probe(timeout), storeProbe(opened, this.#settings)]);
  }

  async health(handles?: (type: string) => boolean): Promise<FoundHealth<BullMQWarning>> {
    const reading = this.#open(QUERY_TIMEOUT_MS).then((opened) => this.#readHealth(opened, handles));
    try {
      return await withinTime(reading, QUERY_TIMEOUT_MS, 'Health check timed out');
    } catch (error) {
      // Redis responds, but takes no writes for now: it may be a replica.
      if (!isReplyError(error) || !mayPass(error)) throw error;
      return { counts: UNKNOWN, warnings: {} };
    }
  }

  async #readHealth(
    opened: OpenQueue,
    handles: (type: string) => boolean = () => false,
  ): Promise<FoundHealth<BullMQWarning>> {
    const { client, queue } = opened;
    const [counts, unhandled, oldestMs, workers, found, isPaused] = await Promise.all([
      queue.getJobCounts('waiting', 'active', 'delayed', 'failed'),
      countUnhandled(client, queue.toKey(''), handles),
      readOldestMs(opened),
      countWorkers(queue),
      readWarnings(opened, this.#settings),
      queue.isPaused(),
    ]);
    const warnings = { ...found, ...(isPaused && { worker: PAUSED }) };
    const { waiting, active, delayed: retrying, failed: deadLetters } = counts;
    const known = { waiting, active, retrying, deadLetters, oldestMs, workers };
    return { counts: { ...known, unhandled: workers === 0 ? undefined : unhandled }, warnings };
  }

  /** BullMQ's queue. Connects. */
  get queue(): Queue<StoredWebhook> {
    if (this.#queue !== undefined) return this.#queue;
    const { queueName, prefix, telemetry } = this.#settings;
    const { client: connection } = this.#connect();
    const queue = newQueue(queueName, { connection, prefix, ...(telemetry && { telemetry }) });
    this.#queue = queue;
    queue.waitUntilReady().catch(() => {
      // BullMQ 6.7.0 keeps the rejected promise of its first connection forever
      // (`classes/redis-connection.js:150`). The next call makes another queue.
      if (this.#queue === queue) this.#queue = undefined;
      // An open queue keeps its listeners on the client, which may be the application's.
      queue.close().catch(() => undefined);
    });
    return queue;
  }

  /** Resolves when the queue is open. Rejects if Redis is not connected in time. */
  async #open(timeout: number): Promise<OpenQueue> {
    const { client } = this.#connect();
    // The event waits here, and not as a command that ioredis would send even after the time is over.
    if (client.status !== 'ready') {
      const isReady = await succeedsWithin(this.#whenReady(client), timeout);
      this.#closing.signal.throwIfAborted();
      if (!isReady) throw this.#failure ?? new Error(`No connection within ${timeout} ms`);
    }
    this.#opening ??= this.#setUp(client).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async close(): Promise<void> {
    this.#closing.abort(closedError());
    if (this.#client === undefined) return;
    const { client, isOwned } = this.#client;
    client.off('error', this.#failed).off('ready', this.#connected);
    // Closing can fail too. ioredis 6.0.0 prints the errors of a client without a listener (`built/Redis.js:584`).
    if (isOwned) client.on('error', () => undefined);
    // Waits for the commands in progress.
    const quit = async () => {
      await this.#queue?.close();
      if (isOwned && client.status === 'ready') await client.quit();
    };
    await succeedsWithin(quit(), CLOSE_TIMEOUT_MS);
    if (isOwned) client.disconnect();
  }

  #connect(): OpenedClient {
    if (this.#closing.signal.aborted) throw closedError();
    if (this.#client === undefined) {
      this.#client = this.#makeClient();
      this.#client.client.on('error', this.#failed).on('ready', this.#connected);
    }
    return this.#client;
  }

  #makeClient(): OpenedClient {
    const { connection, replicas } = this.#settings;
    // `store` repeats what was refused; ioredis would do so even after the receiver has responded.
    const reconnectOnError = leaveReplica(this.#failed);
    const opened = openClient(connection, { ...STORING_DEFAULTS, reconnectOnError });
    // `WAIT` blocks its connection, and that of the application is not ours to block.
    if (opened.isOwned || replicas === 0) return opened;
    return { client: newClient(connection, { reconnectOnError }), isOwned: true };
  }

  readonly #failed = (error: Error): void => {
    this.#failure = error;
    this.#reporter.storageFailed(cleanError(error));
    if (this.#client !== undefined) outliveFailover(this.#client.client, error);
  };

  readonly #connected = (): void => {
    this.#failure = undefined;
  };

  /** Returns one promise to all who wait, and adds one listener to the client. */
  #whenReady(client: RedisClient): Promise<void> {
    if (client.status === 'wait') client.connect().catch(() => undefined);
    if (this.#ready !== undefined) return this.#ready;
    const ready = new Promise<void>((resolve) => {
      client.once('ready', () => {
        this.#ready = undefined;
        resolve();
      });
    });
    this.#ready = unlessAborted(ready, this.#closing.signal);
    return this.#ready;
  }

  async #setUp(client: RedisClient): Promise<OpenQueue> {
    const opened = await openQueue(this.queue, client, this.#settings);
    await checkRedis(opened, this.#settings);
    this.#reporter.warnOfAll(await readWarnings(opened, this.#settings));
    return opened;
  }
}

/** Whether storing may soon succeed: Redis is away, refuses for now, or is full. */
function mayPass(error: unknown): boolean {
  return isTransient(error) || isOutOfMemory(error) || error instanceof InboxFullError;
}

/**
 * Counts the workers of all processes; undefined if that is not known.
 *
 * BullMQ 6.7.0 returns one worker of this name for a Redis without CLIENT LIST (`classes/queue-getters.js:444`).
 */
async function countWorkers(queue: Queue): Promise<number | undefined> {
  try {
    const workers = await queue.getWorkers();
    return workers[0]?.name === 'GCP does not support client list' ? undefined : workers.length;
  } catch {
    return undefined;
  }
}

/** Returns the age of the oldest event that is next in line or due first, in ms; 0 if there is none. */
async function readOldestMs({ queue, writer }: OpenQueue): Promise<number> {
  const [waiting, delayed] = await Promise.all([
    queue.getRanges(['waiting'], 0, 0, true),
    queue.getRanges(['delayed'], 0, 0, true),
  ]);
  const node = writer();
  const read = (id: string) => node.hget(queue.toKey(id), 'timestamp');
  const timestamps = await Promise.all([...waiting, ...delayed].map(read));
  const known = timestamps.flatMap((timestamp) => (timestamp === null ? [] : Number(timestamp)));
  return known.length === 0 ? 0 : Math.max(Date.now() - Math.min(...known), 0);
}

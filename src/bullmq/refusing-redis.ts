import type { Worker } from 'bullmq';
import type { ClientFamily } from '../redis/connection.js';
import { isForbidden } from '../redis/failure.js';

// How a worker lives with a Redis that refuses commands.

/** Milliseconds of the first rest, doubled up to the longest while Redis goes on refusing. */
const FIRST = 100;
const LONGEST = 5_000;

/** Lets a worker rest when Redis refuses a command. BullMQ would try again at once, thousands of times a second. */
export class Rest {
  readonly #worker: Worker;
  #ms = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** Takes no events for a while. Those in work go on. */
  begin(): void {
    if (this.#isOver || this.#timer !== undefined) return;
    this.#ms = Math.min(Math.max(this.#ms * 2, FIRST), LONGEST);
    void this.#worker.pause(true);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#worker.resume();
    }, this.#ms);
  }

  /** Redis has taken a command: the next rest is a short one again. */
  forget(): void {
    this.#ms = 0;
  }

  /** Rests no more, because the worker closes. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}

type Client = ClientFamily['client'];

/** The fields that BullMQ looks for in the answer to `INFO`. Permissions came with Redis 6, and from 6.2 on it warns of nothing. */
const LEAST_VERSION = 'redis_version:6.2.0';

/**
 * Lets a worker begin without the permission for `INFO`, or where a provider has taken it away. BullMQ asks each client and each
 * duplicate of it for the version of Redis, and would wait for ever.
 */
export function withoutInfo(client: Client): void {
  const info = client.info.bind(client) as (...args: readonly unknown[]) => Promise<string>;
  client.info = (...args: readonly unknown[]) => {
    // ioredis itself asks with a callback, and does without an answer.
    const hasCallback = typeof args.at(-1) === 'function';
    return hasCallback ? info(...args) : info(...args).catch(orLeastVersion);
  };
  const duplicate = client.duplicate.bind(client) as (...args: readonly unknown[]) => Client;
  client.duplicate = ((...args: readonly unknown[]) => {
    const copy = duplicate(...args);
    withoutInfo(copy);
    return copy;
  }) as typeof client.duplicate;
}

function orLeastVersion(error: unknown): string {
  if (isForbidden(error)) return LEAST_VERSION;
  throw error;
}

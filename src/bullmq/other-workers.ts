import { DelayedError } from 'bullmq';
import { unhandledError } from '../inbox/failure.js';
import type { RedisClient } from '../redis/connection.js';
import { isWebhookEventType, webhookEvents } from '../webhooks/events.js';
import { type InboxJob, runsOf, toFinalError } from './job.js';

/** Time between two announcements, in ms. */
const ANNOUNCE_INTERVAL_MS = 10_000;
/** Stands for every type that a worker's version does not know. */
const UNKNOWN = '*';

/**
 * Delay in ms before an event without a handler is looked at again: the first while a connected worker has
 * one, otherwise a fifth longer each time.
 */
const RECHECK_DELAY_MS = { first: 100, last: 30_000 };
/** The least delay for each event that is delayed, in ms: about a thousand are looked at in a second. */
const RECHECK_SPACING_MS = 1;
/** The longest delay, however many events are delayed, in ms. */
const MAX_RECHECK_DELAY_MS = 300_000;

/** What a worker needs to announce its types, and to give events back. */
export interface OtherWorkersParts {
  readonly client: RedisClient;
  /** Makes the name of a key of the queue. */
  readonly toKey: (name: string) => string;
  /** Whether this worker has a handler for a type. */
  readonly handles: (type: string) => boolean;
  readonly unhandledTimeout: number;
}

/**
 * The other workers of a queue, which may have a handler for an event that this one has none for.
 *
 * Each worker announces the types that it handles: a key for each type, which expires `unhandledTimeout` after
 * the last worker that has a handler was connected.
 */
export class OtherWorkers {
  readonly #parts: OtherWorkersParts;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /** Starts to announce the types of this worker. */
  constructor(parts: OtherWorkersParts) {
    this.#parts = parts;
    void this.#announce();
  }

  /**
   * Gives an event back that this worker has no handler for. Rejects, so that BullMQ records no end.
   *
   * Makes a dead letter of it if no worker with a handler came within `unhandledTimeout`, unless its handlers
   * have run before.
   */
  async leave(job: InboxJob, token: string | undefined): Promise<never> {
    const { client, toKey, unhandledTimeout } = this.#parts;
    const [isHandled, delayed] = await Promise.all([this.#handle(job.name), client.zcard(toKey('delayed'))]);
    // Counted by BullMQ. An outage, in which no worker takes the event, does not use up its time.
    const returns = job.attemptsStarted - job.attemptsMade - 1;
    const isPatient = isHandled || runsOf(job) > 0;
    const msLeft = isPatient ? MAX_RECHECK_DELAY_MS : unhandledTimeout - waitedAfter(returns);
    if (msLeft <= 0) throw toFinalError(unhandledError(unhandledTimeout));
    const delay = Math.max(recheckDelay(isHandled ? 0 : returns), delayed * RECHECK_SPACING_MS);
    await job.moveToDelayed(Date.now() + Math.min(delay, msLeft, MAX_RECHECK_DELAY_MS), token);
    throw new DelayedError();
  }

  /** Announces no more. What was announced expires. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Whether a worker with a handler for a type is connected, or was within `unhandledTimeout`. */
  async #handle(type: string): Promise<boolean> {
    const types = isWebhookEventType(type) ? [type] : [type, UNKNOWN];
    return (await this.#parts.client.exists(types.map((one) => this.#keyOf(one)))) > 0;
  }

  /** Again and again, also because handlers may be registered after the worker has started. */
  async #announce(): Promise<void> {
    const { client, handles, unhandledTimeout } = this.#parts;
    const lifeMs = unhandledTimeout + ANNOUNCE_INTERVAL_MS;
    const announcement = client.pipeline();
    for (const type of [...Object.keys(webhookEvents), UNKNOWN].filter(handles)) {
      announcement.set(this.#keyOf(type), '1', 'PX', lifeMs);
    }
    // The worker itself reports a Redis that fails.
    await announcement.exec().catch(() => undefined);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#announce(), ANNOUNCE_INTERVAL_MS);
  }

  #keyOf(type: string): string {
    return this.#parts.toKey(`handles:${type}`);
  }
}

/** Returns the delay in ms of an event that was given back this many times before. */
function recheckDelay(returns: number): number {
  return Math.min(Math.ceil(RECHECK_DELAY_MS.first * 1.2 ** returns), RECHECK_DELAY_MS.last);
}

/** Returns how long an event that was given back this many times has waited at least, in ms. */
function waitedAfter(returns: number): number {
  let waited = 0;
  for (let count = 0; count < returns; count += 1) waited += recheckDelay(count);
  return waited;
}

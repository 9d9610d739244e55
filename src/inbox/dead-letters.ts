import * as z from 'zod/v4/mini';
import { bindMethods } from '../utils/bound.js';
import { checkOptions, defined, func, type OptionFields, wholeNumber } from '../validation/check-options.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { Settled } from './options.js';

/** A stored event that failed for good: it was out of attempts, or invalid. */
export interface DeadLetter {
  /** The key of the event, for `replay` and `remove`. */
  readonly id: string;
  /** The event as it was stored. */
  readonly webhook: StoredWebhook;
  /** Says why it failed: the message of the last error, or what happened to the event. */
  readonly reason: string;
  /** How often its handlers ran. Runs that lost their worker or their lock count too. */
  readonly attempts: number;
  /** When it became a dead letter, in milliseconds since the Unix epoch. */
  readonly failedAt: number;
}

/** Chooses a page of dead letters, which are listed in the order of their ids. */
export interface ListDeadLettersOptions {
  /**
   * Starts the page after this id: the last one of the page before, even if it is gone. Default: the first
   * page.
   */
  readonly after?: string | undefined;
  /**
   * Limits how many are returned. Default 50. They are all in memory at once: take fewer if events are large.
   */
  readonly limit?: number | undefined;
}

/** Where an inbox keeps its dead letters. */
export interface DeadLetterStorage {
  /** Returns the dead letters after this key, even if it is gone. `''` starts at the first. */
  list(after: string, limit: number): Promise<DeadLetter[]>;
  get(key: string): Promise<DeadLetter | undefined>;
  keys(): Promise<readonly string[]>;
  /** Puts one back, with all of its attempts. Returns false if there is none. */
  replay(key: string): Promise<boolean>;
  /** Returns false if there is none. */
  remove(key: string): Promise<boolean>;
}

/** Waits for the storage. Makes its errors safe to log. */
type Ask = <Value>(query: () => Promise<Value>) => Promise<Value>;

/** The number of dead letters that are replayed at the same time. */
const REPLAY_BATCH_SIZE = 20;

export const LIST_DEFAULTS: Settled<ListDeadLettersOptions> = { after: '', limit: 50 };

const listFields: OptionFields<ListDeadLettersOptions> = {
  after: z.optional(z.string()),
  limit: z.optional(wholeNumber(1)),
};

/**
 * Lists, replays and removes the events that failed for good.
 *
 * Each method rejects with a `WebhookError` if the storage is unreachable or refuses.
 *
 * @example
 * ```ts
 * import { createSqliteInbox } from 'agent-platform-sdk/sqlite';
 *
 * const { deadLetters } = createSqliteInbox({ path: '/data/webhooks.db' });
 *
 * for (const { id, reason, webhook } of await deadLetters.list({ limit: 10 })) {
 *   console.log(reason, webhook.type);
 *   if (webhook.type === 'bug_reported') await deadLetters.remove(id);
 *   else await deadLetters.replay(id);
 * }
 * await deadLetters.replayAll(({ webhook }) => webhook.type === 'lead_captured');
 * ```
 */
export class DeadLetters {
  readonly #storage: DeadLetterStorage;
  readonly #ask: Ask;

  /** Use `inbox.deadLetters`. */
  constructor(storage: DeadLetterStorage, ask: Ask) {
    this.#storage = storage;
    this.#ask = ask;
    bindMethods(this);
  }

  /**
   * Returns a page of dead letters, in the order of their ids.
   *
   * You can replay or remove them while you page: no page skips one.
   *
   * @example
   * ```ts
   * import { createSqliteInbox } from 'agent-platform-sdk/sqlite';
   *
   * const { deadLetters } = createSqliteInbox({ path: '/data/webhooks.db' });
   *
   * for (let after = ''; ; ) {
   *   const page = await deadLetters.list({ after });
   *   for (const { id } of page) await deadLetters.replay(id);
   *   if (page.length === 0) break;
   *   after = page.at(-1)?.id ?? '';
   * }
   * ```
   */
  async list(options: ListDeadLettersOptions = {}): Promise<DeadLetter[]> {
    checkOptions(z.strictObject(listFields), options, { of: 'deadLetters.list' });
    const { after, limit } = { ...LIST_DEFAULTS, ...defined(options) };
    return this.#ask(() => this.#storage.list(after, limit));
  }

  /** Returns a dead letter, or undefined if there is none with this id. */
  async get(id: string): Promise<DeadLetter | undefined> {
    return this.#ask(() => this.#storage.get(id));
  }

  /**
   * Puts a dead letter back into the queue, with all of its attempts.
   *
   * @returns False if there is none with this id, or someone else has just replayed it.
   */
  async replay(id: string): Promise<boolean> {
    // From JavaScript it may be missing.
    checkOptions(z.strictObject({ id: z.string() }), { id }, { of: 'deadLetters.replay' });
    return this.#ask(() => this.#storage.replay(id));
  }

  /**
   * Puts all present dead letters back into the queue, each once.
   *
   * @param select - Returns true for a dead letter to replay, or a promise of that. Default: all.
   * @returns The number of events that were put back.
   */
  async replayAll(select: (letter: DeadLetter) => boolean | Promise<boolean> = () => true): Promise<number> {
    checkOptions(z.strictObject({ select: func }), { select }, { of: 'deadLetters.replayAll' });
    const replay = async (key: string) => {
      const letter = await this.#storage.get(key);
      // From JavaScript, `select` may return anything.
      return letter !== undefined && (await select(letter)) === true && this.#storage.replay(key);
    };
    return this.#ask(async () => {
      // All keys first: pages would shift when an event is put back.
      const keys = await this.#storage.keys();
      let replayed = 0;
      for (let start = 0; start < keys.length; start += REPLAY_BATCH_SIZE) {
        const batch = keys.slice(start, start + REPLAY_BATCH_SIZE);
        const results = await Promise.all(batch.map(replay));
        replayed += results.filter(Boolean).length;
      }
      return replayed;
    });
  }

  /**
   * Deletes a dead letter. A later duplicate is a new event.
   *
   * @returns False if there is none with this id.
   */
  async remove(id: string): Promise<boolean> {
    return this.#ask(() => this.#storage.remove(id));
  }
}

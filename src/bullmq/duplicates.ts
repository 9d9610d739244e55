import type { QueueOnRedis } from './redis-warnings.js';

/**
 * Tells a copy of an event from a new one, as it is added. BullMQ's answer to both is the same, so Redis is asked for the job and
 * for the key that is remembered of it, by a command that is sent together with that which adds: no further round trip.
 */
export class Duplicates {
  /** The additions under way, by key: of copies that come at once, each waits for the one before. */
  readonly #adding = new Map<string, Promise<unknown>>();

  /** Adds an event, and tells whether it was there before. */
  async add({ queue, client }: QueueOnRedis, key: string, add: () => Promise<unknown>): Promise<boolean> {
    while (this.#adding.has(key)) await this.#adding.get(key);
    const asking = Promise.all([client.exists(queue.toKey(key), queue.toKey(`de:${key}`)), add()]);
    this.#adding.set(key, Promise.allSettled([asking]));
    try {
      const [found] = await asking;
      return found > 0;
    } finally {
      this.#adding.delete(key);
    }
  }
}

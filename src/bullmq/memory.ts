import { numberIn, type ServerInfo } from './redis-info.js';

/** Describes how full Redis is if its memory is above a share of `maxmemory`. Undefined if there is room. */
export function findFull(info: ServerInfo, highWater: number): string | undefined {
  const maxmemory = numberIn(info, 'maxmemory');
  // Redis does not count the buffers of replicas and of the append-only file towards maxmemory either:
  // `mem_not_counted_for_evict` in https://redis.io/docs/latest/commands/info/.
  const used = numberIn(info, 'used_memory') - numberIn(info, 'mem_not_counted_for_evict');
  if (maxmemory === 0 || used < maxmemory * highWater) return undefined;
  const percent = (share: number) => `${Number((share * 100).toFixed(1))} %`;
  return `Redis uses ${percent(used / maxmemory)} of its maxmemory, and highWater is ${percent(highWater)}`;
}

/** How long a reading is used, in ms. Short, because a fast sender fills the room in the meantime. */
const READING_LIFE_MS = 10;

/** Knows whether Redis has room, without asking for each event. */
export class MemoryGauge {
  readonly #highWater: number;
  readonly #read: () => Promise<ServerInfo>;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<string | undefined> = Promise.resolve(undefined);

  /** `highWater` is the share of `maxmemory` that events may fill; `read` reads `INFO memory`. */
  constructor(highWater: number, read: () => Promise<ServerInfo>) {
    this.#highWater = highWater;
    this.#read = read;
  }

  /** Describes how full Redis is if there is no room. Asks it at most once in 10 ms. */
  async fullBy(): Promise<string | undefined> {
    if (performance.now() - this.#readAt > READING_LIFE_MS) {
      this.#readAt = performance.now();
      this.#reading = this.#read().then((info) => findFull(info, this.#highWater));
    }
    try {
      return await this.#reading;
    } catch (error) {
      // The next event reads again.
      this.#readAt = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }
}

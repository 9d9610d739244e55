import { numberIn, type ServerInfo } from './redis-info.js';

/** The memory of a Redis, in bytes. */
export interface MemoryUse {
  readonly used: number;
  readonly maxmemory: number;
}

/** Returns the memory in use; undefined if there is no limit. */
export function memoryUse(info: ServerInfo): MemoryUse | undefined {
  const maxmemory = numberIn(info, 'maxmemory');
  if (maxmemory === 0) return undefined;
  // Redis does not count the buffers of replicas and of the append-only file towards maxmemory either:
  // `mem_not_counted_for_evict` in https://redis.io/docs/latest/commands/info/.
  return { used: numberIn(info, 'used_memory') - numberIn(info, 'mem_not_counted_for_evict'), maxmemory };
}

/** How long a reading is used, in ms: shorter if a fast sender could fill the room in the meantime. */
const READING_LIFE_MS = { ample: 50, scarce: 5 };
/** Bytes of room that no sender fills in 50 ms. */
const AMPLE_ROOM_BYTES = 64 * 1024 ** 2;

/** Whether Redis has room, without asking it for each event. */
export class MemoryGauge {
  readonly #highWater: number;
  readonly #read: () => Promise<ServerInfo>;
  #readAt = 0;
  #lifeMs = READING_LIFE_MS.scarce;
  #reading: Promise<MemoryUse | undefined> | undefined;

  /** `highWater` is the share of `maxmemory` that events may fill; `read` reads `INFO memory`. */
  constructor(highWater: number, read: () => Promise<ServerInfo>) {
    this.#highWater = highWater;
    this.#read = read;
  }

  /** Returns how full Redis is if there is no room, else undefined. */
  async fullBy(): Promise<MemoryUse | undefined> {
    if (this.#reading === undefined || performance.now() - this.#readAt > this.#lifeMs) {
      this.#readAt = performance.now();
      this.#reading = this.#read().then(memoryUse);
    }
    const reading = this.#reading;
    try {
      const use = await reading;
      const room = use === undefined ? AMPLE_ROOM_BYTES : use.maxmemory * this.#highWater - use.used;
      this.#lifeMs = room < AMPLE_ROOM_BYTES ? READING_LIFE_MS.scarce : READING_LIFE_MS.ample;
      return room > 0 ? undefined : use;
    } catch (error) {
      // The next event reads again.
      if (this.#reading === reading) this.#reading = undefined;
      throw error;
    }
  }
}

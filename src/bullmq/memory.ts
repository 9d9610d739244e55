import { numberIn, type ServerInfo } from './server.js';

/** The memory of a Redis, in bytes. */
export interface MemoryUse {
  readonly used: number;
  readonly maxmemory: number;
}

/** The memory in use; undefined if there is no limit. */
export function memoryUse(info: ServerInfo): MemoryUse | undefined {
  const maxmemory = numberIn(info, 'maxmemory');
  if (maxmemory === 0) return undefined;
  // Redis itself does not count the buffers of its replicas and of its append-only file.
  return { used: numberIn(info, 'used_memory') - numberIn(info, 'mem_not_counted_for_evict'), maxmemory };
}

/** Milliseconds for which one reading serves: less if a fast sender could fill the room that is left in the meantime. */
const FRESH = { ample: 50, scarce: 5 };
/** Bytes of room that nobody fills in 50 ms. */
const AMPLE = 64 * 1024 ** 2;

/** Whether Redis has room, without asking it for each event. */
export class MemoryGauge {
  readonly #highWater: number;
  readonly #read: () => Promise<ServerInfo>;
  #readAt = 0;
  #fresh = FRESH.scarce;
  #reading: Promise<MemoryUse | undefined> | undefined;

  /** `highWater` is the share of `maxmemory` that events may fill; `read` asks Redis for the section `memory`. */
  constructor(highWater: number, read: () => Promise<ServerInfo>) {
    this.#highWater = highWater;
    this.#read = read;
  }

  /** Returns how full Redis is if there is no room, else undefined. */
  async fullBy(): Promise<MemoryUse | undefined> {
    if (this.#reading === undefined || performance.now() - this.#readAt > this.#fresh) {
      this.#readAt = performance.now();
      this.#reading = this.#read().then(memoryUse);
    }
    const reading = this.#reading;
    try {
      const use = await reading;
      const room = use === undefined ? AMPLE : use.maxmemory * this.#highWater - use.used;
      this.#fresh = room < AMPLE ? FRESH.scarce : FRESH.ample;
      return room > 0 ? undefined : use;
    } catch (error) {
      // The next event asks again.
      if (this.#reading === reading) this.#reading = undefined;
      throw error;
    }
  }
}

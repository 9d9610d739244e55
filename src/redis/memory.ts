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

/** Milliseconds for which one reading serves: less from three quarters of the mark on, or a fast sender fills what is left above it. */
const FRESH = { far: 50, near: 5 };

/** Whether Redis has room, without asking it for each event. */
export class MemoryGauge {
  readonly #highWater: number;
  readonly #read: () => Promise<ServerInfo>;
  #readAt = 0;
  #fresh = FRESH.near;
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
      this.#fresh = FRESH.far;
      if (use === undefined) return undefined;
      const mark = use.maxmemory * this.#highWater;
      if (use.used > 0.75 * mark) this.#fresh = FRESH.near;
      return use.used >= mark ? use : undefined;
    } catch (error) {
      // The next event asks again.
      if (this.#reading === reading) this.#reading = undefined;
      throw error;
    }
  }
}

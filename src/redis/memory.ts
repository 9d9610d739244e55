import { numberIn, type ServerInfo } from './server.js';

/** The memory of a Redis, in bytes. */
export interface MemoryUse {
  readonly used: number;
  readonly maxmemory: number;
}

/** Returns undefined where there is no limit. */
export function memoryUse(info: ServerInfo): MemoryUse | undefined {
  const maxmemory = numberIn(info, 'maxmemory');
  if (maxmemory === 0) return undefined;
  // Redis itself does not count the buffers of its replicas and of its append-only file.
  return { used: numberIn(info, 'used_memory') - numberIn(info, 'mem_not_counted_for_evict'), maxmemory };
}

/** Milliseconds for which a reading serves, and for which it does once the mark is reached. */
const VALID = 1_000;
const VALID_ABOVE = 100;
/** Bytes that an event takes at least, for how many may come before the next reading. */
const LEAST_EVENT = 4_096;
/** The part of the room below the mark that events may take before the next reading. */
const PART = 10;

interface MemoryReading {
  readonly use: MemoryUse | undefined;
  readonly at: number;
  /** The number of events that it is good for, and of those that came. */
  readonly events: number;
  taken: number;
}

/** Tells whether there is room for an event, without a question to Redis for each. */
export class MemoryGauge {
  readonly #read: () => Promise<ServerInfo | undefined>;
  readonly #highWater: number;
  #reading: MemoryReading | undefined;
  #underWay: Promise<MemoryReading> | undefined;

  /** `highWater` is the share of `maxmemory` that events may fill; `read` asks Redis for the section `memory`. */
  constructor(highWater: number, read: () => Promise<ServerInfo | undefined>) {
    this.#highWater = highWater;
    this.#read = read;
  }

  /** Returns how full Redis is if there is no room; undefined if there is, or if nobody can tell. */
  async fullBy(): Promise<MemoryUse | undefined> {
    let reading = this.#reading;
    // Many may have waited for one reading: it may not be good for all of them.
    while (reading === undefined || !this.#isGood(reading)) {
      this.#underWay ??= this.#ask().finally(() => {
        this.#underWay = undefined;
      });
      reading = await this.#underWay;
    }
    reading.taken += 1;
    return this.#room(reading) > 0 ? undefined : reading.use;
  }

  #isGood(reading: MemoryReading): boolean {
    const isFull = this.#room(reading) <= 0;
    const age = performance.now() - reading.at;
    return age < (isFull ? VALID_ABOVE : VALID) && (isFull || reading.taken < reading.events);
  }

  #room({ use }: Pick<MemoryReading, 'use'>): number {
    return use === undefined ? Number.POSITIVE_INFINITY : use.maxmemory * this.#highWater - use.used;
  }

  async #ask(): Promise<MemoryReading> {
    const before = this.#reading;
    const info = await this.#read();
    const use = info === undefined ? undefined : memoryUse(info);
    const grown = ((use?.used ?? 0) - (before?.use?.used ?? 0)) / (before?.taken || 1);
    const events = Math.ceil(this.#room({ use }) / PART / Math.max(grown, LEAST_EVENT));
    this.#reading = { use, at: performance.now(), events, taken: 0 };
    return this.#reading;
  }
}

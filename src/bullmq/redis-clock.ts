/** A difference between two clocks that does no harm, in ms. */
export const CLOCK_TOLERANCE_MS = 1_000;

/** The clock of Redis, which decides when an event is due and how old it is: those of the machines may be wrong. */
export class RedisClock {
  #ahead: number | undefined;

  /** Sets it, by a time that Redis has just returned. */
  set(redisMs: number): void {
    this.#ahead = redisMs - performance.now();
  }

  /** Milliseconds since the Unix epoch. Before Redis has returned a time: by the clock of this machine. */
  now(): number {
    return this.#ahead === undefined ? Date.now() : Math.round(performance.now() + this.#ahead);
  }

  /** How far the clock of this machine is behind, in ms. Negative if it is ahead. */
  behind(): number {
    return this.now() - Date.now();
  }
}

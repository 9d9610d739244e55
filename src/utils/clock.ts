/**
 * Notices that this process was away (its event loop was blocked, the machine slept), or that the clock was set.
 *
 * `performance.now()` only ever goes on, and `Date.now()` can be set. A jump of either shows here.
 */
export class ClockWatch {
  readonly #tolerance: number;
  #wall = Date.now();
  #steady = performance.now();
  /** Whether the clock was set, or the machine slept, before the last call of `hasJumped`. */
  wasSet = false;

  /** @param tolerance - Milliseconds between two looks that are nothing special. */
  constructor(tolerance: number) {
    this.#tolerance = tolerance;
  }

  /** Returns whether a clock has jumped since the last call. */
  hasJumped(): boolean {
    const [wall, steady] = [Date.now(), performance.now()];
    const passed = steady - this.#steady;
    this.wasSet = Math.abs(wall - this.#wall - passed) > this.#tolerance;
    this.#wall = wall;
    this.#steady = steady;
    return this.wasSet || passed > this.#tolerance;
  }
}

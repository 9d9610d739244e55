/**
 * Notices that this process was away (its event loop was blocked, the machine slept), or that the clock was set.
 *
 * `performance.now()` only ever goes on, and `Date.now()` can be set. A jump of either shows here.
 */
export class ClockWatch {
  readonly #tolerance: number;
  #wall = Date.now();
  #steady = performance.now();

  /** @param tolerance - Milliseconds between two looks that are nothing special. */
  constructor(tolerance: number) {
    this.#tolerance = tolerance;
  }

  /** Returns whether a clock has jumped since the last call. */
  hasJumped(): boolean {
    const [wall, steady] = [Date.now(), performance.now()];
    const passed = steady - this.#steady;
    const wasSet = Math.abs(wall - this.#wall - passed) > this.#tolerance;
    this.#wall = wall;
    this.#steady = steady;
    return wasSet || passed > this.#tolerance;
  }
}

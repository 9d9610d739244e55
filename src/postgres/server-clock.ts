/** A difference of two clocks up to this much, in ms, is the time that an answer took. */
const TOLERANCE_MS = 5_000;

/** Notices that the clock of the server was set, by ours that only ever goes on. */
export class ServerClock {
  #offset: number | undefined;

  /** Returns whether the clock was set since the last call. */
  wasSet(serverTime: number): boolean {
    const offset = serverTime - performance.now();
    const change = offset - (this.#offset ?? offset);
    this.#offset = offset;
    return Math.abs(change) > TOLERANCE_MS;
  }
}

import type { WorkerBeat } from './rows.js';

/**
 * Finds workers that have died, without comparing clocks: those whose beat was seen unchanged for all of
 * their lock.
 *
 * The clock of another process may be wrong, and so may ours.
 */
export class Living {
  readonly #since = new Map<string, { readonly beat: number; readonly at: number }>();

  /** Starts over: while this process was away, it has seen nothing. */
  reset(): void {
    this.#since.clear();
  }

  /** Looks at all other workers, and returns the dead ones. */
  findDead(workers: readonly WorkerBeat[]): WorkerBeat[] {
    const now = performance.now();
    const ids = new Set(workers.map(({ id }) => id));
    for (const id of this.#since.keys()) if (!ids.has(id)) this.#since.delete(id);
    return workers.filter(({ id, beat, lock }) => {
      const seen = this.#since.get(id);
      if (seen?.beat === beat) return now - seen.at > lock;
      this.#since.set(id, { beat, at: now });
      return false;
    });
  }
}

import type { Region } from '../ground/regions.js';

/** Gives ids that are the same in every run: `tool_eu_1`, `tool_eu_2`, …; never one that was given before. */
export interface NewIds {
  /**
   * The next free id of a kind: `ids.next('tool', region, (id) => state.tools.has(id))`.
   *
   * @param isTaken - Whether a record has the id already.
   */
  next(kind: string, region: Region, isTaken: (id: string) => boolean): string;
}

/** The ids of one fake. */
export class IdSource implements NewIds {
  readonly #last = new Map<string, number>();

  next(kind: string, region: Region, isTaken: (id: string) => boolean): string {
    const prefix = `${kind}_${region}_`;
    let number = this.#last.get(prefix) ?? 0;
    do number += 1;
    while (isTaken(`${prefix}${number}`));
    this.#last.set(prefix, number);
    return `${prefix}${number}`;
  }

  reset(): void {
    this.#last.clear();
  }
}

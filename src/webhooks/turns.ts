import type { ReceivedWebhook } from './delivery.js';
import { type Age, ageOf, isOlder, type NewestOnly, snapshotKey } from './newest.js';

/** The keys that are remembered are at least as many, and twice as many at most. */
const KEYS = 50_000;

/** Calls a function that handles the event and returns true for success, when it is its turn; not where a newer one was handled. */
export type Place = (handle: () => Promise<boolean>) => Promise<void>;

/** Those who want to handle events of one key. */
interface Line {
  /** One of them handles its event now. */
  isBusy: boolean;
  readonly waiting: Waiting[];
  /** The newest that was handled. */
  handled: Age | undefined;
}

interface Waiting {
  readonly age: Age;
  readonly begin: () => void;
}

/** The facts of an event beside its payload. */
interface Arrival {
  readonly receivedAt: number;
  readonly sequence?: number | undefined;
  /** Tells apart the workspaces that have no name. */
  readonly unnamedWorkspace?: string | undefined;
}

/** Lets the events of one key be handled one at a time, the newest first, and none after a newer one: in this process. */
export class Turns {
  /** Two generations: what nobody asks for is forgotten with the older one. */
  #young = new Map<string, Line>();
  #old = new Map<string, Line>();
  readonly #newestOnly: NewestOnly;
  #accepted = 0;

  constructor(newestOnly: NewestOnly) {
    this.#newestOnly = newestOnly;
  }

  /** Returns a place in the line for an event, or undefined if it is no snapshot. Throws what `newestOnly` throws. */
  placeOf(event: ReceivedWebhook, { receivedAt, sequence, unnamedWorkspace }: Arrival): Place | undefined {
    const key = snapshotKey(this.#newestOnly, event, unnamedWorkspace);
    if (key === undefined) return undefined;
    this.#accepted += 1;
    const age = ageOf(event.payload, receivedAt, sequence ?? this.#accepted);
    return (handle) => this.#wait(key, age, handle);
  }

  async #wait(key: string, age: Age, handle: () => Promise<boolean>): Promise<void> {
    const line = this.#lineOf(key);
    if (line.isBusy) await new Promise<void>((begin) => line.waiting.push({ age, begin }));
    line.isBusy = true;
    try {
      const isPast = line.handled !== undefined && isOlder(age, line.handled);
      if (!isPast && (await handle())) line.handled = age;
    } finally {
      // Stays busy for the next one, so that nobody can come between.
      const next = takeNewest(line.waiting);
      if (next === undefined) line.isBusy = false;
      else next.begin();
    }
  }

  #lineOf(key: string): Line {
    const known = this.#young.get(key) ?? this.#old.get(key);
    const line = known ?? { isBusy: false, waiting: [], handled: undefined };
    this.#young.set(key, line);
    if (this.#young.size > KEYS) {
      const busy = [...this.#old].filter(([, { isBusy }]) => isBusy);
      this.#old = this.#young;
      this.#young = new Map(busy);
    }
    return line;
  }
}

function takeNewest(waiting: Waiting[]): Waiting | undefined {
  let newest = waiting[0];
  for (const one of waiting) if (newest !== undefined && isOlder(newest.age, one.age)) newest = one;
  if (newest !== undefined) waiting.splice(waiting.indexOf(newest), 1);
  return newest;
}

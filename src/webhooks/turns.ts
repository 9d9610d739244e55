import type { Clock } from './clock.js';
import type { ReceivedWebhook } from './delivery.js';
import { type Age, ageOf, isOlder, type NewestOnly, snapshotKey } from './newest.js';

/** The keys that are remembered are at least as many, and twice as many at most. */
const KEYS = 50_000;

/** The run of an event's handlers, which waits for its turn. */
export interface Run {
  /** Handles the event, and returns true for success. Not called where a newer one was handled. */
  readonly handle: () => Promise<boolean>;
  /** Ends the wait, and the turn. Without one, a turn ends after the time that a delivery has. */
  readonly signal?: AbortSignal;
  /** Told that the turn has ended although the handlers have not settled. */
  readonly onOverdue: () => void;
}

/** Resolves when the event was handled or is past. Rejects with the reason of a signal that was aborted before its turn. */
export type Place = (run: Run) => Promise<void>;

/** Those who want to handle events of one key. */
interface Line {
  /** The one whose turn it is. */
  holder: Waiting | undefined;
  readonly waiting: Waiting[];
  /** The newest that was handled. */
  handled: Age | undefined;
}

interface Waiting {
  readonly age: Age;
  begin: () => void;
}

/** The facts of an event beside its payload. */
interface Arrival {
  readonly receivedAt: number;
  /** Counted here for a delivery, which has none. */
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
  readonly #clock: Clock;
  readonly #longest: number;
  #accepted = 0;

  /** @param longest - Milliseconds after which a delivery whose handler has not settled holds up no other. */
  constructor(newestOnly: NewestOnly, clock: Clock, longest: number) {
    this.#newestOnly = newestOnly;
    this.#clock = clock;
    this.#longest = longest;
  }

  /** Returns a place in the line for an event, or undefined if it is no snapshot. Throws what `newestOnly` throws. */
  placeOf(event: ReceivedWebhook, { receivedAt, sequence, unnamedWorkspace }: Arrival): Place | undefined {
    const key = snapshotKey(this.#newestOnly, event, unnamedWorkspace);
    if (key === undefined) return undefined;
    this.#accepted += 1;
    const age = ageOf(event.payload, receivedAt, sequence ?? this.#accepted);
    return (run) => this.#wait(key, age, run);
  }

  async #wait(key: string, age: Age, { handle, signal, onOverdue }: Run): Promise<void> {
    signal?.throwIfAborted();
    const line = this.#lineOf(key);
    const one: Waiting = { age, begin: () => undefined };
    line.holder ??= one;
    if (line.holder !== one) await standIn(line, one, signal);
    const lift = this.#limit(signal, () => {
      onOverdue();
      passOn(line, one);
    });
    const isPast = () => line.handled !== undefined && isOlder(age, line.handled);
    try {
      signal?.throwIfAborted();
      // A newer one may be handled beside one that is overdue.
      if (!isPast() && (await handle()) && !isPast()) line.handled = age;
    } finally {
      lift();
      passOn(line, one);
    }
  }

  /** Calls back at the end of a turn's time. Returns what lifts this limit. */
  #limit(signal: AbortSignal | undefined, over: () => void): () => void {
    if (signal === undefined) {
      const timer = this.#clock.setTimeout(over, this.#longest);
      return () => this.#clock.clearTimeout(timer);
    }
    signal.addEventListener('abort', over);
    return () => signal.removeEventListener('abort', over);
  }

  #lineOf(key: string): Line {
    const known = this.#young.get(key) ?? this.#old.get(key);
    const line = known ?? { holder: undefined, waiting: [], handled: undefined };
    this.#young.set(key, line);
    if (this.#young.size > KEYS) {
      const busy = [...this.#old].filter(([, { holder }]) => holder !== undefined);
      this.#old = this.#young;
      this.#young = new Map(busy);
    }
    return line;
  }
}

/** Resolves when the turn of this one has come. Rejects with the reason of a signal that is aborted before. */
function standIn(line: Line, one: Waiting, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      line.waiting.splice(line.waiting.indexOf(one), 1);
      reject(signal?.reason as Error);
    };
    one.begin = () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    line.waiting.push(one);
    signal?.addEventListener('abort', leave, { once: true });
  });
}

/** Ends the turn of this one, unless it has ended. The next one has it at once, so that nobody can come between. */
function passOn(line: Line, one: Waiting): void {
  if (line.holder !== one) return;
  line.holder = takeNewest(line.waiting);
  line.holder?.begin();
}

function takeNewest(waiting: Waiting[]): Waiting | undefined {
  let newest = waiting[0];
  for (const one of waiting) if (newest !== undefined && isOlder(newest.age, one.age)) newest = one;
  if (newest !== undefined) waiting.splice(waiting.indexOf(newest), 1);
  return newest;
}

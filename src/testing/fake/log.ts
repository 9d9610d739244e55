/** The newest entries that are kept. */
const MAX_ENTRIES = 10_000;

/** The characters of entries whose bodies are kept: 50 million. */
const MAX_CHARACTERS = 50_000_000;

/** Replaces the body of an entry that has lost its bodies. */
export const NOT_KEPT = '[dropped to make room for newer bodies]';

/** An entry of a journal. */
interface Entry {
  readonly id: string;
  /** Milliseconds; undefined while it is under way. */
  readonly duration?: number | undefined;
}

/** The differences between journals. */
interface JournalOptions<Each> {
  /** The beginning of ids. */
  readonly prefix: string;
  /** An entry without its bodies. */
  readonly withoutBodies: (entry: Each) => Partial<Each>;
  /** Called when an entry begins, and when it ends. */
  readonly onEntry: (entry: Each) => void;
  readonly onClear: () => void;
}

/** Keeps the newest requests, or deliveries. When there is no more room, the oldest bodies go first. */
export class Journal<Each extends Entry> {
  readonly entries: Each[] = [];
  readonly #options: JournalOptions<Each>;
  /** The size of each entry that still has its bodies, the oldest first. */
  readonly #sizes = new Map<Each, number>();
  #size = 0;
  #lastId = 0;

  constructor(options: JournalOptions<Each>) {
    this.#options = options;
  }

  /** Enters what has begun. */
  open(begun: Omit<Each, 'id'>): Each {
    this.#lastId += 1;
    // All fields but the id were given.
    const entry = { id: `${this.#options.prefix}_${this.#lastId}`, ...begun } as Each;
    this.entries.push(entry);
    this.#measure(entry);
    const oldest = this.entries.length > MAX_ENTRIES ? this.entries.shift() : undefined;
    if (oldest !== undefined) this.#forget(oldest);
    this.#options.onEntry(entry);
    return entry;
  }

  /** Completes an entry. One that was cleared meanwhile is not emitted. */
  close(entry: Each, outcome: Partial<Each>): void {
    Object.assign(entry, outcome);
    if (!this.#sizes.has(entry) && !this.entries.includes(entry)) return;
    this.#measure(entry);
    this.#options.onEntry(entry);
  }

  /** Forgets all entries; ids start again at 1. */
  clear(): void {
    this.entries.length = 0;
    this.#sizes.clear();
    this.#size = 0;
    this.#lastId = 0;
    this.#options.onClear();
  }

  #measure(entry: Each): void {
    const size = JSON.stringify(entry).length;
    this.#size += size - (this.#sizes.get(entry) ?? 0);
    this.#sizes.set(entry, size);
    for (const old of this.#sizes.keys()) {
      if (this.#size <= MAX_CHARACTERS || old === entry) return;
      Object.assign(old, this.#options.withoutBodies(old));
      this.#forget(old);
    }
  }

  #forget(entry: Each): void {
    this.#size -= this.#sizes.get(entry) ?? 0;
    this.#sizes.delete(entry);
  }
}

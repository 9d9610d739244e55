import type { Runtime } from './runtime.js';

/** The file, and those beside it while it is open. */
const BESIDE = ['-wal', '-shm'] as const;
const ENDS = ['', ...BESIDE] as const;

/** An open file. */
interface Closable {
  close(): void;
}

/** How often the file is opened again while others replace it. */
const OPENINGS = 5;

/** Remembers which files are at a path, by the device and inode of each. */
export class Identity {
  readonly #fs: Runtime['fs'];
  readonly #path: string;
  #seen: readonly (string | undefined)[] = [];

  constructor({ fs }: Runtime, path: string) {
    this.#fs = fs;
    this.#path = path;
  }

  /**
   * Opens the file, and remembers which one it is. Repeats that if it was replaced meanwhile.
   *
   * @param prepare - Fills the opened file. If it throws, the file is closed, and not remembered.
   */
  open<Opened extends Closable>(open: () => Opened, prepare: (opened: Opened) => void): Opened {
    for (let count = 1; ; count += 1) {
      const before = this.#readBefore();
      const opened = open();
      try {
        const seen = ENDS.map((end) => this.#read(end));
        if (before === undefined || before === seen[0] || count === OPENINGS) {
          prepare(opened);
          this.#seen = seen;
          return opened;
        }
      } catch (error) {
        opened.close();
        throw error;
      }
      opened.close();
    }
  }

  /** Undefined if the file system does not say. Opening the file gives the reason then. */
  #readBefore(): string | undefined {
    try {
      return this.#read('');
    } catch {
      return undefined;
    }
  }

  /** Whether each file is the one that was remembered. Opens nothing, and so costs microseconds. */
  get isSame(): boolean {
    return ENDS.every((end) => this.#has(end));
  }

  /** Whether the file itself is the one that was remembered, whatever is beside it. */
  get isSameFile(): boolean {
    return this.#has('');
  }

  /** Puts a file that `make` makes at another path in the place of this one. */
  replaceBy(make: (path: string) => Closable): void {
    const copy = `${this.#path}-copy`;
    this.#remove(copy, ENDS);
    let made: Closable | undefined;
    try {
      made = make(copy);
      this.#fs.renameSync(copy, this.#path);
      // SQLite would apply them to the copy.
      this.#remove(this.#path, BESIDE);
    } finally {
      made?.close();
      // If there was no room for it, a part of it is there.
      this.#remove(copy, ENDS);
    }
  }

  /** Deletes what is left beside a file that is gone: SQLite would apply it to the next file at this path. */
  removeRest(): void {
    this.#remove(
      this.#path,
      BESIDE.filter((end) => this.#has(end)),
    );
  }

  #remove(path: string, ends: readonly string[]): void {
    for (const end of ends) this.#fs.rmSync(path + end, { force: true });
  }

  #has(end: (typeof ENDS)[number]): boolean {
    return this.#read(end) === this.#seen[ENDS.indexOf(end)];
  }

  /** @throws The file system does not say, because the folder may not be read, or the volume is away. */
  #read(end: string): string | undefined {
    const stats = this.#fs.statSync(this.#path + end, { throwIfNoEntry: false });
    return stats && `${stats.dev}:${stats.ino}`;
  }
}

import type { Runtime } from './runtime.js';

/** The file, and those beside it while it is open. */
const ENDS = ['', '-wal', '-shm'] as const;

/** The device and inode of each file; undefined where none is. */
type Look = readonly (string | undefined)[];

/** Remembers which files are open, and compares them with those at the path. */
export class Identity {
  /** The real path of the file. */
  readonly path: string;
  readonly #fs: Runtime['fs'];
  #opened: Look = [];
  #isWatched = true;

  constructor({ fs }: Runtime, path: string) {
    this.#fs = fs;
    this.path = path;
  }

  /** Opens the file, and remembers which one it is. If it was replaced meanwhile, the first look finds that. */
  open<Opened>(open: (path: string) => Opened): Opened {
    const before = this.#read('');
    const opened = open(this.path);
    const [, ...beside] = this.#look();
    this.#opened = [before, ...beside];
    return opened;
  }

  /** Compares nothing from now on: the inodes of this file system say nothing. */
  ignore(): void {
    this.#isWatched = false;
  }

  /** The inode of the open file. */
  get inode(): string {
    return String(this.#opened[0]).replace(/^.*:/, '');
  }

  /**
   * Whether one of the open files is not at the path any more. Opens nothing, and so costs microseconds.
   *
   * @throws The file system does not say, because the folder may not be read, or the volume is away.
   */
  get isGone(): boolean {
    if (!this.#isWatched) return false;
    const look = this.#look();
    if (ENDS.every((_, index) => look[index] === this.#opened[index])) return false;
    const [second, third] = [this.#look(), this.#look()];
    // Where inodes change by themselves, as on some network file systems, each look finds another one.
    const changes = ENDS.some((_, index) => {
      const found = new Set([look[index], second[index], third[index]]);
      return found.size === 3 && !found.has(undefined);
    });
    if (changes) this.#isWatched = false;
    return !changes;
  }

  /** Whether nothing is at the path, and nothing beside it that SQLite would apply to a file there. */
  get isFree(): boolean {
    return this.#look().every((found) => found === undefined);
  }

  /** Whether other files are there now, which another process may use. */
  get isReplaced(): boolean {
    return this.#look().some((found, index) => found !== undefined && found !== this.#opened[index]);
  }

  #look(): Look {
    return ENDS.map((end) => this.#read(end));
  }

  #read(end: string): string | undefined {
    const stats = this.#fs.statSync(this.path + end, { throwIfNoEntry: false });
    return stats && `${stats.dev}:${stats.ino}`;
  }
}

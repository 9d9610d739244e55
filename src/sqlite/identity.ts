import type { Runtime } from './runtime.js';

/** The file, and those beside it while it is open. */
const ENDS = ['', '-wal', '-shm'] as const;

/** Which files are at a path: device and inode of each; undefined for one that is not there. */
export class Identity {
  readonly #fs: Runtime['fs'];
  readonly #path: string;
  #seen: readonly (string | undefined)[];

  /** Remembers the files that are there now. */
  constructor({ fs }: Runtime, path: string) {
    this.#fs = fs;
    this.#path = path;
    this.#seen = this.#look();
  }

  /** Whether each file is the one that was remembered. Opens nothing, and so costs microseconds. */
  get isSame(): boolean {
    return ENDS.every((end) => this.has(end));
  }

  /** Whether the file itself is the one that was remembered, whatever is beside it. */
  get isSameFile(): boolean {
    return this.has('');
  }

  /** Whether one of the files beside it is the one that was remembered. */
  has(end: (typeof ENDS)[number]): boolean {
    return this.#read(end) === this.#seen[ENDS.indexOf(end)];
  }

  remember(): void {
    this.#seen = this.#look();
  }

  /** Deletes what is left beside a file that is gone: SQLite would apply it to the next file at this path. */
  removeRest(): void {
    for (const end of ENDS)
      if (end !== '' && this.has(end)) this.#fs.rmSync(this.#path + end, { force: true });
  }

  #look(): (string | undefined)[] {
    return ENDS.map((end) => this.#read(end));
  }

  #read(end: string): string | undefined {
    const stats = this.#fs.statSync(this.#path + end, { throwIfNoEntry: false });
    return stats && `${stats.dev}:${stats.ino}`;
  }
}

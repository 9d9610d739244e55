import type { InboxWarnings } from '../inbox/health.js';
import type { Database } from './database.js';
import type { Runtime } from './runtime.js';

/** How long a reading of the free space is used, in ms. */
const READING_LIFE_MS = 100;

/**
 * File systems of Linux that may lose a file, or break its locks, by their number in `statfs(2)`.
 *
 * Other systems number below 100.
 */
const PLACES: Readonly<Record<number, readonly [kind: 'persistence' | 'remote', place: string]>> = {
  0x01021994: ['persistence', 'tmpfs, which a restart empties'],
  0x858458f6: ['persistence', 'ramfs, which a restart empties'],
  0x794c7630: ['persistence', 'the layer of a container, which is deleted with it'],
  0x6969: ['remote', 'NFS, where locks may not work'],
  0xfe534d42: ['remote', 'SMB, where locks may not work'],
  0xff534d42: ['remote', 'SMB, where locks may not work'],
  0x65735546: ['remote', 'FUSE, where locks may not work'],
  0x01021997: ['remote', '9p, where locks may not work'],
};

/** The disk that the file is on: its free space, and whether it keeps files. */
export class Disk {
  readonly #fs: Runtime['fs'];
  readonly #folder: string;
  readonly #minFree: number;
  readonly #database: Database;
  #readAt = Number.NEGATIVE_INFINITY;
  #free = 0;

  constructor({ fs, path: paths }: Runtime, path: string, minFree: number, database: Database) {
    this.#fs = fs;
    this.#folder = paths.dirname(path);
    this.#minFree = minFree;
    this.#database = database;
  }

  /** Says how full the disk is, if an event has no room. Measures at most ten times a second. */
  fullBy(): string | undefined {
    const now = performance.now();
    if (now - this.#readAt > READING_LIFE_MS) {
      this.#readAt = now;
      this.#free = this.#readFree();
    }
    if (this.#free >= this.#minFree) return undefined;
    return `${this.#free} bytes are free on the disk, and minFree is ${this.#minFree}`;
  }

  /** Warns of a disk that may lose the file or break its locks, as far as Linux shows it. */
  warnings(): InboxWarnings<'persistence' | 'remote' | 'unmeasured'> {
    const stats = this.#read();
    if (stats instanceof Error) {
      return { unmeasured: `The free space is unknown, so minFree has no effect: ${stats.message}` };
    }
    const [kind, place] = PLACES[stats.type] ?? [];
    return kind ? { [kind]: `The file is on ${place}. Put it on a local disk, or on a volume.` } : {};
  }

  /** Counts free pages inside the file too: it never shrinks, and handled events leave them. */
  #readFree(): number {
    const stats = this.#read();
    if (stats instanceof Error) return Number.POSITIVE_INFINITY;
    const freePages = this.#database.number('PRAGMA freelist_count');
    return stats.bavail * stats.bsize + freePages * this.#database.number('PRAGMA page_size');
  }

  /** Deno may forbid it: `--allow-sys=statfs`. */
  #read(): Readonly<Record<'type' | 'bavail' | 'bsize', number>> | Error {
    try {
      return this.#fs.statfsSync(this.#folder);
    } catch (error) {
      return error as Error;
    }
  }
}

import { FileGoneError } from '../errors/inbox.js';
import { closedError } from '../inbox/failure.js';
import type { InboxWarnings } from '../inbox/health.js';
import type { InboxReporter } from '../inbox/reporter.js';
import { unref, withRetries } from '../utils/waiting.js';
import { createFile, type Database, openDatabase, openingError } from './database.js';
import { Disk } from './disk.js';
import { cleanError, isBusy, isDamage } from './failure.js';
import { Identity } from './identity.js';
import { copyLeftover, type Leftover } from './leftover.js';
import type { SqliteSettings } from './options.js';
import { loadRuntime, type Runtime } from './runtime.js';
import { Writer } from './writer.js';

/** How long a query is repeated, in ms. */
const READ_TIMEOUT_MS = 2_000;
/** How long a change waits for other processes that write, in ms. */
const WRITE_TIMEOUT_MS = 3_000;
/** Time limit of the last change, in ms: closing ends whatever another process does. */
const LAST_CHANGE_MS = 300;

/** Milliseconds between two looks whether the file is still at its path. */
const LOOK_MS = 1_000;

/**
 * Connections to files that were replaced, which are never closed. SQLite would write what they have into a file that
 * others may use by now, and would delete its `-wal`. Node closes them all the same where a process ends without
 * `process.exit`: SECURITY.md says what that can cost.
 */
const leftOpen: Database[] = [];

/** The open file of an inbox. */
export class InboxFile {
  readonly database: Database;
  readonly disk: Disk;
  readonly #runtime: Runtime;
  readonly #identity: Identity;
  readonly #writer: Writer;
  readonly #reporter: InboxReporter;
  readonly #timer: ReturnType<typeof setInterval>;
  /** Damage that was met, and where a copy is of a file that is gone. */
  warnings: InboxWarnings<'damaged' | 'gone'> = {};
  /** When the file was last seen in its place, in milliseconds since the epoch. */
  #inPlaceAt = Date.now();
  /** A copy of the file, which is gone. */
  #leftover: Leftover | undefined;
  #isClosed = false;

  /** @throws {ConfigurationError} The runtime has no safe SQLite, or the file cannot be opened. */
  constructor(settings: SqliteSettings, reporter: InboxReporter) {
    const runtime = loadRuntime();
    this.#runtime = runtime;
    try {
      this.#identity = new Identity(runtime, createFile(runtime, settings.path));
      this.database = this.#identity.open((path) => openDatabase(runtime, path, settings.application));
    } catch (error) {
      throw openingError(error, runtime, settings.path);
    }
    const { path } = this.#identity;
    this.#writer = new Writer(this.database, () => this.#checkPlace());
    this.#reporter = reporter;
    this.disk = new Disk(runtime, path, settings.minFree, this.database);
    if (this.disk.warnings().remote !== undefined) this.#identity.ignore();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    unref(this.#timer);
    const count = countOpen(path, 1);
    if (count > 1)
      reporter.warn(
        `${count} inboxes of this process use ${path}. Create one, and keep it on globalThis if the module is loaded again`,
      );
  }

  /** Runs a query. Repeats it while another connection recovers the file after a crash. */
  async read<Value>(query: (database: Database) => Value): Promise<Value> {
    return this.#watch(() => withRetries(async () => query(this.database), READ_TIMEOUT_MS, isBusy));
  }

  /** Commits a change together with others: see `Writer.write`. */
  async write<Value>(change: (database: Database) => Value, timeout = WRITE_TIMEOUT_MS): Promise<Value> {
    return this.#watch(() => this.#writer.write(() => change(this.database), timeout));
  }

  /** Commits what waits, and closes the file. */
  async close(): Promise<void> {
    await this.write(() => undefined, LAST_CHANGE_MS).catch(() => undefined);
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#writer.end(closedError());
    countOpen(this.#identity.path, -1);
    try {
      if (this.warnings.gone === undefined || !this.#identity.isReplaced) return this.database.close();
    } catch {
      // The file system does not say.
    }
    leftOpen.push(this.database);
  }

  /** Notices that the file is gone even if nothing is stored, and tries again to copy it. */
  #look(): void {
    try {
      if (this.warnings.gone !== undefined && this.#leftover === undefined) this.#leave();
      this.#checkPlace();
    } catch (error) {
      this.#reporter.storageFailed(cleanError(error));
    }
  }

  /**
   * Makes sure that the next process finds what is stored here.
   *
   * If it would not, this process writes nothing more: another one may use what is left, under other locks.
   *
   * @throws {FileGoneError} The file, or one beside it, was deleted or replaced. There is a copy of it.
   */
  #checkPlace(): void {
    if (this.warnings.gone === undefined && !this.#identity.isGone) {
      this.#inPlaceAt = Date.now();
      return;
    }
    if (this.warnings.gone === undefined) this.#leave();
    throw new FileGoneError(this.warnings.gone ?? '');
  }

  /** Copies the file, which is gone, and says where the copy is. */
  #leave(): void {
    const { path } = this.#identity;
    const warn = (where: string) => {
      const gone = `${path}, its -wal or its -shm was deleted or replaced: nothing more is stored. ${where}`;
      this.warnings = { ...this.warnings, gone };
    };
    try {
      this.#leftover = copyLeftover(this.#runtime, this.database, this.#identity, this.#inPlaceAt);
    } catch (error) {
      const reason = cleanError(error).message;
      return warn(
        `There is no copy yet: ${reason}. Fix that, and do not stop this process until there is one`,
      );
    }
    const copy = this.#leftover.path;
    if (this.#leftover.isInPlace)
      return warn(`A copy of all events is at the path, and is also at ${copy}. Restart`);
    const steps = `Stop all processes, delete ${path}-wal and ${path}-shm, move the copy to ${path}, restart`;
    warn(`A copy of all events is ${copy}. ${steps}`);
  }

  /** Reports damage: it affects some events only, and the others go on. */
  async #watch<Value>(use: () => Promise<Value>): Promise<Value> {
    if (this.#isClosed) throw closedError();
    try {
      return await use();
    } catch (error) {
      if (isDamage(error)) {
        const failure = cleanError(error);
        this.warnings = { ...this.warnings, damaged: failure.message };
        this.#reporter.storageFailed(failure);
      }
      throw error;
    }
  }
}

/** How many inboxes are open at each path, for all copies of this package in the process. */
const OPEN = /* @__PURE__ */ Symbol.for('agent-platform-sdk.inbox-files');

/** Counts an inbox that is opened or closed, and returns how many there are at its path. */
function countOpen(path: string, more: 1 | -1): number {
  const shared = globalThis as { [OPEN]?: Map<string, number> };
  shared[OPEN] ??= new Map();
  const count = (shared[OPEN].get(path) ?? 0) + more;
  shared[OPEN].set(path, count);
  return count;
}

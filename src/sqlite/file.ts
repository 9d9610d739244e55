import { closedError } from '../inbox/failure.js';
import type { InboxWarnings } from '../inbox/health.js';
import type { InboxReporter } from '../inbox/reporter.js';
import { unref, withRetries } from '../utils/waiting.js';
import { type Database, openDatabase } from './database.js';
import { Disk } from './disk.js';
import { Events } from './events.js';
import { cleanError, FileGoneError, isBusy, isDamage } from './failure.js';
import { Identity } from './identity.js';
import type { SqliteSettings } from './options.js';
import { loadRuntime } from './runtime.js';
import { Writer } from './writer.js';

/** How long a query is repeated, in ms. */
const READ_TIMEOUT_MS = 2_000;
/** How long a change waits for other processes that write, in ms. */
const WRITE_TIMEOUT_MS = 3_000;
/** Time limit of the last change, in ms: closing ends whatever another process does. */
const LAST_CHANGE_MS = 300;

/** How long a move to another file waits for processes that write there, in ms. It blocks the event loop. */
const FOLLOW_TIMEOUT_MS = 50;

/** Milliseconds between two looks whether the file is still at its path. */
const LOOK_MS = 1_000;

/** The open file of an inbox. */
export class InboxFile {
  readonly events: Events;
  readonly disk: Disk;
  readonly #open: (path?: string) => Database;
  readonly #database: Database;
  readonly #identity: Identity;
  readonly #writer: Writer;
  readonly #reporter: InboxReporter;
  /** Damage that was met, and a file system that hides if the file is replaced. */
  warnings: InboxWarnings<'damaged' | 'unwatched'> = {};
  readonly #timer: ReturnType<typeof setInterval>;
  #isClosed = false;

  /** @throws {ConfigurationError} The runtime has no safe SQLite, or the file cannot be opened. */
  constructor(settings: SqliteSettings, reporter: InboxReporter) {
    const runtime = loadRuntime();
    this.#open = (path = settings.path) => openDatabase(runtime, { ...settings, path }, FOLLOW_TIMEOUT_MS);
    this.#identity = new Identity(runtime, settings.path);
    this.#database = this.#identity.open(
      () => openDatabase(runtime, settings),
      () => undefined,
    );
    this.#writer = new Writer(this.#database, () => this.#follow());
    this.#reporter = reporter;
    this.events = new Events(this.#database);
    this.disk = new Disk(runtime, settings, this.#database);
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    unref(this.#timer);
  }

  /** Runs a query. Repeats it while another connection recovers the file after a crash. */
  async read<Value>(query: () => Value): Promise<Value> {
    return this.#watch(() => withRetries(async () => query(), READ_TIMEOUT_MS, isBusy));
  }

  /** Commits a change together with others: see `Writer.write`. */
  async write<Value>(change: () => Value, timeout = WRITE_TIMEOUT_MS): Promise<Value> {
    return this.#watch(() => this.#writer.write(change, timeout));
  }

  /** Tries a change before the end, for a short time. */
  async writeLast(change: () => void): Promise<void> {
    await this.write(change, LAST_CHANGE_MS).catch(() => undefined);
  }

  /** Commits what waits, and closes the file. */
  async close(): Promise<void> {
    await this.writeLast(() => undefined);
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#writer.end(closedError());
    this.#database.close();
  }

  /** Whether the open file is the one at its path, as far as one can tell. */
  get #isInPlace(): boolean {
    return this.warnings.unwatched !== undefined || this.#identity.isSame;
  }

  /** Notices that the file is gone even if nothing is stored: a change makes the writer follow. */
  #look(): void {
    try {
      if (this.#isInPlace) return;
    } catch {
      // The change is refused for the same reason.
    }
    this.write(() => undefined).catch((error: unknown) => this.#reporter.storageFailed(cleanError(error)));
  }

  /**
   * Moves to the file that is at the path now, if that is another one.
   *
   * It takes every event along, because nobody else would find them in a file that was deleted or replaced.
   *
   * @throws {FileGoneError} There is no file, and none can be created.
   */
  #follow(): void {
    try {
      if (this.#isInPlace) return;
      if (this.#identity.isSameFile) this.#replace();
      this.#move();
    } catch (error) {
      // Another process does the same.
      throw isBusy(error) ? error : new FileGoneError(error);
    }
  }

  /**
   * Replaces the file by a copy, because `-wal` or `-shm` was deleted.
   *
   * A process that opens the file now would see neither the latest events nor our locks. Every process that
   * has it open follows to the copy.
   */
  #replace(): void {
    // Others that share the deleted files wait here, and find the copy afterwards.
    this.#database.run('BEGIN IMMEDIATE');
    try {
      if (!this.#identity.isSameFile) return;
      this.#identity.replaceBy((path) => this.#copyTo(path));
      this.#reporter.warn(
        'the -wal or -shm file was deleted. The inbox has replaced the database with a complete copy',
      );
    } finally {
      this.#database.run('ROLLBACK');
    }
  }

  /**
   * Returns a copy that is open and locked: nobody may use it until the old `-wal` and `-shm` are deleted.
   */
  #copyTo(path: string): Database {
    const copy = this.#open(path);
    try {
      copyEvents(this.events, copy);
      copy.script('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
      return copy;
    } catch (error) {
      copy.close();
      throw error;
    }
  }

  #move(): void {
    this.#identity.removeRest();
    const proof = crypto.randomUUID();
    this.events.beat({ id: proof, lock: 0 }, 0);
    const next = this.#identity.open(
      () => this.#open(),
      (opened) => this.#fill(opened, proof),
    );
    this.#database.close();
    this.#database.become(next);
  }

  #fill(next: Database, proof: string): void {
    if (new Events(next).workers().some(({ id }) => id === proof)) {
      const unwatched =
        'The inode of the file changes by itself, so the inbox cannot notice that it is deleted or replaced.';
      this.warnings = { ...this.warnings, unwatched };
      this.#reporter.warnOnce('unwatched', unwatched);
    } else {
      const copied = copyEvents(this.events, next);
      this.#reporter.warn(
        `the file was deleted or replaced. ${copied} events were copied to the file at its path`,
      );
    }
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

/** Copies the events of a file to another one. Returns the number of those that were not there. */
function copyEvents(from: Events, to: Database): number {
  to.script(`PRAGMA busy_timeout = ${FOLLOW_TIMEOUT_MS}; BEGIN IMMEDIATE`);
  const copied = new Events(to).copyFrom(from, Date.now());
  to.script('COMMIT; PRAGMA busy_timeout = 0');
  return copied;
}

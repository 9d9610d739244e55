import { WebhookError } from '../errors/index.js';
import type { InboxReporter } from '../inbox/reporter.js';
import { unref, withRetries } from '../utils/waiting.js';
import { type Database, isInUse, openDatabase } from './database.js';
import { Disk } from './disk.js';
import { Events } from './events.js';
import { cleanError, FileGoneError, isBusy, isDamage, isIoError } from './failure.js';
import { Identity } from './identity.js';
import type { SqliteSettings } from './options.js';
import { loadRuntime } from './runtime.js';
import { Writer } from './writer.js';

/** How long a query is repeated, in ms. */
const READ_TIMEOUT_MS = 2_000;
/** How long a change waits for other processes that write, in ms. */
const WRITE_TIMEOUT_MS = 3_000;

/** Milliseconds between two looks whether the file is still at its path. */
const LOOK_MS = 1_000;
/** Milliseconds in which all processes notice it, and leave the file. */
const LEAVE_MS = 2_500;

/** The open file of an inbox. */
export class InboxFile {
  readonly events: Events;
  readonly disk: Disk;
  readonly #open: () => Database;
  readonly #isInUse: () => boolean;
  readonly #database: Database;
  readonly #identity: Identity;
  readonly #writer: Writer;
  readonly #reporter: InboxReporter;
  #unwatched: string | undefined;
  readonly #timer: ReturnType<typeof setInterval>;
  /** When the others have noticed too that what is beside the file is gone, on the clock of `performance`. */
  #reopenAt = 0;
  #damage: string | undefined;
  #isClosed = false;

  /** @throws {ConfigurationError} The runtime has no safe SQLite, or the file cannot be opened. */
  constructor(settings: SqliteSettings, reporter: InboxReporter) {
    const runtime = loadRuntime();
    this.#open = () => openDatabase(runtime, settings);
    this.#isInUse = () => isInUse(runtime, settings);
    this.#database = this.#open();
    this.#identity = new Identity(runtime, settings.path);
    this.#writer = new Writer(this.#database, () => this.#follow());
    this.#reporter = reporter;
    this.events = new Events(this.#database);
    this.disk = new Disk(runtime, settings, this.#database);
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    unref(this.#timer);
  }

  /** What is damaged, as far as anything has met it; undefined if nothing has. */
  get damage(): string | undefined {
    return this.#damage;
  }

  /** Why it would not be noticed that the file is deleted or replaced; undefined if it is. */
  get unwatched(): string | undefined {
    return this.#unwatched;
  }

  /** Runs a query. Repeats it while another connection recovers the file after a crash. */
  async read<Value>(query: () => Value): Promise<Value> {
    return this.#watch(() => withRetries(async () => query(), READ_TIMEOUT_MS, isBusy));
  }

  /** Commits a change together with others: see `Writer.write`. */
  async write<Value>(change: () => Value, timeout = WRITE_TIMEOUT_MS): Promise<Value> {
    return this.#watch(() => this.#writer.write(change, timeout));
  }

  /** Commits what waits, and closes the file. */
  async close(timeout: number): Promise<void> {
    await this.write(() => undefined, timeout).catch(() => undefined);
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#writer.end(closedError());
    this.#database.close();
  }

  /** Notices too while nothing is stored that the file is gone: the writer follows. */
  #look(): void {
    if (this.#unwatched !== undefined || this.#identity.isSame) return;
    this.write(() => undefined).catch((error: unknown) => this.#reporter.storageFailed(cleanError(error)));
  }

  /**
   * Goes on in the file that is at the path now, if that is another one, with every event of the one that was.
   *
   * Nobody else would find what is stored in a file that was deleted or replaced.
   *
   * @throws {FileGoneError} There is none, and none can be made.
   */
  #follow(): void {
    if (this.#unwatched !== undefined || this.#identity.isSame) return;
    try {
      if (this.#identity.isSameFile) this.#reopen();
      else this.#move();
      this.#identity.remember();
    } catch (error) {
      throw new FileGoneError(error);
    }
  }

  /**
   * What SQLite keeps beside the file was deleted. Its content goes into the file, and SQLite makes it again.
   *
   * Two processes must not use the file with two sets of these: each leaves, and comes back when the others have left.
   */
  #reopen(): void {
    const database = this.#database;
    if (database.isOpen) {
      saveChanges(database, this.#identity.has('-wal'));
      database.close();
      this.#reopenAt = performance.now() + LEAVE_MS;
    }
    if (performance.now() < this.#reopenAt && this.#isInUse()) throw new Error('others have it open');
    database.become(this.#open());
    this.#reporter.warn('the files beside the file were deleted: their content was saved');
  }

  #move(): void {
    this.#identity.removeRest();
    const proof = crypto.randomUUID();
    this.events.beat({ id: proof, lock: 0 }, 0);
    const next = this.#open();
    try {
      const events = new Events(next);
      if (events.workers().some(({ id }) => id === proof)) {
        this.#unwatched =
          'The inode of the file changes by itself: nobody notices if it is deleted or replaced.';
        this.#reporter.warnOnce('unwatched', this.#unwatched);
      } else {
        next.run('BEGIN IMMEDIATE');
        const copied = events.copyFrom(this.events, Date.now());
        next.run('COMMIT');
        this.#reporter.warn(
          `the file was deleted or replaced: ${copied} events were copied to the one at its path`,
        );
      }
    } catch (error) {
      next.close();
      throw error;
    }
    this.#database.close();
    this.#database.become(next);
  }

  /** Reports damage by itself: a damaged page concerns some events, and the others go on. */
  async #watch<Value>(use: () => Promise<Value>): Promise<Value> {
    if (this.#isClosed) throw closedError();
    try {
      return await use();
    } catch (error) {
      if (isDamage(error)) {
        const failure = cleanError(error);
        this.#damage = failure.message;
        this.#reporter.storageFailed(failure);
      }
      throw error;
    }
  }
}

/** Copies into the file what is in the open file beside it. */
function saveChanges(database: Database, isShared: boolean): void {
  try {
    // Others may have begun to use the one at the path: it is not cut.
    const [result] = database.all(`PRAGMA wal_checkpoint(${isShared ? 'FULL' : 'TRUNCATE'})`);
    if (result?.busy !== 0) throw new Error('it is in use');
  } catch (error) {
    // Another process has saved it all, and cut it.
    if (!isIoError(error)) throw error;
  }
}

function closedError(): WebhookError {
  return new WebhookError('The inbox is closed.');
}

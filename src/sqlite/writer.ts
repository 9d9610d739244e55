import { WebhookError } from '../errors/index.js';
import type { Database } from './database.js';
import { isBusy } from './failure.js';

/** A change that waits to be committed. */
interface Change {
  /** May be called again, if the transaction is rolled back because of another change. */
  readonly apply: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** When it no longer waits for other processes, on the clock of `performance`. */
  readonly until: number;
}

/**
 * The longest delay between two attempts while another connection writes. Random, or two could meet forever.
 */
const MAX_RETRY_DELAY_MS = 5;
/** A transaction takes changes for this long, in ms, so that it does not block the event loop. */
const MAX_TRANSACTION_MS = 20;

/**
 * Commits changes in groups: all changes of one turn of the event loop share an fsync.
 *
 * A promise resolves when its change is on the disk. A change that fails takes no other with it.
 */
export class Writer {
  readonly #database: Database;
  readonly #check: () => void;
  #changes: Change[] = [];
  #isScheduled = false;

  /** @param check - Called before and after each transaction. Throws if others would not find what it writes. */
  constructor(database: Database, check: () => void) {
    this.#database = database;
    this.#check = check;
  }

  /**
   * Applies a change and returns its result. Rejects if nothing of it was committed.
   *
   * @param apply - May run several times. Only the last time counts.
   * @param timeout - How long to wait while another connection writes, in ms.
   */
  write<Value>(apply: () => Value, timeout: number): Promise<Value> {
    return new Promise((resolve, reject) => {
      const until = performance.now() + timeout;
      // It is only called with a result of `apply`.
      this.#changes.push({ apply, resolve: resolve as Change['resolve'], reject, until });
      this.#schedule();
    });
  }

  /** Rejects all changes that wait, because the file is about to be closed. */
  end(error: WebhookError): void {
    rejectAll(this.#changes.splice(0), error);
  }

  #schedule(delay?: number): void {
    if (this.#isScheduled || this.#changes.length === 0) return;
    this.#isScheduled = true;
    const commit = () => {
      this.#isScheduled = false;
      if (this.#changes.length > 0) this.#commit();
    };
    if (delay === undefined) setImmediate(commit);
    else setTimeout(commit, delay);
  }

  #commit(): void {
    if (!this.#begin()) return;
    const applied: (readonly [Change, result: unknown])[] = [];
    const end = performance.now() + MAX_TRANSACTION_MS;
    for (const change of this.#changes) {
      if (performance.now() > end) break;
      try {
        applied.push([change, change.apply()]);
      } catch (error) {
        this.#rollBack();
        // The others are applied again without it.
        this.#changes.splice(applied.length, 1);
        change.reject(error);
        return this.#schedule();
      }
    }
    this.#changes.splice(0, applied.length);
    try {
      this.#database.run('COMMIT');
      this.#check();
      for (const [{ resolve }, result] of applied) resolve(result);
    } catch (error) {
      this.#rollBack();
      for (const [{ reject }] of applied) reject(error);
    }
    this.#schedule();
  }

  /** Begins a transaction. Returns false if another connection writes, or the file cannot be written. */
  #begin(): boolean {
    const startedAt = performance.now();
    try {
      this.#check();
      this.#database.run('BEGIN IMMEDIATE');
      this.#database.checkVersion();
      return true;
    } catch (error) {
      this.#rollBack();
      if (isBusy(error)) this.#waitForOthers(performance.now() - startedAt);
      else rejectAll(this.#changes.splice(0), error);
      return false;
    }
  }

  /** @param blocked - How long the attempt has blocked the event loop, in ms. Others get as much time. */
  #waitForOthers(blocked: number): void {
    const now = performance.now();
    const overdue = this.#changes.filter(({ until }) => until <= now);
    rejectAll(overdue, new WebhookError('Another process was writing to the file.'));
    this.#changes = this.#changes.filter(({ until }) => until > now);
    this.#schedule(Math.max(Math.random() * MAX_RETRY_DELAY_MS, blocked));
  }

  #rollBack(): void {
    try {
      this.#database.run('ROLLBACK');
    } catch {
      // Nothing has begun, or SQLite has done so itself, as on a full disk: https://sqlite.org/lang_transaction.html
    }
  }
}

function rejectAll(changes: readonly Change[], error: unknown): void {
  for (const { reject } of changes) reject(error);
}

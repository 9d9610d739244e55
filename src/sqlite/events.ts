import type { StoredWebhook } from '../webhooks/inbox.js';
import type { Database } from './database.js';
import type { SqlValue } from './runtime.js';

/** A stored event as its row describes it. */
export interface EventRow {
  readonly id: number;
  /** The number of times that it was taken. */
  readonly run: number;
  readonly key: string;
  readonly type: string;
  readonly received: number;
  /** The number of its runs that failed. */
  readonly failures: number;
  /** The number of its runs whose lock expired. */
  readonly stalls: number;
  /** The event, as JSON. */
  readonly data: string;
}

/** The row of a dead letter. */
export interface DeadRow extends EventRow {
  readonly died: number;
  readonly reason: string;
}

/** How an event becomes a dead letter. */
export interface DeadEnd {
  readonly now: number;
  readonly keptUntil: number;
  readonly reason: string;
}

/** One run of an event: what it records counts only as long as no later run has taken the event. */
export type RunId = Pick<EventRow, 'id' | 'run'>;

/** The number of events in each state, and of workers. */
export interface Counts {
  readonly waiting: number;
  readonly retrying: number;
  readonly active: number;
  readonly deadLetters: number;
  readonly workers: number;
  /** When the oldest event that waits was received. */
  readonly oldest: number | null;
}

const DEAD = "state = 'dead', due = ?, died = ?, reason = ?";
const WAITING = "state = 'waiting', due = 0";
/**
 * The ids of events to take at this time, up to a number, without the first so many: retries that are due, then the
 * oldest that wait. Found in the index alone.
 */
const NEXT = `SELECT * FROM
  (SELECT id FROM events WHERE state = 'retrying' AND due <= ?1 ORDER BY due LIMIT ?2 + ?3)
UNION ALL SELECT * FROM
  (SELECT id FROM events WHERE state = 'waiting' ORDER BY due, received LIMIT ?2 + ?3) LIMIT ?2 OFFSET ?3`;
const COLUMNS = 'id, run, key, type, received, failures, stalls, data';

/** The tables whose rows are deleted when they are due. */
const SWEPT = [
  ['handled', 'key', ''],
  ['events', 'id', "state = 'dead' AND"],
  ['workers', 'id', ''],
] as const;

/** What is done with events, as statements of SQL. Each change is part of a transaction of the writer. */
export class Events {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  // Storing

  /** Adds an event, unless its key is there or remembered. `data` is the event as JSON. */
  store({ key, type, receivedAt }: StoredWebhook, data: string, now: number): void {
    const isKnown = 'EXISTS (SELECT 1 FROM handled WHERE key = ?1 AND due > ?5)';
    const sql = `INSERT INTO events (key, type, state, due, received, data)
      SELECT ?1, ?2, 'waiting', 0, ?3, ?4 WHERE NOT ${isKnown} ON CONFLICT (key) DO NOTHING`;
    this.#database.run(sql, key, type, receivedAt, data, now);
  }

  // Taking

  /** Whether there is an event to take. */
  hasDue(now: number): boolean {
    return this.#database.all(NEXT, now, 1, 0).length > 0;
  }

  /** Takes events, without the first `skip`, until their locks expire. */
  take(now: number, limit: number, skip: number, lockedUntil: number): EventRow[] {
    const changes = "state = 'running', due = ?4, run = run + 1";
    return this.#changeAll(changes, `id IN (${NEXT})`, now, limit, skip, lockedUntil);
  }

  // Locks

  /** Keeps the lock of a run. Returns false if it was lost. */
  renew(run: RunId, lockedUntil: number): boolean {
    return this.#change(run, 'due = ?', lockedUntil);
  }

  /** Puts events back whose lock has expired, and returns them with the stall counted. */
  free(now: number, maxStalls: number): EventRow[] {
    const which = "state = 'running' AND due <= ? AND stalls < ?";
    return this.#changeAll(`${WAITING}, stalls = stalls + 1`, which, now, maxStalls);
  }

  /** Makes dead letters of events whose locks have expired too often, and returns them. */
  buryStalled({ now, keptUntil, reason }: DeadEnd): EventRow[] {
    const changes = `${DEAD}, stalls = stalls + 1`;
    return this.#changeAll(changes, "state = 'running' AND due <= ?", keptUntil, now, reason, now);
  }

  // Ends of runs. Each returns false if the run has lost its lock.

  /** Deletes an event that was handled, and remembers its key. */
  finish(run: RunId & Pick<EventRow, 'key'>, rememberedUntil: number): boolean {
    const deleted = "DELETE FROM events WHERE id = ? AND run = ? AND state = 'running'";
    if (this.#database.run(deleted, run.id, run.run) === 0) return false;
    this.#database.run('INSERT OR REPLACE INTO handled (key, due) VALUES (?, ?)', run.key, rememberedUntil);
    return true;
  }

  /** Leaves an event for another run. */
  retry(run: RunId, due: number, reason: string): boolean {
    return this.#change(run, "state = 'retrying', failures = failures + 1, due = ?, reason = ?", due, reason);
  }

  /** Makes a dead letter of an event. */
  bury(run: RunId, { now, keptUntil, reason }: DeadEnd): boolean {
    return this.#change(run, `${DEAD}, failures = failures + 1`, keptUntil, now, reason);
  }

  /** Puts an event back to the front. Costs no attempt. */
  giveBack(run: RunId): boolean {
    return this.#change(run, WAITING);
  }

  #change({ id, run }: RunId, changes: string, ...values: readonly SqlValue[]): boolean {
    const sql = `UPDATE events SET ${changes} WHERE id = ? AND run = ? AND state = 'running'`;
    return this.#database.run(sql, ...values, id, run) === 1;
  }

  #changeAll(changes: string, which: string, ...values: readonly SqlValue[]): EventRow[] {
    const sql = `UPDATE events SET ${changes} WHERE ${which} RETURNING ${COLUMNS}`;
    // The columns that the statement returns.
    return this.#database.all(sql, ...values) as unknown as EventRow[];
  }

  // Dead letters

  /** Returns the dead letters with the next keys after this one. */
  deadLetters(after: string, limit: number): DeadRow[] {
    return this.#deadLetters('key > ? ORDER BY key LIMIT ?', after, limit);
  }

  deadLetter(key: string): DeadRow | undefined {
    return this.#deadLetters('key = ?', key)[0];
  }

  #deadLetters(which: string, ...values: readonly SqlValue[]): DeadRow[] {
    const sql = `SELECT ${COLUMNS}, died, reason FROM events WHERE state = 'dead' AND ${which}`;
    // The columns that the query names.
    return this.#database.all(sql, ...values) as unknown as DeadRow[];
  }

  deadKeys(): string[] {
    const rows = this.#database.all("SELECT key FROM events WHERE state = 'dead' ORDER BY due, id");
    return rows.map(({ key }) => String(key));
  }

  /** Puts a dead letter back, as if it was new. */
  replay(key: string): boolean {
    const changes = `${WAITING}, failures = 0, stalls = 0, reason = NULL`;
    return this.#database.run(`UPDATE events SET ${changes} WHERE key = ? AND state = 'dead'`, key) === 1;
  }

  remove(key: string): boolean {
    return this.#database.run("DELETE FROM events WHERE key = ? AND state = 'dead'", key) === 1;
  }

  // Workers, counts and what is forgotten

  /** Shows other processes that a worker is there. */
  announce(worker: string, until: number): void {
    this.#database.run('INSERT OR REPLACE INTO workers (id, due) VALUES (?, ?)', worker, until);
  }

  withdraw(worker: string): void {
    this.#database.run('DELETE FROM workers WHERE id = ?', worker);
  }

  /** Counts what there is, in the index alone. */
  count(now: number): Counts {
    // `total` is the `sum` that is 0 where there is no row.
    const sql = `SELECT
      total(state = 'waiting') AS waiting,
      total(state = 'retrying') AS retrying,
      total(state = 'running') AS active,
      total(state = 'dead') AS deadLetters,
      (SELECT count(*) FROM workers WHERE due > ?1) AS workers,
      min(received) FILTER (WHERE state IN ('waiting', 'retrying')) AS oldest
      FROM events`;
    // The columns that the query names.
    return this.#database.all(sql, now)[0] as unknown as Counts;
  }

  /** Deletes up to `limit` due rows of each table. Returns the largest number of a table. */
  sweep(now: number, limit: number): number {
    const counts = SWEPT.map(([table, id, which]) => {
      const due = `SELECT ${id} FROM ${table} WHERE ${which} due <= ? LIMIT ?`;
      return this.#database.run(`DELETE FROM ${table} WHERE ${id} IN (${due})`, now, limit);
    });
    return Math.max(...counts);
  }
}

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
/** The ids of events to take, of these types (as JSON), at this time, up to a number. */
const NEXT = `SELECT * FROM (SELECT id FROM events INDEXED BY parked_by_type
  WHERE state = 'parked' AND type IN (SELECT value FROM json_each(?1)) LIMIT ?3)
UNION ALL SELECT * FROM (SELECT id FROM events
  WHERE state = 'waiting' AND due <= ?2 ORDER BY due, received LIMIT ?3) LIMIT ?3`;
const COLUMNS = 'id, run, key, type, received, failures, stalls, data';

/** When an event that has been run is due, if it waits for a worker with a handler. */
const NEVER = Number.MAX_SAFE_INTEGER;

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
    const isKnown = 'EXISTS (SELECT 1 FROM handled WHERE key = ?1 AND due > ?3)';
    const sql = `INSERT INTO events (key, type, state, due, received, data)
      SELECT ?1, ?2, 'waiting', ?3, ?4, ?5 WHERE NOT ${isKnown} ON CONFLICT (key) DO NOTHING`;
    this.#database.run(sql, key, type, now, receivedAt, data);
  }

  // Taking

  /** Whether there is an event to take: one that waits, or a parked one of these types (as JSON). */
  hasDue(now: number, types: string): boolean {
    return this.#database.all(NEXT, types, now, 1).length > 0;
  }

  /** Returns the types of parked events. */
  parkedTypes(): string[] {
    const rows = this.#database.all("SELECT DISTINCT type FROM events WHERE state = 'parked'");
    return rows.map(({ type }) => String(type));
  }

  /** Takes events that are parked with one of these types, then those that have been due for longest. */
  take(now: number, types: string, limit: number, lockedUntil: number): EventRow[] {
    return this.#take('?4', `id IN (${NEXT})`, types, now, limit, lockedUntil);
  }

  /** Takes one event that waits. */
  takeOne(id: number, lockedUntil: number): EventRow[] {
    return this.#take('?', "id = ? AND state = 'waiting'", lockedUntil, id);
  }

  #take(due: string, which: string, ...values: readonly SqlValue[]): EventRow[] {
    return this.#changeAll(`state = 'running', due = ${due}, run = run + 1`, which, ...values);
  }

  /** Returns the ids of events that wait, one by one, from either end. */
  *dueIds(now: number, order: 'ASC' | 'DESC'): Iterable<number> {
    const due = `SELECT id FROM events WHERE state = 'waiting' AND due <= ? ORDER BY due ${order}`;
    for (const { id } of this.#database.iterate(due, now)) yield Number(id);
  }

  // Locks

  /** Keeps the lock of a run. Returns false if it was lost. */
  renew(run: RunId, lockedUntil: number): boolean {
    return this.#change(run, 'due = ?', lockedUntil);
  }

  /** Puts events back whose lock has expired, and returns them with the stall counted. */
  free(now: number, maxStalls: number): EventRow[] {
    const which = "state = 'running' AND due <= ? AND stalls < ?";
    return this.#changeAll("state = 'waiting', due = ?, stalls = stalls + 1", which, now, now, maxStalls);
  }

  /** Makes dead letters of events whose locks have expired too often, and returns them. */
  buryStalled(end: DeadEnd): EventRow[] {
    return this.#buryAll(', stalls = stalls + 1', "state = 'running' AND due <= ?", end, end.now);
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
    return this.#change(run, "state = 'waiting', failures = failures + 1, due = ?, reason = ?", due, reason);
  }

  /** Makes a dead letter of an event. */
  bury(run: RunId, { now, keptUntil, reason }: DeadEnd): boolean {
    return this.#change(run, `${DEAD}, failures = failures + 1`, keptUntil, now, reason);
  }

  /** Puts an event back to the front. Costs no attempt. */
  giveBack(run: RunId): boolean {
    return this.#change(run, "state = 'waiting', due = received");
  }

  /**
   * Keeps an event for a worker that has a handler.
   *
   * The time starts when it is first given back. Once its handlers have run, it waits forever.
   */
  park(run: RunId, now: number, unhandledTimeout: number): boolean {
    const since = 'coalesce(parked, ?1)';
    const due = `iif(failures + stalls > 0, ${NEVER}, ${since} + ?2)`;
    return this.#change(run, `state = 'parked', parked = ${since}, due = ${due}`, now, unhandledTimeout);
  }

  #change({ id, run }: RunId, changes: string, ...values: readonly SqlValue[]): boolean {
    const sql = `UPDATE events SET ${changes} WHERE id = ? AND run = ? AND state = 'running'`;
    return this.#database.run(sql, ...values, id, run) === 1;
  }

  /** Makes dead letters of events that were parked for too long, if no worker has a handler. Returns them. */
  buryParked(end: DeadEnd): EventRow[] {
    const handled = 'SELECT value FROM workers, json_each(workers.types) WHERE workers.due > ?';
    const which = `state = 'parked' AND due <= ? AND type NOT IN (${handled})`;
    return this.#buryAll('', which, end, end.now, end.now);
  }

  #buryAll(change: string, which: string, end: DeadEnd, ...values: readonly SqlValue[]): EventRow[] {
    const { now, keptUntil, reason } = end;
    return this.#changeAll(DEAD + change, which, keptUntil, now, reason, ...values);
  }

  #changeAll(changes: string, which: string, ...values: readonly SqlValue[]): EventRow[] {
    const sql = `UPDATE events SET ${changes} WHERE ${which} RETURNING ${COLUMNS}`;
    // The columns that the statement returns.
    return this.#database.all(sql, ...values) as unknown as EventRow[];
  }

  // Dead letters

  /** Returns a page of dead letters, the oldest first; with a key, that one. */
  deadLetters(start: number, limit: number, ...key: readonly string[]): DeadRow[] {
    const sql = `SELECT ${COLUMNS}, died, reason FROM events
      WHERE state = 'dead' ${key.length > 0 ? 'AND key = ?' : ''} ORDER BY due, id LIMIT ? OFFSET ?`;
    // The columns that the query names.
    return this.#database.all(sql, ...key, limit, start) as unknown as DeadRow[];
  }

  deadKeys(): string[] {
    const rows = this.#database.all("SELECT key FROM events WHERE state = 'dead' ORDER BY due, id");
    return rows.map(({ key }) => String(key));
  }

  /** Puts a dead letter back, as if it was new. */
  replay(key: string, now: number): boolean {
    const changes = "state = 'waiting', due = ?, failures = 0, stalls = 0, parked = NULL, reason = NULL";
    const sql = `UPDATE events SET ${changes} WHERE key = ? AND state = 'dead'`;
    return this.#database.run(sql, now, key) === 1;
  }

  remove(key: string): boolean {
    return this.#database.run("DELETE FROM events WHERE key = ? AND state = 'dead'", key) === 1;
  }

  // Workers, counts and what is forgotten

  /** Shows other processes that a worker is there, and the types of parked events that it handles (as JSON). */
  announce(worker: string, until: number, types: string): void {
    const sql = 'INSERT OR REPLACE INTO workers (id, due, types) VALUES (?, ?, ?)';
    this.#database.run(sql, worker, until, types);
  }

  withdraw(worker: string): void {
    this.#database.run('DELETE FROM workers WHERE id = ?', worker);
  }

  /** Counts what there is, in the index alone. */
  count(now: number): Counts {
    // `total` is the `sum` that is 0 where there is no row.
    const sql = `SELECT
      total(state = 'waiting' AND due <= ?1) AS waiting,
      total(state = 'parked' OR state = 'waiting' AND due > ?1) AS retrying,
      total(state = 'running') AS active,
      total(state = 'dead') AS deadLetters,
      (SELECT count(*) FROM workers WHERE due > ?1) AS workers,
      min(received) FILTER (WHERE state IN ('waiting', 'parked')) AS oldest
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

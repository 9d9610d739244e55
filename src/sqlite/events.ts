import { STALL_DELAY_MS } from '../inbox/delays.js';
import type { InboxEvent } from '../inbox/engine.js';
import type { Backoff, Settled } from '../inbox/options.js';
import type { Count } from '../inbox/rows/counts.js';
import type { DeadRow } from '../inbox/rows/dead-rows.js';
import type { WorkerBeat } from '../inbox/rows/rows.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { Database } from './database.js';
import type { Row, SqlValue } from './runtime.js';

/** An event that a worker has taken. */
export interface TakenRow extends InboxEvent {
  readonly id: number;
  /** The number of times that it was taken. */
  readonly run: number;
}

/** The same as its row describes it. */
export interface EventRow extends TakenRow {
  /** The event, as JSON. */
  readonly data: string;
}

/** How an event becomes a dead letter. */
export interface DeadEnd {
  readonly now: number;
  readonly keptUntil: number;
  readonly reason: string;
}

/** One run of an event. It can only record its end as long as no later run has taken the event. */
export type RunId = Pick<TakenRow, 'id' | 'key' | 'run'>;

/** The type of some events that wait. `hex` is its bytes: some runtimes cut a text of a column at U+0000. */
export interface WaitingType {
  readonly state: 'waiting' | 'retrying';
  readonly hex: string;
  readonly name: string;
}

interface NextRow {
  readonly id: number;
  readonly since: number;
}

/** The type whose bytes are the second value of a statement. */
const OF_HEX = 'CAST(unhex(?2) AS TEXT)';
const DEAD = "state = 'dead', worker = NULL, due = ?, died = ?, reason = ?";
const WAITING = "state = 'waiting', worker = NULL, due = 0";
const COLUMNS = 'id, run, key, type, received AS receivedAt, failures, stalls, data';

/** Reads and changes events with SQL. Each change is part of a transaction of the writer. */
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

  /** Returns the types of events that wait or are to be retried. Jumps from one type to the next. */
  types(): WaitingType[] {
    const next = (after: string) => `(SELECT min(type) FROM events WHERE state = s.state ${after})`;
    const sql = `WITH RECURSIVE s (state) AS (VALUES ('waiting'), ('retrying')),
      found (state, type) AS (SELECT state, ${next('')} FROM s
        UNION ALL SELECT s.state, ${next('AND type > s.type')} FROM found s WHERE s.type IS NOT NULL)
      SELECT state, hex(type) AS hex FROM found WHERE type IS NOT NULL`;
    const found = this.#database.all<Pick<WaitingType, 'state' | 'hex'>>(sql);
    return found.map((type) => ({ ...type, name: decodeHex(type.hex) }));
  }

  /**
   * Returns events of these types to take, up to a number, without the first `skip`, in the order in which they
   * became runnable: received, replayed, or due again.
   *
   * They are found in the index alone, type by type, however many events wait.
   */
  next(types: readonly WaitingType[], now: number, limit: number, skip = 0): number[] {
    const first = (due: string) => `SELECT * FROM (SELECT id, max(due, received) AS since FROM events
      WHERE state = ?1 AND type = ${OF_HEX} AND ${due} ORDER BY due, received LIMIT ?4)`;
    const sql = `${first('due = 0')} UNION ALL ${first('due BETWEEN 1 AND ?3')}`;
    return types
      .flatMap(({ state, hex }) => {
        // An event that waits may be taken whatever the clock says: its `due` is 0, or when it was replayed.
        const until = state === 'waiting' ? Number.MAX_SAFE_INTEGER : now;
        return this.#database.all<NextRow>(sql, state, hex, until, limit + skip);
      })
      .sort((one, other) => one.since - other.since || one.id - other.id)
      .slice(skip, limit + skip)
      .map(({ id }) => id);
  }

  /** Takes these events for a worker. */
  take(ids: readonly number[], worker: string): EventRow[] {
    // By `id`: with the plus, SQLite does not look through all that wait.
    const which = "id IN (SELECT value FROM json_each(?)) AND +state IN ('waiting', 'retrying')";
    const changes = "state = 'running', due = 0, worker = ?, run = run + 1";
    return this.#changeAll(changes, which, worker, JSON.stringify(ids));
  }

  // Locks

  /** Shows other workers that this one lives. */
  beat({ id, lock }: Pick<WorkerBeat, 'id' | 'lock'>, now: number): void {
    const sql = `INSERT INTO workers (id, due, lock, beat) VALUES (?, ?, ?, 0)
      ON CONFLICT (id) DO UPDATE SET due = excluded.due, beat = beat + 1`;
    this.#database.run(sql, id, now + lock, lock);
  }

  workers(): WorkerBeat[] {
    return this.#database.all<WorkerBeat>('SELECT id, lock, beat FROM workers');
  }

  /** Takes a worker off the list, which frees its events. Not if its beat has changed. */
  withdraw(id: string, beat?: number): void {
    const sql = 'DELETE FROM workers WHERE id = ?1 AND beat = coalesce(?2, beat)';
    this.#database.run(sql, id, beat ?? null);
  }

  /** Keeps the lock of a run, or takes it back if nobody else has it. Returns false if it was lost. */
  keep({ id, run, stalls }: RunId & Pick<TakenRow, 'stalls'>, worker: string): boolean {
    const sql = `UPDATE events SET state = 'running', due = 0, worker = ?1, stalls = ?4
      WHERE id = ?2 AND run = ?3 AND (state = 'running' OR state = 'retrying' AND stalls > ?4)`;
    return this.#database.run(sql, worker, id, run, stalls) === 1;
  }

  /** Frees events that are marked as running in a worker, but do not run there. */
  freeOthers(taken: readonly TakenRow[], worker: string): void {
    const ids = JSON.stringify(taken.map(({ id }) => id));
    const which = "state = 'running' AND worker = ? AND id NOT IN (SELECT value FROM json_each(?))";
    this.#database.run(`UPDATE events SET ${WAITING} WHERE ${which}`, worker, ids);
  }

  /** Returns the running events whose worker is gone. */
  freed(): EventRow[] {
    const sql = `SELECT ${COLUMNS} FROM events
      WHERE state = 'running' AND (worker IS NULL OR worker NOT IN (SELECT id FROM workers))`;
    return this.#database.all<EventRow>(sql);
  }

  /** Leaves a stalled event for another run. */
  stall(run: RunId, due: number): void {
    this.#change(run, "state = 'retrying', worker = NULL, stalls = stalls + 1, due = ?", due);
  }

  /** Makes a dead letter of an event that has stalled too often. */
  buryStalled(run: RunId, { now, keptUntil, reason }: DeadEnd): void {
    this.#change(run, `${DEAD}, stalls = stalls + 1`, keptUntil, now, reason);
  }

  // Ends of runs. Each returns false if it is ignored.

  /**
   * Deletes an event that was handled, and remembers its key.
   *
   * A success counts even if the lock was lost: while the event waits, or runs elsewhere. It is ignored if
   * the event has become a dead letter, even if that was replayed.
   */
  finish({ id, key, run }: RunId, rememberedUntil: number): boolean {
    const deleted = "DELETE FROM events WHERE id = ? AND key = ? AND replayed < ? AND state != 'dead'";
    if (this.#database.run(deleted, id, key, run) === 0) return false;
    this.#database.run('INSERT OR REPLACE INTO handled (key, due) VALUES (?, ?)', key, rememberedUntil);
    return true;
  }

  /** Leaves an event for another run. */
  retry(run: RunId, due: number, reason: string): boolean {
    const changes = "state = 'retrying', worker = NULL, failures = failures + 1, due = ?, reason = ?";
    return this.#change(run, changes, due, reason);
  }

  /** Makes a dead letter of an event. */
  bury(run: RunId, { now, keptUntil, reason }: DeadEnd): boolean {
    return this.#change(run, `${DEAD}, failures = failures + 1`, keptUntil, now, reason);
  }

  /** Puts an event back to the front. Costs no attempt. */
  giveBack(run: RunId): boolean {
    return this.#change(run, WAITING);
  }

  #change({ id, key, run }: RunId, changes: string, ...values: readonly SqlValue[]): boolean {
    const sql = `UPDATE events SET ${changes} WHERE id = ? AND key = ? AND run = ? AND state = 'running'`;
    return this.#database.run(sql, ...values, id, key, run) === 1;
  }

  #changeAll(changes: string, which: string, ...values: readonly SqlValue[]): EventRow[] {
    const sql = `UPDATE events SET ${changes} WHERE ${which} RETURNING ${COLUMNS}`;
    return this.#database.all<EventRow>(sql, ...values);
  }

  /** Makes dead letters of events that became runnable long ago, up to a number. Returns them. */
  buryUnhandled({ state, hex }: WaitingType, before: number, limit: number, end: DeadEnd): EventRow[] {
    const old = (which: string) => `SELECT id FROM events
      WHERE state = ?1 AND type = ${OF_HEX} AND ${which} AND received <= ?3`;
    const sql = `UPDATE events SET state = 'dead', worker = NULL, due = ?5, died = ?6, reason = ?7
      WHERE id IN (${old('due = 0')} UNION ALL ${old('due BETWEEN 1 AND ?3')} LIMIT ?4) RETURNING ${COLUMNS}`;
    const { keptUntil, now, reason } = end;
    return this.#database.all<EventRow>(sql, state, hex, before, limit, keptUntil, now, reason);
  }

  /** Makes retries due that are further ahead than any delay: a clock was ahead when they failed. */
  bringBack(now: number, { type, delay }: Settled<Backoff>): void {
    // Larger shifts would overflow.
    const doublings = type === 'exponential' ? 'min(failures, 40)' : '0';
    const sql = `UPDATE events SET due = ?1 WHERE state = 'retrying'
      AND due > ?1 + max(?2 * (1 << ${doublings}), ?3 * (1 << min(stalls, 40)))`;
    this.#database.run(sql, now, delay, STALL_DELAY_MS);
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
    return this.#database.all<DeadRow>(sql, ...values);
  }

  deadKeys(): string[] {
    const rows = this.#database.all("SELECT key FROM events WHERE state = 'dead' ORDER BY key");
    return rows.map(({ key }) => String(key));
  }

  /** Puts a dead letter back, as if it was new, behind all that wait. */
  replay(key: string, now: number): boolean {
    const sql = `UPDATE events SET state = 'waiting', due = ?2, failures = 0, stalls = 0, reason = NULL, replayed = run
      WHERE key = ?1 AND state = 'dead'`;
    return this.#database.run(sql, key, now) === 1;
  }

  remove(key: string): boolean {
    return this.#database.run("DELETE FROM events WHERE key = ? AND state = 'dead'", key) === 1;
  }

  // Counts and what is forgotten

  /** Counts the events, in the index alone. */
  count(): Count[] {
    const sql = `SELECT state, hex(type) AS hex, count(*) AS count, min(received) AS oldest
      FROM events GROUP BY state, type`;
    const counts = this.#database.all<Omit<Count, 'type'> & Pick<WaitingType, 'hex'>>(sql);
    return counts.map(({ hex, ...count }) => ({ ...count, type: decodeHex(hex) }));
  }

  countWorkers(now: number): number {
    return this.#database.number('SELECT count(*) FROM workers WHERE due > ?', now);
  }

  /** Deletes up to `limit` rows of each table that are due. Returns the largest number of a table. */
  sweep(now: number, limit: number): number {
    const keys = 'DELETE FROM handled WHERE key IN (SELECT key FROM handled WHERE due <= ? LIMIT ?)';
    const dead =
      "DELETE FROM events WHERE id IN (SELECT id FROM events WHERE state = 'dead' AND due <= ? LIMIT ?)";
    return Math.max(this.#database.run(keys, now, limit), this.#database.run(dead, now, limit));
  }
}

function decodeHex(hex: string): string {
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

import { FileGoneError } from '../errors/inbox.js';
import type { RecordedEnding, Runner } from '../inbox/engine.js';
import type { Recorded, Rows, StallEnding, WorkerBeat } from '../inbox/rows/rows.js';
import { decodeType, type EventRow, type TakenRow, toEvent } from '../inbox/rows/taken.js';
import { COLUMNS, WAITING } from './events.js';
import { isDamage } from './failure.js';
import type { InboxFile } from './file.js';
import type { SqliteSettings } from './options.js';

/** The largest number of rows that are deleted or buried in one transaction. */
const SWEEP_SIZE = 500;

/** The type of some events that wait. */
interface WaitingType {
  readonly state: 'waiting' | 'retrying';
  readonly type: string;
}

/** The running events whose worker is gone. */
const FREED = `SELECT ${COLUMNS} FROM events
  WHERE state = 'running' AND (worker IS NULL OR worker NOT IN (SELECT id FROM workers))`;

/**
 * Asks the file for one worker, as SQL.
 *
 * Changes of one turn of the event loop share a commit: see `writer.ts`.
 */
export class FileRows implements Rows<TakenRow> {
  readonly #file: InboxFile;
  readonly #settings: SqliteSettings;
  readonly #runner: Runner;
  readonly #worker = crypto.randomUUID();
  /** How many damaged events are skipped, one more after each failure; undefined without damage. */
  #damaged: number | undefined;

  constructor(file: InboxFile, settings: SqliteSettings, runner: Runner) {
    this.#file = file;
    this.#settings = settings;
    this.#runner = runner;
  }

  async beat(): Promise<number> {
    const { lockDuration } = this.#runner.settings;
    const sql = `INSERT INTO workers (id, due, lock, beat) VALUES (?, ?, ?, 0)
      ON CONFLICT (id) DO UPDATE SET due = excluded.due, beat = beat + 1`;
    await this.#file.write((db) => db.run(sql, this.#worker, Date.now() + lockDuration, lockDuration));
    return Date.now();
  }

  others(): Promise<readonly WorkerBeat[]> {
    const sql = 'SELECT id, lock, beat FROM workers WHERE id != ?';
    return this.#file.read((db) => db.all<WorkerBeat>(sql, this.#worker));
  }

  async leave(): Promise<void> {
    await this.#file.write((db) => db.run('DELETE FROM workers WHERE id = ?', this.#worker));
  }

  keep(taken: readonly TakenRow[]): Promise<readonly TakenRow[]> {
    const others = `UPDATE events SET ${WAITING}
      WHERE state = 'running' AND worker = ? AND id NOT IN (SELECT value FROM json_each(?))`;
    const own = `UPDATE events SET state = 'running', due = 0, worker = ?1, stalls = ?4
      WHERE id = ?2 AND run = ?3 AND (state = 'running' OR state = 'retrying' AND stalls > ?4)`;
    // Further ahead than their delay: the clock was ahead when they were written.
    const bringBack = "UPDATE events SET due = ?1 WHERE state = 'retrying' AND due > ?1 + marked";
    const ids = JSON.stringify(taken.map(({ id }) => id));
    return this.#file.write((db) => {
      db.run(others, this.#worker, ids);
      db.run(bringBack, Date.now());
      return taken.filter(({ id, run, stalls }) => db.run(own, this.#worker, id, run, stalls) === 0);
    });
  }

  async take(places: () => number): Promise<readonly TakenRow[]> {
    // Most looks find nothing. A transaction would wait for other processes that write.
    const types = await this.#file.read(() =>
      this.#types(true).filter((type) => this.#next([type], 1).length > 0),
    );
    if (types.length === 0) return [];
    // By `id`: with the plus, SQLite does not look through all that wait.
    const sql = `UPDATE events SET state = 'running', due = 0, worker = ?, run = run + 1
      WHERE id IN (SELECT value FROM json_each(?)) AND +state IN ('waiting', 'retrying') RETURNING ${COLUMNS}`;
    try {
      const rows = await this.#file.write((db) => {
        const limit = this.#damaged === undefined ? places() : Math.min(places(), 1);
        const ids = this.#next(types, limit, this.#damaged);
        return db.all<EventRow>(sql, this.#worker, JSON.stringify(ids));
      });
      return rows.map(toEvent);
    } catch (error) {
      if (isDamage(error)) this.#damaged = this.#damaged === undefined ? 0 : this.#damaged + 1;
      throw error;
    }
  }

  /** Returns the types of waiting events that have a handler here, or none. Jumps from one type to the next. */
  #types(isHandled: boolean): WaitingType[] {
    const next = (after: string) => `(SELECT min(type) FROM events WHERE state = s.state ${after})`;
    const sql = `WITH RECURSIVE s (state) AS (VALUES ('waiting'), ('retrying')),
      found (state, type) AS (SELECT state, ${next('')} FROM s
        UNION ALL SELECT s.state, ${next('AND type > s.type')} FROM found s WHERE s.type IS NOT NULL)
      SELECT state, type FROM found WHERE type IS NOT NULL`;
    const types = this.#file.database.all<WaitingType>(sql);
    return types.filter(({ type }) => this.#runner.handles(decodeType(type)) === isHandled);
  }

  /**
   * Returns the ids of the next events of these types, in the order in which they became runnable: received,
   * replayed, or due again.
   *
   * They are found in the index alone, type by type, however many events wait.
   */
  #next(types: readonly WaitingType[], limit: number, skip = 0): number[] {
    const sql = `SELECT id, max(due, received) AS since FROM events
      WHERE state = ?1 AND type = ?2 AND due <= ?3 ORDER BY due, received LIMIT ?4`;
    const found = types.flatMap(({ state, type }) =>
      this.#file.database.all<{ id: number; since: number }>(sql, state, type, Date.now(), limit + skip),
    );
    found.sort((one, other) => one.since - other.since || one.id - other.id);
    return found.slice(skip, limit + skip).map(({ id }) => id);
  }

  async end(event: TakenRow, ending: RecordedEnding): Promise<Recorded> {
    try {
      return (await this.#file.write(() => this.#apply(event, ending, 'failures'))) ? 'recorded' : 'lost';
    } catch (error) {
      // The event runs again after the restart.
      if (error instanceof FileGoneError) return 'lost';
      throw error;
    }
  }

  /** Ends a run. Returns false if that is ignored, because the run has lost its lock. */
  #apply(event: TakenRow, ending: RecordedEnding, count: 'failures' | 'stalls'): boolean {
    const counted = `worker = NULL, ${count} = ${count} + 1, due = ?, reason = ?`;
    switch (ending.kind) {
      case 'done':
        return this.#finish(event);
      case 'retry': {
        const { delay, reason } = ending;
        const retrying = `state = 'retrying', ${counted}, marked = ?`;
        return this.#change(event, retrying, Date.now() + delay, reason, delay);
      }
      case 'dead': {
        const [died, due] = this.#deathOf(event);
        return this.#change(event, `state = 'dead', ${counted}, died = ?`, due, ending.reason, died);
      }
      case 'given back':
        return this.#change(event, WAITING);
    }
  }

  /**
   * Deletes an event that was handled, and remembers its key.
   *
   * A success counts even if the lock was lost: while the event waits, or runs elsewhere. It is ignored if
   * the event has become a dead letter, even if that was replayed.
   */
  #finish({ id, key, run, receivedAt }: TakenRow): boolean {
    const { database } = this.#file;
    const deleted = "DELETE FROM events WHERE id = ? AND key = ? AND replayed < ? AND state != 'dead'";
    if (database.run(deleted, id, key, run) === 0) return false;
    const remember = 'INSERT OR REPLACE INTO handled (key, due) VALUES (?, ?)';
    database.run(remember, key, receivedAt + this.#settings.retention);
    return true;
  }

  #change({ id, key, run }: TakenRow, changes: string, ...values: readonly (string | number)[]): boolean {
    const sql = `UPDATE events SET ${changes} WHERE id = ? AND key = ? AND run = ? AND state = 'running'`;
    return this.#file.database.run(sql, ...values, id, key, run) === 1;
  }

  /** The time of a death now, and until when the dead letter is kept. A clock that is behind does not shorten that. */
  #deathOf({ receivedAt }: Pick<TakenRow, 'receivedAt'>): [died: number, keptUntil: number] {
    const died = Math.max(Date.now(), receivedAt);
    return [died, died + this.#settings.deadLetterRetention];
  }

  async free(
    dead: readonly WorkerBeat[],
    endingOf: (event: TakenRow) => StallEnding,
  ): Promise<readonly TakenRow[]> {
    const freed = () => this.#file.database.all<EventRow>(FREED);
    if (dead.length === 0 && (await this.#file.read(freed)).length === 0) return [];
    const stalled = await this.#file.write((db) => {
      for (const { id, beat } of dead) db.run('DELETE FROM workers WHERE id = ? AND beat = ?', id, beat);
      return freed().map((event) => {
        this.#apply(event, endingOf(event), 'stalls');
        return { ...event, stalls: event.stalls + 1 };
      });
    });
    return stalled.map(toEvent);
  }

  async sweep(): Promise<boolean> {
    const keys = 'DELETE FROM handled WHERE key IN (SELECT key FROM handled WHERE due <= ?1 LIMIT ?2)';
    const dead = `DELETE FROM events WHERE id IN
      (SELECT id FROM events WHERE state = 'dead' AND due <= ?1 LIMIT ?2)`;
    const sweep = (sql: string) => this.#file.database.run(sql, Date.now(), SWEEP_SIZE) === SWEEP_SIZE;
    return this.#file.write(() => [keys, dead].map(sweep).includes(true));
  }

  async buryUnhandled(reason: string): Promise<readonly TakenRow[]> {
    const receivedAt = Date.now() - this.#settings.deadLetterRetention;
    const old = (which: string) => `SELECT id FROM events
      WHERE state = ?1 AND type = ?2 AND ${which} AND received <= ?3`;
    const sql = `UPDATE events SET state = 'dead', worker = NULL, died = ?5, due = ?6, reason = ?7
      WHERE id IN (${old('due = 0')} UNION ALL ${old('due BETWEEN 1 AND ?3')} LIMIT ?4) RETURNING ${COLUMNS}`;
    const bury = ({ state, type }: WaitingType) => {
      const values = [receivedAt, SWEEP_SIZE, ...this.#deathOf({ receivedAt }), reason];
      return this.#file.write((db) => db.all<EventRow>(sql, state, type, ...values));
    };
    const types = await this.#file.read(() => this.#types(false));
    return (await Promise.all(types.map(bury))).flat().map(toEvent);
  }
}

import type { DeadLetter, DeadLetterStorage } from '../inbox/dead-letters.js';
import type { Count } from '../inbox/rows/counts.js';
import { type DeadRow, toDeadLetter } from '../inbox/rows/dead-rows.js';
import { encodeType } from '../inbox/rows/taken.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { InboxFile } from './file.js';
import type { SqlValue } from './runtime.js';

export const COLUMNS = 'id, run, key, type, received AS receivedAt, failures, stalls, data';
/** The changes of an event that goes back to the front. */
export const WAITING = "state = 'waiting', worker = NULL, due = 0";

/** Stores and counts the events of a file, and finds its dead letters. */
export class Events implements DeadLetterStorage {
  readonly #file: InboxFile;

  constructor(file: InboxFile) {
    this.#file = file;
  }

  /** Adds an event, unless its key is there or remembered. */
  store({ key, type, receivedAt }: StoredWebhook, json: string, timeout: number): Promise<unknown> {
    const isKnown = 'EXISTS (SELECT 1 FROM handled WHERE key = ?1 AND due > ?5)';
    const sql = `INSERT INTO events (key, type, state, due, received, data)
      SELECT ?1, ?2, 'waiting', 0, ?3, ?4 WHERE NOT ${isKnown} ON CONFLICT (key) DO NOTHING`;
    return this.#file.write(
      (db) => db.run(sql, key, encodeType(type), receivedAt, json, Date.now()),
      timeout,
    );
  }

  /** Counts the events, in the index alone. */
  count(): Promise<Count[]> {
    const sql = `SELECT state, type, count(*) AS count, min(received) AS oldest
      FROM events GROUP BY state, type`;
    return this.#file.read((db) => db.all<Count>(sql));
  }

  countWorkers(): Promise<number> {
    const sql = 'SELECT count(*) FROM workers WHERE due > ?';
    return this.#file.read((db) => db.number(sql, Date.now()));
  }

  /** Writes the row of a worker that has long been gone, and rejects if the file takes no write. */
  async probe(timeout: number): Promise<void> {
    const sql = "INSERT OR REPLACE INTO workers (id, due, lock, beat) VALUES ('probe', 0, 0, 0)";
    await this.#file.write((db) => db.run(sql), timeout);
  }

  list(after: string, limit: number): Promise<DeadLetter[]> {
    return this.#find('key > ? ORDER BY key LIMIT ?', after, limit);
  }

  async get(key: string): Promise<DeadLetter | undefined> {
    return (await this.#find('key = ?', key))[0];
  }

  async #find(which: string, ...values: readonly SqlValue[]): Promise<DeadLetter[]> {
    const sql = `SELECT ${COLUMNS}, died, reason FROM events WHERE state = 'dead' AND ${which}`;
    return (await this.#file.read((db) => db.all<DeadRow>(sql, ...values))).map(toDeadLetter);
  }

  async keys(): Promise<readonly string[]> {
    const sql = "SELECT key FROM events WHERE state = 'dead' ORDER BY key";
    return (await this.#file.read((db) => db.all<{ key: string }>(sql))).map(({ key }) => key);
  }

  /** Puts a dead letter back, with all its attempts: a retry that is due now. */
  replay(key: string): Promise<boolean> {
    const sql = `UPDATE events
      SET state = 'retrying', due = ?2, failures = 0, stalls = 0, reason = NULL, replayed = run
      WHERE key = ?1 AND state = 'dead'`;
    return this.#file.write((db) => db.run(sql, key, Date.now()) === 1);
  }

  remove(key: string): Promise<boolean> {
    const sql = "DELETE FROM events WHERE key = ? AND state = 'dead'";
    return this.#file.write((db) => db.run(sql, key) === 1);
  }
}

import type { DeadLetter, DeadLetterStorage } from '../inbox/dead-letters.js';
import type { Count } from '../inbox/rows/counts.js';
import { type DeadRow, toDeadLetter } from '../inbox/rows/dead-rows.js';
import { encodeType } from '../inbox/rows/taken.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { Database } from './database.js';

/** An event to store, and the same as JSON. */
export interface EventToStore {
  readonly event: StoredWebhook;
  readonly json: string;
}

/** What an inbox needs to know of its server. */
export interface ServerState {
  readonly workers: number;
  readonly fsync: string;
  readonly commit: string;
  readonly standbys: number;
  readonly synchronous: string;
}

export const COLUMNS =
  'e.id::float8, e.run, e.key, e.type, e.received AS "receivedAt", e.failures, e.stalls, e.data';
/** As the index `ready` has it: without these words, it is not used. */
export const READY = "e.state IN ('waiting', 'retrying')";

/** Stores and counts the events, and finds the dead letters. */
export class Events implements DeadLetterStorage {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Adds events whose keys are not there. In the order of their keys, or two processes could lock each other out.
   *
   * Duplicates are left out first: the insert would wait for a transaction that ends their event.
   */
  async store(events: readonly EventToStore[]): Promise<undefined[]> {
    await this.#database.store(
      `INSERT INTO $.events AS e (key, type, received, data)
      SELECT DISTINCT ON (n.key) * FROM unnest($1::text[], $2::text[], $3::float8[], $4::text[]) AS n (key, type, received, data)
      WHERE NOT EXISTS (SELECT FROM $.events k WHERE k.key = n.key AND (k.state <> 'done' OR k.due > now()))
      ORDER BY n.key
      ON CONFLICT (key) DO UPDATE SET state = 'waiting', type = excluded.type, data = excluded.data,
        received = excluded.received, stored = now(), due = now(), failures = 0, stalls = 0, replayed = e.run
      WHERE e.state = 'done' AND e.due <= now()`,
      events.map(({ event }) => event.key),
      events.map(({ event }) => encodeType(event.type)),
      events.map(({ event }) => event.receivedAt),
      events.map(({ json }) => json),
    );
    return events.map(() => undefined);
  }

  // Dead letters

  list(after: string, limit: number): Promise<DeadLetter[]> {
    return this.#find('e.key > $1 ORDER BY e.key LIMIT $2', after, limit);
  }

  async get(key: string): Promise<DeadLetter | undefined> {
    return (await this.#find('e.key = $1', key))[0];
  }

  async #find(which: string, ...values: readonly unknown[]): Promise<DeadLetter[]> {
    const rows = await this.#database.query<DeadRow>(
      `SELECT ${COLUMNS}, extract(epoch FROM e.died)::float8 * 1000 AS died, e.reason FROM $.events e
      WHERE e.state = 'dead' AND ${which}`,
      ...values,
    );
    return rows.map(toDeadLetter);
  }

  async keys(): Promise<string[]> {
    const sql = "SELECT key FROM $.events WHERE state = 'dead' ORDER BY key";
    return (await this.#database.query<{ key: string }>(sql)).map(({ key }) => key);
  }

  /** Puts one back, as if it was new, behind all that wait. */
  async replay(key: string): Promise<boolean> {
    const sql = `UPDATE $.events SET state = 'waiting', due = now(), died = NULL, reason = NULL, failures = 0,
      stalls = 0, replayed = run WHERE key = $1 AND state = 'dead' RETURNING 1`;
    return (await this.#database.query(sql, key)).length > 0;
  }

  async remove(key: string): Promise<boolean> {
    const sql = "DELETE FROM $.events WHERE key = $1 AND state = 'dead' RETURNING 1";
    return (await this.#database.query(sql, key)).length > 0;
  }

  // Health

  count(): Promise<Count[]> {
    return this.#database.query<Count>(
      `SELECT state, type, count(*)::float8 AS count, min(received) AS oldest FROM $.events e WHERE ${READY}
        GROUP BY state, type
      UNION ALL SELECT 'running', '', count(*), 0 FROM $.events WHERE state = 'running'
      UNION ALL SELECT 'dead', '', count(*), 0 FROM $.events WHERE state = 'dead'`,
    );
  }

  /** Counts the workers that live, and reads the settings that decide whether a commit survives a crash. */
  async server(): Promise<ServerState | undefined> {
    const setting = (name: string) => `current_setting('${name}')`;
    const [state] = await this.#database.query<ServerState>(
      `SELECT (SELECT count(*)::int FROM $.workers WHERE seen > now() - lock * interval '1 ms') AS workers,
      ${setting('fsync')} AS fsync, ${setting('synchronous_commit')} AS commit,
      ${setting('synchronous_standby_names')} AS synchronous, (SELECT count(*)::int FROM pg_stat_replication) AS standbys`,
    );
    return state;
  }

  /** Adds an event that is done, and deletes it, in one transaction. Rejects if Postgres takes no event. */
  async probe(): Promise<void> {
    const key = crypto.randomUUID();
    await this.#database.query(
      `INSERT INTO $.events (key, type, state, received, data) VALUES ('${key}', '', 'done', 0, '');
      DELETE FROM $.events WHERE key = '${key}'`,
    );
  }
}

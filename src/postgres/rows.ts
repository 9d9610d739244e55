import type { RecordedEnding, Runner } from '../inbox/engine.js';
import type { Recorded, Rows, StallEnding, WorkerBeat } from '../inbox/rows/rows.js';
import { decodeType, type EventRow, type TakenRow, toEvent } from '../inbox/rows/taken.js';
import type { Batcher } from './batcher.js';
import type { Database } from './database.js';
import { DIED, type End, type Ended, recordEnds } from './ends.js';
import { COLUMNS, READY } from './events.js';
import type { PostgresSettings } from './options.js';

/** The parts of the rows of a worker. */
export interface PostgresRowsParts {
  readonly database: Database;
  readonly ends: Batcher<End, Ended>;
  readonly settings: PostgresSettings;
  readonly runner: Runner;
  /** Called when the worker closes. */
  readonly onLeave: () => void;
}

/** The largest number of rows that are freed, deleted or buried at once. */
const MOST = 500;

/**
 * Asks Postgres for one worker, as SQL.
 *
 * Each query is one transaction, so `now()` is the start of the statement. Unlike `clock_timestamp()`, indexes can
 * serve it.
 */
export class PostgresRows implements Rows<TakenRow> {
  readonly #parts: PostgresRowsParts;
  readonly #database: Database;
  readonly #worker = crypto.randomUUID();

  constructor(parts: PostgresRowsParts) {
    this.#parts = parts;
    this.#database = parts.database;
  }

  async beat(): Promise<number> {
    const { lockDuration } = this.#parts.runner.settings;
    const [row] = await this.#database.query<{ time: number }>(
      `INSERT INTO $.workers AS w (id, lock) VALUES ($1, $2)
      ON CONFLICT (id) DO UPDATE SET beat = w.beat + 1, seen = now()
      RETURNING extract(epoch FROM clock_timestamp())::float8 * 1000 AS time`,
      this.#worker,
      lockDuration,
    );
    return row?.time ?? 0;
  }

  others(): Promise<readonly WorkerBeat[]> {
    const sql = 'SELECT id, lock, beat::float8 FROM $.workers WHERE id <> $1';
    return this.#database.query<WorkerBeat>(sql, this.#worker);
  }

  async leave(): Promise<void> {
    this.#parts.onLeave();
    await this.#database.query('DELETE FROM $.workers WHERE id = $1', this.#worker);
  }

  async keep(taken: readonly TakenRow[], isAnew: boolean): Promise<readonly TakenRow[]> {
    const own = 'unnest($1::bigint[], $2::int[], $3::int[]) AS r (id, run, stalls)';
    const rows = await this.#database.query<{ id: number }>(
      `WITH back AS (UPDATE $.events e SET state = 'running', worker = $4, stalls = r.stalls FROM ${own}
        WHERE e.id = r.id AND e.run = r.run AND (e.state = 'retrying' AND e.stalls > r.stalls
          OR e.state = 'running' AND e.worker IS DISTINCT FROM $4) RETURNING e.id),
      unknown AS (UPDATE $.events e SET state = 'waiting', worker = NULL
        WHERE e.state = 'running' AND e.worker = $4 AND e.id <> ALL ($1))
      SELECT id::float8 FROM back
      UNION ALL SELECT e.id::float8 FROM $.events e JOIN ${own} USING (id, run) WHERE e.state IN ('running', 'done')`,
      taken.map(({ id }) => id),
      taken.map(({ run }) => run),
      taken.map(({ stalls }) => stalls),
      this.#worker,
    );
    if (isAnew) {
      const bringBack = `UPDATE $.events SET due = now() WHERE state = 'retrying' AND due > now() + wait * interval '1 ms'`;
      await this.#database.query(bringBack);
    }
    const kept = new Set(rows.map(({ id }) => id));
    return taken.filter(({ id }) => !kept.has(id));
  }

  async take(places: () => number): Promise<readonly TakenRow[]> {
    const types = await this.#types(true);
    const limit = places();
    if (types.length === 0 || limit === 0) return [];
    const rows = await this.#database.query<EventRow>(
      `WITH next AS MATERIALIZED (SELECT n.id FROM unnest($1::text[]) AS t (type)
        CROSS JOIN (VALUES ('waiting', timestamptz 'infinity'), ('retrying', now())) AS s (state, until)
        CROSS JOIN LATERAL (SELECT e.id, e.due FROM $.events e
          WHERE ${READY} AND e.state = s.state AND e.type = t.type AND e.due <= s.until
          ORDER BY e.due, e.id LIMIT $3 FOR UPDATE SKIP LOCKED) n
        ORDER BY n.due, n.id LIMIT $3)
      UPDATE $.events e SET state = 'running', worker = $2, run = e.run + 1 FROM next WHERE e.id = next.id
      RETURNING ${COLUMNS}`,
      types,
      this.#worker,
      limit,
    );
    return rows.map(toEvent);
  }

  /** Returns the types of waiting events that have a handler here, or none. Jumps from one type to the next. */
  async #types(isHandled: boolean): Promise<string[]> {
    const next = (more: string) =>
      `(SELECT min(e.type) FROM $.events e WHERE ${READY} AND e.state = s.state ${more})`;
    const rows = await this.#database.query<{ type: string }>(
      `WITH RECURSIVE s (state) AS (VALUES ('waiting'), ('retrying')), found (state, type) AS (
        SELECT state, ${next('')} FROM s
        UNION ALL SELECT s.state, ${next('AND e.type > s.type')} FROM found s WHERE s.type IS NOT NULL)
      SELECT DISTINCT type FROM found WHERE type IS NOT NULL`,
    );
    const types = rows.map(({ type }) => type);
    return types.filter((type) => this.#parts.runner.handles(decodeType(type)) === isHandled);
  }

  async end(event: TakenRow, ending: RecordedEnding): Promise<Recorded> {
    const ended = await this.#parts.ends.add({ event, ending });
    if (ended === 'locked')
      throw new Error('An open transaction locks the row of an event whose run has ended');
    return ended;
  }

  async free(
    dead: readonly WorkerBeat[],
    endingOf: (event: TakenRow) => StallEnding,
  ): Promise<readonly TakenRow[]> {
    if (dead.length > 0) {
      await this.#database.query(
        'DELETE FROM $.workers w USING unnest($1::uuid[], $2::bigint[]) AS d (id, beat) WHERE w.id = d.id AND w.beat = d.beat',
        dead.map(({ id }) => id),
        dead.map(({ beat }) => beat),
      );
    }
    const freed = await this.#database.query<EventRow>(
      `SELECT ${COLUMNS} FROM $.events e WHERE e.state = 'running'
      AND NOT EXISTS (SELECT FROM $.workers w WHERE w.id = e.worker) LIMIT ${MOST}`,
    );
    if (freed.length === 0) return [];
    const ends = freed.map(toEvent).map((event) => ({ event, ending: endingOf(event) }));
    // Those that are not recorded: another worker was faster, or a transaction of the dead one still holds the row.
    const ended = await recordEnds(this.#database, this.#parts.settings, ends, 'stalls');
    const stalled = ends.filter((_, index) => ended[index] === 'recorded');
    return stalled.map(({ event }) => ({ ...event, stalls: event.stalls + 1 }));
  }

  async sweep(): Promise<boolean> {
    const rows = await this.#database.query(
      `DELETE FROM $.events WHERE id IN (SELECT id FROM $.events WHERE state IN ('done', 'dead')
        AND due <= now() LIMIT ${MOST} FOR UPDATE SKIP LOCKED) RETURNING 1`,
    );
    return rows.length === MOST;
  }

  async buryUnhandled(reason: string): Promise<readonly TakenRow[]> {
    const old = "now() - $2 * interval '1 ms'";
    const rows = await this.#database.query<EventRow>(
      `WITH old AS MATERIALIZED (SELECT o.id FROM unnest($1::text[]) AS t (type)
        CROSS JOIN (VALUES ('waiting', ${old}), ('retrying', now())) AS s (state, until)
        CROSS JOIN LATERAL (SELECT e.id FROM $.events e
          WHERE ${READY} AND e.state = s.state AND e.type = t.type AND e.due <= s.until AND e.stored <= ${old}
          ORDER BY e.due LIMIT ${MOST} FOR UPDATE SKIP LOCKED) o LIMIT ${MOST})
      UPDATE $.events e SET state = 'dead', died = ${DIED}, reason = $3, due = ${DIED} + $2 * interval '1 ms'
      FROM old WHERE e.id = old.id RETURNING ${COLUMNS}`,
      await this.#types(false),
      this.#parts.settings.deadLetterRetention,
      reason,
    );
    return rows.map(toEvent);
  }
}

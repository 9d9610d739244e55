import { STALL_DELAY_MS } from '../inbox/delays.js';
import type { Ending, InboxEvent } from '../inbox/engine.js';
import type { Backoff, Settled } from '../inbox/options.js';
import type { Count } from '../inbox/rows/counts.js';
import type { DeadRow } from '../inbox/rows/dead-rows.js';
import type { StallEnding, WorkerBeat } from '../inbox/rows/rows.js';
import { parseJson } from '../utils/json.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { Database } from './database.js';

/** An event to store, and the same as JSON. */
export interface EventToStore {
  readonly event: StoredWebhook;
  readonly json: string;
}

/** An event that a worker has taken. */
export interface TakenRow extends InboxEvent {
  readonly id: number;
  /** The number of times that it was taken. */
  readonly run: number;
}

/** The same as its row describes it. */
interface EventRow extends TakenRow {
  /** The event, as JSON. */
  readonly data: string;
}

/** The end of a run, to record. */
export interface End {
  readonly event: TakenRow;
  readonly ending: Exclude<Ending, { readonly kind: 'lost' }>;
}

/** What becomes of an event whose worker has died. */
export interface Stall {
  readonly event: TakenRow;
  readonly ending: StallEnding;
}

/** What became of an end. Undefined if the event has another run, or has ended otherwise. */
export type Ended =
  | 'recorded'
  /** The event was completed before, in a transaction. */
  | 'completed'
  /** A transaction that is still open holds the row. */
  | 'locked'
  | undefined;

/** What an inbox needs to know of its server. */
export interface ServerState {
  readonly workers: number;
  readonly fsync: string;
  readonly commit: string;
  readonly standbys: number;
  readonly synchronous: string;
}

/** The longest beginning of a type that is in the index, in characters. */
const TYPE_CHARS = 200;
const COLUMNS =
  'e.id::float8, e.run, e.key, e.type, e.received AS "receivedAt", e.failures, e.stalls, e.data';
const READY = "e.state IN ('waiting', 'retrying')";
const STATES = { done: 'done', retry: 'retrying', dead: 'dead', 'given back': 'waiting' } as const;
/** `now()` is the start of the statement, because each is a transaction of its own, and the index can use it. */
/** Never before the event was stored, or a clock that was behind would let a dead letter be deleted too early. */
const DIED = 'greatest(now(), e.stored)';
const after = (ms: string) => `now() + ${ms} * interval '1 ms'`;

/** Reads and changes events with SQL. Each method is one statement, and so one transaction. */
export class Events {
  readonly #db: Database;

  constructor(database: Database) {
    this.#db = database;
  }

  // Storing

  /**
   * Adds events whose keys are not there. In the order of their keys, or two processes could lock each other out.
   *
   * Duplicates are left out first: the insert would wait for a transaction that ends their event.
   */
  async store(events: readonly EventToStore[]): Promise<undefined[]> {
    await this.#db.store(
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

  // Taking

  /** Returns the types of events that wait or are to be retried. Jumps in the index from one to the next. */
  async types(): Promise<string[]> {
    const next = (more: string) =>
      `(SELECT min(e.type) FROM $.events e WHERE ${READY} AND e.state = s.state ${more})`;
    const rows = await this.#db.query<{ type: string }>(
      `WITH RECURSIVE s (state) AS (VALUES ('waiting'), ('retrying')), found (state, type) AS (
        SELECT state, ${next('')} FROM s
        UNION ALL SELECT s.state, ${next('AND e.type > s.type')} FROM found s WHERE s.type IS NOT NULL)
      SELECT DISTINCT type FROM found WHERE type IS NOT NULL`,
    );
    return rows.map(({ type }) => decodeType(type));
  }

  /** Takes those of these types that have been runnable for longest. What others take at the same time is left. */
  async take(types: readonly string[], worker: string, limit: number): Promise<TakenRow[]> {
    const rows = await this.#db.query<EventRow>(
      `WITH next AS MATERIALIZED (SELECT n.id FROM unnest($1::text[]) AS t (type)
        CROSS JOIN (VALUES ('waiting', timestamptz 'infinity'), ('retrying', now())) AS s (state, until)
        CROSS JOIN LATERAL (SELECT e.id, e.due FROM $.events e
          WHERE ${READY} AND e.state = s.state AND e.type = t.type AND e.due <= s.until
          ORDER BY e.due, e.id LIMIT $3 FOR UPDATE SKIP LOCKED) n
        ORDER BY n.due, n.id LIMIT $3)
      UPDATE $.events e SET state = 'running', worker = $2, run = e.run + 1 FROM next WHERE e.id = next.id
      RETURNING ${COLUMNS}`,
      types.map(encodeType),
      worker,
      limit,
    );
    return rows.map(toEvent);
  }

  // Locks

  /** Shows other workers that this one lives. Returns the time of the server, in milliseconds since the Unix epoch. */
  async beat({ id, lock }: Pick<WorkerBeat, 'id' | 'lock'>): Promise<number> {
    const rows = await this.#db.query<{ time: number }>(
      `INSERT INTO $.workers AS w (id, lock) VALUES ($1, $2)
      ON CONFLICT (id) DO UPDATE SET beat = w.beat + 1, seen = now()
      RETURNING extract(epoch FROM clock_timestamp())::float8 * 1000 AS time`,
      id,
      lock,
    );
    return rows[0]?.time ?? 0;
  }

  workers(): Promise<WorkerBeat[]> {
    return this.#db.query<WorkerBeat>('SELECT id, lock, beat::float8 FROM $.workers');
  }

  /** Takes workers off the list, which frees their events: those whose beat has not changed, or is null here. */
  async withdraw(workers: readonly { readonly id: string; readonly beat: number | null }[]): Promise<void> {
    await this.#db.query(
      `DELETE FROM $.workers w USING unnest($1::uuid[], $2::bigint[]) AS d (id, beat)
      WHERE w.id = d.id AND w.beat = coalesce(d.beat, w.beat)`,
      workers.map(({ id }) => id),
      workers.map(({ beat }) => beat),
    );
  }

  /** Keeps the locks of these runs, or takes them back if nobody else has them. Returns the ids of those it has. */
  async keep(events: readonly TakenRow[], worker: string): Promise<Set<number>> {
    const own = 'unnest($1::bigint[], $2::int[], $3::int[]) AS r (id, run, stalls)';
    const rows = await this.#db.query<{ id: number }>(
      `WITH back AS (UPDATE $.events e SET state = 'running', worker = $4, stalls = r.stalls FROM ${own}
        WHERE e.id = r.id AND e.run = r.run AND (e.state = 'retrying' AND e.stalls > r.stalls
          OR e.state = 'running' AND e.worker IS DISTINCT FROM $4) RETURNING e.id),
      lost AS (UPDATE $.events e SET state = 'waiting', worker = NULL
        WHERE e.state = 'running' AND e.worker = $4 AND e.id <> ALL ($1))
      SELECT id::float8 FROM back
      UNION ALL SELECT e.id::float8 FROM $.events e JOIN ${own} USING (id, run) WHERE e.state IN ('running', 'done')`,
      ...runsOf(events),
      events.map(({ stalls }) => stalls),
      worker,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Returns running events whose worker is gone. */
  async freed(): Promise<TakenRow[]> {
    const rows = await this.#db.query<EventRow>(
      `SELECT ${COLUMNS} FROM $.events e WHERE e.state = 'running'
      AND NOT EXISTS (SELECT FROM $.workers w WHERE w.id = e.worker) LIMIT 500`,
    );
    return rows.map(toEvent);
  }

  /** Leaves stalled events for another run, or makes dead letters of them. Returns the ids of those that it changed. */
  async stall(stalls: readonly Stall[], kept: number): Promise<Set<number>> {
    const rows = await this.#db.query<{ id: number }>(
      `WITH r AS (SELECT e.id, r.delay, r.reason FROM $.events e
        JOIN unnest($1::bigint[], $2::int[], $3::float8[], $4::text[]) AS r (id, run, delay, reason)
        USING (id, run) WHERE e.state = 'running' FOR UPDATE OF e SKIP LOCKED)
      UPDATE $.events e SET worker = NULL, stalls = e.stalls + 1, reason = r.reason,
        state = CASE WHEN r.delay IS NULL THEN 'dead' ELSE 'retrying' END,
        died = CASE WHEN r.delay IS NULL THEN ${DIED} END,
        due = CASE WHEN r.delay IS NULL THEN ${DIED} + $5 * interval '1 ms' ELSE ${after('r.delay')} END
      FROM r WHERE e.id = r.id RETURNING e.id::float8`,
      ...runsOf(stalls.map(({ event }) => event)),
      stalls.map(({ ending }) => (ending.kind === 'retry' ? ending.delay : null)),
      stalls.map(({ ending }) => ending.reason),
      kept,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Makes retries due that are further ahead than any delay: the clock was ahead when they failed. */
  async bringBack({ type, delay }: Settled<Backoff>): Promise<void> {
    const doublings = type === 'exponential' ? 'least(e.failures, 40)' : '0';
    await this.#db.query(
      `UPDATE $.events e SET due = now() WHERE e.state = 'retrying'
      AND e.due > now() + greatest($1 * 2 ^ ${doublings}, $2 * 2 ^ least(e.stalls, 40)) * interval '1 ms'`,
      delay,
      STALL_DELAY_MS,
    );
  }

  /**
   * Records the ends of runs.
   *
   * A success counts even if the lock was lost, while the event waits or runs elsewhere, but not if it has become a
   * dead letter, even if that was replayed. A failure counts unless another run has taken the event.
   */
  async end(ends: readonly End[], kept: { readonly keys: number; readonly dead: number }): Promise<Ended[]> {
    const rows = await this.#db.query<{ id: number; run: number; was: Ended }>(
      `WITH r AS (SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[], $4::float8[], $5::text[])
        AS r (id, run, state, delay, reason)),
      free AS (SELECT r.* FROM r JOIN $.events e ON e.id = r.id AND e.replayed < r.run
          AND e.state IN ('running', 'waiting', 'retrying') AND (e.run = r.run OR r.state = 'done') FOR UPDATE OF e SKIP LOCKED),
      ended AS (UPDATE $.events e SET state = r.state, worker = NULL,
        data = CASE r.state WHEN 'done' THEN '' ELSE e.data END,
        reason = CASE r.state WHEN 'done' THEN NULL ELSE coalesce(r.reason, e.reason) END,
        failures = e.failures + (r.state IN ('retrying', 'dead'))::int,
        died = CASE r.state WHEN 'dead' THEN ${DIED} END,
        due = CASE r.state WHEN 'done' THEN e.stored + $6 * interval '1 ms' WHEN 'dead' THEN ${DIED} + $7 * interval '1 ms'
          WHEN 'retrying' THEN ${after('r.delay')} ELSE e.due END
        FROM free r WHERE e.id = r.id RETURNING e.id, r.run)
      SELECT id::float8, run, 'recorded' AS was FROM ended
      UNION ALL SELECT r.id::float8, r.run, CASE e.state WHEN 'done' THEN 'completed' ELSE 'locked' END
        FROM r JOIN $.events e ON e.id = r.id AND e.run = r.run AND e.replayed < r.run
        WHERE e.state <> 'dead' AND NOT EXISTS (SELECT FROM ended WHERE ended.id = r.id)`,
      ...runsOf(ends.map(({ event }) => event)),
      ends.map(({ ending }) => STATES[ending.kind]),
      ends.map(({ ending }) => (ending.kind === 'retry' ? ending.delay : 0)),
      ends.map(({ ending }) => ('reason' in ending ? ending.reason : null)),
      kept.keys,
      kept.dead,
    );
    const found = new Map(rows.map(({ id, run, was }) => [`${id} ${run}`, was]));
    return ends.map(({ event }) => found.get(`${event.id} ${event.run}`));
  }

  // What is old

  /** Makes dead letters of old events of types that nobody handles, up to a number. Returns them. */
  async buryUnhandled(types: readonly string[], kept: number, reason: string): Promise<TakenRow[]> {
    const rows = await this.#db.query<EventRow>(
      `WITH old AS MATERIALIZED (SELECT o.id FROM unnest($1::text[]) AS t (type)
        CROSS JOIN (VALUES ('waiting', now() - $2 * interval '1 ms'), ('retrying', now())) AS s (state, until)
        CROSS JOIN LATERAL (SELECT e.id FROM $.events e
          WHERE ${READY} AND e.state = s.state AND e.type = t.type AND e.due <= s.until
          AND e.stored <= now() - $2 * interval '1 ms' ORDER BY e.due LIMIT 500 FOR UPDATE SKIP LOCKED) o LIMIT 500)
      UPDATE $.events e SET state = 'dead', died = ${DIED}, reason = $3, due = ${DIED} + $2 * interval '1 ms'
      FROM old WHERE e.id = old.id RETURNING ${COLUMNS}`,
      types.map(encodeType),
      kept,
      reason,
    );
    return rows.map(toEvent);
  }

  /** Deletes some dead letters and remembered keys that are due. Returns whether there may be more. */
  async sweep(): Promise<boolean> {
    const rows = await this.#db.query(
      `DELETE FROM $.events WHERE id IN (SELECT id FROM $.events WHERE state IN ('done', 'dead')
        AND due <= now() LIMIT 500 FOR UPDATE SKIP LOCKED) RETURNING 1`,
    );
    return rows.length === 500;
  }

  // Dead letters

  /** Returns those with the next keys after this one. */
  deadLetters(past: string, limit: number): Promise<DeadRow[]> {
    return this.#deadLetters('e.key > $1 ORDER BY e.key LIMIT $2', past, limit);
  }

  async deadLetter(key: string): Promise<DeadRow | undefined> {
    return (await this.#deadLetters('e.key = $1', key))[0];
  }

  async #deadLetters(which: string, ...values: readonly unknown[]): Promise<DeadRow[]> {
    const rows = await this.#db.query<DeadRow>(
      `SELECT ${COLUMNS}, extract(epoch FROM e.died)::float8 * 1000 AS died, e.reason FROM $.events e
      WHERE e.state = 'dead' AND ${which}`,
      ...values,
    );
    return rows.map(withType);
  }

  async deadKeys(): Promise<string[]> {
    const sql = "SELECT key FROM $.events WHERE state = 'dead' ORDER BY key";
    return (await this.#db.query<{ key: string }>(sql)).map(({ key }) => key);
  }

  /** Puts a dead letter back, as if it was new. */
  async replay(key: string): Promise<boolean> {
    const sql = `UPDATE $.events SET state = 'waiting', due = now(), died = NULL, reason = NULL, failures = 0,
      stalls = 0, replayed = run WHERE key = $1 AND state = 'dead' RETURNING 1`;
    return (await this.#db.query(sql, key)).length > 0;
  }

  async remove(key: string): Promise<boolean> {
    const sql = "DELETE FROM $.events WHERE key = $1 AND state = 'dead' RETURNING 1";
    return (await this.#db.query(sql, key)).length > 0;
  }

  // Counts

  async count(): Promise<Count[]> {
    const rows = await this.#db.query<Count>(
      `SELECT state, type, count(*)::float8 AS count, min(received) AS oldest
      FROM $.events e WHERE ${READY} GROUP BY state, type
      UNION ALL SELECT 'running', '', count(*), 0 FROM $.events WHERE state = 'running'
      UNION ALL SELECT 'dead', '', count(*), 0 FROM $.events WHERE state = 'dead'`,
    );
    return rows.map(withType);
  }

  /** Returns the number of workers that live, and on what the durability of a commit depends. */
  async server(): Promise<ServerState | undefined> {
    const setting = (name: string) => `current_setting('${name}')`;
    const [state] = await this.#db.query<ServerState>(
      `SELECT (SELECT count(*)::int FROM $.workers WHERE seen > now() - lock * interval '1 ms') AS workers,
      ${setting('fsync')} AS fsync, ${setting('synchronous_commit')} AS commit,
      ${setting('synchronous_standby_names')} AS synchronous, (SELECT count(*)::int FROM pg_stat_replication) AS standbys`,
    );
    return state;
  }
}

function runsOf(events: readonly TakenRow[]): [ids: number[], runs: number[]] {
  return [events.map(({ id }) => id), events.map(({ run }) => run)];
}

/** Escapes what text in Postgres cannot have. Usual types stay as they are. */
function encodeType(type: string): string {
  return JSON.stringify(type.slice(0, TYPE_CHARS)).slice(1, -1);
}

function decodeType(type: string): string {
  // If somebody has changed the row, it may be no JSON.
  return (parseJson(`"${type}"`) as string | undefined) ?? type;
}

function withType<Found extends { readonly type: string }>(row: Found): Found {
  return { ...row, type: decodeType(row.type) };
}

function toEvent(row: EventRow): TakenRow {
  return { ...withType(row), data: parseJson(row.data) };
}

import type { RecordedEnding } from '../inbox/engine.js';
import type { Recorded } from '../inbox/rows/rows.js';
import type { TakenRow } from '../inbox/rows/taken.js';
import type { Database } from './database.js';
import type { PostgresSettings } from './options.js';

/** The end of a run, to record. */
export interface End {
  readonly event: TakenRow;
  readonly ending: RecordedEnding;
}

/** The result of recording an end. `locked`: a transaction that is still open holds the row. */
export type Ended = Recorded | 'locked';

/** Never before the event was stored: a clock that is behind must take no time from a dead letter. */
export const DIED = 'greatest(now(), e.stored)';
/** The states from which an end counts. A stalled run has not ended if another worker has freed its event first. */
const ENDABLE = { failures: "('running', 'waiting', 'retrying')", stalls: "('running')" } as const;
const STATES = { done: 'done', retry: 'retrying', dead: 'dead', 'given back': 'waiting' } as const;

/**
 * Records the ends of runs, in one statement.
 *
 * A success counts even if the lock was lost, while the event waits or runs elsewhere, but not if it has become a dead
 * letter, even if that was replayed. A failure counts unless another run has taken the event.
 *
 * @param count - What the events are given one more of, if they are retried or dead.
 */
export async function recordEnds(
  database: Database,
  { retention, deadLetterRetention }: PostgresSettings,
  ends: readonly End[],
  count: 'failures' | 'stalls' = 'failures',
): Promise<Ended[]> {
  const rows = await database.query<{ id: number; run: number; was: Ended }>(
    `WITH r AS (SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[], $4::float8[], $5::text[])
      AS r (id, run, state, delay, reason)),
    free AS (SELECT r.* FROM r JOIN $.events e ON e.id = r.id AND e.replayed < r.run
        AND e.state IN ${ENDABLE[count]} AND (e.run = r.run OR r.state = 'done') FOR UPDATE OF e SKIP LOCKED),
    ended AS (UPDATE $.events e SET state = r.state, worker = NULL, wait = r.delay,
      data = CASE r.state WHEN 'done' THEN '' ELSE e.data END,
      reason = CASE r.state WHEN 'done' THEN NULL ELSE coalesce(r.reason, e.reason) END,
      ${count} = e.${count} + (r.state IN ('retrying', 'dead'))::int,
      died = CASE r.state WHEN 'dead' THEN ${DIED} END,
      due = CASE r.state WHEN 'done' THEN e.stored + $6 * interval '1 ms' WHEN 'dead' THEN ${DIED} + $7 * interval '1 ms'
        WHEN 'retrying' THEN now() + r.delay * interval '1 ms' ELSE e.due END
      FROM free r WHERE e.id = r.id RETURNING e.id, r.run)
    SELECT id::float8, run, 'recorded' AS was FROM ended
    UNION ALL SELECT r.id::float8, r.run, CASE e.state WHEN 'done' THEN 'completed' ELSE 'locked' END
      FROM r JOIN $.events e ON e.id = r.id AND e.run = r.run AND e.replayed < r.run
      WHERE e.state <> 'dead' AND NOT EXISTS (SELECT FROM ended WHERE ended.id = r.id)`,
    ends.map(({ event }) => event.id),
    ends.map(({ event }) => event.run),
    ends.map(({ ending }) => STATES[ending.kind]),
    ends.map(({ ending }) => (ending.kind === 'retry' ? ending.delay : 0)),
    ends.map(({ ending }) => ('reason' in ending ? ending.reason : null)),
    retention,
    deadLetterRetention,
  );
  const found = new Map(rows.map(({ id, run, was }) => [`${id} ${run}`, was]));
  return ends.map(({ event: { id, run } }) => found.get(`${id} ${run}`) ?? 'lost');
}

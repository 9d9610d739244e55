/** The version of the tables. A version that older releases cannot work with has a higher number. */
export const TABLES_VERSION = 1;
/** The SQLSTATE of a completion whose event another run has. Not 40001, which helpers for transactions repeat. */
export const LOST = 'AP001';

/*
 * Comments inside the SQL would be a part of the bundle, so they are here:
 *
 * - `events.state` is waiting, retrying, running, dead or done. A done row keeps its key and no data. In a table of
 *   their own, keys could be missed by a duplicate that is stored at the end of the first run.
 * - `events.type` is the beginning of the type as JSON without its quotes: text cannot have a NUL or half an emoji,
 *   and an index no long text. `data` is all of the event as JSON, where they are escaped; `jsonb` refuses a NUL.
 * - `events.due` is when an event became runnable, or will: events run in this order, new ones and retries. A done
 *   or dead one is deleted then. Only retries wait for it, so that a clock that was ahead strands no new event.
 * - `events.wait` is the delay before a retry, in ms: one that is due later was written while a clock was ahead.
 * - `events.run` counts how often it was taken, `worker` is who has taken it, and `replayed` the number of its runs
 *   before it was last replayed, or stored again: they cannot end it any more.
 * - `workers` has those of all processes. A worker that lives raises its `beat`; `seen` is only for the health.
 * - `complete` ends a run inside a transaction of the application, or fails that.
 *
 * All times but `received` are those of the server's clock.
 */
const tables = (schema: string): string => `
CREATE TABLE ${schema}.meta (version int PRIMARY KEY, application text);
INSERT INTO ${schema}.meta (version) VALUES (${TABLES_VERSION});
CREATE TABLE ${schema}.events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text COLLATE "C" NOT NULL UNIQUE,
  type text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL DEFAULT 'waiting',
  stored timestamptz NOT NULL DEFAULT now(),
  due timestamptz NOT NULL DEFAULT now(),
  wait float8 NOT NULL DEFAULT 0,
  received float8 NOT NULL,
  run int NOT NULL DEFAULT 0,
  failures int NOT NULL DEFAULT 0,
  stalls int NOT NULL DEFAULT 0,
  replayed int NOT NULL DEFAULT 0,
  worker uuid,
  died timestamptz,
  reason text,
  data text NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05,
  toast.autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX ready ON ${schema}.events (state, type, due, id) INCLUDE (received) WHERE state IN ('waiting', 'retrying');
CREATE INDEX running ON ${schema}.events (worker) WHERE state = 'running';
CREATE INDEX ended ON ${schema}.events (due) WHERE state IN ('done', 'dead');
CREATE INDEX dead ON ${schema}.events (key) WHERE state = 'dead';
CREATE TABLE ${schema}.workers (id uuid PRIMARY KEY, lock float8 NOT NULL, beat bigint NOT NULL DEFAULT 0,
  seen timestamptz NOT NULL DEFAULT now());
CREATE FUNCTION ${schema}.complete(event bigint, this_run int, kept_ms float8) RETURNS boolean LANGUAGE plpgsql AS $run$
BEGIN
  UPDATE ${schema}.events SET state = 'done', worker = NULL, data = '', reason = NULL,
    due = stored + kept_ms * interval '1 ms'
    WHERE id = event AND run = this_run AND replayed < run AND state IN ('running', 'waiting', 'retrying');
  IF FOUND THEN RETURN true; END IF;
  RAISE EXCEPTION 'Another run has the event, or it has ended: nothing is written.' USING ERRCODE = '${LOST}';
END $run$;`;

/**
 * Returns the SQL that makes the tables, unless they are there. Any number of processes may run it at once.
 *
 * Sent as one query without values, it is one transaction.
 */
export function createTables(schema: string): string {
  return `SELECT pg_advisory_xact_lock(hashtextextended('agent-platform-sdk ${schema}', 0));
DO $do$ BEGIN
IF to_regnamespace('${schema}') IS NULL THEN CREATE SCHEMA ${schema}; END IF;
IF to_regclass('${schema}.meta') IS NOT NULL THEN RETURN; END IF;${tables(schema)}
END $do$;`;
}

/** Returns the SQL for an owner: makes the tables, and lets a role use them that may not make them. */
export function tablesFor(schema: string, role: string): string {
  if (role === '') return createTables(schema);
  const name = `"${role.replaceAll('"', '""')}"`;
  return `${createTables(schema)}
GRANT USAGE ON SCHEMA ${schema} TO ${name};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${name};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${name};`;
}

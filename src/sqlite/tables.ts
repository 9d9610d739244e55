/** Marks a file as one of this package: "aps1" in ASCII. */
export const APPLICATION_ID = 0x61707331;
/** The version of the tables. A version that older releases cannot work with has a higher number. */
export const TABLES_VERSION = 2;

/*
 * Comments inside the SQL would be a part of the bundle, so they are here:
 *
 * - `events.id` is never used twice: a late run of a deleted event must not be taken for one of another.
 * - `events.state` is waiting, retrying, running or dead.
 * - `events.due` is when a retrying event runs again, and a dead one is deleted. Others have 0: a waiting
 *   event is due at once, whatever the clock of the machine says.
 * - `events.run` counts how often it was taken, `worker` is who has taken it, and `replayed` the number of
 *   its runs before it was last replayed: they cannot end it any more.
 * - `events.marked` is the number of the last mark before it died.
 * - `by_type` has every column that workers and health look for, so that they read no row, which may be
 *   damaged.
 * - `handled` has the keys of handled events, apart from their rows: a row that shrinks frees no page.
 * - `workers` has those of all processes. A worker that lives raises its `beat` twice in `lock` milliseconds;
 *   `due` is only for the health.
 * - `marks` has moments of the past hour, numbered, with the last event of then. A row is deleted if it was
 *   due at one.
 * - `owner` has the name of the application.
 */
const WORKERS =
  'CREATE TABLE workers (id TEXT PRIMARY KEY, due INTEGER, lock INTEGER, beat INTEGER) WITHOUT ROWID;';
const ADDED = `
CREATE INDEX by_type ON events (state, type, due, received, failures, stalls);
CREATE INDEX dead_by_key ON events (key) WHERE state = 'dead';
CREATE TABLE marks (number INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, event INTEGER NOT NULL);
CREATE TABLE owner (name TEXT NOT NULL);
${WORKERS}
PRAGMA user_version = ${TABLES_VERSION};
`;

/** Makes the tables. */
export const CREATE = `
CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  state TEXT NOT NULL,
  due INTEGER NOT NULL,
  received INTEGER NOT NULL,
  run INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  stalls INTEGER NOT NULL DEFAULT 0,
  worker TEXT,
  replayed INTEGER NOT NULL DEFAULT 0,
  marked INTEGER NOT NULL DEFAULT 0,
  died INTEGER,
  reason TEXT,
  data TEXT NOT NULL
);
CREATE TABLE handled (key TEXT PRIMARY KEY, due INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX handled_by_due ON handled (due);
PRAGMA application_id = ${APPLICATION_ID};
${ADDED}`;

/** Upgrades tables to the next version, by the version that they have. */
export const UPGRADES: readonly string[] = [
  '',
  // 0.3: events that failed had the state waiting, and those without a handler were parked.
  `
DROP INDEX by_due;
DROP INDEX parked_by_type;
DROP TABLE workers;
ALTER TABLE events DROP COLUMN parked;
ALTER TABLE events ADD COLUMN worker TEXT;
ALTER TABLE events ADD COLUMN replayed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE events ADD COLUMN marked INTEGER NOT NULL DEFAULT 0;
UPDATE events SET state = iif(state = 'waiting' AND failures > 0, 'retrying', 'waiting'),
  due = iif(state = 'waiting' AND failures > 0, due, 0) WHERE state IN ('waiting', 'parked');
${ADDED}`,
];

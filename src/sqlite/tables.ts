/** Marks a file as one of this package: "aps1" in ASCII. */
export const APPLICATION_ID = 0x61707331;
/** The version of the tables. A version that older releases cannot work with has a higher number. */
export const TABLES_VERSION = 2;

/*
 * Comments inside the SQL would be a part of the bundle, so they are here:
 *
 * - `events.id` is never used twice: a late run of a deleted event must not be taken for one of another.
 * - `events.type` is the beginning of the type, as JSON without its quotes: see `encodeType`.
 * - `events.state` is waiting, retrying, running or dead.
 * - `events.due` is when a retrying event runs again, and a dead one is deleted. Others have 0: a waiting event is
 *   due at once, whatever the clock of the machine says.
 * - `events.run` counts how often it was taken, `worker` is who has taken it, and `replayed` the number of
 *   its runs before it was last replayed: they cannot end it any more.
 * - `events.marked` is the delay of a retry, in ms. Before 0.5 it was something else: such a retry runs at once.
 *   `marks` is from 0.4, which may share the file during a deploy.
 * - `by_type` has every column that workers and health look for, so that they read no row, which may be
 *   damaged.
 * - `handled` has the keys of handled events, apart from their rows: a row that shrinks frees no page.
 * - `workers` has those of all processes. A worker that lives raises its `beat` twice in `lock` milliseconds;
 *   `due` is only for the health.
 * - `owner` has the name of the application.
 */
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
CREATE INDEX by_type ON events (state, type, due, received, failures, stalls);
CREATE INDEX dead_by_key ON events (key) WHERE state = 'dead';
CREATE TABLE handled (key TEXT PRIMARY KEY, due INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX handled_by_due ON handled (due);
CREATE TABLE workers (id TEXT PRIMARY KEY, due INTEGER, lock INTEGER, beat INTEGER) WITHOUT ROWID;
CREATE TABLE marks (number INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, event INTEGER NOT NULL);
CREATE TABLE owner (name TEXT NOT NULL);
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${TABLES_VERSION};
`;

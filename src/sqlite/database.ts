import { ConfigurationError, WebhookError } from '../errors/index.js';
import { cleanError } from './failure.js';
import type { Row, Runtime, SqliteConnection, SqliteStatement, SqlValue } from './runtime.js';

/** Marks a file as one of this package: "aps1" in ASCII. */
const APPLICATION_ID = 0x61707331;
/** The version of the tables. A version that older releases cannot work with has a higher number. */
const TABLES_VERSION = 1;

/**
 * The tables. Their comments stand here, because they would be a part of the bundle.
 *
 * - `events.id` is never used twice: a late run of a deleted event must not be taken for one of another.
 * - `events.state` is waiting, retrying, running or dead.
 * - `events.due` is when a retrying event runs again, the lock of a running one expires, and a dead one is deleted.
 *   A waiting one is due at once (0), whatever the clock of the machine says.
 * - `events.run` counts how often it was taken: a run with a lower number has lost its lock.
 * - `by_due` has all that health counts, so that it needs no row, which may be damaged.
 * - `handled` has the keys of handled events, apart from their rows: a row that shrinks frees no page.
 * - `workers` has those of all processes.
 */
const TABLES = `
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
  died INTEGER,
  reason TEXT,
  data TEXT NOT NULL
);
CREATE INDEX by_due ON events (state, due, received);
CREATE TABLE handled (key TEXT PRIMARY KEY, due INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX handled_by_due ON handled (due);
CREATE TABLE workers (id TEXT PRIMARY KEY, due INTEGER NOT NULL) WITHOUT ROWID;
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${TABLES_VERSION};
`;

/** Milliseconds for which opening waits for another process that opens, closes or recovers the file. */
const OPEN_TIMEOUT_MS = 10_000;
/** The size to which the file beside, with the latest changes, is cut. */
const MAX_WAL_BYTES = 64 * 1024 ** 2;

/** A connection to the file of an inbox. Remembers prepared statements. */
export class Database {
  readonly #connection: SqliteConnection;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Runs a statement, and returns the number of rows that it changed. */
  run(sql: string, ...values: readonly SqlValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  /** Returns all rows of a query. */
  all(sql: string, ...values: readonly SqlValue[]): Row[] {
    return this.#prepare(sql).all(...values);
  }

  /** Returns the first column of the first row, which is a number; 0 if there is none. */
  number(sql: string, ...values: readonly SqlValue[]): number {
    const [row = {}] = this.all(sql, ...values);
    return Number(Object.values(row)[0] ?? 0);
  }

  /** Runs several statements. */
  script(sql: string): void {
    this.#connection.exec(sql);
  }

  version(): number {
    return this.number('PRAGMA user_version');
  }

  /** @throws {WebhookError} A later release has changed the tables since the file was opened. */
  checkVersion(): void {
    const version = this.version();
    if (version !== TABLES_VERSION) throw new WebhookError(`The file ${describeVersion(version)}`);
  }

  close(): void {
    this.#connection.close();
  }

  #prepare(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#connection.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/**
 * Opens or creates the file, and makes sure that what is committed is on the disk.
 *
 * @throws {ConfigurationError} It cannot be opened, or belongs to another program or a later release.
 */
export function openDatabase(runtime: Runtime, path: string): Database {
  try {
    createFile(runtime, path);
    const connection = new runtime.DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS });
    try {
      return setUp(new Database(connection));
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    return refuse(`cannot be opened: ${describeOpening(error)}`, error);
  }
}

/**
 * Creates the file for its owner alone. SQLite gives the files beside it the same mode.
 *
 * One that exists is not touched: to close a descriptor of it would release the locks of other connections in
 * this process, see "POSIX advisory locks" in https://sqlite.org/howtocorrupt.html.
 */
function createFile({ fs }: Runtime, path: string): void {
  try {
    fs.closeSync(fs.openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'EEXIST') throw error;
  }
}

/** A missing folder is not made: it may be that of a volume that is not mounted. */
function describeOpening(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  const advice = code === 'ENOENT' ? '. Create its folder, or mount the volume' : '';
  return `${cleanError(error).message}${advice}`;
}

function setUp(database: Database): Database {
  const application = database.number('PRAGMA application_id');
  if (application !== APPLICATION_ID && database.number('SELECT count(*) FROM sqlite_schema') > 0) {
    return refuse('is the database of another program.');
  }
  // What belongs to the connection is set at each opening. Without `fullfsync`, macOS leaves data in the
  // cache of the disk: https://sqlite.org/pragma.html#pragma_fullfsync
  database.script(`
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA fullfsync = ON;
PRAGMA checkpoint_fullfsync = ON;
PRAGMA journal_size_limit = ${MAX_WAL_BYTES}`);
  const [mode] = database.all('PRAGMA journal_mode');
  if (mode?.journal_mode !== 'wal') return refuse('is on a file system without shared memory.');
  createTables(database);
  // From here on, no call waits inside SQLite, which would block the event loop: the writer waits instead.
  database.script('PRAGMA busy_timeout = 0');
  return database;
}

function createTables(database: Database): void {
  if (database.version() === 0) {
    database.run('BEGIN IMMEDIATE');
    // Another process may have been faster.
    if (database.version() === 0) database.script(TABLES);
    database.run('COMMIT');
  }
  const version = database.version();
  if (version !== TABLES_VERSION) refuse(describeVersion(version));
}

function describeVersion(version: number): string {
  return `has tables of version ${version}, not ${TABLES_VERSION}: update agent-platform-sdk.`;
}

function refuse(problem: string, cause?: unknown): never {
  throw new ConfigurationError(`createSqliteInbox: path ${problem}`, { option: 'path', cause });
}

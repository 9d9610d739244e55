import { ConfigurationError, WebhookError } from '../errors/index.js';
import { onOneLine } from '../utils/printable.js';
import { cleanError, openingAdvice } from './failure.js';
import type { Row, Runtime, SqliteConnection, SqliteStatement, SqlValue } from './runtime.js';
import { APPLICATION_ID, CREATE, TABLES_VERSION } from './tables.js';

/** How long opening waits for another process that opens, closes or recovers the file, in ms. */
const OPEN_TIMEOUT_MS = 10_000;
/** SQLite cuts the `-wal` file, which has the latest changes, to this size. */
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
  all<Found extends object = Row>(sql: string, ...values: readonly SqlValue[]): Found[] {
    // The caller knows the columns, because its query names them.
    return this.#prepare(sql).all(...values) as Found[];
  }

  /** Returns the number in the first column of the first row; 0 if there is none. */
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
 * Opens the file, so that every commit is on the disk.
 *
 * @throws {ConfigurationError} It belongs to another program or application, or to a later release.
 */
export function openDatabase(runtime: Runtime, path: string, application: string | undefined): Database {
  const connection = new runtime.DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS });
  try {
    return setUp(new Database(connection), application);
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Makes an error that says why the file cannot be opened, and what to do. */
export function openingError(error: unknown, runtime: Runtime, path: string): ConfigurationError {
  if (error instanceof ConfigurationError) return error;
  const advice = openingAdvice(error, runtime, path);
  return pathError(`cannot be opened: ${cleanError(error).message}${advice && `. ${advice}`}`, error);
}

/**
 * Creates the file for its owner alone, also at the end of a link, and returns its real path. SQLite puts `-wal` and
 * `-shm` beside it, and gives them the same mode.
 *
 * One that exists is not opened: to close a descriptor of it would release the locks of other connections in this
 * process, see "POSIX advisory locks" in https://sqlite.org/howtocorrupt.html.
 *
 * @throws The file system says that a folder is missing, a link leads to itself, or the file cannot be written.
 */
export function createFile({ fs }: Runtime, path: string): string {
  if (!fs.existsSync(path)) fs.closeSync(fs.openSync(path, 'a', 0o600));
  return fs.realpathSync(path);
}

function setUp(database: Database, application: string | undefined): Database {
  // Read together: another process may create the tables at this moment.
  const [isForeign] = database.all(`SELECT application_id != ${APPLICATION_ID}
    AND EXISTS (SELECT 1 FROM sqlite_schema) AS foreigner FROM pragma_application_id`);
  if (isForeign?.foreigner === 1) return refuse('is the database of another program.');
  // SQLite forgets these settings when a connection closes. Without `fullfsync`, macOS leaves data in the
  // cache of the disk: https://sqlite.org/pragma.html#pragma_fullfsync. Without `temp_store`, SQLite spills
  // results to a temporary folder, which may be read-only: CPA-Manager-Plus#653.
  database.script(`
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA fullfsync = ON;
PRAGMA temp_store = MEMORY;
PRAGMA checkpoint_fullfsync = ON;
PRAGMA journal_size_limit = ${MAX_WAL_BYTES}`);
  const [mode] = database.all('PRAGMA journal_mode');
  if (mode?.journal_mode !== 'wal')
    return refuse('is on a file system without shared memory. Put it on a local disk.');
  createTables(database);
  checkOwner(database, application);
  // From here on, no call waits inside SQLite, which would block the event loop: the writer waits instead.
  database.script('PRAGMA busy_timeout = 0');
  return database;
}

/** Creates the tables. Fails if the file cannot be written. */
function createTables(database: Database): void {
  database.run('BEGIN IMMEDIATE');
  // Another process may have been faster.
  const version = database.version();
  if (version === 0) database.script(CREATE);
  else if (version !== TABLES_VERSION) refuse(describeVersion(version));
  // In a file that may only be read, a transaction can begin, and the first write fails.
  database.run('DELETE FROM workers WHERE false');
  database.run('COMMIT');
}

/** Makes the first application with a name the owner of the file, and refuses others. */
function checkOwner(database: Database, application: string | undefined): void {
  if (application === undefined) return;
  database.run('INSERT INTO owner (name) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM owner)', application);
  const [owner] = database.all('SELECT name FROM owner');
  if (owner?.name === application) return;
  const advice = "Two applications would take each other's events: give each its own path";
  refuse(
    `belongs to the application ${onOneLine(String(owner?.name))}, not ${onOneLine(application)}. ${advice}.`,
  );
}

function describeVersion(version: number): string {
  const advice = version > TABLES_VERSION ? 'update agent-platform-sdk' : 'this release cannot read them';
  return `has tables of version ${version}, not ${TABLES_VERSION}: ${advice}.`;
}

function refuse(problem: string): never {
  throw pathError(problem);
}

function pathError(problem: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(`createSqliteInbox: path ${problem}`, { option: 'path', cause });
}

import { ConfigurationError } from '../errors/index.js';

/** A connection of `node:sqlite`, the part that is used here. `@types/node` 20 does not have it. */
export interface SqliteConnection {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

/** A value of a column. */
export type SqlValue = string | number | null;

/** A row, by column. */
export type Row = Readonly<Record<string, SqlValue>>;

export interface SqliteStatement {
  run(...values: readonly SqlValue[]): { readonly changes: number | bigint };
  all(...values: readonly SqlValue[]): Row[];
}

/** A module of Node, without an import: where it is missing, this package would not load. */
type NodeModule<Name extends 'node:fs' | 'node:path'> = ReturnType<typeof process.getBuiltinModule<Name>>;

/** The modules that an inbox in a file needs. No public type refers to them: an app may have no types of Node. */
export interface Runtime {
  readonly DatabaseSync: new (path: string, options: { readonly timeout: number }) => SqliteConnection;
  readonly fs: NodeModule<'node:fs'>;
  readonly path: NodeModule<'node:path'>;
}

/** The first version without a race that can corrupt a file: https://sqlite.org/wal.html#walresetbug */
const LEAST_VERSION = '3.51.3';

const ADVICE =
  'Use Node 22.22.3+ or 24.15+, Bun, or Deno. Or use createPostgresInbox, or createBullMQInbox with a Redis.';

/**
 * Returns the modules of the runtime.
 *
 * @throws {ConfigurationError} The runtime has no SQLite, or one that can corrupt the file.
 */
export function loadRuntime(): Runtime {
  // Others have no `process`, or an older one. @types/node 20 does not have `node:sqlite`.
  const { process } = globalThis as unknown as {
    readonly process?: { getBuiltinModule?(name: string): unknown };
  };
  const [sqlite, fs, path] = ['node:sqlite', 'node:fs', 'node:path'].map((name) =>
    process?.getBuiltinModule?.(name),
  );
  if (!sqlite || !fs || !path) return refuse('has no node:sqlite');
  const { DatabaseSync } = sqlite as Pick<Runtime, 'DatabaseSync'>;
  const version = versionOf(new DatabaseSync(':memory:', { timeout: 0 }));
  if (version.localeCompare(LEAST_VERSION, 'en', { numeric: true }) < 0) {
    return refuse(`has SQLite ${version}, in which two connections can corrupt a file`);
  }
  return { DatabaseSync, fs, path } as Runtime;
}

function versionOf(database: SqliteConnection): string {
  const [row] = database.prepare('SELECT sqlite_version() AS version').all();
  database.close();
  return String(row?.version);
}

function refuse(problem: string): never {
  throw new ConfigurationError(`createSqliteInbox: this runtime ${problem}. ${ADVICE}`, { option: 'path' });
}

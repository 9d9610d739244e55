import pg, { type Pool, type PoolConfig } from 'pg';
import { ConfigurationError } from '../errors/index.js';
import { closedError } from '../inbox/failure.js';
import { refuseOptions } from '../validation/check-options.js';
import { cleanError, codeOf } from './failure.js';
import type { PostgresClient, PostgresSettings } from './options.js';
import { createTables, TABLES_VERSION } from './tables.js';

/** Time limits of a query, in ms: a server that has gone without a word never answers. */
const STORE_MS = 3_000;
const QUERY_MS = 10_000;
/** Time limit of a new connection, in ms. */
const CONNECT_MS = 3_000;

type Row = Record<string, unknown>;

/** The connections of an inbox. Each opens when it is needed. */
interface Pools {
  /** For storing alone, which waits for nobody else. */
  readonly stores: Pool;
  /** For workers, health and dead letters. */
  readonly others: Pool;
  /** For transactions of handlers, which may take as long as they want, and hold every connection. */
  readonly transactions: Pool;
}

/**
 * Asks Postgres, once the tables are there.
 *
 * There is no session state, and no prepared statement with a name: PgBouncer may pool transactions.
 */
export class Database {
  /** The schema, as SQL. */
  readonly schema: string;
  readonly #settings: PostgresSettings;
  readonly #pools: Pools;
  #ready: Promise<void> | undefined;
  #isClosed = false;

  constructor(settings: PostgresSettings) {
    this.#settings = settings;
    this.#pools = createPools(settings.connection);
    this.schema = `"${settings.schema}"`;
  }

  /** Asks for rows. `$.` in the SQL stands for the schema and a dot. Each call is one transaction. */
  async query<Found extends object = Row>(sql: string, ...values: readonly unknown[]): Promise<Found[]> {
    await this.#prepared();
    return this.#ask<Found>(this.#pools.others, sql, values);
  }

  /** As `query`, in the connection for storing. */
  async store(sql: string, ...values: readonly unknown[]): Promise<void> {
    await this.#prepared();
    await this.#ask(this.#pools.stores, sql, values);
  }

  async #ask<Found extends object = Row>(
    pool: Pool,
    sql: string,
    values: readonly unknown[] = [],
  ): Promise<Found[]> {
    // The rows are what the SQL selects.
    return (await pool.query(this.inSchema(sql), [...values])).rows as Found[];
  }

  inSchema(sql: string): string {
    return sql.replaceAll('$.', `${this.schema}.`);
  }

  /** Runs a function in a transaction. A connection on which it fails is closed, which rolls back. */
  async transaction<Value>(act: (client: PostgresClient) => Promise<Value>): Promise<Value> {
    await this.#prepared();
    const client = await this.#pools.transactions.connect();
    // A connection that breaks while nothing is asked of it would end the process.
    const ignore = () => undefined;
    client.on('error', ignore);
    try {
      await client.query('BEGIN');
      const value = await act(client);
      await client.query('COMMIT');
      client.off('error', ignore);
      client.release();
      return value;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  // Connections and tables

  async #prepared(): Promise<void> {
    if (this.#isClosed) throw closedError();
    this.#ready ??= this.#prepare().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  /** Makes the tables if they are missing. A role that may not can use those that are there. */
  async #prepare(): Promise<void> {
    const { schema, application } = this.#settings;
    const { others } = this.#pools;
    const found = (await this.#readMeta(others)) ?? (await this.#create(others));
    if (found.encoding !== 'UTF8') {
      const text = `leads to a database in ${String(found.encoding)}. Create it with ENCODING 'UTF8'.`;
      refuse('connectionString', text);
    }
    if (found.version !== TABLES_VERSION) {
      const text = `${schema} has tables of another release (${String(found.version)}). Update this package.`;
      refuse('schema', text);
    }
    if (application === undefined || found.application === application) return;
    // Another process may be the first at this moment.
    const sql = 'UPDATE $.meta SET application = coalesce(application, $1) RETURNING application';
    const [owner] = await this.#ask(others, sql, [application]);
    if (owner?.application === application) return;
    const text = `is ${application}, but ${schema} belongs to ${String(owner?.application)}. Give each application its own schema.`;
    refuse('application', text);
  }

  async #readMeta(pool: Pool): Promise<Row | undefined> {
    const sql = "SELECT version, application, current_setting('server_encoding') AS encoding FROM $.meta";
    try {
      return (await this.#ask(pool, sql))[0];
    } catch (error) {
      // No such table, or no such schema.
      if (codeOf(error) === '42P01' || codeOf(error) === '3F000') return undefined;
      throw error;
    }
  }

  async #create(pool: Pool): Promise<Row> {
    const { schema } = this.#settings;
    try {
      await pool.query(createTables(schema));
    } catch (error) {
      const { message } = cleanError(error);
      if (codeOf(error) === '42501') {
        const advice =
          'As a role that may, run what `npx agent-platform-sdk doctor --inbox postgres://… --tables` prints';
        throw new ConfigurationError(`The role may not make the inbox's tables. ${advice}: ${message}`, {
          option: 'schema',
          cause: error,
        });
      }
      if (codeOf(error) === '42P07') refuse('schema', `${schema} has tables of something else: ${message}.`);
      throw error;
    }
    return (await this.#readMeta(pool)) ?? {};
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const { stores, others, transactions } = this.#pools;
    const own = typeof this.#settings.connection === 'string' ? [transactions] : [];
    await Promise.all([stores, others, ...own].map((pool) => pool.end()));
  }
}

function refuse(option: string, text: string): never {
  return refuseOptions('createPostgresInbox', [{ option, text }]);
}

function createPools(connection: Pool | string): Pools {
  const open = (max: number, query_timeout?: number) => {
    const pool = createPool(connection, {
      max,
      min: 0,
      keepAlive: true,
      allowExitOnIdle: true,
      connectionTimeoutMillis: CONNECT_MS,
      ...(query_timeout && { query_timeout, application_name: 'agent-platform-inbox' }),
    });
    // A connection breaks while it is idle. Without a listener, that would end the process; the next query opens one.
    return pool.on('error', () => undefined);
  };
  return {
    stores: open(1, STORE_MS),
    others: open(3, QUERY_MS),
    transactions: typeof connection === 'string' ? open(10) : connection,
  };
}

/** Makes a pool: of `pg`, or with the class and the options of a pool of yours. */
export function createPool(connection: Pool | string, config: PoolConfig): Pool {
  if (typeof connection === 'string') return new pg.Pool({ connectionString: connection, ...config });
  // Its own class: connectors of clouds derive one. `password` cannot be listed (pg-pool 3.6, index.js).
  const Same = connection.constructor as new (config: PoolConfig) => Pool;
  const { password } = connection.options;
  return new Same({ ...connection.options, ...(password !== undefined && { password }), ...config });
}

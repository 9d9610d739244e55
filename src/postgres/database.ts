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
/** The same for handlers, which wait for each other's. */
const TURN_MS = 30_000;

const APPLICATION = 'agent-platform-inbox';
/** The types of numbers in our rows, int4 and float8: the application may have parsers of its own for them. */
const NUMBERS = [23, 701];

/**
 * Ends queries that have timed out here, and would hold a connection for as long as they wait for a lock. Never one
 * that waits for a standby: that would be committed then, although the standby does not have it.
 */
const CANCEL = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = '${APPLICATION}'
  AND usename = session_user AND wait_event_type = 'Lock' AND query_start < now() - interval '${QUERY_MS} ms'`;

type Row = Record<string, unknown>;

/** What `meta` says of the tables, and the encoding of their database. */
interface Meta {
  readonly version: number;
  readonly application: string | null;
  readonly encoding: string;
}

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
    try {
      // `pg.native` takes several statements only without a list of values, even an empty one.
      const bound = values.length > 0 ? [...values] : undefined;
      // The rows are what the SQL selects.
      return (await pool.query(sql.replaceAll('$.', `${this.schema}.`), bound)).rows as Found[];
    } catch (error) {
      if (isTimeout(error)) this.#pools.stores.query(CANCEL).catch(ignore);
      throw error;
    }
  }

  /** Runs a function in a transaction. A connection on which it fails is closed, which rolls back. */
  async transaction<Value>(act: (client: PostgresClient) => Promise<Value>): Promise<Value> {
    await this.#prepared();
    const client = await this.#pools.transactions.connect();
    // A connection that breaks while nothing is asked of it would end the process.
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
      throw codeOf(error) === '42501' ? rightsError(error) : error;
    });
    return this.#ready;
  }

  /** Makes the tables if they are missing. A role that may not can use those that are there. */
  async #prepare(): Promise<void> {
    const { schema, application } = this.#settings;
    const found = (await this.#readMeta()) ?? (await this.#create());
    if (found === undefined) return refuse('schema', `${schema} has a table meta of something else.`);
    if (found.encoding !== 'UTF8') {
      refuse('connectionString', `leads to a database in ${found.encoding}. Create it with ENCODING 'UTF8'.`);
    }
    if (found.version !== TABLES_VERSION) {
      refuse('schema', `${schema} has tables of another release (${found.version}). Update this package.`);
    }
    if (application === undefined || found.application === application) return;
    // Another process may be the first at this moment.
    const sql = 'UPDATE $.meta SET application = coalesce(application, $1) RETURNING application';
    const [owner] = await this.#ask(this.#pools.others, sql, [application]);
    if (owner?.application === application) return;
    const text = `is ${application}, but ${schema} belongs to ${String(owner?.application)}. Give each application its own schema.`;
    refuse('application', text);
  }

  async #readMeta(): Promise<Meta | undefined> {
    const sql = "SELECT version, application, current_setting('server_encoding') AS encoding FROM $.meta";
    try {
      return (await this.#ask<Meta>(this.#pools.others, sql))[0];
    } catch (error) {
      // No such table, schema or column.
      if (['42P01', '3F000', '42703'].includes(codeOf(error) ?? '')) return undefined;
      throw error;
    }
  }

  async #create(): Promise<Meta | undefined> {
    const { schema } = this.#settings;
    try {
      await this.#pools.others.query(createTables(this.schema));
    } catch (error) {
      const { message } = cleanError(error);
      if (codeOf(error) === '42P07') refuse('schema', `${schema} has tables of something else: ${message}.`);
      throw error;
    }
    return this.#readMeta();
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

function rightsError(cause: unknown): ConfigurationError {
  const advice =
    'As a role that may, run what `npx agent-platform-sdk doctor --inbox postgres://… --tables` prints';
  const text = `The role may not make or use the inbox's tables. ${advice}: ${cleanError(cause).message}`;
  return new ConfigurationError(text, { option: 'schema', cause });
}

function createPools(connection: Pool | string): Pools {
  const open = (max: number, config: PoolConfig) =>
    listenTo(createPool(connection, { max, connectionTimeoutMillis: CONNECT_MS, ...config }));
  const types = { getTypeParser: (type: number) => (NUMBERS.includes(type) ? Number : String) };
  // `types` has an overload for each type and format.
  const own = { application_name: APPLICATION, binary: false, types: types as PoolConfig['types'] };
  return {
    stores: open(1, { ...own, query_timeout: STORE_MS }),
    others: open(3, { ...own, query_timeout: QUERY_MS }),
    transactions:
      typeof connection === 'string' ? open(10, { connectionTimeoutMillis: TURN_MS }) : listenTo(connection),
  };
}

/** A connection breaks while it is idle: without a listener, that would end the process. The next query opens one. */
function listenTo(pool: Pool): Pool {
  return pool.listenerCount('error') > 0 ? pool : pool.on('error', ignore);
}

/** Makes a pool: for an address, or with the options of a pool of yours. */
export function createPool(connection: Pool | string, config: PoolConfig): Pool {
  const ours = {
    min: 0,
    keepAlive: true,
    // Without a delay, Linux begins after two hours: a handler's query to a server that has gone would wait for that.
    keepAliveInitialDelayMillis: 10_000,
    allowExitOnIdle: true,
    ...config,
  };
  if (typeof connection === 'string') return new pg.Pool({ connectionString: connection, ...ours });
  // Connectors of clouds, and `pg.native`, have a client of their own.
  const { Client } = connection as { readonly Client?: PoolConfig['Client'] };
  // Not listed with the others (pg-pool 3.6, index.js).
  const { password } = connection.options;
  return new pg.Pool({ Client, ...connection.options, ...(password !== undefined && { password }), ...ours });
}

function ignore(): void {}

/** By its message: it has no code (pg 8, lib/client.js). */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

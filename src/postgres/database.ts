import type { Pool, PoolConfig } from 'pg';
import { ConfigurationError } from '../errors/index.js';
import { closedError } from '../inbox/failure.js';
import type { InboxReporter } from '../inbox/reporter.js';
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
  #pools: Promise<Pools> | undefined;
  #ready: Promise<void> | undefined;
  #isClosed = false;

  constructor(settings: PostgresSettings, reporter: InboxReporter) {
    this.#settings = settings;
    this.schema = `"${settings.schema}"`;
    // A missing package shows at the start, and not with the first event.
    this.#open().catch((error: unknown) => reporter.storageFailed(cleanError(error)));
  }

  /** Asks for rows. `$.` in the SQL stands for the schema and a dot. Each call is one transaction. */
  async query<Found extends object = Row>(sql: string, ...values: readonly unknown[]): Promise<Found[]> {
    const { others } = await this.#prepared();
    return this.#ask<Found>(others, sql, values);
  }

  /** As `query`, in the connection for storing. */
  async store(sql: string, ...values: readonly unknown[]): Promise<void> {
    const { stores } = await this.#prepared();
    await this.#ask(stores, sql, values);
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
    const { transactions } = await this.#prepared();
    const client = await transactions.connect();
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

  #open(): Promise<Pools> {
    this.#pools ??= this.#createPools().catch((error: unknown) => {
      this.#pools = undefined;
      throw error;
    });
    return this.#pools;
  }

  async #createPools(): Promise<Pools> {
    const { connection } = this.#settings;
    const create = await poolMaker(connection);
    const open = (max: number, query_timeout?: number) => {
      const pool = create({
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

  async #prepared(): Promise<Pools> {
    if (this.#isClosed) throw closedError();
    const pools = await this.#open();
    this.#ready ??= this.#prepare(pools.others).catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    await this.#ready;
    return pools;
  }

  /** Makes the tables if they are missing. A role that may not can use those that are there. */
  async #prepare(pool: Pool): Promise<void> {
    const found = (await this.#readMeta(pool)) ?? (await this.#create(pool));
    const { schema, application } = this.#settings;
    if (found.encoding !== 'UTF8') {
      refuse(
        'connectionString',
        `leads to a database in ${String(found.encoding)}. Create it with ENCODING 'UTF8'.`,
      );
    }
    if (found.version !== TABLES_VERSION) {
      refuse(
        'schema',
        `${schema} has tables of another release (${String(found.version)}). Update this package.`,
      );
    }
    if (application === undefined) return;
    const sql = 'UPDATE $.meta SET application = $1 WHERE application IS NULL';
    if (found.application === null) await this.#ask(pool, sql, [application]);
    const owner = (await this.#readMeta(pool))?.application;
    if (owner !== application) {
      const text = `is ${application}, but ${schema} belongs to ${String(owner)}. Give each application its own schema.`;
      refuse('application', text);
    }
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
          'Let its owner run what `npx agent-platform-sdk doctor --inbox postgres://… --tables` prints';
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
    const { stores, others, transactions } = await this.#open();
    const own = typeof this.#settings.connection === 'string' ? [transactions] : [];
    await Promise.all([stores, others, ...own].map((pool) => pool.end()));
  }
}

function refuse(option: string, text: string): never {
  return refuseOptions('createPostgresInbox', [{ option, text }]);
}

/**
 * Returns a function that opens pools: with the class and the options of a pool of yours, or else with `pg`, which is
 * loaded only then.
 */
export async function poolMaker(connection: Pool | string): Promise<(config: PoolConfig) => Pool> {
  if (typeof connection !== 'string') {
    // Its own class: connectors of clouds derive one. `password` cannot be listed (pg-pool 3.6, index.js).
    const Same = connection.constructor as new (config: PoolConfig) => Pool;
    const { password } = connection.options;
    return (config) =>
      new Same({ ...connection.options, ...(password !== undefined && { password }), ...config });
  }
  try {
    const { default: pg } = await import('pg');
    return (config) => new pg.Pool({ connectionString: connection, ...config });
  } catch (cause) {
    const text = 'createPostgresInbox needs the package pg. Run `npm install pg`.';
    throw new ConfigurationError(text, { option: 'connectionString', cause });
  }
}

import type { Pool, PoolClient } from 'pg';
import * as z from 'zod/v4/mini';
import { type InboxOptions, type InboxSettings, inboxFields, settleOptions } from '../inbox/options.js';
import {
  checkedBy,
  checkOptions,
  type OptionFields,
  type OptionProblem,
} from '../validation/check-options.js';

/** A pool of `pg`, version 8.11 or later. */
export type PostgresPool = Pool;
/** A connection of that pool, inside a transaction. */
export type PostgresClient = PoolClient;

/** Options of `createPostgresInbox`. Pass the same in receivers and in workers. */
export interface PostgresInboxOptions extends InboxOptions {
  /**
   * A pool of `pg`, which stays yours and stays open. Pass this or `connectionString`.
   *
   * `transaction` takes its connections from it. For all else the inbox opens up to four connections of its own, with
   * the options of the pool, because your transactions may hold all the others.
   */
  readonly pool?: PostgresPool | undefined;
  /**
   * The address of the database, such as `'postgres://user:password@host:5432/database'`.
   *
   * The inbox opens up to four connections, and up to ten more for `transaction`.
   */
  readonly connectionString?: string | undefined;
  /**
   * The schema of the inbox's tables. Default `'agent_platform'`.
   *
   * The inbox creates both at first use. If its role may not, let one that may run the SQL that this prints:
   * `npx agent-platform-sdk doctor --inbox postgres://… --tables`.
   */
  readonly schema?: string | undefined;
}

const poolRule = /* @__PURE__ */ checkedBy((value) => {
  const { query, connect, options } = Object(value) as Partial<Record<keyof Pool, unknown>>;
  const isPool = typeof query === 'function' && typeof connect === 'function' && typeof options === 'object';
  return isPool ? undefined : 'must be a Pool of the package pg';
});

/** The host can be left out, for the folder of a socket: `postgres://user@/database?host=/cloudsql/…`. */
export function withHost(address: string): string {
  return address.replace('@/', '@localhost/');
}

const addressRule = /* @__PURE__ */ checkedBy((value) => {
  const isAddress =
    typeof value === 'string' && /^postgres(ql)?:\/\//.test(value) && URL.canParse(withHost(value));
  const rule =
    'must be a URL such as postgres://user:password@host:5432/database, its special characters encoded';
  return isAddress ? undefined : rule;
});

// Names that begin with `pg_` are reserved for the system.
const SCHEMA = /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/;

const fields: Omit<OptionFields<PostgresInboxOptions>, keyof InboxOptions> = {
  pool: z.optional(poolRule),
  connectionString: z.optional(addressRule),
  schema: z.optional(z.string().check(z.regex(SCHEMA, 'must be a name of lower-case letters, digits and _'))),
};

/** The checked options of an inbox. */
export interface PostgresSettings extends InboxSettings {
  readonly schema: string;
  readonly connection: PostgresPool | string;
}

/** Checks the options of an inbox, and fills in the defaults. */
export function resolvePostgres(options: PostgresInboxOptions): PostgresSettings {
  const one = (): OptionProblem[] =>
    (options.pool === undefined) === (options.connectionString === undefined)
      ? [{ option: 'pool', text: 'or connectionString is needed, and not both.' }]
      : [];
  checkOptions(
    z.strictObject({ ...inboxFields(options), ...fields }),
    options,
    { of: 'createPostgresInbox' },
    one,
  );
  const { pool, connectionString = '', schema = 'agent_platform' } = options;
  return { ...settleOptions(options), schema, connection: pool ?? connectionString };
}

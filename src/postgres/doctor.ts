import { createPool } from './database.js';
import { type PostgresInboxOptions, resolvePostgres, withHost } from './options.js';
import { tablesFor } from './tables.js';

// What the command asks beside the inbox.

export { createPostgresInbox } from './inbox.js';

/** Returns whether the tables of an inbox are there. */
export async function hasTables(options: PostgresInboxOptions): Promise<boolean> {
  const { connection, schema } = resolvePostgres(options);
  const pool = createPool(connection, { max: 1, connectionTimeoutMillis: 3_000, query_timeout: 3_000 });
  try {
    const { rows } = await pool.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [
      `"${schema}".meta`,
    ]);
    return rows[0]?.there === true;
  } finally {
    await pool.end();
  }
}

/** Returns the SQL that makes the tables of an inbox, and lets the role of its address use them. */
export function tablesOf(options: PostgresInboxOptions & { readonly connectionString: string }): string {
  const { schema } = resolvePostgres(options);
  const role = decodeURIComponent(new URL(withHost(options.connectionString)).username);
  return tablesFor(`"${schema}"`, role);
}

import {
  createPostgresInbox,
  type PostgresInbox,
  type PostgresInboxOptions,
} from 'agent-platform-sdk/postgres';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeEach } from 'vitest';
import { quickOptions } from '../inbox/fixture.js';
import type { RowEngine } from '../inbox/rows.js';
import { fakeClock, startPostgres } from '../support/postgres-server.js';

/** The Postgres of the file of tests. */
export const server = await startPostgres();
export const { url } = server;
/** A pool beside the inbox. */
export const pool = new Pool({ connectionString: url });
pool.on('error', () => undefined);
const inboxes: PostgresInbox[] = [];
let schemas = 0;
/** The schema of the test that is running. */
export let schema = '';

beforeEach(() => {
  schemas += 1;
  schema = `inbox_${schemas}`;
});

afterEach(async () => {
  await Promise.all(inboxes.splice(0).map((inbox) => inbox.close({ grace: 0 })));
});

afterAll(async () => {
  await pool.end();
  await server.stop();
});

/** An inbox in the schema of the test. Closed when the test ends. */
export function createInbox(options: Partial<PostgresInboxOptions> = {}): PostgresInbox {
  const from = options.pool === undefined ? { connectionString: url } : {};
  const inbox = createPostgresInbox({ ...from, schema, ...quickOptions(), ...options });
  inboxes.push(inbox);
  return inbox;
}

/** Asks Postgres beside the inbox. `$.` stands for the schema of the test. */
export async function sql(text: string): Promise<Record<string, unknown>[]> {
  return (await pool.query<Record<string, unknown>>(text.replaceAll('$.', `${schema}.`))).rows;
}

export const engine: RowEngine = {
  createInbox: (options) => createInbox(options),
  loseLocks: () => sql("UPDATE $.events SET run = run + 1, worker = NULL WHERE state = 'running'"),
  bury: () =>
    sql("UPDATE $.events SET state = 'dead', worker = NULL, died = now(), due = 'infinity', reason = 'no'"),
  block: async () => {
    const client = await pool.connect();
    await client.query(`BEGIN; LOCK TABLE ${schema}.events, ${schema}.workers IN EXCLUSIVE MODE`);
    return () => client.query('ROLLBACK').then(() => client.release(true));
  },
  readEverything: async () => JSON.stringify(await sql('SELECT * FROM $.events')),
  sql: (text) => sql(text.replaceAll('NEVER', "'infinity'")),
  events: () => sql('SELECT state, stalls, extract(epoch FROM due)::float8 * 1000 AS due FROM $.events'),
  age: (ms) => {
    const older = (column: string) => `${column} = ${column} - ${ms} * interval '1 ms'`;
    return sql(`UPDATE $.events SET ${older('stored')}, ${older('due')}`);
  },
  fakeClock: async () => {
    const { skewed, set } = await fakeClock(server);
    return { createInbox: (options) => createInbox({ ...options, connectionString: skewed }), set };
  },
};

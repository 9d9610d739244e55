import {
  createPostgresInbox,
  type PostgresInbox,
  type PostgresInboxOptions,
} from 'agent-platform-sdk/postgres';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeEach, onTestFinished } from 'vitest';
import { SWEEPING } from '../../src/inbox/rows/consumer.js';
import { type Engine, quickOptions } from '../inbox/fixture.js';
import { startPostgres } from '../support/postgres-server.js';

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

/** Deletes what is due after the time of a lock, and not after a minute. */
export function sweepSoon(): void {
  const { quiet } = SWEEPING;
  SWEEPING.quiet = 0;
  onTestFinished(() => {
    SWEEPING.quiet = quiet;
  });
}

export const engine: Engine = {
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
};

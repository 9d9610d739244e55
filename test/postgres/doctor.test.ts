import { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPostgresInbox } from '../../examples/postgres-inbox/inbox.js';
import { start } from '../cli/terminal.js';
import { type PostgresServer, startPostgres } from '../support/postgres-server.js';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres.stop());

/** The doctor's lines about the inbox in a database. */
async function inboxOf(database: string, flags: readonly string[] = [], user = 'postgres'): Promise<string> {
  const { exit, lines } = await start(['doctor', '--postgres', ...flags], {
    DATABASE_URL: postgres.url.replace(/\/postgres@/, `/${user}@`).replace(/postgres$/, database),
  });
  await exit;
  return lines.filter((line) => line.includes('inbox')).join('\n');
}

test('the doctor counts what waits in the inbox, and names settings that can lose it', async () => {
  const pool = new Pool({ connectionString: postgres.url });
  const inbox = await createPostgresInbox(pool);
  for (const key of ['a', 'b', 'c']) {
    const stored = {
      key: key.repeat(64),
      type: 'webhook_test',
      payload: {},
      receivedAt: Date.now(),
      deliveryId: key,
    };
    await inbox.store(stored);
  }
  await inbox.close();
  await pool.query(
    "UPDATE pgboss.job SET created_on = now() - interval '90 seconds' WHERE state = 'created'",
  );
  const one = '(SELECT id FROM pgboss.job LIMIT 1)';
  // Of those that wait, the one that is to be tried again has waited for longest.
  await pool.query(
    `UPDATE pgboss.job SET state = 'active', created_on = now() - interval '300 seconds' WHERE id = ${one}`,
  );
  await pool.query(
    `UPDATE pgboss.job SET state = 'retry', created_on = now() - interval '190 seconds' WHERE id = ${one}`.replace(
      'LIMIT',
      "WHERE state = 'created' LIMIT",
    ),
  );
  // Of dead letters, those count that are still there to be looked at.
  await pool.query(
    `INSERT INTO pgboss.job (name, state, created_on) SELECT 'webhooks-dead', state::pgboss.job_state, now() - interval '1 hour'
       FROM unnest(ARRAY['created', 'retry', 'active', 'completed']) AS state`,
  );
  await pool.query('CREATE ROLE stranger LOGIN');
  await pool.query('CREATE DATABASE frozen TEMPLATE template0');
  await pool.query('ALTER DATABASE postgres SET synchronous_commit = off');
  await pool.end();

  const told = await inboxOf('postgres');
  expect(told).toMatch(
    /^ok +inbox +takes events: 1 waiting, 1 active, 1 retrying, 3 dead letters, oldest 19\d s/,
  );
  expect(told).toMatch(/warn +inbox +synchronous_commit is off/);
  expect(await inboxOf('postgres', ['--queue', 'another'])).toMatch(
    /^ok .* 0 waiting.*\nwarn +inbox +there is no queue "another" in this database: see --queue/,
  );
  expect(told).not.toContain('there is no queue');
  expect(await inboxOf('postgres', [], 'stranger')).toMatch(
    /fail +inbox +permission denied .*: the user of DATABASE_URL may not read the schema pgboss/,
  );
  expect(await inboxOf('frozen')).toMatch(/fail +inbox +there are no tables of pg-boss/);
  expect(await inboxOf('nowhere')).toMatch(
    /fail +inbox +Postgres does not answer: database "nowhere" does not/,
  );
  expect(await inboxOf('postgres', [], 'nobody')).toMatch(
    /fail +inbox +role "nobody" does not exist: see the user and the password of DATABASE_URL/,
  );
  expect(told).toMatch(/warn +inbox +fsync is off/);
  expect(told).not.toContain('this Postgres takes no writes');
  const asking = new Pool({ connectionString: postgres.url });
  const connections =
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE backend_type = 'client backend'";
  const open = async () => (await asking.query<{ count: number }>(connections)).rows[0]?.count;
  // The one that asks is left.
  await expect.poll(open).toBe(1);
  await asking.query('ALTER DATABASE postgres RESET synchronous_commit');
  await asking.end();
  expect(await inboxOf('postgres')).not.toContain('synchronous_commit');
});

test('a Postgres that takes no writes takes no events', async () => {
  const pool = new Pool({ connectionString: postgres.url });
  await (await createPostgresInbox(pool)).close();
  await pool.query('ALTER DATABASE postgres SET default_transaction_read_only = on');
  await pool.end();

  expect(await inboxOf('postgres')).toMatch(
    /fail +inbox +takes no events.*warn +inbox +this Postgres takes no writes/s,
  );
});

import { onTestFinished } from 'vitest';
import { type PostgresServer, type PostgresSettings, startPostgres } from '../../support/postgres-server.js';

/** A Postgres that keeps what it has acknowledged, also over a failure of power. */
export async function openPostgres(given: PostgresSettings = {}): Promise<PostgresServer> {
  const postgres = await startPostgres({ settings: ['shared_buffers=64MB'], ...given });
  onTestFinished(() => postgres.stop());
  return postgres;
}

/** Lets the clock of a server be set: a `now()` of our own comes before that of the system. */
export async function makeSkewable(postgres: PostgresServer): Promise<(ms: number) => Promise<unknown>> {
  await postgres.query('CREATE SCHEMA fake; CREATE TABLE fake.clock AS SELECT 0::float8 AS ms');
  for (const name of ['now', 'clock_timestamp']) {
    await postgres.query(`CREATE FUNCTION fake.${name}() RETURNS timestamptz LANGUAGE plpgsql STABLE AS
      $$ BEGIN RETURN pg_catalog.${name}() + (SELECT ms FROM fake.clock) * interval '1 ms'; END $$`);
  }
  await postgres.query('ALTER DATABASE postgres SET search_path = fake, pg_catalog');
  return (ms) => postgres.query(`UPDATE fake.clock SET ms = ${ms}`);
}

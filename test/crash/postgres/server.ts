import { onTestFinished } from 'vitest';
import { type PostgresServer, type PostgresSettings, startPostgres } from '../../support/postgres-server.js';

/** Starts a Postgres until the test ends. It keeps what it has acknowledged, also over a failure of power. */
export async function openPostgres(given: PostgresSettings = {}): Promise<PostgresServer> {
  const postgres = await startPostgres({ settings: ['shared_buffers=64MB'], ...given });
  onTestFinished(() => postgres.stop());
  return postgres;
}

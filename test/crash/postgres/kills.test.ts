/**
 * The crash campaign of the inbox in Postgres: processes, Postgres and its connections are killed. `faults.test.ts` has
 * the other scenarios.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { expectPromiseKept } from '../conclude.js';
import { PATIENT, playKills, testPoison } from '../scenarios.js';
import { EVENTS, Stage } from '../stage.js';
import { openPostgres } from './server.js';

test('kills: workers, receivers and Postgres are killed, and Postgres is restarted', async () => {
  const postgres = await openPostgres();
  // Postgres then ends all others too, and recovers.
  const killBackend = async () => {
    const sql = "SELECT pid FROM pg_stat_activity WHERE application_name = 'agent-platform-inbox' LIMIT 1";
    for (let isKilled = false; !isKilled; await sleep(20)) {
      try {
        const [row] = await postgres.query(sql);
        isKilled = row !== undefined && process.kill(Number(row.pid), 'SIGKILL');
      } catch {
        // It has just ended by itself, or Postgres still recovers from the one before.
      }
    }
    await sleep(300);
  };
  await playKills(
    150,
    { storage: { postgres: postgres.url } },
    {
      'Postgres killed': [1, (random) => postgres.restart('SIGKILL', random() * 1_000)],
      'Postgres restarted': [1, (random) => postgres.restart('SIGINT', random() * 3_000)],
      'connections killed': [1, killBackend],
    },
  );
});

test('exactly once: workers are killed while their handlers write', async () => {
  const postgres = await openPostgres();
  await postgres.query('CREATE TABLE written (name text)');
  const writing = { ...PATIENT, writes: true };
  const stage = await Stage.open({ storage: { postgres: postgres.url }, worker: writing });
  const { workers, random } = stage;
  await stage.send(Math.min(150, EVENTS / 10), () => workers.kill(Math.floor(random() * workers.size)));
  const { acknowledged } = stage.ledger;
  // Before the stage stops: it counts rows, and what was acknowledged or sent.
  expect(await stage.drain()).toBe(true);
  const [rows] = await postgres.query(
    'SELECT count(*)::int AS all, count(DISTINCT name)::int AS names FROM written',
  );
  expect(rows?.all).toBe(rows?.names);
  expect(rows?.all).toBeGreaterThanOrEqual(acknowledged.size);
  await expectPromiseKept(stage, () => ({
    faults: { 'workers killed': workers.killed.size },
    allRun: 'its first run was rolled back',
  }));
});

testPoison(async () => ({ postgres: (await openPostgres()).url }));

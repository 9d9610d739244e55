/**
 * The crash campaign of the inbox in Postgres: processes, Postgres and its connections are killed. `faults.test.ts` has
 * the other scenarios.
 *
 * `CRASH_EVENTS`, `CRASH_SEED` and `CRASH_RUNTIME` are those of the other campaigns.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { expectPromiseKept } from '../conclude.js';
import { playPoison } from '../scenarios.js';
import { EVENTS, SEED, Stage } from '../stage.js';
import { openPostgres } from './server.js';

console.log(`${EVENTS} events in each scenario, CRASH_SEED=${SEED}`);

/** Events between two kills, on average. */
const GAP = 150;
const worker = { options: { maxStalls: Math.ceil(EVENTS / GAP) } };

test('kills: workers, receivers and Postgres are killed, and Postgres is restarted', async () => {
  const postgres = await openPostgres();
  const stage = await Stage.open({ storage: { postgres: postgres.url }, worker });
  const { workers, receivers, random } = stage;
  const counts = { crashes: 0, restarts: 0, backends: 0 };
  const faults = ['worker', 'worker', 'worker', 'receiver', 'receiver', 'crash', 'restart', 'backend'];
  const bag: string[] = [];
  await stage.send(GAP, async () => {
    if (bag.length === 0) bag.push(...faults);
    const [fault] = bag.splice(Math.floor(random() * bag.length), 1);
    if (fault === 'worker') workers.kill(Math.floor(random() * workers.size));
    else if (fault === 'receiver') receivers.kill(Math.floor(random() * receivers.size));
    else if (fault === 'crash') {
      counts.crashes += 1;
      await postgres.restart('SIGKILL', random() * 1_000);
    } else if (fault === 'restart') {
      counts.restarts += 1;
      await postgres.restart('SIGINT', random() * 3_000);
    } else {
      // Postgres then ends all others too, and recovers.
      const sql = "SELECT pid FROM pg_stat_activity WHERE application_name = 'agent-platform-inbox' LIMIT 1";
      const [row] = await postgres.query(sql);
      if (row === undefined) return;
      counts.backends += 1;
      process.kill(Number(row.pid), 'SIGKILL');
      await sleep(300);
    }
  });
  await expectPromiseKept(stage, () => ({
    faults: {
      'workers killed': workers.killed.size,
      'receivers killed': receivers.killed.size,
      'Postgres killed': counts.crashes,
      'Postgres restarted': counts.restarts,
      'connections killed': counts.backends,
    },
  }));
});

test('exactly once: workers are killed while their handlers write', async () => {
  const postgres = await openPostgres();
  await postgres.query('CREATE TABLE written (name text)');
  const writing = { ...worker, writes: true };
  const stage = await Stage.open({ storage: { postgres: postgres.url }, worker: writing });
  const { workers, random } = stage;
  await stage.send(GAP, async () => workers.kill(Math.floor(random() * workers.size)));
  const { acknowledged } = stage.ledger;
  // Before the stage stops: it counts rows, and what was acknowledged or sent.
  expect(await stage.drain()).toBe(true);
  const [rows] = await postgres.query(
    'SELECT count(*)::int AS all, count(DISTINCT name)::int AS names FROM written',
  );
  console.log(
    `${acknowledged.size} acknowledged, ${JSON.stringify(rows)}, ${workers.killed.size} workers killed`,
  );
  expect(rows?.all).toBe(rows?.names);
  expect(rows?.all).toBeGreaterThanOrEqual(acknowledged.size);
  await expectPromiseKept(stage, () => ({
    faults: { 'workers killed': workers.killed.size },
    allRun: 'its first run was rolled back',
  }));
});

test('poison: some events end their worker, and some block it', async () =>
  playPoison({ postgres: (await openPostgres()).url }));

/** The scenarios of the crash campaign on Postgres that only run nightly: failover, refusals, and clocks. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startProxy } from '../../redis/proxy.js';
import { expectPromiseKept } from '../conclude.js';
import { playClocks, playDeploy } from '../scenarios.js';
import { EVENTS, IS_SHORT, SEED, Stage } from '../stage.js';
import { makeSkewable, openPostgres } from './server.js';

console.log(`${EVENTS} events in each scenario, CRASH_SEED=${SEED}`);

const worker = { options: { maxStalls: Math.ceil(EVENTS / 100) } };
/** A port on which nothing listens. */
const NOWHERE = 1;

test('failover: connections are cut, held without a word, and refused', async () => {
  const postgres = await openPostgres();
  const proxy = await startProxy(postgres.port);
  const url = postgres.url.replace(`:${postgres.port}`, `:${proxy.port}`);
  const stage = await Stage.open({ storage: { postgres: url }, worker, senders: 16 });
  let times = 0;
  await stage.send(EVENTS / 6, async () => {
    times += 1;
    if (times % 3 === 0) proxy.cut();
    else if (times % 3 === 1) {
      proxy.hold();
      await sleep(IS_SHORT ? 4_000 : 12_000);
      proxy.cut();
      proxy.release();
    } else {
      proxy.lead(NOWHERE);
      proxy.cut();
      await sleep(3_000);
      proxy.lead(postgres.port);
    }
  });
  await expectPromiseKept(stage, () => ({ faults: { 'times cut': times } }));
});

test('read-only: Postgres takes no writes for a while', async () => {
  const postgres = await openPostgres();
  const stage = await Stage.open({ storage: { postgres: postgres.url }, worker, senders: 16 });
  let times = 0;
  const set = async (change: string) => {
    await postgres.query(`ALTER SYSTEM ${change}`);
    await postgres.query('SELECT pg_reload_conf()');
  };
  await stage.send(EVENTS / 4, async () => {
    times += 1;
    await set('SET default_transaction_read_only = on');
    await sleep(2_500);
    const refused = expect.stringContaining('read-only');
    expect(await stage.inbox.health()).toMatchObject({ ready: false, warnings: { refused } });
    await set('RESET default_transaction_read_only');
  });
  await expectPromiseKept(stage, () => ({ faults: { 'times read-only': times } }));
});

test('full disk: there is no room for a while', async ({ skip }) => {
  const parent = '/tmp/postgres-small-disk';
  mkdirSync(parent, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=320m', 'tmpfs', parent], { stdio: 'ignore' });
  } catch {
    skip('only root may mount a small disk');
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', parent]);
    rmSync(parent, { recursive: true, force: true });
  });
  const postgres = await openPostgres({
    parent,
    settings: ['shared_buffers=64MB', 'min_wal_size=32MB', 'max_wal_size=64MB'],
  });
  const stage = await Stage.open({ storage: { postgres: postgres.url }, worker, senders: 16 });
  let times = 0;
  await stage.send(EVENTS / 4, async () => {
    times += 1;
    const file = `${parent}/filler`;
    // `dd` ends when the disk is full.
    execFileSync('sh', ['-c', `dd if=/dev/zero of=${file} bs=1M 2>/dev/null; true`]);
    await sleep(4_000);
    rmSync(file, { force: true });
    // Without room for its log, Postgres ends.
    if (
      !(await postgres.query('SELECT 1').then(
        () => true,
        () => false,
      ))
    )
      await postgres.restart('SIGKILL');
  });
  await expectPromiseKept(stage, () => ({ faults: { 'times full': times } }));
});

test('stepping clocks: those of all processes and of the server are set ahead and back by up to a month', async () => {
  const postgres = await openPostgres();
  await playClocks({ postgres: postgres.url }, { worker }, await makeSkewable(postgres));
});

test('rolling deploy: workers are replaced by workers with a handler for one more type', async () =>
  playDeploy({ postgres: (await openPostgres()).url }));

/** The scenarios of the crash campaign on Postgres that only run nightly: failover, refusals and clocks. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startProxy } from '../../redis/proxy.js';
import { fakeClock } from '../../support/postgres-server.js';
import { PATIENT, play, testClocks } from '../scenarios.js';
import { EVENTS, IS_SHORT, type Stage } from '../stage.js';
import { openPostgres } from './server.js';

const options = (postgres: string) => ({ storage: { postgres }, worker: PATIENT, senders: 16 });

test('failover: connections are cut, held without a word, and refused', async () => {
  const { url, port } = await openPostgres();
  const proxy = await startProxy(port);
  const failOver = async (_: Stage, times: number) => {
    if (times % 3 === 0) {
      proxy.hold();
      await sleep(IS_SHORT ? 4_000 : 12_000);
      proxy.cut();
      proxy.release();
    } else if (times % 3 === 1) {
      // Nothing listens there.
      proxy.lead(1);
      proxy.cut();
      await sleep(3_000);
      proxy.lead(port);
    } else proxy.cut();
  };
  await play('times cut', EVENTS / 6, options(url.replace(`:${port}`, `:${proxy.port}`)), failOver);
});

test('read-only: Postgres takes no writes for a while', async () => {
  const postgres = await openPostgres();
  const set = async (change: string) => {
    await postgres.query(`ALTER SYSTEM ${change}`);
    await postgres.query('SELECT pg_reload_conf()');
  };
  await play('times read-only', EVENTS / 4, options(postgres.url), async ({ inbox }) => {
    await set('SET default_transaction_read_only = on');
    await sleep(2_500);
    const refused = expect.stringContaining('read-only');
    expect(await inbox.health()).toMatchObject({ ready: false, warnings: { refused } });
    await set('RESET default_transaction_read_only');
  });
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
  const settings = ['shared_buffers=64MB', 'min_wal_size=32MB', 'max_wal_size=64MB'];
  const postgres = await openPostgres({ parent, settings });
  await play('times full', EVENTS / 4, options(postgres.url), async () => {
    const file = `${parent}/filler`;
    // `dd` ends when the disk is full.
    execFileSync('sh', ['-c', `dd if=/dev/zero of=${file} bs=1M 2>/dev/null; true`]);
    await sleep(4_000);
    rmSync(file, { force: true });
    // Without room for its log, Postgres ends.
    await postgres.query('SELECT 1').catch(() => postgres.restart('SIGKILL'));
  });
});

testClocks(async () => {
  const postgres = await openPostgres();
  const { skewed, set } = await fakeClock(postgres);
  return { storage: { postgres: skewed }, setClock: set };
});

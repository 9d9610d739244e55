/**
 * The crash campaign of the inbox in a file: receivers, workers and processes that are both are killed at random.
 *
 * `CRASH_EVENTS` and `CRASH_SEED` are those of the campaign on Redis; `CRASH_RUNTIME='bun run'` runs the processes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadRuntime } from '../../../src/sqlite/runtime.js';
import { expectPromiseKept } from '../conclude.js';
import { EVENTS, SEED, Stage, type StageOptions } from '../stage.js';

console.log(`${EVENTS} events in each scenario, CRASH_SEED=${SEED}`);

/** Events between two kills, on average. */
const GAP = 100;
/**
 * As many as there are kills: on a busy machine, a process that has just started may be killed again while it
 * runs the same events.
 */
const MAX_STALLS = EVENTS / GAP;

test.each<[name: string, fleet: Omit<StageOptions, 'storage'>]>([
  // While it starts again, each sender loses ten events a second.
  ['one process', { receivers: 1, receiversThatWork: 1, workers: 0, senders: 8 }],
  ['receivers and workers apart', { receivers: 2, workers: 3, senders: 32 }],
  ['mixed', { receivers: 3, receiversThatWork: 2, workers: 2, senders: 32 }],
])('kills: %s', async (_, fleet) => {
  const folder = mkdtempSync(join(tmpdir(), 'campaign-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'webhooks.db');
  const worker = { options: { maxStalls: MAX_STALLS } };
  const stage = await Stage.open({ storage: { file }, worker, ...fleet });
  const { workers, receivers, random } = stage;
  await stage.send(GAP, async () => {
    const victim = Math.floor(random() * (workers.size + receivers.size));
    if (victim < workers.size) workers.kill(victim);
    else receivers.kill(victim - workers.size);
  });
  await expectPromiseKept(stage, () => ({
    faults: { 'processes killed': workers.killed.size + receivers.killed.size },
  }));
  expect(checkIntegrity(file)).toEqual([{ integrity_check: 'ok' }]);
});

function checkIntegrity(file: string): unknown[] {
  const { DatabaseSync } = loadRuntime();
  const database = new DatabaseSync(file, { timeout: 5_000 });
  const rows = database.prepare('PRAGMA integrity_check').all();
  database.close();
  return rows.map((row) => ({ ...row }));
}

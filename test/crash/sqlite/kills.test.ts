/** The crash campaign of the inbox in a file: processes are killed, clocks set, workers poisoned and files deleted. */
import { renameSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { loadRuntime } from '../../../src/sqlite/runtime.js';
import { newPath } from '../../support/new-file.js';
import { play, playKills, testClocks, testPoison } from '../scenarios.js';
import { EVENTS, type Stage, type StageOptions } from '../stage.js';

test.each<[name: string, fleet: Omit<StageOptions, 'storage'>]>([
  // While it starts again, each sender loses ten events a second.
  ['one process', { receivers: 1, receiversThatWork: 1, workers: 0, senders: 8 }],
  ['receivers and workers apart', { receivers: 2, workers: 3, senders: 32 }],
  ['mixed', { receivers: 3, receiversThatWork: 2, workers: 2, senders: 32 }],
])('kills: %s', async (_, fleet) => {
  const file = newPath('webhooks.db');
  await playKills(100, { storage: { file }, ...fleet });
  expect(checkIntegrity(file)).toEqual([{ integrity_check: 'ok' }]);
});

testClocks(async () => ({ storage: { file: newPath('webhooks.db') } }));
testPoison(() => ({ file: newPath('webhooks.db') }));

test('deleted file: the file, or what is beside it, is deleted, and all processes restart', async () => {
  const file = newPath('webhooks.db');
  const choices = [['', '-wal', '-shm'], ['-wal'], [''], ['-wal', '-shm'], ['-shm']];
  const remove = async (stage: Stage, times: number) => {
    for (const end of choices[times % choices.length] ?? []) rmSync(file + end, { force: true });
    const gone = await untilGone(stage);
    await stage.restart(stage.random() < 0.5 ? 'SIGTERM' : 'SIGKILL', () => followAdvice(file, gone));
  };
  // During a restart, each sender loses ten events a second.
  await play('times deleted', EVENTS / 10, { storage: { file }, senders: 4 }, remove, () => ({
    allRun: 'its end was in a file that is gone',
  }));
  expect(checkIntegrity(file)).toEqual([{ integrity_check: 'ok' }]);
});

/** What the health says when the file is gone. */
async function untilGone({ inbox }: Stage): Promise<string> {
  for (;;) {
    const { gone } = (await inbox.health()).warnings as { readonly gone?: string };
    if (gone !== undefined) return gone;
    await sleep(50);
  }
}

/** Does what the message says. */
function followAdvice(file: string, gone: string): void {
  const [, copy = ''] = /(\S+-left-\d+)/.exec(gone) ?? [];
  if (gone.includes('Stop all processes')) {
    for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
    renameSync(copy, file);
  } else rmSync(copy);
}

function checkIntegrity(file: string): unknown[] {
  const { DatabaseSync } = loadRuntime();
  const database = new DatabaseSync(file, { timeout: 5_000 });
  const rows = database.prepare('PRAGMA integrity_check').all();
  database.close();
  return rows.map((row) => ({ ...row }));
}

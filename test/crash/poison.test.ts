/** The scenarios of the crash campaign that concern good events beside bad ones, and clocks that are wrong. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { stored } from '../inbox/fixture.js';
import { minimal } from '../webhooks/deliveries.js';
import { bundleProcess } from './bundle-process.js';
import { openRedis, storageAt } from './servers.js';
import { openInbox, type Storage } from './settings.js';

const SCRIPT = await bundleProcess('poison-process.ts');
const GOOD = 100;

/** An event with a name in its payload, which says what its handler does. */
const event = (name: string) => stored({ payload: { ...minimal.lead_captured, agentId: name } });

/** Starts a process whenever the last one has ended, until the test ends. */
function supervise(storage: Storage, ...args: readonly string[]): { readonly ends: () => number } {
  let [ends, isOver] = [0, false];
  let child: ChildProcess;
  const start = () => {
    child = spawn(process.execPath, [...args, SCRIPT, JSON.stringify(storage)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child.once('exit', () => {
      if (isOver) return;
      ends += 1;
      start();
    });
  };
  start();
  onTestFinished(async () => {
    isOver = true;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });
  return { ends: () => ends };
}

test('poison: one event ends its worker, another one blocks it, and no good one becomes a dead letter', async () => {
  const storage = storageAt(await openRedis());
  const inbox = await openInbox({ storage });
  onTestFinished(() => inbox.close());
  const names = Array.from({ length: GOOD }, (_, index) => `good-${index}`);
  names.splice(20, 0, 'exits');
  names.splice(60, 0, 'blocks');
  for (const name of names) await inbox.store(event(name));
  const { ends } = supervise(storage);
  await inbox.idle();
  const dead = (await inbox.deadLetters.list()).map(({ webhook }) => webhook.payload.agentId);
  console.log(`poison: the worker has ended ${ends()} times, dead letters: ${dead.join(', ')}`);
  expect(dead.filter((name) => String(name).startsWith('good'))).toEqual([]);
  expect(dead).toContain('exits');
}, 120_000);

const DAY = 86_400_000;

test.each<[clock: string, jumps: readonly [after: number, ms: number][]]>([
  ['an hour back', [[1_000, -DAY / 24]]],
  [
    'a month ahead at boot',
    [
      [0, 30 * DAY],
      [3_000, 0],
    ],
  ],
  [
    'fifteen days ahead for three seconds',
    [
      [500, 15 * DAY],
      [3_500, 0],
    ],
  ],
  [
    'a minute ahead seven times',
    Array.from({ length: 7 }, (_, index) => [500 * (index + 1), 60_000 * (index + 1)] as [number, number]),
  ],
])(
  'stepping clocks: one of two workers is %s',
  async (_, jumps) => {
    const storage = storageAt(await openRedis());
    const inbox = await openInbox({ storage, inbox: { attempts: 100 } });
    onTestFinished(() => inbox.close());
    await inbox.store(event('invalid'));
    const clock = join(tmpdir(), `clock-${crypto.randomUUID()}.mjs`);
    const moves = jumps.map(([after, ms]) => `setTimeout(() => { shift = ${ms}; }, ${after});`);
    const first = jumps[0]?.[0] === 0 ? jumps[0][1] : 0;
    writeFileSync(
      clock,
      `const now = Date.now; let shift = ${first}; Date.now = () => now() + shift; ${moves.join(' ')}`,
    );
    supervise(storage, '--import', clock);
    supervise(storage);
    for (let index = 0; index < 300; index += 1) {
      await inbox.store(event(index % 3 === 0 ? `fails-${index}` : `good-${index}`));
      await sleep(10);
    }
    await inbox.idle();
    expect((await inbox.deadLetters.list()).map(({ webhook }) => webhook.payload.agentId)).toEqual([
      'invalid',
    ]);
  },
  120_000,
);

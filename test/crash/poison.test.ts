/** The scenarios of the crash campaign that concern good events beside bad ones, and clocks that are wrong. */

import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { event, expectGoodEventsHandled, supervise } from './poison.js';
import { openRedis, storageAt } from './servers.js';
import { openInbox } from './settings.js';

test('poison: one event ends its worker, another one blocks it, and no good one becomes a dead letter', async () => {
  await expectGoodEventsHandled(storageAt(await openRedis()));
}, 120_000);

const DAY = 86_400_000;

test.each<[clock: string, jumps: readonly [after: number, ms: number][]]>([
  ['an hour back', [[1_000, -DAY / 24]]],
  [
    'fifteen days ahead for three seconds',
    [
      [500, 15 * DAY],
      [3_500, 0],
    ],
  ],
  [
    'fifteen days behind for three seconds',
    [
      [500, -15 * DAY],
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
    writeFileSync(
      clock,
      `const now = Date.now; let shift = 0; Date.now = () => now() + shift; ${moves.join(' ')}`,
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

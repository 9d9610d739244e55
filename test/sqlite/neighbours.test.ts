import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually, hang, processing, settled, stored } from '../inbox/fixture.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { createInbox, holdLock, inFile, rowOf } from './inbox-fixture.js';

test('events of a worker that died do not come back together', async () => {
  const inbox = createInbox();
  for (let count = 0; count < 50; count += 1) await inbox.store(stored());
  inFile((file) => file.exec("UPDATE events SET state = 'running', worker = 'gone', run = 1"));
  const before = Date.now();
  inbox.work({ agent_deleted: () => undefined }, { lockDuration: 400 });
  const dues = await eventually(() => {
    const all = inFile((file) => file.prepare('SELECT state, stalls, due FROM events').all());
    expect(all.filter(({ state, stalls }) => state === 'retrying' && stalls === 1)).toHaveLength(50);
    return all.map(({ due }) => Number(due) - before);
  });
  // Random, up to 800 ms: all in one tenth of that would be a miracle.
  expect(Math.max(...dues) - Math.min(...dues)).toBeGreaterThan(80);
});

test('two workers with locks of two seconds or less run a long event once', async () => {
  const [one, other] = [createInbox(), createInbox()];
  let starts = 0;
  const handlers = processing(async () => {
    starts += 1;
    await sleep(2_500);
  });
  one.work(handlers, { lockDuration: 500 });
  other.work(handlers, { lockDuration: 500 });
  await one.store(stored());
  await settled(one);
  expect(starts).toBe(1);
});

test('workers that were blocked or asleep at the same time free nothing of each other', async () => {
  const logger = new RecordingLogger();
  const [one, other] = [createInbox({ logger }), createInbox({ logger })];
  let starts = 0;
  const handlers = processing(() => {
    starts += 1;
    return hang();
  });
  for (let count = 0; count < 4; count += 1) await one.store(stored());
  one.work(handlers, { lockDuration: 200, concurrency: 2 });
  other.work(handlers, { lockDuration: 1_000, concurrency: 2 });
  await eventually(() => expect(starts).toBe(4));
  // Until one has seen the latest beat of the other, which comes every half second.
  await sleep(900);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200);
  await sleep(300);
  const rows = inFile((file) => file.prepare('SELECT state, stalls FROM events').all());
  expect(rows).toEqual(Array(4).fill({ state: 'running', stalls: 0 }));
  expect(logger.lines.join()).not.toContain('the lock of');
});

test('closing ends although another process writes to the file all the time', async () => {
  const inbox = createInbox();
  const webhook = stored();
  inbox.work(processing(hang));
  await inbox.store(webhook);
  await eventually(async () => expect((await inbox.health()).active).toBe(1));
  const { release } = holdLock();
  const closing = inbox.close({ grace: 100 });
  // Before the 3 seconds for which each change waits for other processes are over, twice.
  await Promise.race([closing, sleep(5_500).then(() => Promise.reject(new Error('still closing')))]);
  release();
  expect(rowOf(webhook.key)).toMatchObject({ state: 'running' });
});

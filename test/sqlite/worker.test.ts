import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually, hang, processing, record, settled, stored } from '../inbox/fixture.js';
import { testWorkers } from '../inbox/workers.js';
import { deferred } from '../support/deferred.js';
import { createInbox, engine, holdLock, inFile, rowOf, rowsOf } from './inbox-fixture.js';

testWorkers(engine);

/** Handlers for one type that note the keys that they have handled. */
function handling(type: string, handled: string[], run: () => Promise<unknown> = async () => undefined) {
  return {
    handles: (one: string) => one === type,
    process: async ({ key }: { key: string }) => {
      await run();
      handled.push(key);
    },
  };
}

test('of two kinds of workers, each handles its own, however long the other was away', async () => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks });
  const handled: string[] = [];
  for (let count = 0; count < 50; count += 1) {
    await inbox.store(stored({ receivedAt: Date.now() - 3_600_000 }));
    await inbox.store(stored({ type: 'agent_deleted', receivedAt: Date.now() - 3_600_000 }));
  }
  // Both have waited for longer than the timeout before any worker came.
  inbox.work(handling('agent_deleted', handled), { unhandledTimeout: 60_000 });
  await eventually(async () => expect(await inbox.health()).toMatchObject({ waiting: 0, retrying: 50 }));
  createInbox({ hooks }).work(handling('lead_captured', handled), { unhandledTimeout: 60_000 });
  await settled(inbox);
  expect([handled.length, new Set(handled).size]).toEqual([100, 100]);
  expect(calls.filter((call) => call !== 'handled')).toEqual([]);
});

test('what a worker has a handler for does not die, although that worker takes its time', async () => {
  const inbox = createInbox();
  const handled: string[] = [];
  for (let count = 0; count < 5; count += 1) await inbox.store(stored());
  inbox.work({}, { lockDuration: 200 });
  await eventually(async () => expect((await inbox.health()).retrying).toBe(5));
  const free = deferred();
  const handlers = handling('lead_captured', handled, () => free.promise);
  createInbox().work(handlers, { concurrency: 1 });
  await eventually(() => expect(rowsOf('workers').map(({ types }) => types)).toContain('["lead_captured"]'));
  // As if they had waited for an hour. The first worker looks for such events several times.
  inFile((file) => file.exec("UPDATE events SET due = 1 WHERE state = 'parked'"));
  await sleep(500);
  expect(await inbox.health()).toMatchObject({ active: 1, retrying: 4, deadLetters: 0 });
  free.resolve();
  await settled(inbox);
  expect(handled).toHaveLength(5);
});

test('after an outage, the first worker leaves events to one with a handler that starts later', async () => {
  const inbox = createInbox();
  const webhook = stored();
  await inbox.store(webhook);
  const before = inbox.work({});
  await eventually(() => expect(rowOf(webhook.key).state).toBe('parked'));
  await before.close();
  // As if the machine had been off for hours.
  inFile((file) => file.exec('UPDATE events SET due = 1'));
  inbox.work({});
  // It looks for such events whenever it announces itself.
  await eventually(() => expect(rowsOf('workers')).toHaveLength(1));
  expect(await inbox.health()).toMatchObject({ retrying: 1, deadLetters: 0 });
  const handled: string[] = [];
  createInbox().work(handling('lead_captured', handled));
  await eventually(() => expect(handled).toEqual([webhook.key]));
});

test('an event whose handlers have run waits for a worker with a handler forever', async () => {
  const inbox = createInbox();
  const worker = inbox.work({ lead_captured: () => Promise.reject(new Error('no')) });
  const webhook = stored();
  await inbox.store(webhook);
  await eventually(() => expect(Number(rowOf(webhook.key).failures)).toBeGreaterThan(0));
  await worker.close();
  inbox.work({}, { unhandledTimeout: 50, lockDuration: 100 });
  await eventually(() => expect(rowOf(webhook.key).state).toBe('parked'));
  await sleep(300);
  expect(await inbox.health()).toMatchObject({ retrying: 1, deadLetters: 0 });
});

test('a replay starts the time of an event without a handler again', async () => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks });
  const webhook = stored();
  await inbox.store(webhook);
  const worker = inbox.work({}, { unhandledTimeout: 100, lockDuration: 100 });
  await eventually(() => expect(calls).toEqual(['dead letter']));
  await worker.close();
  inbox.work({}, { unhandledTimeout: 60_000 });
  const before = Date.now();
  await inbox.deadLetters.replay(webhook.key);
  await eventually(() => expect(rowOf(webhook.key).state).toBe('parked'));
  expect(Number(rowOf(webhook.key).due)).toBeGreaterThanOrEqual(before + 60_000);
});

test('a worker that was blocked for longer than its locks keeps what nobody has taken over', async () => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks });
  const block = async () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
  inbox.work({ lead_captured: block }, { lockDuration: 100 });
  await inbox.store(stored());
  await settled(inbox);
  expect(calls).toEqual(['handled']);
});

test('the end of a run waits while another process writes', async () => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks });
  let lock = { release: () => undefined as void };
  inbox.work({
    lead_captured: () => {
      lock = holdLock();
    },
  });
  await inbox.store(stored());
  await eventually(() => expect(rowsOf('events')[0]?.state).toBe('running'));
  await sleep(200);
  expect(calls).toEqual([]);
  lock.release();
  await eventually(() => expect(calls).toEqual(['handled']));
});

test('no id is used twice, so that a late run cannot end another event', async () => {
  const inbox = createInbox();
  const [first, second] = [stored(), stored()];
  await inbox.store(first);
  const { id } = rowOf(first.key);
  const worker = inbox.work({ lead_captured: () => undefined });
  await settled(inbox);
  await worker.close();
  await inbox.store(second);
  expect(Number(rowOf(second.key).id)).toBeGreaterThan(Number(id));
});

test('all keys are forgotten that are due, however many', async () => {
  const inbox = createInbox({ retention: 1 });
  inFile((file) => {
    file.exec(`INSERT INTO handled WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      SELECT 'key ' || i, i FROM n`);
  });
  inbox.work({});
  await eventually(() => expect(rowsOf('handled')).toEqual([]));
});

test('locks last 30 seconds by default, and retries wait a second, then two, half of it random', async () => {
  const inbox = createInbox({ backoff: undefined });
  let runs = 0;
  const run = () => (++runs === 1 ? Promise.reject(new Error('no')) : hang());
  inbox.work(processing(run));
  const webhook = stored();
  await inbox.store(webhook);
  await eventually(async () => expect((await inbox.health()).retrying).toBe(1));
  const delay = Number(rowOf(webhook.key).due) - Date.now();
  expect(delay).toBeGreaterThan(100);
  expect(delay).toBeLessThanOrEqual(1_000);
  await eventually(() => expect(runs).toBe(2));
  const left = Number(rowOf(webhook.key).due) - Date.now();
  expect(left).toBeGreaterThan(10_000);
  expect(left).toBeLessThanOrEqual(30_000);
});

test('a worker that has closed is not counted, and holds nothing', async () => {
  const inbox = createInbox();
  const workers = [inbox.work({}), inbox.work({})];
  await eventually(async () => expect((await inbox.health()).workers).toBe(2));
  await Promise.all(workers.map((worker) => worker.close()));
  expect((await inbox.health()).workers).toBe(0);
  expect(rowsOf('workers').filter(({ id }) => id !== 'probe')).toEqual([]);
});

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually, hang, processing, record, settled, stored } from '../inbox/fixture.js';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { minimal } from '../webhooks/deliveries.js';
import { createInbox, inFile, rowOf, rowsOf, sweepSoon } from './inbox-fixture.js';

const [HOUR, DAY] = [3_600_000, 86_400_000];

/** Sets the clock of this process ahead, or back. */
function setClock() {
  const real = Date.now;
  const clock = { ahead: 0 };
  const now = vi.spyOn(Date, 'now').mockImplementation(() => real() + clock.ahead);
  onTestFinished(() => now.mockRestore());
  return clock;
}

const LOCK = { lockDuration: 400 };

test.each([
  ['an hour ahead', HOUR],
  ['a month behind', -30 * DAY],
])('events that were stored and failed while the clock was %s run once it is right', async (_, ahead) => {
  const clock = setClock();
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks, backoff: 50 });
  clock.ahead = ahead;
  let isBroken = true;
  inbox.work(
    processing(() => (isBroken ? Promise.reject(new Error('no')) : Promise.resolve())),
    LOCK,
  );
  for (let count = 0; count < 3; count += 1) await inbox.store(stored());
  await eventually(() => expect(calls.length).toBeGreaterThan(3));
  clock.ahead = 0;
  isBroken = false;
  await settled(inbox);
  expect(await inbox.health()).toMatchObject({ depth: 0, deadLetters: 0 });
});

test('a retry that another process has put too far ahead is brought back, also by a worker that has long been running', async () => {
  const inbox = createInbox({ backoff: 50 });
  const handled: string[] = [];
  inbox.work(
    processing(async ({ key }) => void handled.push(key)),
    LOCK,
  );
  // It has just started for as long as its lock.
  await sleep(2 * LOCK.lockDuration);
  const [first, late] = [stored(), stored()];
  inFile((file) => {
    file
      .prepare(
        "INSERT INTO events (key, type, state, due, received, failures, data) VALUES (?, ?, 'retrying', ?, 0, 1, ?)",
      )
      .run(late.key, late.type, Date.now() + DAY, JSON.stringify(late));
  });
  await inbox.store(first);
  await eventually(() => expect([...handled].sort()).toEqual([first.key, late.key].sort()));
});

test('a retry stays that was asked for later than any backoff', async () => {
  const inbox = createInbox({ backoff: 50 });
  const webhook = stored();
  await inbox.store(webhook);
  // As a handler's `retryAfter` does.
  inFile((file) =>
    file.exec(`UPDATE events SET state = 'retrying', due = ${Date.now() + HOUR}, marked = ${HOUR}`),
  );
  inbox.work(processing(hang), LOCK);
  await sleep(3 * LOCK.lockDuration);
  expect(rowOf(webhook.key).state).toBe('retrying');
});

test('jumps of the clock take no event from a worker that lives', async () => {
  const clock = setClock();
  const [one, other] = [createInbox(), createInbox()];
  let starts = 0;
  const run = () => {
    starts += 1;
    return hang();
  };
  one.work(processing(run), { ...LOCK, concurrency: 5 });
  other.work(processing(run), { ...LOCK, concurrency: 5 });
  for (let count = 0; count < 10; count += 1) await one.store(stored());
  await eventually(() => expect(starts).toBe(10));
  for (const jump of [HOUR, -2 * HOUR, DAY, 60_000, 60_000]) {
    clock.ahead += jump;
    await sleep(300);
  }
  expect(starts).toBe(10);
  expect(rowsOf('events').map(({ state, stalls }) => [state, stalls])).toEqual(
    Array(10).fill(['running', 0]),
  );
});

test('the events of a worker that is gone are freed, however wrong the clock is', async () => {
  const clock = setClock();
  const inbox = createInbox();
  const webhook = stored();
  await inbox.store(webhook);
  inFile((file) =>
    file.exec(`UPDATE events SET state = 'running', worker = 'gone', run = 1;
      INSERT INTO workers VALUES ('gone', ${Date.now() + 30 * DAY}, 300, 7)`),
  );
  clock.ahead = -30 * DAY;
  const { promise, resolve } = deferred();
  inbox.work({ lead_captured: resolve }, LOCK);
  await promise;
  await settled(inbox);
  expect(rowsOf('workers').map(({ id }) => id)).not.toContain('gone');
});

/** An inbox with dead letters and a handled key, which are due to be deleted in fourteen days and one. */
async function withDeadLetters() {
  const inbox = createInbox({ attempts: 1 });
  const worker = inbox.work(
    processing(({ type }) =>
      type === 'lead_captured' ? Promise.reject(new Error('no')) : Promise.resolve(),
    ),
  );
  for (let count = 0; count < 3; count += 1) await inbox.store(stored());
  await inbox.store(stored({ type: 'agent_deleted', payload: minimal.agent_deleted }));
  await settled(inbox);
  await worker.close();
  return inbox;
}

test.each([
  ['ahead', 15 * DAY],
  ['behind', -15 * DAY],
])('a clock that is fifteen days %s for three seconds deletes nothing', async (_, ahead) => {
  const clock = setClock();
  const inbox = await withDeadLetters();
  const handlers = { bug_reported: () => Promise.reject(new Error('no')) };
  inbox.work(handlers, LOCK);
  await inbox.store(stored({ type: 'bug_reported', payload: minimal.bug_reported }));
  clock.ahead = ahead;
  await eventually(async () => expect(await inbox.health()).toMatchObject({ deadLetters: 4 }));
  await sleep(3_000);
  clock.ahead = 0;
  // Longer than a lock, in which nothing is deleted at all.
  await sleep(2 * LOCK.lockDuration);
  expect(await inbox.health()).toMatchObject({ deadLetters: 4 });
  expect(rowsOf('handled')).toHaveLength(1);
  // What has failed meanwhile is kept as long as the others.
  const dues = rowsOf('events').map(({ due }) => Number(due) - Date.now());
  expect(Math.min(...dues)).toBeGreaterThan(13 * DAY);
});

test('what is due is deleted: dead letters, and keys of handled events', async () => {
  sweepSoon();
  const inbox = await withDeadLetters();
  inFile((file) => file.exec('UPDATE events SET due = 1, died = 0; UPDATE handled SET due = 1'));
  inbox.work({}, LOCK);
  await eventually(() => expect([rowsOf('events').length, rowsOf('handled').length]).toEqual([0, 0]));
});

test('an event that no worker has a handler for is a dead letter after deadLetterRetention, and can be replayed', async () => {
  sweepSoon();
  const { hooks, failures } = record();
  const inbox = createInbox({ hooks, logger: new RecordingLogger(), deadLetterRetention: DAY });
  const [old, young] = [stored({ receivedAt: Date.now() - 2 * DAY }), stored()];
  await inbox.store(old);
  await inbox.store(young);
  inbox.work({ agent_deleted: () => undefined }, LOCK);
  await eventually(() => expect(failures).toMatchObject([{ key: old.key, error: { name: 'WebhookError' } }]));
  expect(await inbox.deadLetters.list()).toMatchObject([
    { id: old.key, attempts: 0, reason: expect.stringContaining('No worker had a handler') },
  ]);
  expect(rowOf(young.key).state).toBe('waiting');
});

test('retries run under a permanent backlog', async () => {
  const inbox = createInbox({ backoff: 20 });
  let isOver = false;
  const first = stored();
  const runs: string[] = [];
  await inbox.store(first);
  inbox.work(
    processing(async ({ key }) => {
      runs.push(key);
      if (!isOver) await inbox.store(stored());
      if (key === first.key && runs.filter((run) => run === key).length < 3) throw new Error('no');
    }),
    { concurrency: 1 },
  );
  await eventually(() => expect(runs.filter((run) => run === first.key)).toHaveLength(3));
  isOver = true;
  await settled(inbox);
});

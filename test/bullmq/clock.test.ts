import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { deleteOld } from '../../src/bullmq/dead-letters.js';
import { resolveBullMQ } from '../../src/bullmq/options.js';
import { eventually, processing, record, stored } from '../inbox/fixture.js';
import { leavesNothing } from '../support/leaves-nothing.js';
import { createInbox, QUEUE, redis, url } from './inbox-fixture.js';

// The clock of a worker is wrong. That of Redis decides. BullMQ writes times of its own process.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const realNow = Date.now;

/** Moves the clock of this process; with 0, it is right again. */
function moveClock(ms: number): void {
  vi.spyOn(Date, 'now').mockImplementation(() => realNow() + ms);
}

afterEach(() => void vi.restoreAllMocks());

/** Shorter than the shift of a clock, so that a worker looks often. */
const OPTIONS = { lockDuration: 400 };
const failing = processing(() => Promise.reject(new Error('no')));

async function deadLetters(inbox: ReturnType<typeof createInbox>, count = 1) {
  await eventually(async () => expect((await inbox.health()).deadLetters).toBe(count));
}

test.each([15, -15])('a worker whose clock is %d days ahead deletes no dead letter', async (days) => {
  const inbox = createInbox({ attempts: 1 });
  const worker = inbox.work(failing, OPTIONS);
  await inbox.store(stored());
  await deadLetters(inbox);
  await worker.close();
  moveClock(days * DAY_MS);
  // A worker looks for old ones when it starts.
  inbox.work(failing, OPTIONS);
  await inbox.store(stored({ receivedAt: realNow() }));
  await deadLetters(inbox, 2);
  moveClock(0);
  inbox.work(failing, OPTIONS);
  await inbox.store(stored());
  await deadLetters(inbox, 3);
});

test.each([-30 * DAY_MS, 30 * DAY_MS])(
  'a dead letter of a worker whose clock is off by %d ms has failed now',
  async (ms) => {
    moveClock(ms);
    const inbox = createInbox({ attempts: 1 });
    inbox.work(failing, OPTIONS);
    await inbox.store(stored({ receivedAt: realNow() }));
    await deadLetters(inbox);
    await eventually(async () => {
      const [letter] = await inbox.deadLetters.list();
      expect(Math.abs((letter?.failedAt ?? 0) - realNow())).toBeLessThan(60_000);
    });
    const [, score] = await redis.zrange(`${QUEUE}:failed`, '0', '-1', 'WITHSCORES');
    expect(Math.abs(Number(score) - realNow())).toBeLessThan(60_000);
  },
);

test.each([-HOUR_MS, HOUR_MS])(
  'a retry of a worker whose clock is off by %d ms is due by that of Redis',
  async (ms) => {
    const inbox = createInbox({ backoff: 60_000 });
    moveClock(ms);
    inbox.work(failing, OPTIONS);
    const webhook = stored();
    await inbox.store(webhook);
    const key = `${QUEUE}:delayed`;
    // A worker whose clock is ahead takes the event out of there for a moment, and puts it off.
    await eventually(async () => {
      // BullMQ keeps milliseconds in the upper bits of the score.
      const due = Math.floor(Number(await redis.zscore(key, webhook.key)) / 4_096);
      expect(Math.abs(due - realNow() - 60_000)).toBeLessThan(40_000);
    });
  },
);

test('a worker whose clock is ahead retries no earlier than the others, and buries nothing', async () => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks, attempts: 3, backoff: HOUR_MS });
  inbox.work(failing, OPTIONS);
  await inbox.store(stored());
  await eventually(() => expect(calls).toEqual(['retry']));
  moveClock(30 * DAY_MS);
  await sleep(2_000);
  expect(calls).toEqual(['retry']);
  expect((await inbox.health()).retrying).toBe(1);
});

test('a retry is not put off for as long as the clock of Redis was set back', async () => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks, backoff: 300 });
  let runs = 0;
  inbox.work(
    processing(() => (++runs === 1 ? Promise.reject(new Error('no')) : Promise.resolve())),
    OPTIONS,
  );
  const webhook = stored();
  await inbox.store(webhook);
  await eventually(() => expect(calls).toEqual(['retry']));
  await redis.hincrby(`${QUEUE}:${webhook.key}`, 'due', HOUR_MS);
  await eventually(() => expect(calls).toEqual(['retry', 'handled']));
});

test('dead letters are deleted when their retention is over by the clock of Redis', async () => {
  const inbox = createInbox({ attempts: 1, deadLetterRetention: 1_000 });
  inbox.work(failing, OPTIONS);
  await inbox.store(stored());
  await deadLetters(inbox);
  const [key] = await redis.zrange(`${QUEUE}:failed`, '0', '-1');
  await deadLetters(inbox, 0);
  expect(await redis.keys(`${QUEUE}:${key}*`)).toEqual([]);
});

test('a dead letter is kept for 14 days by default, and then deleted by the next worker that starts', async () => {
  const inbox = createInbox({ attempts: 1 });
  const worker = inbox.work(failing, OPTIONS);
  const [old, young] = [stored(), stored()];
  for (const webhook of [old, young]) await inbox.store(webhook);
  await deadLetters(inbox, 2);
  await worker.close();
  const due = realNow() - 14 * DAY_MS;
  await redis.zadd(`${QUEUE}:failed`, due - 60_000, old.key, due + 60_000, young.key);
  inbox.work(failing, OPTIONS);
  await deadLetters(inbox, 1);
  expect(await inbox.deadLetters.list()).toMatchObject([{ id: young.key }]);
});

test('more old dead letters than one script deletes are all deleted', async () => {
  const writes = redis.pipeline();
  for (let index = 0; index < 2_500; index += 1) {
    writes.hset(`${QUEUE}:old-${index}`, 'name', 'lead_captured', 'data', '{}');
    writes.zadd(`${QUEUE}:failed`, realNow() - 15 * DAY_MS, `old-${index}`);
  }
  await writes.exec();
  const inbox = createInbox();
  inbox.work(failing, OPTIONS);
  await deadLetters(inbox, 0);
  expect(await redis.keys(`${QUEUE}:old-*`)).toEqual([]);
});

test('a look for old dead letters keeps no listener of its client', async () => {
  const settings = resolveBullMQ({ connection: url, queueName: 'crm', logLevel: 'off' });
  await leavesNothing(() => deleteOld(redis, settings, Date.now()), redis);
});

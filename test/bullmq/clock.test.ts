import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { DELETION } from '../../src/inbox/delays.js';
import { eventually, hang, processing, record, stored } from '../inbox/fixture.js';
import { deferred } from '../support/deferred.js';
import { createInbox, redis } from './inbox-fixture.js';

// The clock of a worker is wrong. That of Redis decides. BullMQ writes times of its own process.

const queue = 'bull:agent-platform-webhooks';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const realNow = Date.now;

/** Moves the clock of this process; with 0, it is right again. */
function moveClock(ms: number): void {
  vi.spyOn(Date, 'now').mockImplementation(() => realNow() + ms);
}

afterEach(() => {
  vi.restoreAllMocks();
  DELETION.delay = HOUR_MS;
});

/** Shorter than the shift of a clock, so that a worker looks often. */
const OPTIONS = { lockDuration: 400 };
const failing = processing(() => Promise.reject(new Error('no')));

async function deadLetters(inbox: ReturnType<typeof createInbox>, count = 1) {
  await eventually(async () => expect((await inbox.health()).deadLetters).toBe(count));
}

test('a clock that is 15 days ahead for a moment deletes no dead letter', async () => {
  const inbox = createInbox({ attempts: 1 });
  inbox.work(failing, OPTIONS);
  for (let count = 0; count < 20; count += 1) await inbox.store(stored());
  await deadLetters(inbox, 20);
  moveClock(15 * DAY_MS);
  await inbox.store(stored());
  await deadLetters(inbox, 21);
  await sleep(1_000);
  moveClock(0);
  await sleep(500);
  await deadLetters(inbox, 21);
});

test.each([-30 * DAY_MS, 30 * DAY_MS])(
  'a dead letter of a worker whose clock is off by %d ms has failed now',
  async (ms) => {
    moveClock(ms);
    const inbox = createInbox({ attempts: 1 });
    inbox.work(failing, OPTIONS);
    await eventually(async () => expect(await redis.exists(`${queue}:deletion`)).toBe(1));
    await inbox.store(stored({ receivedAt: realNow() }));
    await deadLetters(inbox);
    await eventually(async () => {
      const [letter] = await inbox.deadLetters.list();
      expect(Math.abs((letter?.failedAt ?? 0) - realNow())).toBeLessThan(60_000);
    });
    const [, score] = await redis.zrange(`${queue}:failed`, '0', '-1', 'WITHSCORES');
    expect(Math.abs(Number(score) - realNow())).toBeLessThan(60_000);
  },
);

test('a retry that was put off by a clock that was ahead comes once the clock is right', async () => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks, backoff: 200 });
  let runs = 0;
  inbox.work(
    processing(() => (++runs === 1 ? Promise.reject(new Error('no')) : Promise.resolve())),
    OPTIONS,
  );
  moveClock(15 * DAY_MS);
  await inbox.store(stored({ receivedAt: realNow() }));
  await eventually(() => expect(calls).toEqual(['retry']));
  moveClock(0);
  await eventually(() => expect(calls).toEqual(['retry', 'handled']));
});

test('a retry that was put off is found among many whose times are right', async () => {
  const inbox = createInbox({ backoff: 2_000 });
  let runs = 0;
  const work = processing(() => (++runs === 1 ? Promise.reject(new Error('no')) : Promise.resolve()));
  const worker = inbox.work(work, OPTIONS);
  const webhook = stored();
  await inbox.store(webhook);
  await eventually(async () => expect(runs).toBe(1));
  await worker.close();
  const others = Array.from({ length: 2_500 }, (_, index) => `other-${index}`);
  const writes = redis.pipeline();
  for (const id of others) {
    writes.hset(`${queue}:${id}`, 'delay', 2 * DAY_MS);
    writes.zadd(`${queue}:delayed`, (realNow() + DAY_MS) * 4_096, id);
  }
  writes.zadd(`${queue}:delayed`, (realNow() + HOUR_MS) * 4_096, webhook.key);
  await writes.exec();
  inbox.work(work, OPTIONS);
  await eventually(() => expect(runs).toBe(2));
});

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

test('a worker whose clock is set back by an hour runs retries, and keeps its locks', async () => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks, backoff: 200 });
  const [started, end] = [deferred(), deferred()];
  let runs = 0;
  const handlers = processing(async () => {
    runs += 1;
    if (runs === 1) throw new Error('no');
    started.resolve();
    await end.promise;
  });
  inbox.work(handlers, OPTIONS);
  await inbox.store(stored());
  await eventually(() => expect(calls).toEqual(['retry']));
  moveClock(-HOUR_MS);
  await started.promise;
  await sleep(2_000);
  end.resolve();
  await eventually(() => expect(calls).toEqual(['retry', 'handled']));
  expect(runs).toBe(2);
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
  await redis.hincrby(`${queue}:${webhook.key}`, 'due', HOUR_MS);
  await eventually(() => expect(calls).toEqual(['retry', 'handled']));
});

test('a lock that expired while nobody looked is taken again, and its run goes on', async () => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks });
  const [started, end] = [deferred(), deferred()];
  let isAborted = false;
  inbox.work(
    processing((_, options) => {
      options?.signal?.addEventListener('abort', () => (isAborted = true));
      started.resolve();
      return end.promise;
    }),
    OPTIONS,
  );
  const webhook = stored();
  await inbox.store(webhook);
  await started.promise;
  const lock = `${queue}:${webhook.key}:lock`;
  await redis.del(lock);
  await eventually(async () => expect(await redis.exists(lock)).toBe(1));
  end.resolve();
  await eventually(() => expect(calls).toEqual(['handled']));
  expect(isAborted).toBe(false);
});

/** Leaves an event as a worker does that has died, or that sleeps: active, without a lock, and noticed once. */
async function abandon(inbox: ReturnType<typeof createInbox>) {
  const webhook = stored();
  await inbox.store(webhook);
  await redis.lmove(`${queue}:wait`, `${queue}:active`, 'RIGHT', 'LEFT');
  await redis.sadd(`${queue}:stalled`, webhook.key);
  return webhook;
}

test('a worker that was away takes events of others only after they had time to renew their locks', async () => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks });
  const { bullmq } = inbox.work(
    processing(() => Promise.resolve()),
    OPTIONS,
  );
  await eventually(async () => expect((await inbox.health()).workers).toBe(1));
  await bullmq.pause(true);
  let shift = 0;
  const jumping = setInterval(() => moveClock((shift += HOUR_MS)), 20);
  // It waits for events for up to a second, and would take one that comes meanwhile.
  await sleep(1_500);
  await abandon(inbox);
  await sleep(1_500);
  clearInterval(jumping);
  moveClock(0);
  expect((await inbox.health()).active).toBe(1);
  await bullmq.resume();
  await eventually(() => expect(calls).toEqual(['handled']));
});

/** Lets an hour pass, in all that the queue knows of the time. */
async function passAnHour(keys: readonly string[]) {
  for (const key of keys) {
    const job = `${queue}:${key}`;
    await redis.hincrby(job, 'timestamp', -HOUR_MS);
    if (await redis.hexists(job, 'due')) await redis.hincrby(job, 'due', -HOUR_MS);
    if (await redis.zscore(`${queue}:delayed`, key)) {
      // BullMQ keeps milliseconds in the upper bits of the score.
      await redis.zincrby(`${queue}:delayed`, -HOUR_MS * 4_096, key);
    }
  }
}

test('after an outage of an hour nothing is buried, whatever an event had come to before it', async () => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks, attempts: 2, backoff: 60_000 });
  const before = inbox.work({ lead_captured: () => Promise.reject(new Error('no')) }, OPTIONS);
  const [retrying, unhandled] = [stored(), stored({ type: 'agent_deleted', payload: { agentId: 'one' } })];
  for (const webhook of [retrying, unhandled]) await inbox.store(webhook);
  await eventually(async () =>
    expect(await inbox.health()).toMatchObject({ retrying: 2, waiting: 0, active: 0 }),
  );
  await before.close();
  const [running, waiting] = [await abandon(inbox), stored()];
  await inbox.store(waiting);
  const keys = [retrying, unhandled, running, waiting].map(({ key }) => key);
  await passAnHour(keys);
  const handled: string[] = [];
  inbox.work(
    processing(async ({ key }) => void handled.push(key)),
    OPTIONS,
  );
  await eventually(async () => expect((await inbox.health()).depth).toBe(0));
  expect(handled.sort()).toEqual(keys.sort());
  expect(calls.filter((call) => call === 'dead letter')).toEqual([]);
});

test('dead letters are deleted when their retention is over by the clock of Redis, and not at first sight', async () => {
  DELETION.delay = 1_000;
  const inbox = createInbox({ attempts: 1, deadLetterRetention: 500 });
  inbox.work(failing, OPTIONS);
  await inbox.store(stored());
  await deadLetters(inbox);
  const [key] = await redis.zrange(`${queue}:failed`, '0', '-1');
  const since = performance.now();
  await deadLetters(inbox, 0);
  expect(performance.now() - since).toBeGreaterThan(1_000);
  expect(await redis.keys(`${queue}:${key}*`)).toEqual([]);
  expect(Number((await redis.hgetall(`${queue}:deletion`)).upTo)).toBeLessThan(realNow());
});

test('the mark outlives the workers: some that live for a short time delete what is due', async () => {
  DELETION.delay = 1_000;
  const inbox = createInbox({ attempts: 1, deadLetterRetention: 500 });
  const first = inbox.work(failing, OPTIONS);
  await inbox.store(stored());
  await deadLetters(inbox);
  await first.close();
  for (let worker = 0; worker < 12; worker += 1) {
    const started = inbox.work(processing(hang), OPTIONS);
    await sleep(400);
    await started.close();
  }
  await deadLetters(inbox, 0);
});

test('a dead letter is kept for 14 days by default', async () => {
  DELETION.delay = 1;
  const inbox = createInbox({ attempts: 1 });
  inbox.work(failing, OPTIONS);
  const [old, young] = [stored(), stored()];
  await inbox.store(old);
  await inbox.store(young);
  await deadLetters(inbox, 2);
  await redis.zadd(`${queue}:failed`, String(realNow() - 14 * DAY_MS - 60_000), old.key);
  await redis.zadd(`${queue}:failed`, String(realNow() - 14 * DAY_MS + 60_000), young.key);
  await deadLetters(inbox, 1);
  expect(await inbox.deadLetters.list()).toMatchObject([{ id: young.key }]);
});

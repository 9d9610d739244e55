import { Worker } from 'bullmq';
import { expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { createInbox, eventually, redis, stored, url } from './inbox-fixture.js';

// What an inbox and a worker do where no option says otherwise. The fixture sets a backoff, so that tests need not wait.
const defaults = { backoff: undefined };
const queue = 'bull:agent-platform-webhooks';
const HOUR = 3_600_000;
const hang = () => new Promise<never>(() => undefined);

test('an event is run sixteen times, and kept as a dead letter', async () => {
  const inbox = createInbox({ attempts: undefined });
  let runs = 0;
  inbox.work({
    lead_captured: () => {
      runs += 1;
      throw new Error('no');
    },
  });
  await inbox.store(stored());
  await eventually(async () => expect(await inbox.deadLetters.count()).toBe(1));
  expect([runs, (await inbox.deadLetters.list())[0]?.attempts]).toEqual([16, 16]);
});

test('the waits between the runs are doubled and in part random, and reach over hours', async () => {
  const inbox = createInbox(defaults);
  const webhook = stored();
  await inbox.store(webhook);
  const { backoff } = JSON.parse((await redis.hget(`${queue}:${webhook.key}`, 'opts')) ?? '{}');
  expect(backoff).toEqual({ type: 'exponential', delay: 1_000, jitter: 0.5 });
  const waits = Array.from({ length: 15 }, (_, retry) => backoff.delay * 2 ** retry);
  const longest = waits.reduce((sum, wait) => sum + wait);
  expect(longest * (1 - backoff.jitter)).toBeGreaterThan(4 * HOUR);
  inbox.work({ lead_captured: () => Promise.reject(new Error('no')) });
  await eventually(async () => expect((await inbox.health()).retrying).toBe(1));
  const { delay, processedOn } = await redis.hgetall(`${queue}:${webhook.key}`);
  expect(Number(processedOn)).toBeGreaterThan(0);
  expect(Number(delay)).toBeGreaterThanOrEqual(500);
  expect(Number(delay)).toBeLessThanOrEqual(1_000);
});

test('the key of an event is remembered for a day', async () => {
  const inbox = createInbox(defaults);
  const webhook = stored();
  await inbox.store(webhook);
  const left = await redis.pttl(`${queue}:de:${webhook.key}`);
  expect(left).toBeLessThanOrEqual(24 * HOUR);
  expect(left).toBeGreaterThan(23 * HOUR);
});

test('ten events are worked at once', async () => {
  const inbox = createInbox(defaults);
  let begun = 0;
  const worker = inbox.work({
    process: () => {
      begun += 1;
      return hang();
    },
  });
  await Promise.all(Array.from({ length: 12 }, () => inbox.store(stored())));
  await eventually(() => expect(begun).toBe(10));
  expect(await inbox.health()).toMatchObject({ active: 10, waiting: 2 });
  await worker.close({ grace: 0 });
});

test('the lock of an event lasts for half a minute', async () => {
  const inbox = createInbox(defaults);
  const began = deferred();
  const process = () => {
    began.resolve();
    return hang();
  };
  const worker = inbox.work({ process });
  const webhook = stored();
  await inbox.store(webhook);
  await began.promise;
  const left = await redis.pttl(`${queue}:${webhook.key}:lock`);
  expect(left).toBeGreaterThan(10_000);
  expect(left).toBeLessThanOrEqual(30_000);
  await worker.close({ grace: 0 });
});

test.each([
  ['for ten seconds', {}, 10_000, 7_000],
  ['for as long as you say', { socketTimeout: 7_000 }, 7_000, 10_000],
])(
  'a socket of the client that stores is given up when it has not answered %s',
  async (_, given, ms, other) => {
    const setTimeout = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => setTimeout.mockRestore());
    const { hostname: host, port } = new URL(url);
    await createInbox({ ...defaults, connection: { host, port: Number(port), ...given } }).store(stored());
    const waits = setTimeout.mock.calls.map(([, each]) => each);
    expect(waits).toContain(ms);
    expect(waits).not.toContain(other);
  },
);

test('a client that stores connects again after a tenth of a second, then two, then three', async () => {
  const setTimeout = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => setTimeout.mockRestore());
  const inbox = createInbox({ ...defaults, connection: 'redis://127.0.0.1:1', storeTimeout: 750 });
  await expect(inbox.store(stored())).rejects.toThrow('ECONNREFUSED');
  expect(setTimeout.mock.calls.map(([, ms]) => ms)).toEqual(expect.arrayContaining([100, 200, 300]));
});

test('handlers have five minutes, closing has 25 seconds, storing has 30, and health and a queue have two', async () => {
  const inbox = createInbox(defaults);
  const [began, end] = [deferred(), deferred()];
  const setTimeout = vi.spyOn(globalThis, 'setTimeout');
  const waits = () => setTimeout.mock.calls.map(([, ms]) => ms);
  await inbox.store(stored());
  expect(waits()).toContain(30_000);
  await inbox.health();
  // A write is tried for one.
  expect(waits()).toEqual(expect.arrayContaining([1_000, 2_000]));
  const worker = inbox.work({
    process: async () => {
      began.resolve();
      await end.promise;
    },
  });
  await began.promise;
  expect(waits()).toContain(300_000);
  setTimeout.mockClear();
  const closed = worker.close();
  // And three more to give back what has not ended.
  expect(waits()).toEqual(expect.arrayContaining([25_000, 28_000]));
  end.resolve();
  await closed;
  setTimeout.mockClear();
  await inbox.close();
  // Its queue has two seconds for that.
  expect(waits()[0]).toBe(2_000);
  setTimeout.mockRestore();
});

test('a worker looks for events of dead workers as often as its locks last, and repeats after a second', () => {
  const on = vi.spyOn(Worker.prototype, 'on');
  onTestFinished(() => on.mockRestore());
  const inbox = createInbox(defaults);
  inbox.work({});
  inbox.work({}, { lockDuration: 5_000 });
  // It is a method of nothing else.
  const workers = new Set(on.mock.contexts as Worker[]);
  const opts = [...workers].map(({ opts: { lockDuration, stalledInterval, runRetryDelay } }) => [
    lockDuration,
    stalledInterval,
    runRetryDelay,
  ]);
  expect(opts).toEqual([
    [30_000, 30_000, 1_000],
    [5_000, 5_000, 1_000],
  ]);
});

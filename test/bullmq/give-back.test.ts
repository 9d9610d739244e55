import { createWebhookReceiver, WebhookError } from 'agent-platform-sdk';
import type { InboxUnhandled } from 'agent-platform-sdk/bullmq';
import { Job } from 'bullmq';
import { expect, onTestFinished, test, vi } from 'vitest';
import { nextLook } from '../../src/bullmq/give-back.js';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { createInbox, eventually, notes, redis, stored } from './inbox-fixture.js';

/** Hangs until its signal is aborted, and for ever. */
const hang = () => new Promise<never>(() => undefined);

test('a worker without a handler leaves an event to one that has a handler', async () => {
  const logger = new RecordingLogger();
  const unhandled: InboxUnhandled[] = [];
  const old = createInbox({ logger, hooks: { onUnhandled: (about) => unhandled.push(about) } });
  const webhooks = Array.from({ length: 10 }, () => stored({ workspace: 'acme' }));
  for (const webhook of webhooks) await old.store(webhook);
  const oldWorker = old.work({ agent_deleted: () => undefined });
  await eventually(async () => expect(await old.health()).toMatchObject({ waiting: 0, retrying: 10 }));
  // As in a rolling deployment: both take events, and then only the new one. With both, it is chance who takes an event next.
  const { hooks, told } = notes();
  const handled: string[] = [];
  createInbox({ hooks }).work({ lead_captured: (_, { deliveryId }) => void handled.push(deliveryId) });
  await eventually(() => expect(handled).not.toHaveLength(0));
  await oldWorker.close();
  await eventually(() => expect(handled).toHaveLength(10));
  expect(handled.sort()).toEqual(webhooks.map(({ deliveryId }) => deliveryId).sort());
  await eventually(() => expect(told.filter((what) => what === 'handled')).toHaveLength(10));
  expect(unhandled[0]).toEqual({
    key: webhooks[0]?.key,
    type: 'lead_captured',
    workspace: 'acme',
    unhandledMs: 0,
    leftMs: 3_600_000,
  });
  expect(logger.lines.filter((line) => line.includes('no handler for lead_captured'))).toHaveLength(1);
});

test('an event that no worker has a handler for is a dead letter in the end, and can be replayed', async () => {
  const { hooks, told, failures } = notes();
  const inbox = createInbox({ hooks });
  const worker = inbox.work({}, { unhandledTimeout: 200 });
  await inbox.store(stored());
  await eventually(() => expect(told).toContain('dead letter'));
  expect(new Set(told.slice(1, -1))).toEqual(new Set(['unhandled']));
  const reason = 'No worker had a handler for its type within 200 ms (unhandledTimeout)';
  expect(failures).toEqual([expect.objectContaining({ attempt: 0, error: expect.any(WebhookError) })]);
  const [letter] = await inbox.deadLetters.list();
  expect(letter).toMatchObject({ reason, attempts: 0 });
  told.length = 0;
  await inbox.deadLetters.replayAll();
  await eventually(() => expect(told).toEqual(['unhandled', 'dead letter']));
  await worker.close();
  inbox.work({ lead_captured: () => undefined });
  await inbox.deadLetters.replayAll();
  await eventually(() => expect(told).toContain('handled'));
});

test.each([
  ['when its time is over', 50_000, 60_000, 10_000],
  ['within five minutes', 36_000_000, 86_400_000, 300_000],
])(
  'an event without a handler is looked at again %s, at the latest',
  async (_, passed, unhandledTimeout, most) => {
    const unhandled: InboxUnhandled[] = [];
    const inbox = createInbox({ hooks: { onUnhandled: (about) => unhandled.push(about) } });
    const webhook = stored();
    await inbox.store(webhook);
    const job = `bull:agent-platform-webhooks:${webhook.key}`;
    await redis.hset(job, 'progress', JSON.stringify({ unhandledSince: Date.now() - passed, runs: 0 }));
    inbox.work({}, { unhandledTimeout });
    const [{ unhandledMs, leftMs }] = await eventually(() => {
      expect(unhandled).toHaveLength(1);
      return unhandled as [InboxUnhandled];
    });
    expect(unhandledMs).toBeGreaterThanOrEqual(passed);
    expect(unhandledMs + leftMs).toBe(unhandledTimeout);
    // A quarter of the time that has passed would be longer.
    const delay = await eventually(async () => {
      const ms = Number(await redis.hget(job, 'delay'));
      expect(ms).toBeGreaterThan(0);
      return ms;
    });
    expect(delay).toBeLessThanOrEqual(most);
  },
);

test('what Redis says of an event that it does not take back is told with the retry', async () => {
  const refused = new Error('ERR no');
  const update = vi.spyOn(Job.prototype, 'updateProgress').mockRejectedValueOnce(refused);
  onTestFinished(() => update.mockRestore());
  const { hooks, failures } = notes();
  const inbox = createInbox({ hooks });
  inbox.work({});
  await inbox.store(stored());
  await eventually(() => expect(failures).toEqual([expect.objectContaining({ error: refused })]));
});

test.each([
  [0, 1_000],
  [3_999, 1_000],
  [20_000, 5_000],
  [1_199_999, 299_999.75],
  [1_200_001, 300_000],
  [3_599_990, 10],
])('without a handler for %d ms, an event is looked at again after %d ms', (unhandledMs, ms) => {
  expect(nextLook(unhandledMs, 3_600_000)).toBe(ms);
});

test.each<[string, (on: ReturnType<typeof createWebhookReceiver>) => unknown, string, boolean]>([
  ['on', (receiver) => receiver.on('lead_captured', () => undefined), 'lead_captured', true],
  [
    'on, for another type',
    (receiver) => receiver.on('agent_deleted', () => undefined),
    'lead_captured',
    false,
  ],
  ['onAny', (receiver) => receiver.onAny(() => undefined), 'lead_captured', true],
  ['onAny, for an unknown type', (receiver) => receiver.onAny(() => undefined), 'lead_lost', false],
  ['onUnhandled', (receiver) => receiver.onUnhandled(() => undefined), 'lead_captured', true],
  ['onUnknown', (receiver) => receiver.onUnknown(() => undefined), 'lead_lost', true],
])('a receiver with %s takes its events', async (_, register, type, isTaken) => {
  const { hooks, told } = notes();
  const inbox = createInbox({ hooks });
  const receiver = createWebhookReceiver({ secret: 'a-secret', logger: new RecordingLogger() });
  register(receiver);
  inbox.work(receiver);
  await inbox.store(stored({ type }));
  await eventually(() => expect(told).toEqual(['stored', isTaken ? 'handled' : 'unhandled']));
});

test.each([
  ['a handler', false],
  ['a processor of your own', true],
])('%s that never settles is aborted, retried and a dead letter in the end', async (_name, isOwn) => {
  const { hooks, told, failures } = notes();
  const inbox = createInbox({ hooks, attempts: 2 });
  const reasons: unknown[] = [];
  const work = (_: unknown, { signal }: { signal?: AbortSignal | undefined }) => {
    signal?.addEventListener('abort', () => reasons.push(signal.reason));
    return hang();
  };
  inbox.work(isOwn ? { process: work } : { lead_captured: work }, { handlerTimeout: 50, concurrency: 1 });
  await inbox.store(stored());
  await eventually(() => expect(told).toEqual(['stored', 'retry', 'dead letter']));
  expect(failures.map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(failures.map(({ error }) => error)).toEqual(reasons);
  const [letter] = await inbox.deadLetters.list();
  expect(letter).toMatchObject({
    reason: 'The handlers had not settled within 50 ms (handlerTimeout)',
    attempts: 2,
  });
});

test('events that a closing worker gives back have an attempt less, and are dead letters in the end', async () => {
  const { hooks, told } = notes();
  const inbox = createInbox({ hooks, attempts: 2, backoff: 3_600_000 });
  await inbox.store(stored());
  for (const end of [{ waiting: 1 }, { waiting: 0, deadLetters: 1 }]) {
    const began = deferred();
    const process = () => {
      began.resolve();
      return hang();
    };
    const worker = inbox.work({ process });
    await began.promise;
    await worker.close({ grace: 0 });
    expect(await inbox.health()).toMatchObject({ active: 0, retrying: 0, ...end });
  }
  expect(told).toEqual(['stored', 'retry', 'dead letter']);
  const [letter] = await inbox.deadLetters.list();
  expect(letter).toMatchObject({ attempts: 2, reason: 'The worker closed before the handlers had settled' });
});

test.each([
  [{}, 6],
  [{ maxStalls: 2 }, 3],
])(
  'an event whose runs all lose their lock is, with %j, a dead letter that says so after %d runs',
  async (options, most) => {
    const { hooks, told, failures } = notes();
    const inbox = createInbox({ hooks });
    let runs = 0;
    const process = async () => {
      runs += 1;
      await redis.del(...(await redis.keys('*:lock')));
    };
    const work = () => inbox.work({ process }, { lockDuration: 100, ...options });
    const worker = work();
    await inbox.store(stored());
    await eventually(() => expect(told).toContain('dead letter'));
    expect(runs).toBe(most);
    expect(failures).toEqual([expect.objectContaining({ attempt: most, error: expect.any(WebhookError) })]);
    const [letter] = await inbox.deadLetters.list();
    expect(letter).toMatchObject({
      attempts: most,
      reason: `None of its last ${most} runs came to an end: the worker died, or its event loop was blocked for longer than the lock of the event lasts (lockDuration)`,
    });
    await worker.close();
    // Replayed, it has all its attempts before it again, and one lost lock is none too many.
    await inbox.deadLetters.replayAll();
    const [, other] = [work(), runs];
    await eventually(() => expect(runs).toBe(other + most));
  },
);

test('an event that a closing worker gives back is the next one', async () => {
  const inbox = createInbox();
  const [first, second] = [stored(), stored()];
  const began = deferred();
  const process = () => {
    began.resolve();
    return hang();
  };
  const worker = inbox.work({ process }, { concurrency: 1 });
  await inbox.store(first);
  await began.promise;
  await inbox.store(second);
  await worker.close({ grace: 0 });
  const handled: string[] = [];
  inbox.work({ process: async ({ key }) => void handled.push(key) }, { concurrency: 1 });
  await eventually(() => expect(handled).toEqual([first.key, second.key]));
});

test('the time of a search is counted anew from the first look after a run', async () => {
  const { hooks, told } = notes();
  const inbox = createInbox({ hooks });
  const webhook = stored();
  await inbox.store(webhook);
  const began = Date.now();
  const job = `bull:agent-platform-webhooks:${webhook.key}`;
  const progress = JSON.stringify({ unhandledSince: began - 50_000, runs: 0 });
  // As a worker leaves it that had a handler, which failed.
  await redis.hset(job, { progress, atm: 1 });
  inbox.work({}, { unhandledTimeout: 60_000 });
  await eventually(() => expect(told).toContain('unhandled'));
  const search = JSON.parse((await redis.hget(job, 'progress')) ?? '') as { unhandledSince: number };
  expect(search).toEqual({ unhandledSince: expect.any(Number), runs: 1 });
  expect(search.unhandledSince).toBeGreaterThanOrEqual(began);
});

test('the search for a handler begins anew once a worker had one', async () => {
  const { hooks, told } = notes();
  const inbox = createInbox({ hooks, backoff: 1_000 });
  await inbox.store(stored());
  const without = () => inbox.work({}, { unhandledTimeout: 900 });
  const first = without();
  await eventually(() => expect(told).toEqual(['stored', 'unhandled']));
  await first.close();
  const other = inbox.work({ lead_captured: () => Promise.reject(new Error('no')) });
  await eventually(() => expect(told).toEqual(['stored', 'unhandled', 'retry']));
  await other.close();
  without();
  await eventually(() => expect(told.slice(0, 4)).toEqual(['stored', 'unhandled', 'retry', 'unhandled']));
  // And it comes to an end.
  await eventually(() => expect(told.at(-1)).toBe('dead letter'));
});

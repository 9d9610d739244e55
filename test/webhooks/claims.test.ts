import {
  createMemoryDedupe,
  createWebhookReceiver,
  type DedupeStore,
  type WebhookFailure,
} from 'agent-platform-sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sleep } from '../../src/webhooks/clock.js';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';

import { post, secret } from './deliveries.js';
import { ManualClock, settle } from './manual-clock.js';

const event = () => post('lead_captured');

test('a wait that is over before it begins, or is cut short, leaves nothing behind', async () => {
  const clock = new ManualClock();
  await sleep(clock, 1_000, AbortSignal.abort());
  const controller = new AbortController();
  const sleeping = sleep(clock, 1_000, controller.signal);
  expect(clock.timers.size).toBe(1);
  controller.abort();
  await sleeping;
  expect(clock.timers.size).toBe(0);
});

test('a copy goes on waiting when another copy has given up', async () => {
  const clock = new ManualClock();
  const memory = createMemoryDedupe({ clock });
  let isAlive = true;
  const handler = vi.fn();
  const receiver = createWebhookReceiver({
    secret,
    clock,
    logger: new RecordingLogger(),
    deadline: 10_000,
    dedupe: {
      // Another process holds the event, until it dies.
      store: { ...memory, claim: (...claim) => (isAlive ? 'pending' : memory.claim(...claim)) },
    },
  }).on('lead_captured', handler);
  const first = receiver.handle(event());
  await clock.advance(6_000);
  const second = receiver.handle(event());
  await clock.advance(5_000);
  expect((await first).status).toBe(503);
  isAlive = false;
  await clock.advance(2_000);
  expect((await second).status).toBe(200);
  expect(handler).toHaveBeenCalledOnce();
});

test('a copy whose own time is over as well claims nothing any more', async () => {
  const clock = new ManualClock();
  const memory = createMemoryDedupe({ clock });
  const end = clock.now() + 10_000;
  const handler = vi.fn();
  // Another process holds the event, and dies just as nobody waits for it here any more. The store answers late.
  const claim = async (...asked: Parameters<DedupeStore['claim']>) => {
    const answer = clock.now() < end ? 'pending' : memory.claim(...asked);
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 12_000));
    return answer;
  };
  const receiver = createWebhookReceiver({
    secret,
    clock,
    logger: new RecordingLogger(),
    deadline: 10_000,
    dedupe: { store: { ...memory, claim }, timeout: 20_000 },
  }).on('lead_captured', handler);
  const copies = [receiver.handle(event()), receiver.handle(event())];
  await clock.advance(60_000);
  expect((await Promise.all(copies)).map(({ status }) => status)).toEqual([500, 503]);
  expect(handler).not.toHaveBeenCalled();
});

test('an event that another holds is not handled here because the store fails meanwhile', async () => {
  const clock = new ManualClock();
  const memory = createMemoryDedupe({ clock });
  const answers: (() => ReturnType<DedupeStore['claim']>)[] = [
    () => 'pending',
    () => Promise.reject(new Error('an answer was lost')),
    () => 'OK' as never,
    () => 'pending',
    () => 'done',
  ];
  const failures: WebhookFailure[] = [];
  const handler = vi.fn();
  const receiver = createWebhookReceiver({
    secret,
    clock,
    logger: new RecordingLogger(),
    dedupe: { store: { ...memory, claim: () => answers.shift()?.() ?? 'done' } },
  })
    .on('lead_captured', handler)
    .onError((_, failure) => failures.push(failure));
  const answer = receiver.handle(event());
  await clock.advance(5_000);
  expect((await answer).status).toBe(200);
  expect(handler).not.toHaveBeenCalled();
  expect(failures).toMatchObject([{ stage: 'dedupe' }, { stage: 'dedupe' }]);
});

test('setting the clock of the machine frees no claim of the memory store', async () => {
  const now = Date.now();
  const { promise: finished, resolve: finish } = deferred();
  const handler = vi.fn(() => finished);
  const store = createMemoryDedupe();
  const [first, second] = [1, 2].map(() =>
    createWebhookReceiver({ secret, dedupe: { store }, logLevel: 'off' }).on('lead_captured', handler),
  );
  const one = first?.handle(event());
  await vi.waitUntil(() => handler.mock.calls.length > 0);
  const clock = vi.spyOn(Date, 'now').mockReturnValue(now + 3_600_000);
  onTestFinished(() => clock.mockRestore());
  const other = second?.handle(event());
  finish();
  expect((await one)?.status).toBe(200);
  expect((await other)?.status).toBe(200);
  expect(handler).toHaveBeenCalledOnce();
});

test('setting the clock of the machine makes no receiver forget what it has handled', async () => {
  const handler = vi.fn();
  const receiver = createWebhookReceiver({ secret, logLevel: 'off' }).on('lead_captured', handler);
  await receiver.handle(event());
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 48 * 3_600_000);
  onTestFinished(() => clock.mockRestore());
  expect((await receiver.handle(event())).status).toBe(200);
  expect(handler).toHaveBeenCalledOnce();
});

test('a renewal that is under way when the handlers fail is the last', async () => {
  const clock = new ManualClock();
  const memory = createMemoryDedupe({ clock });
  const [failing, renewing] = [deferred(), deferred()];
  const leases: number[] = [];
  const claim = async (...asked: Parameters<DedupeStore['claim']>) => {
    if (leases.push(asked[2]) === 2) await renewing.promise;
    return memory.claim(...asked);
  };
  const receiver = createWebhookReceiver({
    secret,
    clock,
    logger: new RecordingLogger(),
    dedupe: { store: { ...memory, claim }, lease: 3_000 },
  }).on('lead_captured', () => failing.promise.then(() => Promise.reject(new Error('no'))));
  const answer = receiver.handle(event());
  await clock.advance(1_500);
  failing.resolve();
  await settle();
  renewing.resolve();
  expect((await answer).status).toBe(500);
  // It would hold the event again, and a copy would wait for it in vain.
  expect([leases, clock.timers.size]).toEqual([[3_000, 3_000], 0]);
});

import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { DedupeStore } from 'agent-platform-sdk';
import { beforeEach, expect, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { delivery, settle } from './deliveries.js';
import {
  failing,
  fakeTime,
  forgetful,
  handling,
  inMemory,
  never,
  pass,
  requestOf,
  setUp,
} from './receivers.js';

// What takes too long by itself is in `outcomes.test.ts`.

const lead = delivery('lead_captured');
const DEADLINE = 55_000;

beforeEach(fakeTime);

test('handlers that do not settle: the signal is aborted and they are reported once, at the deadline', async () => {
  const { receiver, failures, contexts, send } = handling({ deadline: 1_000 }, never);
  receiver.on('lead_captured', async () => undefined).on('lead_captured', never);
  const response = send(lead);
  await pass(999);
  expect([failures, contexts[0]?.signal.aborted]).toEqual([[], false]);
  await pass(1);
  expect(await response).toEqual([500, 'deadline_passed']);
  const error = { type: 'webhook_error', message: expect.stringContaining('1000 ms') as string };
  expect(failures).toMatchObject([[error, { stage: 'deadline', event: { type: 'lead_captured' } }]]);
  expect(contexts[0]?.signal).toMatchObject({ aborted: true, reason: error });
});

test('a handler that fails is reported at once, though another never settles', async () => {
  const { receiver, stages, send } = handling({}, never);
  receiver.on('lead_captured', failing);
  const response = send(lead);
  await pass(1);
  expect(stages()).toEqual(['handler']);
  await pass(DEADLINE);
  expect(await response).toEqual([500, 'handler_failed']);
  expect(stages()).toEqual(['handler', 'deadline']);
});

test('a delivery that ends in time leaves no timer, and its signal alone', async () => {
  const { contexts, send } = handling();
  await send(lead);
  expect(vi.getTimerCount()).toBe(0);
  await pass(60_000);
  expect(contexts[0]?.signal.aborted).toBe(false);
});

test('a failure after the deadline is still reported', async () => {
  const end = deferred();
  const { stages, all, send } = handling({}, () => end.promise.then(failing));
  const response = send(lead);
  await pass(DEADLINE);
  await response;
  end.resolve();
  await pass(0);
  expect(stages()).toEqual(['deadline', 'handler']);
  expect(all()).toMatch(/^warn .*ended after its deadline: handler_failed/m);
});

test.each([
  ['onError', 'whose handler fails', lead, failing, [500, 'handler_failed']],
  ['onError', 'whose handler never settles', lead, never, [500, 'deadline_passed']],
  ['onRejected', 'that is refused', '{}', failing, [401, 'verification_failed']],
] as const)(
  'an %s that never settles, of a delivery %s, holds neither the response nor the next listener',
  async (name, _, body, run, code) => {
    const { receiver, send } = handling({}, run);
    const called = vi.fn();
    receiver[name](never)[name](called);
    const response = send(body);
    await pass(DEADLINE);
    expect(await response).toEqual(code);
    expect(called).toHaveBeenCalledOnce();
  },
);

test('an event that was verified after the deadline is not handled', async () => {
  const end = deferred();
  const { failures, events, send } = handling({ verifySecret: () => end.promise.then(() => true) });
  const response = send(lead);
  await pass(DEADLINE);
  end.resolve();
  await pass(0);
  expect(await response).toEqual([500, 'secret_failed']);
  expect([failures.length, events]).toEqual([1, []]);
});

test('through fetch, a body that stalls: 400 at the deadline, and the stream is cancelled', async () => {
  const { receiver, rejections, events } = handling();
  const cancel = vi.fn();
  const start = (stream: ReadableStreamDefaultController) => stream.enqueue(new TextEncoder().encode(lead));
  const response = receiver.fetch(requestOf(new ReadableStream({ start, cancel })));
  await pass(DEADLINE);
  expect((await response).status).toBe(400);
  await pass(0);
  expect(cancel).toHaveBeenCalledOnce();
  expect([rejections, events]).toMatchObject([[{ reason: 'body_unreadable' }], []]);
});

test('through node, a body that stalls: 400 at the deadline, and not handled when its end comes', async () => {
  const { receiver, rejections, failures, events } = handling();
  const { request, response } = inMemory(new Readable({ read: () => undefined }));
  request.push(lead);
  const responding = receiver.node(request, response);
  await pass(DEADLINE - 1);
  expect(response.headersSent).toBe(false);
  await pass(1);
  await responding;
  expect(response.statusCode).toBe(400);
  request.push(null);
  await once(request, 'close');
  await pass(0);
  const rejection = { reason: 'body_unreadable', size: lead.length };
  expect([rejections, failures, events]).toMatchObject([[rejection], [], []]);
});

test('a promise as the body is awaited', async () => {
  expect(await handling().send(Promise.resolve(lead))).toEqual([200]);
});

test('what was handled is a 200 at the deadline, though the store does not respond', async () => {
  // A second before the deadline, so that the time limit of the store ends after it.
  const run = () => new Promise((resolve) => setTimeout(resolve, DEADLINE - 1_000));
  const { send } = handling({ dedupe: { ...forgetful, complete: never } }, run);
  const response = send(lead);
  await pass(DEADLINE);
  expect(await response).toEqual([200]);
});

const pendingOnce = vi.fn<DedupeStore['claim']>(never).mockReturnValueOnce('pending');

test.each<[string, DedupeStore['claim'], unknown[], string[]]>([
  ['to the first claim', never, [500, 'deadline_passed'], ['dedupe']],
  ['to a duplicate', pendingOnce, [503, 'duplicate_pending'], []],
])('a store that does not respond %s by the deadline: nothing runs', async (_, claim, code, reported) => {
  // Below the time limit of the store.
  const { events, stages, send } = handling({ deadline: 1_000, dedupe: { ...forgetful, claim } });
  const response = send(lead);
  await pass(1_000);
  expect(await response).toEqual(code);
  await pass(60_000);
  expect([events, stages()]).toEqual([[], reported]);
});

test.each<[string, () => unknown, string, string[]]>([
  ['fails', failing, 'not_stored', ['inbox', 'inbox']],
  ['succeeds', () => undefined, 'stored', ['inbox']],
])('an inbox that %s after the deadline was late, and that is logged', async (_, run, outcome, reported) => {
  const end = deferred();
  const { stages, all, send } = setUp({ inbox: { store: () => end.promise.then(run) } });
  const response = send(lead);
  await pass(DEADLINE);
  expect(await response).toEqual([500, 'not_stored']);
  end.resolve();
  await pass(0);
  expect(stages()).toEqual(reported);
  expect(all()).toMatch(new RegExp(`^warn .*ended after its deadline: ${outcome}`, 'm'));
});

test('the timers of the deadline and of a claim do not keep the process alive', async () => {
  vi.useRealTimers();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const end = deferred();
  const { send } = handling({}, () => end.promise);
  const before = timers();
  const response = send(lead);
  await settle();
  expect(timers()).toBe(before);
  end.resolve();
  expect(await response).toEqual([200]);
});

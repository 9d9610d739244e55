import { getEventListeners } from 'node:events';
import { AbortError, endpoint, TimeoutError } from 'agent-platform-sdk';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { connect, rejectionOf, success } from '../support/client.js';
import { deferred } from '../support/deferred.js';
import { answerInTurn, answerWith, connectTo } from '../support/msw.js';

afterEach(() => void vi.restoreAllMocks());

test('nothing is sent after the end of totalTimeout, even if a hook has used it up', async () => {
  const { platform, requests } = connectTo(answerWith(429, '', { 'retry-after': '0' }), {
    totalTimeout: 1_000,
    maxRetries: 2,
    hooks: { onRetry: () => new Promise((resolve) => setTimeout(resolve, 1_200)) },
  });
  const error = await rejectionOf(platform.workspaces.delete('w1'));
  expect(error).toMatchObject({ type: 'timeout_error', outcomeUnknown: false });
  expect(requests).toHaveLength(1);
});

test('an answer is waited for as long as the timeout allows', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const answer = () => Response.json(success({ id: 't1' }));
  const fetch = () => new Promise<Response>((resolve) => setTimeout(() => resolve(answer()), 59_000));
  const call = connect('http://127.0.0.1', { fetch }).tools.get('t1');
  await vi.advanceTimersByTimeAsync(59_000);
  expect(await call).toEqual({ id: 't1' });
});

test('a fetch that ignores its signal is ended all the same', async () => {
  const platform = connect('http://127.0.0.1', { fetch: () => new Promise(() => undefined), timeout: 30 });
  expect(await rejectionOf(platform.tools.get('t1'))).toBeInstanceOf(TimeoutError);
});

test('a signal aborted before the call: nothing is sent', async () => {
  const { platform, requests } = connectTo(answerWith(200, success({ id: 't1' })));
  const reason = new Error('user left');
  const error = await rejectionOf(platform.tools.get('t1', { signal: AbortSignal.abort(reason) }));
  expect(error).toBeInstanceOf(AbortError);
  expect(error).toMatchObject({ cause: reason, type: 'abort_error' });
  expect(requests).toHaveLength(0);
  // Also where its time is over too.
  const late = platform.tools.get('t1', { signal: AbortSignal.abort(reason), totalTimeout: 1e-9 });
  expect(await rejectionOf(late)).toBeInstanceOf(AbortError);
});

test('a signal aborted during the wait between two attempts ends the call', async () => {
  const controller = new AbortController();
  const reason = new Error('user left');
  const { platform, requests } = connectTo(answerWith(503, '', { 'retry-after': '30' }), {
    maxRetries: 1,
    hooks: { onRetry: () => void setTimeout(() => controller.abort(reason), 10) },
  });
  const error = await rejectionOf(platform.tools.get('t1', { signal: controller.signal }));
  expect(error).toBeInstanceOf(AbortError);
  expect(error).toMatchObject({
    cause: reason,
    message: 'GET /tools/t1 was aborted by its signal, before attempt 2',
  });
  expect(requests).toHaveLength(1);
});

test('a signal aborted while the token function hangs ends the call', async () => {
  const controller = new AbortController();
  const platform = connect('http://127.0.0.1', { token: () => new Promise(() => undefined) });
  setTimeout(() => controller.abort(), 10);
  expect(await rejectionOf(platform.tools.get('t1', { signal: controller.signal }))).toBeInstanceOf(
    AbortError,
  );
});

test('no listener outlives its call: a signal can be reused', async () => {
  const controller = new AbortController();
  const { platform } = connectTo(answerWith(200, success({ id: 't1' })));
  for (let call = 0; call < 20; call += 1) await platform.tools.get('t1', { signal: controller.signal });
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  const hooks = { onRequest: () => controller.abort() };
  const call = platform.withOptions({ hooks }).tools.get('t1', { signal: controller.signal });
  expect(await rejectionOf(call)).toBeInstanceOf(AbortError);
});

test('no timer outlives its call', async () => {
  const timeout = 1_234_567;
  const { platform } = connectTo(answerWith(200, success({ id: 't1' })), { timeout });
  const made = vi.spyOn(globalThis, 'setTimeout');
  const cleared = vi.spyOn(globalThis, 'clearTimeout');
  await platform.tools.get('t1');
  const timers = made.mock.results.filter((_, call) => made.mock.calls[call]?.[1] === timeout);
  expect(timers).toHaveLength(1);
  expect(cleared.mock.calls.flat()).toContain(timers[0]?.value);
});

test('no timer outlives a call that a hook has ended', async () => {
  const timeout = 1_234_567;
  const onRequest = () => Promise.reject(new Error('no tracer'));
  const { platform } = connectTo(answerWith(200), { timeout, hooks: { onRequest } });
  const made = vi.spyOn(globalThis, 'setTimeout');
  const cleared = vi.spyOn(globalThis, 'clearTimeout');
  await rejectionOf(platform.tools.get('t1'));
  const timer = made.mock.calls.findIndex(([, ms]) => ms === timeout);
  expect(cleared.mock.calls.flat()).toContain(made.mock.results[timer]?.value);
});

test('no timer and no listener outlives a retry, a hook or a schema', async () => {
  const timeout = 1_234_567;
  const { signal } = new AbortController();
  const drifted = answerWith(200, success({ id: 't1', name: null }));
  const { platform } = connectTo(answerInTurn(answerWith(503, '', { 'retry-after': '0' }), drifted), {
    timeout,
    maxRetries: 1,
    hooks: { onRetry: () => undefined, onDrift: () => undefined },
  });
  const made = vi.spyOn(globalThis, 'setTimeout');
  const cleared = vi.spyOn(globalThis, 'clearTimeout');
  await platform.tools.get('t1', { signal });
  const query = z.object({});
  const search = endpoint({ method: 'GET', path: '/x', query, response: z.unknown() });
  await platform.send(search, { query: {} }, { signal });
  const timers = made.mock.results.filter((_, call) => made.mock.calls[call]?.[1] === timeout);
  expect(timers.length).toBeGreaterThan(5);
  expect(cleared.mock.calls.flat()).toEqual(expect.arrayContaining(timers.map(({ value }) => value)));
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('a thousand calls at once, half of them aborted: those end in an AbortError, the others in a value', async () => {
  const gate = deferred();
  const { platform, requests } = connectTo(async (...call) => {
    await gate.promise;
    return answerWith(200, success({ id: 't1' }))(...call);
  });
  const isAborted = (index: number) => index % 2 === 0;
  const controllers = Array.from({ length: 1_000 }, () => new AbortController());
  const calls = controllers.map(({ signal }) => platform.tools.get('t1', { signal }));
  const outcomes = Promise.allSettled(calls);
  // Before the service has heard of it, or while it works.
  for (const [index, controller] of controllers.entries()) {
    if (isAborted(index) && index < 500) controller.abort();
  }
  await expect.poll(() => requests.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(750);
  for (const [index, controller] of controllers.entries()) if (isAborted(index)) controller.abort();
  gate.resolve();
  for (const [index, outcome] of (await outcomes).entries()) {
    if (isAborted(index)) expect(outcome).toMatchObject({ reason: expect.any(AbortError) as AbortError });
    else expect(outcome).toEqual({ status: 'fulfilled', value: { id: 't1' } });
  }
}, 60_000);

import { getEventListeners } from 'node:events';
import { AbortError, TimeoutError } from 'agent-platform-sdk';
import { afterEach, expect, test, vi } from 'vitest';
import { type Answer, answerWith, connect, connectTo, rejectionOf, success } from '../support/server.js';

afterEach(() => void vi.restoreAllMocks());

const stall: Answer = () => undefined;
const stallInBody: Answer = (_, response) => {
  response.writeHead(200, { 'content-length': 100 });
  response.write('{"success":');
};
const drip: Answer = (_, response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write(' '), 10);
  response.on('close', () => clearInterval(timer));
};

test.each([
  ['before headers', stall],
  ['in the body', stallInBody],
  ['with one byte at a time', drip],
])('an answer that stalls %s ends with the timeout', async (_, answer) => {
  const { platform } = await connectTo(answer, { timeout: 80 });
  const error = (await rejectionOf(platform.tools.get('t1'))) as TimeoutError;
  expect(error).toBeInstanceOf(TimeoutError);
  expect(error.message).toContain('did not end within 80 ms (the option `timeout`)');
});

test('totalTimeout ends the whole call, attempts and waits included', async () => {
  const { platform } = await connectTo(stall, { timeout: 40, totalTimeout: 100, maxRetries: 50 });
  const error = (await rejectionOf(platform.tools.get('t1'))) as TimeoutError;
  expect(error).toBeInstanceOf(TimeoutError);
});

test('totalTimeout shorter than timeout is the one that is named', async () => {
  const { platform } = await connectTo(stall, { totalTimeout: 40 });
  const error = (await rejectionOf(platform.tools.get('t1'))) as TimeoutError;
  expect(error.message).toContain('did not end within 40 ms (the option `totalTimeout`)');
});

test('nothing is sent after the end of totalTimeout, even if a hook has used it up', async () => {
  const { platform, server } = await connectTo(answerWith(429, '', { 'retry-after': '0' }), {
    totalTimeout: 1_000,
    maxRetries: 2,
    hooks: { onRetry: () => new Promise((resolve) => setTimeout(resolve, 1_200)) },
  });
  const error = await rejectionOf(platform.workspaces.delete('w1'));
  expect(error).toMatchObject({ type: 'timeout_error', outcomeUnknown: false });
  expect(server.requests).toHaveLength(1);
});

test('a fetch that ignores its signal is ended all the same', async () => {
  const platform = connect('http://127.0.0.1', { fetch: () => new Promise(() => undefined), timeout: 30 });
  expect(await rejectionOf(platform.tools.get('t1'))).toBeInstanceOf(TimeoutError);
});

test('a signal aborted before the call: nothing is sent', async () => {
  const { platform, server } = await connectTo(answerWith(200, success({ id: 't1' })));
  const reason = new Error('user left');
  const error = await rejectionOf(platform.tools.get('t1', { signal: AbortSignal.abort(reason) }));
  expect(error).toBeInstanceOf(AbortError);
  expect(error).toMatchObject({ cause: reason, type: 'abort_error' });
  expect(server.requests).toHaveLength(0);
});

test.each([
  ['before headers', stall],
  ['in the body', stallInBody],
])(
  'a signal aborted while the answer stalls %s ends the call, and it is not tried again',
  async (_, answer) => {
    const controller = new AbortController();
    const { platform, server } = await connectTo(
      (request, response, attempt) => {
        setTimeout(() => controller.abort(), 20);
        return answer(request, response, attempt);
      },
      { maxRetries: 3 },
    );
    expect(await rejectionOf(platform.tools.get('t1', { signal: controller.signal }))).toBeInstanceOf(
      AbortError,
    );
    expect(server.requests).toHaveLength(1);
  },
);

test('a signal aborted during the wait between two attempts ends the call', async () => {
  const controller = new AbortController();
  const { platform, server } = await connectTo(answerWith(503, '', { 'retry-after': '30' }), {
    maxRetries: 1,
    hooks: { onRetry: () => void setTimeout(() => controller.abort(), 10) },
  });
  expect(await rejectionOf(platform.tools.get('t1', { signal: controller.signal }))).toBeInstanceOf(
    AbortError,
  );
  expect(server.requests).toHaveLength(1);
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
  const { platform } = await connectTo(answerWith(200, success({ id: 't1' })));
  for (let call = 0; call < 20; call += 1) await platform.tools.get('t1', { signal: controller.signal });
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
});

test('calls at once share one listener on their signal, since runtimes warn of many', async () => {
  const { platform } = await connectTo(stall);
  const controller = new AbortController();
  const { signal } = controller;
  const calls = Array.from({ length: 20 }, () => rejectionOf(platform.tools.get('t1', { signal })));
  await expect.poll(() => getEventListeners(signal, 'abort')).toHaveLength(1);
  controller.abort();
  for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(AbortError);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('a call that ends leaves those that share its signal able to be aborted', async () => {
  const { platform } = await connectTo((request, response) =>
    request.url.endsWith('quick')
      ? answerWith(200, success({ id: 'quick' }))(request, response, 1)
      : undefined,
  );
  const controller = new AbortController();
  const { signal } = controller;
  const slow = rejectionOf(platform.tools.get('slow', { signal }));
  await platform.tools.get('quick', { signal });
  controller.abort();
  expect(await slow).toBeInstanceOf(AbortError);
});

test('no timer outlives its call', async () => {
  const timeout = 1_234_567;
  const { platform } = await connectTo(answerWith(200, success({ id: 't1' })), { timeout });
  const made = vi.spyOn(globalThis, 'setTimeout');
  const cleared = vi.spyOn(globalThis, 'clearTimeout');
  await platform.tools.get('t1');
  const timers = made.mock.results.filter((_, call) => made.mock.calls[call]?.[1] === timeout);
  expect(timers).toHaveLength(1);
  expect(cleared.mock.calls.flat()).toContain(timers[0]?.value);
});

test('a thousand calls at once, half of them aborted: each ends in a value or a typed error', async () => {
  const { platform } = await connectTo(answerWith(200, success({ id: 't1' })));
  const isAborted = (index: number) => index % 2 === 0;
  const outcomes = await Promise.allSettled(
    Array.from({ length: 1_000 }, (_, index) => {
      const controller = new AbortController();
      if (isAborted(index)) setTimeout(() => controller.abort(), index % 40);
      return platform.tools.get('t1', { signal: controller.signal });
    }),
  );
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') expect(outcome.value).toEqual({ id: 't1' });
    else {
      expect(outcome.reason).toBeInstanceOf(AbortError);
      expect(isAborted(index)).toBe(true);
    }
  }
}, 60_000);

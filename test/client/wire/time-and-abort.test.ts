import { getEventListeners } from 'node:events';
import { AbortError, TimeoutError } from 'agent-platform-sdk';
import { expect, test, vi } from 'vitest';
import { rejectionOf, success } from '../../support/client.js';
import { type Answer, answerWith, connectTo } from '../../support/server.js';

const stall: Answer = () => undefined;
const stallInBody: Answer = (_, response) => {
  response.writeHead(200, { 'content-length': 100 });
  response.write('{"success":');
};
const stallInError: Answer = (_, response) => {
  response.writeHead(500, { 'content-length': 100 });
  response.write('{"message":');
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

test.each([
  ['before headers', stall],
  ['in the body', stallInBody],
  ['in the body of an error', stallInError],
])(
  'a signal aborted while the answer stalls %s ends the call, and it is not tried again',
  async (_, answer) => {
    const controller = new AbortController();
    const onRetry = vi.fn();
    const { platform, server } = await connectTo(
      (request, response, attempt) => {
        setTimeout(() => controller.abort(), 20);
        return answer(request, response, attempt);
      },
      { maxRetries: 3, hooks: { onRetry } },
    );
    expect(await rejectionOf(platform.tools.get('t1', { signal: controller.signal }))).toBeInstanceOf(
      AbortError,
    );
    expect(server.requests).toHaveLength(1);
    expect(onRetry).not.toHaveBeenCalled();
  },
);

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

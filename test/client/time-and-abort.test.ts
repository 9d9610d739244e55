import { getEventListeners } from 'node:events';
import {
  AbortError,
  type AgentPlatformOptions,
  endpoint,
  type StandardSchemaV1,
  TimeoutError,
  ToolSchema,
  withData,
} from 'agent-platform-sdk';
import type { FaultInput } from 'agent-platform-sdk/testing';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  addFaults,
  createClient,
  fake,
  rejectionOf,
  requests,
  respond,
  response,
  seed,
  success,
} from '../support/client.js';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const hang = () => new Promise<never>(() => undefined);
const { toolId } = seed;

/** Everything that can hang in an attempt. */
const hangs: [string, AgentPlatformOptions, (FaultInput | undefined)?, StandardSchemaV1?][] = [
  ['the service', {}, { kind: 'stall', after: 0 }],
  ['the body of a response', {}, { kind: 'stall' }],
  ['a token function', { token: hang }],
  ['the hook onRequest', { hooks: { onRequest: hang } }],
  ['a fetch that ignores its signal', { fetch: hang }],
  ['a schema of the response', {}, undefined, { '~standard': { version: 1, vendor: 'x', validate: hang } }],
];
const getTool = (schema: StandardSchemaV1 = ToolSchema) =>
  endpoint({ method: 'GET', path: '/tools/{toolId}', response: withData(schema) });

test.each(hangs)('%s that hangs ends with the timeout', async (_, options, fault, schema) => {
  if (fault) addFaults(fault);
  const { send } = createClient({ ...options, timeout: 40 });
  const error = (await rejectionOf(send(getTool(schema), { path: { toolId } }))) as Error;
  expect(error).toBeInstanceOf(TimeoutError);
  expect(error.message).toBe(`GET /tools/${toolId} timed out after 40 ms (\`timeout\`, attempt 1)`);
  expect(error.cause).toBeUndefined();
});

test.each(hangs)(
  '%s that hangs is ended by the signal, and not retried',
  async (_, options, fault, schema) => {
    if (fault) addFaults({ ...fault, times: 'always' });
    const controller = new AbortController();
    const onRetry = vi.fn();
    const hooks = { ...options.hooks, onRetry };
    const reason = new Error('user left');
    setTimeout(() => controller.abort(reason), 20);
    const { send } = createClient({ ...options, hooks, maxRetries: 2 });
    const call = send(getTool(schema), { path: { toolId } }, { signal: controller.signal });
    const error = await rejectionOf(call);
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({
      cause: reason,
      message: `GET /tools/${toolId} was aborted by its signal (attempt 1)`,
    });
    expect(onRetry).not.toHaveBeenCalled();
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  },
);

test('a token that comes after the timeout sends nothing', async () => {
  const token = () => new Promise<string>((resolve) => setTimeout(() => resolve('late-token'), 60));
  await rejectionOf(createClient({ token, timeout: 20 }).tools.get(toolId));
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect(requests).toHaveLength(0);
});

test('an attempt that is over reports nothing later', async () => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const onResponse = vi.fn();
  const delays = [60, 0];
  const fetch = async () => {
    await new Promise((resolve) => setTimeout(resolve, delays.shift()));
    return Response.json(success({ id: 't1' }));
  };
  const call = createClient({ fetch, timeout: 30, maxRetries: 1, hooks: { onResponse } }).tools.get('t1');
  await vi.advanceTimersByTimeAsync(100);
  expect(await call).toEqual({ id: 't1' });
  expect(onResponse.mock.calls).toMatchObject([[{ attempt: 2 }]]);
});

test('a response that an abort cuts off is not reported', async () => {
  const controller = new AbortController();
  const onResponse = vi.fn();
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(stream) {
      pulls += 1;
      if (pulls === 1) stream.enqueue(new TextEncoder().encode('{"success":true'));
      else controller.abort();
    },
  });
  const { tools } = createClient({ fetch: async () => new Response(body), hooks: { onResponse } });
  expect(await rejectionOf(tools.get('t1', { signal: controller.signal }))).toBeInstanceOf(AbortError);
  await new Promise(setImmediate);
  expect(onResponse).not.toHaveBeenCalled();
});

test('totalTimeout ends the whole call, attempts and delays included', async () => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0);
  addFaults({ kind: 'latency', ms: 99 });
  const onEnd = vi.fn();
  const options = { timeout: 100, totalTimeout: 250, maxRetries: 50, hooks: { onEnd }, fetch: fake.fetch };
  const { tools } = createClient(options);
  // A response is awaited as long as the timeout allows.
  const call = tools.get(toolId);
  await vi.advanceTimersByTimeAsync(99);
  expect(await call).toMatchObject({ id: toolId });
  addFaults({ kind: 'stall', times: 'always' });
  const ended = rejectionOf(tools.get(toolId));
  // In the middle of the third attempt.
  await vi.advanceTimersByTimeAsync(249);
  expect(onEnd).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(onEnd).toHaveBeenCalledTimes(2);
  expect(await ended).toMatchObject({
    message: `GET /tools/${toolId} timed out after 250 ms (\`totalTimeout\`, attempt 3)`,
  });
});

test.each([
  [{ totalTimeout: 40 }, 'totalTimeout'],
  [{ timeout: 40, totalTimeout: 60_000 }, 'timeout'],
])('with %j, the error of a timeout names the shorter one', async (options, limit) => {
  addFaults({ kind: 'stall' });
  const error = await rejectionOf(createClient(options).tools.get(toolId));
  expect((error as Error).message).toContain(`timed out after 40 ms (\`${limit}\`, attempt 1)`);
});

test('a signal aborted before the call: no token is read and nothing is sent', async () => {
  const reason = new Error('user left');
  const token = vi.fn(() => 'workspace-secret');
  const call = createClient({ token }).tools.get(toolId, { signal: AbortSignal.abort(reason) });
  expect(await rejectionOf(call)).toMatchObject({ type: 'abort_error', cause: reason });
  expect(token).not.toHaveBeenCalled();
  expect(requests).toHaveLength(0);
});

test('a signal aborted during the delay between two attempts ends the call', async () => {
  const controller = new AbortController();
  addFaults({ status: 503, retryAfter: 30 });
  const onRetry = () => void setTimeout(() => controller.abort(), 10);
  const logger = new RecordingLogger();
  const { tools } = createClient({ maxRetries: 1, hooks: { onRetry }, logger, logLevel: 'info' });
  const error = await rejectionOf(tools.get(toolId, { signal: controller.signal }));
  expect(error).toBeInstanceOf(AbortError);
  expect(requests).toHaveLength(1);
  // It ends no attempt.
  expect(logger.lines).toHaveLength(1);
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
});

test('an abort during the delay after a 429 leaves nothing unknown: the service refused the request', async () => {
  const controller = new AbortController();
  addFaults({ status: 429, retryAfter: 30 });
  const { variables } = createClient({ maxRetries: 1, hooks: { onRetry: () => controller.abort() } });
  const call = variables.create(seed.agentId, { key: 'k' }, { signal: controller.signal });
  expect(await rejectionOf(call)).toMatchObject({ type: 'abort_error', outcomeUnknown: false });
});

test('a call that is aborted after it was sent has an unknown outcome; one aborted before has not', async () => {
  const controller = new AbortController();
  respond(() => {
    controller.abort();
    return hang();
  });
  const remove = () => createClient().workspaces.delete('w1', { signal: controller.signal });
  expect(await rejectionOf(remove())).toMatchObject({ type: 'abort_error', outcomeUnknown: true });
  expect(await rejectionOf(remove())).toMatchObject({ type: 'abort_error', outcomeUnknown: false });
});

test('when a call ends, others with the same signal can still be aborted', async () => {
  const { tools } = createClient();
  const controller = new AbortController();
  addFaults({ kind: 'stall' });
  const slow = rejectionOf(tools.get(toolId, { signal: controller.signal }));
  await expect.poll(() => requests.length).toBe(1);
  await tools.get(toolId, { signal: controller.signal });
  controller.abort();
  expect(await slow).toBeInstanceOf(AbortError);
});

test('a thousand calls on one signal share one listener, leave none, and cause no warning', async () => {
  const warn = vi.fn();
  process.on('warning', warn);
  onTestFinished(() => void process.off('warning', warn));
  const gate = deferred();
  respond(async () => {
    await gate.promise;
    return response(200, success({ id: 't1' }));
  });
  const { signal } = new AbortController();
  const { tools } = createClient();
  const calls = Array.from({ length: 1_000 }, () => tools.get('t1', { signal }));
  await expect.poll(() => requests.length, { timeout: 20_000 }).toBe(1_000);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  gate.resolve();
  await Promise.all(calls);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  expect(warn).not.toHaveBeenCalled();
}, 60_000);

test.each([
  ['comes after the timeout', 60],
  ['stalls', 0],
])('a response that %s is closed, so that it holds no connection', async (_, delayMs) => {
  const closed = deferred();
  // It ignores its signal.
  const fetch = async () => {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    return new Response(new ReadableStream({ cancel: closed.resolve }));
  };
  expect(await rejectionOf(createClient({ fetch, timeout: 20 }).tools.get('t1'))).toBeInstanceOf(
    TimeoutError,
  );
  await closed.promise;
});

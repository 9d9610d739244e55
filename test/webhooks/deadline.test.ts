import { once } from 'node:events';
import { type IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import {
  createWebhookReceiver,
  type DedupeStore,
  type StoringReceiverOptions,
  type WebhookContext,
  type WebhookFailure,
  type WebhookReceiverOptions,
  type WebhookRejection,
} from 'agent-platform-sdk';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { codeOf, delivery, post, secret } from './deliveries.js';

const never = () => new Promise<never>(() => undefined);
const forgetful: DedupeStore = { claim: () => 'new', complete: () => undefined, release: () => undefined };

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
  onTestFinished(() => void vi.useRealTimers());
});
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function setUp(options: WebhookReceiverOptions | Partial<StoringReceiverOptions> = {}) {
  const logger = new RecordingLogger();
  const receiver = createWebhookReceiver({ secret, logger, ...options } as WebhookReceiverOptions);
  const failures: [error: unknown, failure: WebhookFailure][] = [];
  const rejections: WebhookRejection[] = [];
  receiver.onError((error, failure) => failures.push([error, failure]));
  receiver.onRejected((rejection) => rejections.push(rejection));
  return { logger, receiver, failures, rejections };
}

test('handlers that do not settle: 500 at the deadline, with one report', async () => {
  const { receiver, failures, rejections } = setUp();
  receiver
    .on('lead_captured', async () => undefined)
    .on('lead_captured', never)
    .on('lead_captured', never);
  const response = receiver.handle(post('lead_captured'));
  await pass(54_999);
  expect(failures).toEqual([]);
  await pass(1);
  expect(codeOf(await response)).toEqual([500, 'deadline_passed']);
  expect(failures).toMatchObject([
    [
      { message: expect.stringContaining('55000 ms') },
      { stage: 'deadline', event: { type: 'lead_captured' } },
    ],
  ]);
  expect(rejections).toEqual([]);
});

test('a handler that fails is reported at once, though another never settles', async () => {
  const { receiver, failures } = setUp();
  receiver.on('lead_captured', () => Promise.reject(new Error('no'))).on('lead_captured', never);
  const response = receiver.handle(post('lead_captured'));
  await pass(1);
  expect(failures).toMatchObject([[{ message: 'no' }, { stage: 'handler' }]]);
  await pass(55_000);
  expect(codeOf(await response)).toEqual([500, 'handler_failed']);
  expect(failures.map(([, { stage }]) => stage)).toEqual(['handler', 'deadline']);
});

test('the signal is aborted at the deadline, not before', async () => {
  const { receiver } = setUp({ deadline: 1_000 });
  let context: WebhookContext | undefined;
  receiver.on('lead_captured', (_, given) => {
    context = { ...given };
    return never();
  });
  const response = receiver.handle(post('lead_captured'));
  await pass(999);
  expect(context?.signal.aborted).toBe(false);
  await pass(1);
  await response;
  expect(context?.signal).toMatchObject({ aborted: true, reason: { type: 'webhook_error' } });
});

test('a delivery that ends in time leaves no timer, and its signal alone', async () => {
  const { receiver } = setUp();
  let signal: AbortSignal | undefined;
  receiver.on('lead_captured', async (_, context) => {
    signal = context.signal;
  });
  await receiver.handle(post('lead_captured'));
  expect(vi.getTimerCount()).toBe(0);
  await pass(60_000);
  expect(signal?.aborted).toBe(false);
});

test('a failure after the deadline is still reported', async () => {
  const { receiver, failures, logger } = setUp();
  const end = deferred();
  receiver.on('lead_captured', async () => {
    await end.promise;
    throw new Error('late');
  });
  const response = receiver.handle(post('lead_captured'));
  await pass(55_000);
  await response;
  end.resolve();
  await pass(0);
  expect(failures.map(([, { stage }]) => stage)).toEqual(['deadline', 'handler']);
  expect(logger.lines.join('\n')).toMatch(/^warn .*ended after its deadline: handler_failed/m);
});

test.each<[string, object, unknown[]]>([
  ['onError', post('lead_captured'), [500, 'handler_failed']],
  ['onRejected', { method: 'POST', body: '{}' }, [401, 'verification_failed']],
])(
  'an %s that never settles holds neither the response nor the next listener',
  async (name, request, expected) => {
    const { receiver, failures, rejections } = setUp();
    const called: string[] = [];
    receiver.onRejected(never).onRejected(() => called.push('onRejected'));
    receiver.onError(never).onError(() => called.push('onError'));
    receiver.on('lead_captured', () => Promise.reject(new Error('no')));
    const response = receiver.handle(request);
    await pass(55_000);
    expect(codeOf(await response)).toEqual(expected);
    expect([called, failures.length + rejections.length]).toEqual([[name], 1]);
  },
);

test.each<[string, Parameters<typeof setUp>[0], string, object]>([
  ['a loader', { secret: never }, 'secret_failed', { stage: 'secret', event: undefined }],
  [
    'verifySecret',
    { secret: undefined, verifySecret: never },
    'secret_failed',
    { stage: 'secret', event: undefined },
  ],
  [
    'an inbox',
    { inbox: { store: never } },
    'not_stored',
    { stage: 'inbox', event: { type: 'lead_captured' } },
  ],
])('%s that never settles: 500 at the deadline, with one report', async (_, options, code, failure) => {
  const { receiver, failures, rejections } = setUp(options);
  const response = receiver.handle(post('lead_captured'));
  await pass(55_000);
  expect(codeOf(await response)).toEqual([500, code]);
  await pass(60_000);
  const error = expect.objectContaining({ type: 'webhook_error' }) as Error;
  expect([failures, rejections]).toMatchObject([[[error, failure]], []]);
  expect(vi.getTimerCount()).toBe(0);
});

test('an event that was verified after the deadline is not handled', async () => {
  const end = deferred();
  const verifySecret = () => end.promise.then(() => true);
  const { receiver, failures } = setUp({ secret: undefined, verifySecret });
  receiver.onAny(() => expect.unreachable());
  const response = receiver.handle(post('lead_captured'));
  await pass(55_000);
  end.resolve();
  await pass(0);
  expect(codeOf(await response)).toEqual([500, 'secret_failed']);
  expect(failures).toHaveLength(1);
});

test('through fetch, a body that stalls: 400 at the deadline, and the stream is cancelled', async () => {
  const { receiver, rejections } = setUp();
  receiver.onAny(() => expect.unreachable());
  const cancel = vi.fn();
  const body = new ReadableStream({
    start: (stream) => stream.enqueue(new TextEncoder().encode(delivery('lead_captured'))),
    cancel,
  });
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
  const response = receiver.fetch(new Request('https://receiver.example', init));
  await pass(55_000);
  expect((await response).status).toBe(400);
  await pass(0);
  expect(cancel).toHaveBeenCalledOnce();
  expect(rejections).toMatchObject([{ reason: 'body_unreadable' }]);
});

test('a promise as the body that never settles: 400 at the deadline', async () => {
  const { receiver, rejections } = setUp();
  receiver.on('lead_captured', () => undefined);
  const response = receiver.handle({ method: 'POST', body: never() });
  await pass(55_000);
  expect(codeOf(await response)).toEqual([400, 'body_unreadable']);
  expect(rejections).toMatchObject([{ reason: 'body_unreadable' }]);
  const body = Promise.resolve(delivery('lead_captured'));
  expect((await receiver.handle({ method: 'POST', body })).status).toBe(200);
});

/** A request of `node:http` whose event has arrived, but not its end, and its response. */
function stalledRequest() {
  const stream = new Readable({ read: () => undefined });
  stream.push(delivery('lead_captured'));
  const request = Object.assign(stream, { method: 'POST', headers: {} });
  // Only these parts of a request are used.
  return { request, response: new ServerResponse(request as unknown as IncomingMessage) };
}

test('through node, a body that stalls: 400 at the deadline, and not handled when its end comes', async () => {
  const { receiver, rejections, failures } = setUp();
  receiver.onAny(() => expect.unreachable());
  const { request, response } = stalledRequest();
  const responding = receiver.node(request, response);
  await pass(54_999);
  expect(response.headersSent).toBe(false);
  await pass(1);
  await responding;
  expect(response.statusCode).toBe(400);
  request.push(null);
  await once(request, 'close');
  await pass(0);
  expect([rejections, failures]).toMatchObject([[{ reason: 'body_unreadable' }], []]);
});

test('what was handled is a 200 at the deadline, though the store does not respond', async () => {
  // A second before the deadline, so that the time limit of the store ends after it.
  const { receiver } = setUp({ dedupe: { ...forgetful, complete: never } });
  receiver.on('lead_captured', () => new Promise((resolve) => setTimeout(resolve, 54_000)));
  const response = receiver.handle(post('lead_captured'));
  await pass(55_000);
  expect(codeOf(await response)).toEqual([200]);
});

test.each<[string, DedupeStore['claim'], unknown[], string[]]>([
  ['to the first claim', never, [500, 'deadline_passed'], ['dedupe']],
  [
    'to a duplicate',
    vi.fn<DedupeStore['claim']>(never).mockReturnValueOnce('pending'),
    [503, 'duplicate_pending'],
    [],
  ],
])('a store that does not respond %s by the deadline: nothing runs', async (_, claim, code, stages) => {
  // Below the time limit of the store.
  const { receiver, failures } = setUp({ deadline: 1_000, dedupe: { ...forgetful, claim } });
  receiver.onAny(() => expect.unreachable());
  const response = receiver.handle(post('lead_captured'));
  await pass(1_000);
  expect(codeOf(await response)).toEqual(code);
  await pass(60_000);
  expect(failures.map(([, { stage }]) => stage)).toEqual(stages);
});

test('an inbox that fails after the deadline is reported twice: late, and failed', async () => {
  const end = deferred();
  const store = async () => {
    await end.promise;
    throw new Error('full');
  };
  const { receiver, failures } = setUp({ inbox: { store } });
  const response = receiver.handle(post('lead_captured'));
  await pass(55_000);
  expect(codeOf(await response)).toEqual([500, 'not_stored']);
  end.resolve();
  await pass(0);
  expect(failures).toMatchObject([
    [{ message: expect.stringContaining('55000 ms') }, { stage: 'inbox' }],
    [{ message: 'full' }, { stage: 'inbox' }],
  ]);
});

test('the timer of the deadline does not keep the process alive', async () => {
  vi.useRealTimers();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const end = deferred();
  const receiver = createWebhookReceiver({ secret, logLevel: 'off' }).on('lead_captured', () => end.promise);
  const before = timers();
  const response = receiver.handle(post('lead_captured'));
  expect(timers()).toBe(before);
  end.resolve();
  expect((await response).status).toBe(200);
});

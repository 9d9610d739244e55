import { once } from 'node:events';
import { type IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import {
  createWebhookReceiver,
  type DedupeStore,
  type WebhookContext,
  type WebhookFailure,
  type WebhookRejection,
} from 'agent-platform-sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { delivery, type OptionsWithSecret, post, secret } from './deliveries.js';
import { ManualClock, settle } from './manual-clock.js';

const never = () => new Promise<never>(() => undefined);
/** A store that takes note of all, and remembers nothing. */
const noted: DedupeStore = { claim: () => 'new', complete: () => undefined, release: () => undefined };

function setUp(options: OptionsWithSecret = {}) {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const receiver = createWebhookReceiver({ secret, clock, logger, ...options });
  const failures: [error: unknown, failure: WebhookFailure][] = [];
  const rejections: WebhookRejection[] = [];
  receiver.onError((error, failure) => failures.push([error, failure]));
  receiver.onRejected((rejection) => rejections.push(rejection));
  return { clock, logger, receiver, failures, rejections };
}

const codeOf = ({ status, body }: { status: number; body: string }) =>
  body === '' ? [status] : [status, (JSON.parse(body) as { code: string }).code];

test('handlers that do not settle are answered 500 at the deadline, and each is reported', async () => {
  const { clock, receiver, failures, rejections } = setUp();
  receiver.on('lead_captured', async () => undefined).on('lead_captured', never);
  receiver.on('lead_captured', async () => undefined);
  const answer = receiver.handle(post('lead_captured'));
  await clock.advance(54_999);
  expect(failures).toEqual([]);
  await clock.advance(1);
  expect(codeOf(await answer)).toEqual([500, 'deadline_passed']);
  expect(failures).toMatchObject([
    [
      { message: expect.stringContaining('55000 ms') },
      { stage: 'deadline', handler: never, event: { type: 'lead_captured' } },
    ],
  ]);
  expect(rejections).toEqual([]);
});

test('of several handlers that do not settle, each is reported', async () => {
  const { clock, receiver, failures } = setUp();
  const other = () => new Promise<never>(() => undefined);
  receiver.on('lead_captured', never).on('lead_captured', other);
  void receiver.handle(post('lead_captured'));
  await clock.advance(55_000);
  expect(failures.map(([, { handler }]) => handler)).toEqual([never, other]);
});

test('the largest deadline is below the 60 seconds that the service waits, and what is larger is told why', () => {
  expect(createWebhookReceiver({ secret, deadline: 59_000 })).toBeDefined();
  expect(() => createWebhookReceiver({ secret, deadline: 60_000 })).toThrow(
    /deadline must be .* at most 59000, got 60000.*the service waits 60 seconds/,
  );
});

test('the signal is aborted at the deadline, not before', async () => {
  const { clock, receiver } = setUp({ deadline: 1_000 });
  let context: WebhookContext | undefined;
  receiver.on('lead_captured', (_, given) => {
    context = given;
    return never();
  });
  const answer = receiver.handle(post('lead_captured'));
  await clock.advance(999);
  const signal = context?.signal;
  expect(signal?.aborted).toBe(false);
  await clock.advance(1);
  await answer;
  expect(context?.signal).toBe(signal);
  expect(signal).toMatchObject({ aborted: true, reason: { type: 'webhook_error' } });
});

test('a delivery that ends in time leaves no timer, and its signal alone', async () => {
  const { clock, receiver } = setUp();
  let signal: AbortSignal | undefined;
  receiver.on('lead_captured', (_, context) => {
    signal = context.signal;
  });
  await receiver.handle(post('lead_captured'));
  expect(clock.timers.size).toBe(0);
  await clock.advance(60_000);
  expect(signal?.aborted).toBe(false);
});

test('a failure after the deadline is still reported', async () => {
  const { clock, receiver, failures, logger } = setUp();
  const end = deferred();
  receiver.on('lead_captured', async () => {
    await end.promise;
    throw new Error('late');
  });
  const answer = receiver.handle(post('lead_captured'));
  await clock.advance(55_000);
  await answer;
  end.resolve();
  await settle();
  expect(failures.map(([, { stage }]) => stage)).toEqual(['deadline', 'handler']);
  expect(logger.lines.join('\n')).toMatch(/^warn .*settled after its deadline: handler_failed/m);
});

test.each<[string, object, unknown[]]>([
  ['onError', post('lead_captured'), [500, 'handler_failed']],
  ['onRejected', { method: 'POST', body: '{}' }, [401, 'verification_failed']],
])(
  'an %s that never settles holds neither the answer beyond the deadline, nor the next one',
  async (name, request, expected) => {
    const { clock, receiver, failures, rejections } = setUp();
    const told: string[] = [];
    receiver.onRejected(never).onRejected(() => told.push('onRejected'));
    receiver.onError(never).onError(() => told.push('onError'));
    receiver.on('lead_captured', () => Promise.reject(new Error('no')));
    const answer = receiver.handle(request);
    await clock.advance(55_000);
    expect(codeOf(await answer)).toEqual(expected);
    expect([told, failures.length + rejections.length]).toEqual([[name], 1]);
  },
);

test.each<[string, OptionsWithSecret, string, object]>([
  ['a look-up', { secret: never }, 'lookup_failed', { stage: 'secret', event: undefined }],
  [
    'a store',
    { dedupe: { store: { ...noted, claim: never }, timeout: 60_000 } },
    'deadline_passed',
    { stage: 'dedupe', event: { type: 'lead_captured' } },
  ],
  [
    'an inbox',
    { inbox: { store: never } },
    'not_stored',
    { stage: 'inbox', event: { type: 'lead_captured' } },
  ],
])(
  '%s that never answers is answered 500 at the deadline, and reported',
  async (_, options, code, failure) => {
    const { clock, receiver, failures, rejections } = setUp(options);
    receiver.on('lead_captured', () => undefined);
    const answer = receiver.handle(post('lead_captured'));
    await clock.advance(55_000);
    expect(codeOf(await answer)).toEqual([500, code]);
    const error = expect.objectContaining({ type: 'webhook_error' }) as Error;
    expect([failures, rejections]).toMatchObject([[[error, failure]], []]);
  },
);

test('a body that stalls is given up at the deadline, once, and not handled though a whole event came', async () => {
  const { clock, receiver, rejections, logger } = setUp();
  const handled: unknown[] = [];
  receiver.onAny((event) => handled.push(event));
  let cancelled = false;
  const body = new ReadableStream({
    start: (stream) => stream.enqueue(new TextEncoder().encode(delivery('lead_captured'))),
    cancel: () => {
      cancelled = true;
    },
  });
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
  const answer = receiver.fetch(new Request('https://receiver.example', init));
  await clock.advance(55_000);
  expect((await answer).status).toBe(400);
  await settle();
  expect([cancelled, handled]).toEqual([true, []]);
  expect(rejections).toMatchObject([{ reason: 'body_unreadable', error: { type: 'webhook_error' } }]);
  expect(logger.lines.at(-1)).toContain('settled after its deadline: body_unreadable');
});

/** A request of `node:http` of which a whole event has come, but not its end, and its response. */
function stalledRequest() {
  const stream = new Readable({ read: () => undefined });
  stream.push(delivery('lead_captured'));
  const request = Object.assign(stream, { method: 'POST', headers: {} });
  // Only these parts of a request are looked at.
  return { request, response: new ServerResponse(request as unknown as IncomingMessage) };
}

test('over node too, a body that stalls is given up at the deadline, and not handled when its end comes', async () => {
  const { clock, receiver, rejections, failures, logger } = setUp();
  receiver.onAny(() => expect.unreachable());
  const { request, response } = stalledRequest();
  const answered = receiver.node(request, response);
  await settle();
  await clock.advance(54_999);
  expect(response.headersSent).toBe(false);
  await clock.advance(1);
  await answered;
  expect([response.statusCode, response.getHeader('content-type')]).toEqual([400, 'application/json']);
  request.push(null);
  await once(request, 'close');
  await settle();
  expect(rejections).toMatchObject([{ reason: 'body_unreadable', error: { type: 'webhook_error' } }]);
  expect(failures).toEqual([]);
  expect(logger.lines.at(-1)).toContain('settled after its deadline: body_unreadable');
});

test('over node and fetch too, handlers that do not settle are answered 500 at the deadline', async () => {
  const { clock, receiver, failures } = setUp({ dedupe: false });
  receiver.on('lead_captured', never);
  const { request, response } = stalledRequest();
  request.push(null);
  const answered = receiver.node(request, response);
  const init = { method: 'POST', body: delivery('lead_captured') };
  const answer = receiver.fetch(new Request('https://receiver.example', init));
  await vi.waitUntil(() => request.readableEnded);
  await settle();
  await clock.advance(55_000);
  await answered;
  expect([response.statusCode, (await answer).status]).toEqual([500, 500]);
  expect(failures.map(([, { stage, event }]) => [stage, event?.type])).toEqual([
    ['deadline', 'lead_captured'],
    ['deadline', 'lead_captured'],
  ]);
});

test('what was handled is answered 200 at the deadline, though the store does not take note of it', async () => {
  const { clock, receiver } = setUp({ dedupe: { store: { ...noted, complete: never }, timeout: 60_000 } });
  receiver.on('lead_captured', () => undefined);
  const answer = receiver.handle(post('lead_captured'));
  await clock.advance(55_000);
  expect(codeOf(await answer)).toEqual([200]);
});

test('an onError that never settles is told once that the inbox failed', async () => {
  const { clock, receiver, failures } = setUp({ inbox: { store: () => Promise.reject(new Error('full')) } });
  receiver.onError(never);
  const answer = receiver.handle(post('lead_captured'));
  await clock.advance(55_000);
  expect(codeOf(await answer)).toEqual([500, 'not_stored']);
  expect(failures).toMatchObject([[{ message: 'full' }, { stage: 'inbox' }]]);
});

test('an inbox that fails after the deadline is told of both', async () => {
  const end = deferred();
  const store = async () => {
    await end.promise;
    throw new Error('full');
  };
  const { clock, receiver, failures } = setUp({ inbox: { store } });
  const answer = receiver.handle(post('lead_captured'));
  await clock.advance(55_000);
  expect(codeOf(await answer)).toEqual([500, 'not_stored']);
  end.resolve();
  await settle();
  expect(failures).toMatchObject([
    [{ message: expect.stringContaining('55000 ms') }, { stage: 'inbox' }],
    [{ message: 'full' }, { stage: 'inbox' }],
  ]);
});

test('a look-up that fails after the deadline is told once', async () => {
  const end = deferred();
  const { clock, receiver, failures, rejections } = setUp({
    secret: async () => {
      await end.promise;
      throw new Error('the vault is away');
    },
  });
  const answer = receiver.handle(post('lead_captured'));
  await clock.advance(55_000);
  expect(codeOf(await answer)).toEqual([500, 'lookup_failed']);
  end.resolve();
  await settle();
  expect([failures.length, rejections.length]).toEqual([1, 0]);
});

test('a signal that is first looked at after the deadline is aborted', async () => {
  const { clock, receiver } = setUp({ deadline: 1_000 });
  const end = deferred();
  const late: AbortSignal[] = [];
  receiver.on('lead_captured', async (_, context) => {
    await end.promise;
    late.push(context.signal);
  });
  const answer = receiver.handle(post('lead_captured'));
  await clock.advance(1_000);
  await answer;
  end.resolve();
  await settle();
  expect(late).toMatchObject([{ aborted: true, reason: { type: 'webhook_error' } }]);
});

test("by the runtime's clock too, a delivery that ends in time leaves no timer", async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const receiver = createWebhookReceiver({ secret, logLevel: 'off' }).on('lead_captured', async () =>
    settle(),
  );
  expect((await receiver.handle(post('lead_captured'))).status).toBe(200);
  expect(vi.getTimerCount()).toBe(0);
});

test('the timer of the deadline keeps no process alive', async () => {
  // Those alone that do.
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const end = deferred();
  const receiver = createWebhookReceiver({ secret, logLevel: 'off' }).on('lead_captured', () => end.promise);
  const before = timers();
  const answer = receiver.handle(post('lead_captured'));
  expect(timers()).toBe(before);
  end.resolve();
  expect((await answer).status).toBe(200);
});

import { tracingChannel } from 'node:diagnostics_channel';
import { type IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import {
  createWebhookReceiver,
  type DeliveryHookContext,
  type DeliveryTrace,
  type JobTrace,
  type StoredWebhook,
  TRACING_CHANNELS,
  type WebhookInbox,
  type WebhookReceiver,
  type WebhookReceiverOptions,
} from 'agent-platform-sdk';
import { expect, onTestFinished, test } from 'vitest';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { minimal, post, secret } from './deliveries.js';
import { ManualClock, settle } from './manual-clock.js';

type Handlers<Trace extends object> = Parameters<
  ReturnType<typeof tracingChannel<unknown, Trace>>['subscribe']
>[0];

/** Subscribes to a tracing channel for the length of one test. */
function subscribe<Trace extends object>(name: string, handlers: Partial<Handlers<Trace>>): void {
  const channel = tracingChannel<unknown, Trace>(name);
  // The type asks for every event; the channel does not.
  channel.subscribe(handlers as Handlers<Trace>);
  onTestFinished(() => {
    channel.unsubscribe(handlers as Handlers<Trace>);
  });
}

/** A receiver, and what its hook was told. */
function receiverWith(options: Partial<WebhookReceiverOptions> = {}) {
  const told: DeliveryHookContext[] = [];
  const receiver = createWebhookReceiver({
    secret: { shop: secret },
    logLevel: 'off',
    ...options,
    hooks: { onDelivery: (delivery) => void told.push(delivery) },
  } as WebhookReceiverOptions).on('webhook_test', ({ payload }) => {
    if (payload.message === 'fail') throw new Error('the handler failed');
  });
  return { receiver, told };
}

test('onDelivery is told once for each delivery, whichever way it ends', async () => {
  const { receiver, told } = receiverWith({ clock: new ManualClock() });
  const ids: string[] = [];
  receiver.onRejected(({ deliveryId }) => ids.push(deliveryId));
  const genuine = post('webhook_test', { message: 'hello' });
  await receiver.handle(genuine);
  await receiver.handle(genuine);
  await receiver.handle(post('webhook_test', { message: 'fail' }));
  await receiver.handle({ method: 'POST', body: '{"payload":{"workspaceSecret":"wrong"}}' });
  await receiver.handle({ method: 'GET', body: undefined });

  const verified = { type: 'webhook_test', workspace: 'shop', size: expect.any(Number) };
  // Those that were refused have the same id for `onRejected`.
  expect(told.slice(3).map(({ deliveryId }) => deliveryId)).toEqual(ids);
  expect(new Set(told.map(({ deliveryId }) => deliveryId)).size).toBe(5);
  const common = { deliveryId: expect.stringMatching(/^[\da-f-]{36}$/), durationMs: 0, duplicate: false };
  const unverified = { ...common, type: undefined, workspace: undefined };
  expect(told).toEqual([
    { ...common, ...verified, outcome: 'handled', status: 200 },
    { ...common, ...verified, outcome: 'duplicate', status: 200, duplicate: true },
    { ...common, ...verified, outcome: 'handler_failed', status: 500 },
    { ...unverified, outcome: 'verification_failed', status: 401, size: 39 },
    { ...unverified, outcome: 'method_not_allowed', status: 405, size: undefined },
  ]);
});

test.each<[string, (receiver: WebhookReceiver, body: string) => Promise<unknown>]>([
  [
    'fetch',
    (receiver, body) => receiver.fetch(new Request('https://receiver.example', { method: 'POST', body })),
  ],
  [
    'node',
    (receiver, body) => {
      const stream = Readable.from([body], { objectMode: false });
      const request = Object.assign(stream, { method: 'POST', headers: {} });
      // Only these parts of a request are looked at.
      return receiver.node(request, new ServerResponse(request as unknown as IncomingMessage));
    },
  ],
])('onDelivery and the trace are told of what comes by %s, with its bytes', async (_, send) => {
  const traces: DeliveryTrace[] = [];
  subscribe<DeliveryTrace>(TRACING_CHANNELS.delivery, { asyncEnd: (trace) => void traces.push(trace) });
  const { receiver, told } = receiverWith({ maxBodyBytes: 1_000 });
  const { body } = post('webhook_test', { message: 'é' });
  for (const sent of [body, body, '{}', 'x'.repeat(1_001)]) await send(receiver, sent);
  const size = body.length + 1;
  expect(told).toMatchObject([
    { type: 'webhook_test', workspace: 'shop', outcome: 'handled', status: 200, size },
    { outcome: 'duplicate', duplicate: true, size },
    { outcome: 'verification_failed', status: 401, size: 2 },
    // It was not read to its end.
    { outcome: 'body_too_large', status: 413, size: undefined },
  ]);
  expect(traces).toMatchObject(told);
});

test('an event that is skipped for a newer one is told as such, and as no duplicate', async () => {
  const { receiver, told } = receiverWith({ newestOnly: () => 'the one' });
  for (const createdAt of [2, 1]) await receiver.handle(post('webhook_test', { createdAt }));
  expect(told.map(({ outcome, duplicate, status }) => [outcome, duplicate, status])).toEqual([
    ['handled', false, 200],
    ['skipped', false, 200],
  ]);
});

test('the line of a body that is refused tells its bytes where they are known', async () => {
  const logger = new RecordingLogger();
  const sizes: unknown[] = [];
  const hooks = { onDelivery: ({ size }: DeliveryHookContext) => sizes.push(size) };
  const receiver = createWebhookReceiver({ secret, logger, hooks, maxBodyBytes: 100 });
  for (const body of ['', 'é', {}, 'x'.repeat(101)]) await receiver.handle({ method: 'POST', body });
  expect(sizes).toEqual([0, 2, undefined, 101]);
  expect(logger.lines.map((line) => / refused with .* after/.exec(line)?.[0])).toEqual([
    ' refused with 400 not_json, 0 bytes after',
    ' refused with 401 verification_failed, 2 bytes after',
    ' refused with 401 verification_failed after',
    ' refused with 413 body_too_large, 101 bytes after',
  ]);
});

test.each([
  [{ duplicate: true }, true],
  [{ duplicate: false }, false],
  [null, false],
  ['an id of a queue', false],
])('an inbox that answers %j has told onDelivery: duplicate %s', async (answer, duplicate) => {
  const options: unknown[] = [];
  const inbox: WebhookInbox = {
    store(_, asked) {
      options.push(asked);
      return answer;
    },
  };
  const { receiver, told } = receiverWith({ inbox });
  await receiver.handle(post('webhook_test'));
  expect(told).toMatchObject([{ outcome: 'stored', duplicate }]);
  await createWebhookReceiver({ secret, inbox, logLevel: 'off' }).handle(post('webhook_test'));
  expect(options).toEqual([{ tellDuplicate: true }, { tellDuplicate: false }]);
});

test('an onDelivery that throws changes no answer, and is logged', async () => {
  const lines: string[] = [];
  const receiver = createWebhookReceiver({
    secret,
    logger: { ...console, error: (line: string) => void lines.push(line.split('\n')[0] ?? '') },
    hooks: {
      onDelivery: async () => {
        throw new TypeError('metrics are away');
      },
    },
  });
  expect((await receiver.handle(post('webhook_test'))).status).toBe(200);
  await expect.poll(() => lines).toEqual(['[agent-platform-sdk] the hook onDelivery failed: TypeError']);
});

const fail = () => Promise.reject(new TypeError('canary'));
const store = { claim: () => 'new' as const, complete: () => undefined, release: () => undefined };

test.each<[what: string, options: object, overrides: object, status: number, stages: string[]]>([
  ['a store that cannot claim', { dedupe: { ...store, claim: fail } }, {}, 200, ['dedupe']],
  [
    'a store without which nothing is handled',
    { dedupe: { store: { ...store, claim: fail }, ifUnavailable: 'refuse' } },
    {},
    500,
    ['dedupe'],
  ],
  ['a store that cannot complete', { dedupe: { ...store, complete: fail } }, {}, 200, ['dedupe']],
  [
    'a handler, and a store that cannot release',
    { dedupe: { ...store, release: fail } },
    { message: 'fail' },
    500,
    ['handler', 'dedupe'],
  ],
  ['an inbox', { inbox: { store: fail } }, {}, 500, ['inbox']],
  ['a look-up', { secret: undefined, verifySecret: fail }, {}, 500, ['secret']],
  ['a loader that gives no secret', { secret: () => '' }, {}, 500, ['secret']],
  ['the validation', {}, { message: 5 }, 400, ['validation']],
])(
  'where %s fails and listeners fail too, the answer is the same, and each failure is told',
  async (_, options, overrides, status, stages) => {
    const logger = new RecordingLogger();
    const told: string[] = [];
    const { receiver } = receiverWith({ logger, logLevel: 'error', ...options } as object);
    receiver
      .onError(() => {
        throw new TypeError('canary');
      })
      .onError(fail)
      .onError((_, { stage, event, handler, context }) => {
        told.push(stage);
        expect([event?.type, handler === undefined]).toEqual([
          stage === 'secret' ? undefined : 'webhook_test',
          stage !== 'handler',
        ]);
        expect(context).toMatchObject({ deliveryId: expect.any(String), receivedAt: expect.any(Number) });
      });
    expect((await receiver.handle(post('webhook_test', { ...overrides }))).status).toBe(status);
    expect(told).toEqual(stages);
    const expected = stages.flatMap((stage) => [
      `failed at ${stage}`,
      'the hook onError failed: TypeError',
      'the hook onError failed: TypeError',
    ]);
    const logged = logger.lines.flatMap((line) => line.match(/failed at \w+|the hook \w+ failed: \w+/) ?? []);
    expect(logged.sort()).toEqual(expected.sort());
    expect(logger.lines.join()).not.toContain('canary');
  },
);

test('where an onRejected and an onDelivery fail, what is refused has its answer, and both are logged', async () => {
  const logger = new RecordingLogger();
  const hooks = { onDelivery: fail };
  const receiver = createWebhookReceiver({ secret, logger, logLevel: 'error', hooks }).onRejected(fail);
  expect(await receiver.handle({ method: 'PUT' })).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  await expect
    .poll(() => logger.lines.map((line) => line.split('\n')[0]))
    .toEqual(
      ['onRejected', 'onDelivery'].map(
        (name) => `error [agent-platform-sdk] the hook ${name} failed: TypeError`,
      ),
    );
});

test('an onDelivery that never settles holds up no answer', async () => {
  const hooks = { onDelivery: () => new Promise(() => undefined) };
  const receiver = createWebhookReceiver({ secret, logLevel: 'off', hooks });
  expect((await receiver.handle(post('webhook_test'))).status).toBe(200);
});

test('of a long type, and of a long name of a workspace, a line shows the beginning', async () => {
  const logger = new RecordingLogger();
  const long = 'x'.repeat(150);
  const receiver = createWebhookReceiver({ secret: { [long]: secret }, logger, logLevel: 'info' });
  await receiver.handle(post(long));
  const shown = `"${'x'.repeat(100)}"`;
  expect(logger.lines).toEqual([
    expect.stringContaining(`webhook ${shown}: this version knows no such type`),
    expect.stringContaining(`webhook ${shown} of ${shown}: 200 no_handler`),
  ]);
});

test('an unknown hook is refused', () => {
  const hooks = { onDeliver: () => undefined } as object;
  expect(() => createWebhookReceiver({ secret, hooks })).toThrow(/hooks\.onDeliver is not a known option/);
});

test('a delivery and its job are traced, and the job gets the trace of the delivery', async () => {
  const deliveries: DeliveryTrace[] = [];
  const jobs: (JobTrace & { readonly error?: unknown })[] = [];
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const traces = [{ traceparent, tracestate: 'vendor=1' }, { traceparent }];
  subscribe<DeliveryTrace>(TRACING_CHANNELS.delivery, {
    start: ({ traceContext }) => void Object.assign(traceContext, traces.shift()),
    asyncEnd: (message) => void deliveries.push(message),
  });
  subscribe<JobTrace>(TRACING_CHANNELS.job, { asyncEnd: (message) => void jobs.push(message) });
  const stored: StoredWebhook[] = [];
  const clock = new ManualClock();
  const inbox: WebhookInbox = { store: (webhook) => stored.push(webhook) };
  const { receiver, told } = receiverWith({ inbox, clock });
  await receiver.handle(post('webhook_test', { message: 'hello' }));
  await receiver.handle(post('webhook_test', { message: 'fail' }));
  await clock.advance(700);
  for (const webhook of stored) await receiver.process(webhook).catch(() => undefined);

  expect(deliveries).toMatchObject([
    { type: 'webhook_test', workspace: 'shop', outcome: 'stored', status: 200 },
    { outcome: 'stored' },
  ]);
  // The hook is told the same.
  expect(deliveries).toMatchObject(told);
  expect(told).toHaveLength(2);
  expect(stored.map(({ traceContext }) => traceContext)).toEqual([
    { traceparent, tracestate: 'vendor=1' },
    { traceparent },
  ]);
  expect(jobs).toMatchObject([
    {
      type: 'webhook_test',
      workspace: 'shop',
      key: stored[0]?.key,
      deliveryId: stored[0]?.deliveryId,
      traceContext: { traceparent },
      outcome: 'handled',
    },
    { outcome: 'failed', error: expect.objectContaining({ name: 'WebhookError' }) },
  ]);
  expect(jobs.map(({ waitedMs, durationMs }) => [waitedMs, durationMs])).toEqual([
    [700, 0],
    [700, 0],
  ]);
});

test('a delivery and a run tell for how many milliseconds they took', async () => {
  const clock = new ManualClock();
  const runs: JobTrace[] = [];
  subscribe<JobTrace>(TRACING_CHANNELS.job, { asyncEnd: (message) => void runs.push(message) });
  const { receiver, told } = receiverWith({ clock });
  receiver.onAny(() => new Promise<void>((resolve) => clock.setTimeout(resolve, 700)));
  const work = [
    receiver.handle(post('webhook_test')),
    receiver.process({
      key: '',
      deliveryId: '',
      type: 'webhook_test',
      payload: minimal.webhook_test,
      receivedAt: 0,
    }),
  ];
  await clock.advance(700);
  await Promise.allSettled(work);
  expect(runs[0]).toMatchObject({ workspace: undefined, traceContext: undefined });
  expect([told, runs]).toMatchObject([[{ durationMs: 700 }], [{ durationMs: 700 }]]);
});

test('a delivery is traced without a hook, and without a `tracestate`', async () => {
  const traces: DeliveryTrace[] = [];
  const traceContext = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
  subscribe<DeliveryTrace>(TRACING_CHANNELS.delivery, {
    start: (trace) => void Object.assign(trace.traceContext, traceContext),
    asyncEnd: (trace) => void traces.push(trace),
  });
  const stored: StoredWebhook[] = [];
  const logger = new RecordingLogger();
  const inbox: WebhookInbox = {
    store(webhook, options) {
      stored.push(webhook);
      return { duplicate: options?.tellDuplicate };
    },
  };
  await createWebhookReceiver({ secret, inbox, logger }).handle(post('webhook_test'));
  expect(stored[0]?.traceContext).toStrictEqual(traceContext);
  const size = post('webhook_test').body.length;
  expect(traces).toMatchObject([{ outcome: 'stored', duplicate: true, size, traceContext }]);
  expect(logger.lines).toEqual([]);
});

test('a job that holds no webhook is traced, and refused as such', async () => {
  const jobs: JobTrace[] = [];
  subscribe<JobTrace>(TRACING_CHANNELS.job, { asyncEnd: (message) => void jobs.push(message) });
  const { receiver } = receiverWith();
  // As a queue that another application writes to would hand it over.
  for (const held of [undefined, { type: 'webhook_test', payload: null }]) {
    await expect(receiver.process(held as unknown as StoredWebhook)).rejects.toMatchObject({
      type: 'webhook_payload_error',
    });
  }
  const failed = { outcome: 'failed', waitedMs: 0, key: '', deliveryId: '' };
  expect(jobs).toMatchObject([
    { ...failed, type: '' },
    { ...failed, type: 'webhook_test' },
  ]);
});

test('without a trace, none is stored', async () => {
  const stored: StoredWebhook[] = [];
  const { receiver } = receiverWith({ inbox: { store: (webhook) => stored.push(webhook) } });
  await receiver.handle(post('webhook_test'));
  expect(stored[0]).not.toHaveProperty('traceContext');
});

test('a failed handler is logged with the frames of its stack and without its message, onError or not', async () => {
  const lines: string[] = [];
  const logger = { ...console, error: (line: string) => void lines.push(line) };
  for (const listen of [false, true]) {
    const receiver = createWebhookReceiver({ secret, logger }).on('webhook_test', function addToCrm() {
      throw new TypeError('the message of a customer\n    at a place that is none');
    });
    if (listen) receiver.onError(() => undefined);
    await receiver.handle(post('webhook_test'));
  }
  expect(lines).toHaveLength(2);
  for (const line of lines) {
    expect(line).toMatch(
      /failed at handler with TypeError, delivery \S+\n {4}at .*addToCrm.*observability\.test\.ts/,
    );
    expect(line).not.toMatch(/customer|that is none/);
  }
});

test('of many refusals for one reason, the first and each power of ten leave a line, and onRejected hears of all', async () => {
  const lines: string[] = [];
  let now = 0;
  let refused = 0;
  const receiver = createWebhookReceiver({
    secret,
    logger: { ...console, warn: (line: string) => void lines.push(line) },
    clock: { now: () => now, setTimeout: () => 0, clearTimeout: () => undefined },
  }).onRejected(() => {
    refused += 1;
  });
  const forged = { method: 'POST', body: '{"payload":{"workspaceSecret":"wrong"}}' };
  for (let sent = 0; sent < 1_000; sent += 1) await receiver.handle(forged);

  expect(refused).toBe(1_000);
  expect(lines).toHaveLength(12);
  expect(lines.filter((line) => line.includes('of them'))).toEqual([
    expect.stringContaining('(the 100th of them; not each is logged)'),
    expect.stringContaining('(the 1000th of them; not each is logged)'),
  ]);
  for (now of [60_000, 120_000]) await receiver.handle(forged);
  expect(lines).toHaveLength(12);
  // Those for another reason are counted by themselves.
  await receiver.handle({ method: 'GET', body: undefined });
  expect(lines.at(-1)).toMatch(/405 method_not_allowed(?!.*of them)/);
  now += 60_001;
  await receiver.handle(forged);
  expect(lines.at(-1)).toMatch(/401 verification_failed(?!.*of them)/);
});

test('lines of deliveries carry their facts as fields', async () => {
  const fields: unknown[] = [];
  const clock = new ManualClock();
  const end = deferred();
  const take = (_: string, facts?: object) => void fields.push(facts);
  const receiver = createWebhookReceiver({
    secret: { shop: secret },
    logLevel: 'info',
    logger: { error: take, warn: take, info: take, debug: take },
    clock,
  }).on('webhook_test', ({ payload }) => {
    if (payload.message === 'fail') throw new Error('no');
    if (payload.message === 'late') return end.promise;
  });
  await receiver.handle(post('webhook_test'));
  await receiver.handle({ method: 'GET', body: undefined });
  await receiver.handle(post('webhook_test', { message: 'fail' }));

  const common = { deliveryId: expect.any(String), durationMs: expect.any(Number) };
  expect(fields).toEqual([
    { ...common, type: 'webhook_test', workspace: 'shop', outcome: 'handled', status: 200 },
    { ...common, type: undefined, workspace: undefined, outcome: 'method_not_allowed', status: 405 },
    {
      type: 'webhook_test',
      workspace: 'shop',
      deliveryId: expect.any(String),
      outcome: 'handler_failed',
    },
    { ...common, type: 'webhook_test', workspace: 'shop', outcome: 'handler_failed', status: 500 },
  ]);

  const answer = receiver.handle(post('webhook_test', { message: 'late' }));
  await clock.advance(55_000);
  await answer;
  end.resolve();
  await settle();
  const facts = { type: 'webhook_test', workspace: 'shop', deliveryId: expect.any(String) };
  expect(fields.slice(4)).toEqual([
    { ...facts, outcome: 'deadline_failed' },
    { ...facts, outcome: 'deadline_passed', status: 500, durationMs: 55_000 },
    { ...facts, outcome: 'handled', status: 200, durationMs: 55_000 },
  ]);
});

const stack = 'Error: of a customer\n    at a place that is none';

test.each<[string, unknown]>([
  ['a text', 'of a customer'],
  ['null', null],
  ['an error without a stack', Object.assign(new Error('of a customer'), { stack: undefined })],
  ['an error whose message is not in its stack', Object.assign(new Error('another'), { stack })],
])('a handler that throws %s leaves one line, without frames', async (_, thrown) => {
  const logger = new RecordingLogger();
  const receiver = createWebhookReceiver({ secret, logger }).on('webhook_test', () => Promise.reject(thrown));
  expect((await receiver.handle(post('webhook_test'))).status).toBe(500);
  expect(logger.lines).toEqual([expect.stringMatching(/failed at handler with .*, delivery \S+$/)]);
  expect(logger.lines.join()).not.toContain('customer');
});

test('of a stack that holds more than frames, the frames alone are logged', async () => {
  const logger = new RecordingLogger();
  const thrown = Object.assign(new Error('no'), {
    stack: 'Error: no\n  at the door of a customer\n    at crm (crm.js:1:1)',
  });
  const receiver = createWebhookReceiver({ secret, logger }).on('webhook_test', () => Promise.reject(thrown));
  await receiver.handle(post('webhook_test'));
  expect(logger.lines).toEqual([expect.stringMatching(/delivery \S+\n {4}at crm \(crm\.js:1:1\)$/)]);
});

test.each(['', 'at'])('an error whose message is %j has its frames in the log', async (message) => {
  const logger = new RecordingLogger();
  const receiver = createWebhookReceiver({ secret, logger }).on('webhook_test', () => {
    throw new Error(message);
  });
  await receiver.handle(post('webhook_test'));
  expect(logger.lines).toEqual([expect.stringMatching(/\n {4}at .*observability\.test\.ts/)]);
});

test('of the stack of a failed handler, the first ten frames are logged', async () => {
  const lines: string[] = [];
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 50;
  onTestFinished(() => {
    Error.stackTraceLimit = limit;
  });
  const fail = (depth: number): never => {
    if (depth === 0) throw new Error('no');
    return fail(depth - 1);
  };
  const receiver = createWebhookReceiver({
    secret,
    logger: { ...console, error: (line: string) => void lines.push(line) },
  }).on('webhook_test', () => fail(30));
  await receiver.handle(post('webhook_test'));
  expect(lines.join().match(/^ {4}at /gm)).toHaveLength(10);
  expect(lines.join().match(/^ {4}at fail /gm)).toHaveLength(10);
});

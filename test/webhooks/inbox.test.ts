import {
  ConfigurationError,
  createWebhookHandlers,
  createWebhookReceiver,
  type Drift,
  type HandlingReceiver,
  type StoredWebhook,
  type WebhookContext,
  WebhookError,
  type WebhookFailure,
  type WebhookInbox,
  WebhookPayloadError,
} from 'agent-platform-sdk';
import { expect, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { codeOf, delivery, envelope, eventTypes, minimal, post, secret, settle } from './deliveries.js';

/** A receiver with an inbox in memory. */
function setUp(inbox?: WebhookInbox) {
  const stored: StoredWebhook[] = [];
  const logger = new RecordingLogger();
  const failures: [error: unknown, failure: WebhookFailure][] = [];
  const receiver = createWebhookReceiver({
    secret: { acme: secret },
    inbox: inbox ?? { store: async (webhook) => stored.push(webhook) },
    logger,
    logLevel: 'info',
  }).onError((error, failure) => failures.push([error, failure]));
  return { receiver, stored, logger, failures };
}

const aStored = (changes: Partial<StoredWebhook> = {}): StoredWebhook => ({
  version: 1,
  key: 'a'.repeat(64),
  type: 'lead_captured',
  payload: minimal.lead_captured,
  deliveryId: 'delivery_1',
  receivedAt: 1_760_000_000_000,
  ...changes,
});

test('200 means stored: the event without its secret, not validated, under its key', async () => {
  const { receiver, stored, logger } = setUp();
  expect(codeOf(await receiver.handle(post('lead_captured', { agentId: 7 })))).toEqual([200]);
  expect(stored).toEqual([
    {
      version: 1,
      key: expect.stringMatching(/^[0-9a-f]{64}$/),
      type: 'lead_captured',
      payload: { ...minimal.lead_captured, agentId: 7 },
      workspace: 'acme',
      deliveryId: expect.any(String),
      receivedAt: expect.any(Number),
    },
  ]);
  expect(JSON.stringify(stored)).not.toContain(secret);
  expect(logger.lines).toEqual([expect.stringMatching(/^info .*lead_captured of "acme": 200 stored/)]);
});

test('an event of an unknown type is stored too, and duplicates have one key', async () => {
  const { receiver, stored } = setUp();
  for (let index = 0; index < 2; index += 1) await receiver.handle(post('agent_renamed', { name: 'New' }));
  expect(stored).toMatchObject([{ type: 'agent_renamed' }, { type: 'agent_renamed' }]);
  expect(stored[0]?.key).toBe(stored[1]?.key);
});

test('an unknown field of the envelope is logged, and is not stored', async () => {
  const { receiver, stored, logger } = setUp();
  await receiver.handle({ method: 'POST', body: { ...envelope('webhook_test'), sentAt: 1 } });
  expect(logger.lines.join()).toMatch(/warn .*webhook_test .*not passed on\n {2}- sentAt: unknown field/);
  expect(JSON.stringify(stored)).not.toContain('sentAt');
});

test.each<[option: string, value: unknown, where: RegExp]>([
  ['validation', 'strict', /validation belongs to the handlers: pass it to createWebhookHandlers/],
  ['onDrift', () => undefined, /onDrift belongs to the handlers: pass it to createWebhookHandlers/],
  ['dedupe', false, /dedupe cannot be combined with `inbox`/],
  ['handlers', createWebhookHandlers(), /handlers belong to the worker: inbox.work\(handlers\)/],
])('a receiver with an inbox refuses %s, and says where it belongs', (option, value, where) => {
  const inbox = { store: async () => undefined };
  const create = () => createWebhookReceiver({ secret, inbox, [option]: value });
  expect(create).toThrow(expect.objectContaining({ name: 'ConfigurationError', option }));
  expect(create).toThrow(where);
});

test('a receiver runs the handlers that are passed, with their validation and their onError', async () => {
  const drifts: Drift[] = [];
  const seen: string[] = [];
  const failures: unknown[] = [];
  const handlers = createWebhookHandlers({ onDrift: (drift) => drifts.push(drift), logLevel: 'off' })
    .on('lead_captured', ({ type }) => seen.push(type))
    .on('webhook_test', () => Promise.reject(new Error('no')))
    .onError((error, { stage }) => failures.push([error, stage]));
  const receiver = createWebhookReceiver({ secret, handlers, logLevel: 'off' });
  receiver.onAny(({ type }) => seen.push(`any ${type}`));
  expect(receiver.handlers).toBe(handlers);
  for (const channel of ['hologram', 'hologram']) {
    expect(codeOf(await receiver.handle(post('lead_captured', { channel })))).toEqual([200]);
  }
  expect(codeOf(await receiver.handle(post('webhook_test')))).toEqual([500, 'handler_failed']);
  // The second was a duplicate.
  expect(seen).toEqual(['lead_captured', 'any lead_captured', 'any webhook_test']);
  expect(drifts.map(({ source }) => source)).toEqual(['lead_captured', 'lead_captured']);
  expect(failures).toEqual([[new Error('no'), 'handler']]);
  expect(() => createWebhookReceiver({ secret, handlers, validation: 'strict' })).toThrow(
    /validation belongs to the handlers/,
  );
  expect(() => createWebhookReceiver({ secret, handlers: { lead_captured: () => 0 } as never })).toThrow(
    ConfigurationError,
  );
});

test('an event without a type cannot be stored: 400, and onError has its payload', async () => {
  const { receiver, stored, failures } = setUp();
  const body = { payload: { agentId: 'agent_1', workspaceSecret: secret } };
  expect(codeOf(await receiver.handle({ method: 'POST', body }))).toEqual([400, 'invalid_event']);
  expect([stored, failures]).toMatchObject([
    [],
    [[{ payload: { agentId: 'agent_1' } }, { stage: 'validation' }]],
  ]);
});

test('an inbox that fails: 500, and onError gets its error', async () => {
  const full = new Error(`full, at ${secret}`);
  const { receiver, failures, logger } = setUp({ store: () => Promise.reject(full) });
  expect(codeOf(await receiver.handle(post('lead_captured')))).toEqual([500, 'not_stored']);
  expect(failures).toMatchObject([[full, { stage: 'inbox', event: { type: 'lead_captured' } }]]);
  expect(logger.lines.join()).toMatch(/error .*failed at inbox/);
  expect(logger.lines.join()).not.toContain(secret);
});

test('an inbox from JavaScript that returns no promise has stored the event', async () => {
  const { receiver } = setUp({ store: (() => undefined) as never });
  expect(codeOf(await receiver.handle(post('lead_captured')))).toEqual([200]);
});

test('an inbox that returns no promise is warned of once', async () => {
  const { receiver, logger } = setUp({ store: (() => undefined) as unknown as WebhookInbox['store'] });
  await receiver.handle(post('webhook_test'));
  await receiver.handle(post('lead_captured'));
  expect(logger.lines.filter((line) => line.startsWith('warn'))).toEqual([
    expect.stringContaining('the `store` of the inbox returned no promise'),
  ]);
});

test.each<[what: string, field: string, status: number, value: unknown]>([
  ['nested 1,000 times', `${'['.repeat(1_000)}${']'.repeat(1_000)}`, 200, expect.any(Array)],
  ['nested 100,000 times', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 400, undefined],
  ['nested 100,000 times as a list', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400, undefined],
  ['1e400', '1e400', 200, null],
  ['-1.5E+400 in a list', '[-1.5E+400, 2]', 200, [null, 2]],
  ['of 400 digits', '9'.repeat(400), 200, null],
  ['of 300 digits', '9'.repeat(300), 200, Number('9'.repeat(300))],
  ['"1e400"', '"1e400"', 200, '1e400'],
])('a field %s comes to the same with an inbox and without', async (_, field, status, value) => {
  const body = delivery('later_event').replace('{"workspaceSecret"', `{"more":${field},"workspaceSecret"`);
  const { receiver, stored } = setUp();
  expect((await receiver.handle({ method: 'POST', body })).status).toBe(status);
  const handled: unknown[] = [];
  const logger = new RecordingLogger();
  const direct = createWebhookReceiver({ secret, logger }).onUnknown(({ payload }) => handled.push(payload));
  expect((await direct.handle({ method: 'POST', body })).status).toBe(status);
  const payloads = stored.map(({ payload }) => JSON.parse(JSON.stringify(payload)) as unknown);
  expect(payloads).toEqual(status === 200 ? [{ more: value }] : []);
  expect(handled).toEqual(payloads);
  if (status === 400) expect(logger.lines.join()).toContain('nested too deeply');
});

test('handlers and a logger of another copy of the package work', async () => {
  vi.resetModules();
  const other = await import('agent-platform-sdk');
  const logger = new RecordingLogger();
  const handlers = other.createWebhookHandlers().on('lead_captured', () => Promise.reject(new Error('no')));
  const receiver = createWebhookReceiver({ secret, logger, handlers });
  expect((await receiver.handle(post('lead_captured'))).status).toBe(500);
  expect((await receiver.handle(post('webhook_test'))).status).toBe(200);
  // The second line is written by the handlers themselves.
  expect(logger.lines).toEqual([
    expect.stringMatching(/^error .*lead_captured: failed at handler/),
    expect.stringMatching(/^warn .*webhook_test: no handler is registered/),
  ]);
});

test('an inbox that throws at once: 500', async () => {
  const store = () => {
    throw new Error('no');
  };
  const { receiver, failures } = setUp({ store });
  expect(codeOf(await receiver.handle(post('lead_captured')))).toEqual([500, 'not_stored']);
  expect(failures).toMatchObject([[{ message: 'no' }, { stage: 'inbox' }]]);
});

test('an unauthenticated delivery is not stored', async () => {
  const { receiver, stored } = setUp();
  const response = await receiver.handle(post('lead_captured', { workspaceSecret: 'forged' }));
  expect([response.status, stored]).toEqual([401, []]);
});

test.each(['on', 'onAny', 'onUnhandled', 'onUnknown', 'onInvalid'] as const)(
  'a receiver with an inbox refuses handlers: %s',
  (name) => {
    const { receiver } = setUp();
    // From JavaScript.
    const untyped = receiver as HandlingReceiver;
    const register = () =>
      name === 'on' ? untyped.on('lead_captured', () => undefined) : untyped[name](() => undefined);
    expect(register).toThrow(ConfigurationError);
    expect(register).toThrow(/inbox\.work\(.*createWebhookHandlers\(\)/s);
  },
);

test('handlers of a worker process what the receiver has stored', async () => {
  const { receiver, stored } = setUp();
  const seen: unknown[] = [];
  const handlers = createWebhookHandlers().onAny((event, context) => seen.push([event, context]));
  await receiver.handle(post('lead_captured'));
  const signal = new AbortController().signal;
  for (const webhook of stored) await handlers.process(JSON.parse(JSON.stringify(webhook)), { signal });
  const [{ key, deliveryId, receivedAt } = aStored()] = stored;
  expect(seen).toEqual([
    [
      { type: 'lead_captured', payload: minimal.lead_captured, workspace: 'acme' },
      { deliveryId, eventKey: key, receivedAt, signal, drift: [] },
    ],
  ]);
});

test('without a signal, the context still has one', async () => {
  let context: WebhookContext | undefined;
  const handlers = createWebhookHandlers().on('lead_captured', (_, given) => {
    context = given;
  });
  await handlers.process(aStored());
  expect(context?.signal.aborted).toBe(false);
});

test.each(eventTypes)('%s reaches its handler', async (type) => {
  const seen: string[] = [];
  const handlers = createWebhookHandlers().on(type, (event) => seen.push(event.type));
  await handlers.process(aStored({ type, payload: minimal[type] }));
  expect(seen).toEqual([type]);
});

test('a handler that fails rejects the run with its error as cause; others run', async () => {
  const failures: [unknown, WebhookFailure][] = [];
  const ran: number[] = [];
  const [one, two] = [new Error('one'), new Error('two')];
  const handlers = createWebhookHandlers({ logLevel: 'off' })
    .on('lead_captured', () => Promise.reject(one))
    .on('lead_captured', () => ran.push(2))
    .onError((error, failure) => failures.push([error, failure]));
  await expect(handlers.process(aStored())).rejects.toMatchObject({
    type: 'webhook_error',
    retryable: true,
    cause: one,
  });
  handlers.on('lead_captured', () => Promise.reject(two));
  await expect(handlers.process(aStored())).rejects.toMatchObject({
    message: '2 handler(s) of the webhook lead_captured failed.',
    cause: { errors: [one, two] },
  });
  expect(ran).toEqual([2, 2]);
  expect(failures.map(([error, { stage, context }]) => [error, stage, context.eventKey])).toEqual(
    [one, one, two].map((error) => [error, 'handler', 'a'.repeat(64)]),
  );
});

test('a run ends after its listeners: a process may end with it', async () => {
  const listened = deferred();
  const ended: string[] = [];
  const handlers = createWebhookHandlers({ logLevel: 'off' })
    .on('lead_captured', () => Promise.reject(new Error('no')))
    .onError(async () => {
      await listened.promise;
      ended.push('listened');
    });
  const processing = handlers.process(aStored()).catch(() => ended.push('rejected'));
  await settle();
  listened.resolve();
  await processing;
  expect(ended).toEqual(['listened', 'rejected']);
});

test('an invalid event goes to onInvalid, or rejects the run for good', async () => {
  const invalid = aStored({ type: 'agent_deleted', payload: { operation: 'deleted' } });
  const handlers = createWebhookHandlers({ logLevel: 'off' });
  const failures: unknown[] = [];
  handlers.onError((_error, { stage }) => failures.push(stage));
  const processing = handlers.process(invalid);
  await expect(processing).rejects.toThrow(WebhookPayloadError);
  await expect(processing).rejects.toMatchObject({
    retryable: false,
    issues: [{ path: ['payload', 'agentId'] }],
  });
  expect(failures).toEqual(['validation']);
  const seen: unknown[] = [];
  handlers.onInvalid(({ issues }) => seen.push(issues.length));
  await handlers.process(invalid);
  expect(seen).toEqual([1]);
});

test.each<[string, (handlers: ReturnType<typeof createWebhookHandlers>) => unknown, boolean[]]>([
  ['nothing', () => undefined, [false, false]],
  ['on', (handlers) => handlers.on('agent_deleted', () => undefined), [true, false]],
  ['onAny', (handlers) => handlers.onAny(() => undefined), [true, false]],
  ['onUnhandled', (handlers) => handlers.onUnhandled(() => undefined), [true, false]],
  ['onUnknown', (handlers) => handlers.onUnknown(() => undefined), [false, true]],
])('with %s registered, `handles` knows a documented type, an unknown one', (_, register, expected) => {
  const handlers = createWebhookHandlers();
  register(handlers);
  expect(['agent_deleted', 'not_an_event'].map((type) => handlers.handles(type))).toEqual(expected);
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a text', 'hello'],
  ['the job of another application', { id: 1 }],
  ['an event without a version', { ...aStored(), version: undefined }],
  ['a payload that is a list', { ...aStored(), payload: [] }],
])('%s is not a stored webhook, and a retry does not help', async (_, data) => {
  const processing = createWebhookHandlers().process(data as StoredWebhook);
  await expect(processing).rejects.toThrow('This is not a stored webhook');
  await expect(processing).rejects.toMatchObject({ retryable: false });
});

test('an event of a newer version must be kept until the worker is updated', async () => {
  const processing = createWebhookHandlers().process(aStored({ version: 2 }));
  await expect(processing).rejects.toThrow(/version 2: update agent-platform-sdk in the worker/);
  await expect(processing).rejects.toMatchObject({ retryable: true });
  await expect(processing).rejects.toThrow(WebhookError);
});

test('handlers of a worker need no secret, and refuse options of a receiver', () => {
  expect(() => createWebhookHandlers({ secret } as never)).toThrow(
    /createWebhookHandlers: secret is not a known option/,
  );
});

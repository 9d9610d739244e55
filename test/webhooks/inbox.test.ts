import {
  ConfigurationError,
  createWebhookReceiver,
  type Drift,
  defineEvent,
  type StoredWebhook,
  type WebhookFailure,
  WebhookPayloadError,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { envelope, minimal, type OptionsWithSecret, post, secret } from './deliveries.js';
import { ManualClock, settle } from './manual-clock.js';

function setUp(options: OptionsWithSecret = {}) {
  const stored: StoredWebhook[] = [];
  const clock = new ManualClock();
  const failures: [unknown, WebhookFailure][] = [];
  const receiver = createWebhookReceiver({
    secret,
    clock,
    logger: new RecordingLogger(),
    inbox: { store: async (webhook) => stored.push(webhook) },
    ...options,
  }).onError((error, failure) => failures.push([error, failure]));
  return { receiver, stored, clock, failures };
}

const job: StoredWebhook = {
  key: '0'.repeat(64),
  type: 'lead_captured',
  payload: minimal.lead_captured,
  deliveryId: 'delivery_1',
  receivedAt: 1_760_000_000_000,
};

test('a verified event is stored without the secret, and answered 200 before any handler runs', async () => {
  const logger = new RecordingLogger();
  const { receiver, stored, clock } = setUp({ secret: { acme: secret }, logger, logLevel: 'info' });
  receiver.onAny(() => expect.unreachable());
  expect((await receiver.handle(post('lead_captured'))).status).toBe(200);
  expect(logger.lines).toEqual([
    expect.stringMatching(/^info .*webhook lead_captured of "acme": 200 stored after/),
  ]);
  expect(stored).toStrictEqual([
    {
      version: 1,
      key: expect.stringMatching(/^[0-9a-f]{64}$/),
      type: 'lead_captured',
      payload: minimal.lead_captured,
      workspace: 'acme',
      deliveryId: expect.any(String),
      receivedAt: clock.now(),
    },
  ]);
  expect(JSON.parse(JSON.stringify(stored))).toEqual(stored);
});

test.each([
  ['of an unknown type', 'agent_renamed', {}],
  ['of a type that was defined', 'lead_scored', {}],
  ['that does not fit the specification', 'lead_captured', { agentId: 7 }],
])('an event %s is stored too: the worker decides', async (_, type, overrides) => {
  const { receiver, stored } = setUp();
  receiver.on(defineEvent('lead_scored', z.object({})), () => expect.unreachable());
  expect((await receiver.handle(post(type, overrides))).status).toBe(200);
  expect(stored).toMatchObject([{ type }]);
});

test('copies have one key; the receiver takes no claim, so that the inbox decides', async () => {
  const { receiver, stored } = setUp();
  await receiver.handle(post('lead_captured'));
  await receiver.handle({ method: 'POST', body: envelope('lead_captured') });
  await receiver.handle(post('lead_captured', { createdAt: 1 }));
  const keys = stored.map(({ key }) => key);
  expect([keys.length, keys[0] === keys[1], keys[0] === keys[2]]).toEqual([3, true, false]);
});

test('a field of the envelope is stored, and reported when the event is processed', async () => {
  const drifts: Drift[] = [];
  const onDrift = (drift: Drift) => void drifts.push(drift);
  const { receiver, stored } = setUp({ secret: { acme: secret }, onDrift });
  receiver.onAny(() => undefined);
  const body = { ...envelope('webhook_test'), version: 2, copy: secret };
  await receiver.handle({ method: 'POST', body: JSON.stringify(body) });
  expect(stored).toMatchObject([{ type: 'webhook_test', envelope: { version: 2, copy: '[redacted]' } }]);
  expect(drifts).toEqual([]);
  for (const webhook of stored) await receiver.process(webhook);
  expect(drifts).toMatchObject([{ source: 'webhook_test', envelope: { version: 2 } }]);
});

test('what is stored tells when its delivery arrived, however long its secret was looked up', async () => {
  const lookUp = deferred();
  const { receiver, stored, clock } = setUp({ secret: () => lookUp.promise.then(() => secret) });
  const arrived = clock.now();
  const answer = receiver.handle(post('lead_captured'));
  await clock.advance(1_000);
  lookUp.resolve();
  expect((await answer).status).toBe(200);
  expect(stored).toMatchObject([{ receivedAt: arrived }]);
});

test('what is not verified, or has no type, is not stored', async () => {
  const { receiver, stored } = setUp();
  expect((await receiver.handle(post('lead_captured', { workspaceSecret: 'forged' }))).status).toBe(401);
  expect(
    (await receiver.handle({ method: 'POST', body: { payload: { workspaceSecret: secret } } })).status,
  ).toBe(400);
  expect(stored).toEqual([]);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('full');
    },
  ],
  ['rejects', () => Promise.reject(new Error('full'))],
])('an inbox that %s is answered 500, and reported', async (_, store) => {
  const { receiver, failures } = setUp({ inbox: { store } });
  const { status, body } = await receiver.handle(post('lead_captured'));
  expect([status, JSON.parse(body)]).toMatchObject([500, { code: 'not_stored' }]);
  expect(failures).toMatchObject([
    [{ message: 'full' }, { stage: 'inbox', event: { type: 'lead_captured' } }],
  ]);
});

test('an event without a type is told with its workspace', async () => {
  const { receiver } = setUp({ secret: { acme: secret }, inbox: undefined });
  const seen: unknown[] = [];
  receiver.onInvalid(({ type, workspace, issues }) => seen.push(type, workspace, issues[0]?.path));
  await receiver.handle({ method: 'POST', body: { payload: { workspaceSecret: secret } } });
  expect(seen).toEqual([undefined, 'acme', ['type']]);
});

test('a stored event is handed to the handlers, with the context of its delivery', async () => {
  const { receiver } = setUp();
  const { signal } = new AbortController();
  const seen: unknown[] = [];
  receiver.on('lead_captured', (event, context) => seen.push(event, context, context.signal));
  await receiver.process({ ...job, workspace: 'acme' }, { signal });
  expect(seen).toEqual([
    { type: 'lead_captured', payload: minimal.lead_captured, workspace: 'acme' },
    { deliveryId: 'delivery_1', receivedAt: 1_760_000_000_000 },
    signal,
  ]);
});

test('what was stored, turned to JSON and back, is what a handler gets', async () => {
  const { receiver, stored } = setUp();
  const seen: unknown[] = [];
  receiver.onAny((event, context) => {
    seen.push(event);
    // Nothing ends this run, but a handler may listen to its signal and stop listening.
    expect(context.signal).toBe(context.signal);
  });
  await receiver.handle(post('form_submitted'));
  for (const webhook of JSON.parse(JSON.stringify(stored)) as StoredWebhook[])
    await receiver.process(webhook);
  expect(seen).toEqual([{ type: 'form_submitted', payload: minimal.form_submitted }]);
});

test('a handler that fails lets the work fail, with its error as the cause', async () => {
  const { receiver, failures } = setUp();
  const error = new Error('crm down');
  const handler = () => Promise.reject(error);
  receiver.on('lead_captured', handler).onAny(() => undefined);
  await expect(receiver.process(job)).rejects.toMatchObject({
    type: 'webhook_error',
    message: '1 handler(s) of the webhook lead_captured failed.',
    cause: error,
  });
  expect(failures).toMatchObject([[error, { stage: 'handler', handler, event: { type: 'lead_captured' } }]]);
});

const noKey = () => {
  throw new Error('no key');
};

test.each<[string, Partial<StoredWebhook>, OptionsWithSecret, AbortSignal?]>([
  ['a handler fails', {}, {}],
  ['it does not fit', { payload: {} }, {}],
  ['no key can be made of it', {}, { newestOnly: noKey }],
  ['its turn has not come', {}, { newestOnly: () => 'one' }, AbortSignal.abort()],
])(
  'where %s, the work ends after the listeners: a process may end with it',
  async (_, more, options, signal) => {
    const { receiver } = setUp(options);
    const told = deferred();
    const ended: string[] = [];
    receiver
      .on('lead_captured', () => Promise.reject(new Error('no')))
      .onError(async () => {
        await told.promise;
        ended.push('told');
      });
    const work = receiver.process({ ...job, ...more }, { signal }).catch(() => ended.push('failed'));
    await settle();
    told.resolve();
    await work;
    expect(ended).toEqual(['told', 'failed']);
  },
);

test('where a listener fails as well, the work fails as its handler did', async () => {
  const { receiver } = setUp();
  const error = new Error('crm down');
  receiver.on('lead_captured', () => Promise.reject(error)).onError(() => Promise.reject(new Error('no')));
  await expect(receiver.process(job)).rejects.toMatchObject({ type: 'webhook_error', cause: error });
});

test('what fails in a worker is told with its workspace', async () => {
  const logger = new RecordingLogger();
  const { receiver } = setUp({ logger });
  receiver.on('lead_captured', () => Promise.reject(new Error('no')));
  const work = receiver.process({ ...job, workspace: 'shop' });
  await expect(work).rejects.toThrow('1 handler(s) of the webhook lead_captured of "shop" failed.');
  await expect(receiver.process({ ...job, workspace: 'shop', payload: {} })).rejects.toThrow('of "shop"');
  expect(logger.lines).toEqual([
    expect.stringContaining('webhook lead_captured of "shop": failed at handler'),
    expect.stringContaining('webhook lead_captured of "shop": failed at validation'),
  ]);
});

test('several failures are one error with all causes', async () => {
  const { receiver } = setUp();
  const errors = [new Error('one'), new Error('two')];
  for (const error of errors) receiver.onAny(() => Promise.reject(error));
  await expect(receiver.process(job)).rejects.toMatchObject({ cause: { errors } });
});

test('an invalid event lets the work fail, unless onInvalid takes it', async () => {
  const invalid = { ...job, payload: {} };
  const alone = setUp();
  await expect(alone.receiver.process(invalid)).rejects.toThrow(WebhookPayloadError);
  await expect(alone.receiver.process(invalid)).rejects.toMatchObject({ retryable: false });
  expect(alone.failures[0]).toMatchObject([{ payload: {} }, { stage: 'validation', event: { payload: {} } }]);
  const { receiver } = setUp();
  const seen: unknown[] = [];
  receiver.onInvalid(({ type }) => seen.push(type));
  await receiver.process(invalid);
  expect(seen).toEqual(['lead_captured']);
});

test('work of a type that nobody handles leaves one line, and goes to onUnhandled', async () => {
  const logger = new RecordingLogger();
  const { receiver } = setUp({ logger });
  const seen: unknown[] = [];
  for (const type of ['webhook_test', 'webhook_test', 'agent_renamed']) {
    await receiver.process({ ...job, type, payload: minimal.webhook_test, workspace: `shop ${seen.length}` });
    seen.push(type);
  }
  receiver.onUnhandled((event) => seen.push(event.type));
  await receiver.process(job);
  expect(seen.slice(3)).toEqual(['lead_captured']);
  const line = (about: string) => `warn [agent-platform-sdk] webhook ${about} takes its events (logged once)`;
  expect(logger.lines).toEqual([
    line('webhook_test: no handler is registered for this type; onUnhandled'),
    line('"agent_renamed": this version knows no such type; onUnknown'),
    line('lead_captured: no handler is registered for this type; onUnhandled'),
  ]);
});

test('an unknown type is work that is done, and goes to onUnknown', async () => {
  const { receiver } = setUp();
  const seen: unknown[] = [];
  await receiver.process({ ...job, type: 'agent_renamed' });
  receiver.onUnknown((event) => seen.push(event.type));
  await receiver.process({ ...job, type: 'agent_renamed' });
  expect(seen).toEqual(['agent_renamed']);
});

test('a receiver without a secret processes what is stored, and says why it takes no delivery', async () => {
  const logger = new RecordingLogger();
  const failures: unknown[] = [];
  const seen: unknown[] = [];
  const worker = createWebhookReceiver({ logger })
    .on('lead_captured', ({ type }) => seen.push(type))
    .onError((error, { stage }) => failures.push([stage, error]));
  await worker.process(job);
  expect(seen).toEqual(['lead_captured']);
  expect((await worker.handle(post('lead_captured'))).status).toBe(500);
  expect(failures).toMatchObject([['secret', { type: 'configuration_error', option: 'secret' }]]);
  expect(logger.lines.join()).toContain(
    'without `secret` only processes what an inbox has stored. Give `secret` or `verifySecret` to one that takes',
  );
  expect(() => createWebhookReceiver({ inbox: undefined } as object)).not.toThrow();
});

test.each([
  ['whose secret is not set', { secret: undefined }],
  ['whose look-up is not there', { verifySecret: undefined }],
  ['that has an inbox', { inbox: { store: () => undefined } }],
])('a receiver %s is not taken for one without a secret', (_, options) => {
  expect(() => createWebhookReceiver(options as object)).toThrow(ConfigurationError);
});

test('what a later version has stored waits for a worker of that version; what is no webhook is never retried', async () => {
  const { receiver } = setUp();
  const processed = (stored: unknown) => receiver.process(stored as StoredWebhook);
  await expect(processed({ ...job, version: 2 })).rejects.toMatchObject({
    type: 'webhook_error',
    retryable: true,
    message: 'The stored webhook has version 2: update agent-platform-sdk in the worker.',
  });
  for (const foreign of [
    undefined,
    null,
    { foreign: true },
    { type: 7, payload: {} },
    { type: 'lead_captured' },
    { type: 'lead_captured', payload: null },
    { type: 'lead_captured', payload: 'text' },
  ]) {
    await expect(processed(foreign)).rejects.toMatchObject({
      type: 'webhook_payload_error',
      retryable: false,
      message: 'The job holds no stored webhook',
    });
  }
});

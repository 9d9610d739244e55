import {
  ConfigurationError,
  createWebhookReceiver,
  type Drift,
  defineEvent,
  LeadCapturedPayloadSchema,
  parseWebhook,
  parseWebhookRequest,
  type StandardSchemaV1,
  type StoredWebhook,
  type ValidationMode,
  type WebhookFailure,
} from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { RecordingLogger } from '../support/recording-logger.js';
import { minimal, secret } from './deliveries.js';

const leadScored = defineEvent('lead_scored', z.object({ agentId: z.string(), score: z.coerce.number() }));
const sent = { agentId: 'agent_1', score: '9' };
const bodyOf = (payload: object, type = 'lead_scored') =>
  JSON.stringify({ type, payload: { ...payload, workspaceSecret: secret } });
const post = (payload: object, type?: string) => ({ method: 'POST', body: bodyOf(payload, type) });
/** A Standard Schema of no library, which answers as it is told to. */
const schemaOf = (validate: () => unknown) =>
  ({ '~standard': { version: 1, vendor: 'own', validate } }) as StandardSchemaV1;

test('parseWebhook returns an event of the user, as its schema returns the payload', async () => {
  const event = { type: 'lead_scored', payload: { agentId: 'agent_1', score: 9 } };
  const options = { secret, events: [leadScored] } as const;
  expect(parseWebhook(bodyOf(sent), options)).toEqual(event);
  expect(await parseWebhookRequest(bodyOf(sent), options)).toEqual(event);
  expect(parseWebhook(bodyOf(minimal.lead_captured, 'lead_captured'), options).type).toBe('lead_captured');
  expect(() => parseWebhook(bodyOf({}, 'lead_lost'), options)).toThrow(/"lead_lost" is not known/);
  expect(() => parseWebhook(bodyOf({ agentId: 7, score: 1 }), options)).toThrow(
    expect.objectContaining({
      name: 'WebhookPayloadError',
      issues: [expect.objectContaining({ path: ['payload', 'agentId'], code: 'invalid' })],
    }),
  );
});

test.each([
  ['one that was made by hand', [{ type: 'lead_scored', payload: z.object({}) }]],
  ['a name', ['lead_scored']],
  ['nothing', [null]],
  ['no list', 7],
  ['a type that is defined twice', [leadScored, defineEvent('lead_scored', z.object({}))]],
])('parseWebhook refuses as `events` %s', (_, events) => {
  // From JavaScript.
  const options = { secret, events: events as never };
  expect(() => parseWebhook(bodyOf(sent), options)).toThrow(ConfigurationError);
  expect(() => parseWebhook(bodyOf(sent), options)).toThrow(
    /^events must be a list of what defineEvent\(\) has made\.$|^type "lead_scored" is defined twice\.$/,
  );
});

test('a receiver takes an event of the user as a documented one, once, and refuses one that does not fit', async () => {
  const logger = new RecordingLogger();
  const handler = vi.fn();
  const [onAny, onUnknown, onUnhandled] = [vi.fn(), vi.fn(), vi.fn()];
  const failures: WebhookFailure[] = [];
  const receiver = createWebhookReceiver({ secret, logger })
    .on(leadScored, handler)
    .onAny(onAny)
    .onUnknown(onUnknown)
    .onUnhandled(onUnhandled)
    .onError((_, failure) => failures.push(failure));
  expect(receiver.handles('lead_scored')).toBe(true);
  expect((await receiver.handle(post(sent))).status).toBe(200);
  expect((await receiver.handle(post(sent))).status).toBe(200);
  expect(handler.mock.calls.map(([event]) => event)).toEqual([
    { type: 'lead_scored', payload: { agentId: 'agent_1', score: 9 } },
  ]);
  expect(logger.lines).toEqual([]);

  expect((await receiver.handle(post({ score: 1 }))).status).toBe(400);
  expect(failures).toMatchObject([{ stage: 'validation', event: { type: 'lead_scored' } }]);
  const onInvalid = vi.fn();
  receiver.onInvalid(onInvalid);
  expect((await receiver.handle(post({ score: 2 }))).status).toBe(200);
  expect(onInvalid).toHaveBeenCalledOnce();
  // What they are given is typed as an event of the specification, or as an unknown one.
  for (const other of [onAny, onUnknown, onUnhandled]) expect(other).not.toHaveBeenCalled();
});

test.each<[ValidationMode, unknown, number]>([
  ['strict', undefined, 0],
  ['tolerant', undefined, 0],
  ['report', { score: 'many' }, 1],
  ['off', { score: 'many' }, 0],
])(
  'in mode %s, a payload that does not fit is given as %j, with %d drift',
  async (validation, given, drifts) => {
    const drift: Drift[] = [];
    const onDrift = (one: Drift) => drift.push(one);
    const handler = vi.fn();
    const receiver = createWebhookReceiver({ secret, validation, onDrift, logLevel: 'off' });
    await receiver.on(leadScored, handler).handle(post({ score: 'many' }));
    expect(handler.mock.calls[0]?.[0].payload).toEqual(given);
    expect(drift.map(({ source }) => source)).toEqual(Array.from({ length: drifts }, () => 'lead_scored'));
  },
);

test('an event of the user with a schema of the package is held against it as a documented one', () => {
  const leadMoved = defineEvent('lead_moved', LeadCapturedPayloadSchema);
  const options = { secret, events: [leadMoved] } as const;
  // A new value of a documented list is forgiven, and a missing field is not.
  const moved = { ...minimal.lead_captured, channel: 'fax' };
  expect(parseWebhook(bodyOf(moved, 'lead_moved'), options).payload).toEqual(moved);
  expect(() => parseWebhook(bodyOf({}, 'lead_moved'), options)).toThrow(/payload\.agentId: required/);
  const strict = { ...options, validation: 'strict' } as const;
  expect(() => parseWebhook(bodyOf(moved, 'lead_moved'), strict)).toThrow(
    /payload\.channel: expected one of/,
  );
});

test('a stored event is validated in the worker, by the receiver that knows it', async () => {
  const stored: StoredWebhook[] = [];
  const inbox = { store: (webhook: StoredWebhook) => stored.push(webhook) };
  await createWebhookReceiver({ secret, inbox }).handle(post(sent));
  const handler = vi.fn();
  const worker = createWebhookReceiver({}).on(leadScored, handler);
  for (const webhook of stored) await worker.process(webhook);
  expect(handler.mock.calls[0]?.[0].payload).toEqual({ agentId: 'agent_1', score: 9 });
});

test('the fake sends an event of the user, with createdAt put in', async () => {
  const { webhooks, seed } = createFakePlatform();
  const dated = defineEvent('lead_scored', z.object({ score: z.number(), createdAt: z.number() }));
  const handler = vi.fn();
  webhooks.subscribe(createWebhookReceiver({ secret: seed.eu.workspaceSecret }).on(dated, handler));
  expect(await webhooks.send(dated, { score: 9 })).toMatchObject([{ status: 200, type: 'lead_scored' }]);
  await webhooks.send(dated, { score: 10, createdAt: 5 }, { copies: 2 });
  expect(handler.mock.calls.map(([{ payload }]) => payload)).toEqual([
    { score: 9, createdAt: expect.any(Number) },
    { score: 10, createdAt: 5 },
  ]);
});

test.each([
  [
    'a type of the specification',
    () => defineEvent('lead_captured', z.object({})),
    /^type "lead_captured" is an event of the specification, and has its schema: pass its name\.$/,
  ],
  ['no type', () => defineEvent('', z.object({})), /^type must be the name of an event type\.$/],
  ['a type that is no text', () => defineEvent(7 as never, z.object({})), /^type must be the name/],
  ['nothing as schema', () => defineEvent('lead_scored', undefined as never), /^schema must be a Standard/],
  [
    'no schema',
    () => defineEvent('lead_scored', {} as StandardSchemaV1),
    /^schema must be a Standard Schema, such as one of Zod\.$/,
  ],
  [
    'what only looks like one',
    () => defineEvent('lead_scored', { '~standard': { version: 1, vendor: 'own', validate: {} } } as never),
    /^schema must be a Standard Schema/,
  ],
  [
    'a type that is defined twice',
    () =>
      createWebhookReceiver({ secret })
        .on(leadScored, () => undefined)
        .on(leadScored, () => undefined)
        .on(defineEvent('lead_scored', z.object({})), () => undefined),
    /^type "lead_scored" is defined twice/,
  ],
  [
    'what defineEvent has not made',
    () => createWebhookReceiver({ secret }).on({ type: 'lead_scored' } as never, () => undefined),
    /is not an event type/,
  ],
])('%s is refused', (_, define, message) => {
  expect(define).toThrow(ConfigurationError);
  expect(define).toThrow(message);
});

test.each<[string, () => unknown]>([
  ['a promise', () => Promise.reject(new Error('canary'))],
  // biome-ignore lint/suspicious/noThenProperty: as the result of a library with promises of its own.
  ['what can be awaited as one', () => ({ then: (_: unknown, reject: () => void) => reject() })],
])('a schema that answers by %s is refused', (_, answer) => {
  const late = defineEvent('late', schemaOf(answer));
  expect(() => parseWebhook(bodyOf({}, 'late'), { secret, events: [late] })).toThrow(
    expect.objectContaining({
      type: 'configuration_error',
      option: 'schema',
      message:
        'The schema of the event "late" answers by a promise: defineEvent takes one that answers at once.',
    }),
  );
});

test('in a receiver, a schema that answers by a promise is a failure of validation', async () => {
  const failures: unknown[] = [];
  const late = defineEvent(
    'late',
    schemaOf(() => Promise.resolve({ value: {} })),
  );
  const receiver = createWebhookReceiver({ secret, logLevel: 'off' })
    .on(late, () => expect.unreachable())
    .onError((error, { stage }) => failures.push([stage, error]));
  const { status, body } = await receiver.handle(post({}, 'late'));
  expect([status, JSON.parse(body)]).toMatchObject([500, { code: 'internal_error' }]);
  expect(failures).toMatchObject([['validation', { option: 'schema' }]]);
});

const failures: [string, () => unknown][] = [
  ['throws', () => JSON.parse('')],
  ['answers null', () => null],
  ['answers issues that are null', () => ({ issues: null })],
];

test.each(failures)(
  "a schema that %s is drift in mode 'report', and the payload is passed on",
  async (_, answer) => {
    const broken = defineEvent('broken', schemaOf(answer as never));
    const drifts: unknown[] = [];
    const handled: unknown[] = [];
    const onDrift = ({ issues }: { issues: unknown }) => drifts.push(issues);
    const receiver = createWebhookReceiver({ secret, validation: 'report', logLevel: 'off', onDrift });
    receiver.on(broken, ({ payload }) => handled.push(payload));
    expect((await receiver.handle(post({ a: 1 }, 'broken'))).status).toBe(200);
    expect(handled).toMatchObject([{ a: 1 }]);
    expect(drifts).toMatchObject([
      [{ path: ['payload'], code: 'schema_threw', message: 'the schema threw an error' }],
    ]);
  },
);

test.each(failures)('a schema that %s lets nothing pass in other modes', (_, answer) => {
  const broken = defineEvent('broken', schemaOf(answer as never));
  const parse = () => parseWebhook(bodyOf({}, 'broken'), { secret, events: [broken] });
  expect(parse).toThrow(
    expect.objectContaining({
      issues: [{ path: ['payload'], code: 'schema_threw', message: 'the schema threw an error' }],
    }),
  );
});

test("in mode 'off', the schema is not asked", () => {
  const validate = vi.fn(() => ({ value: {} }));
  const unasked = defineEvent('unasked', schemaOf(validate));
  const options = { secret, events: [unasked], validation: 'off' } as const;
  expect(parseWebhook(bodyOf(sent, 'unasked'), options).payload).toEqual(sent);
  expect(validate).not.toHaveBeenCalled();
});

test('a type that differs from a documented one in its case is one of the user', () => {
  const shouted = defineEvent('LEAD_CAPTURED', z.object({}));
  const body = { type: 'LEAD_CAPTURED', payload: { workspaceSecret: secret } };
  expect(parseWebhook(body, { secret, events: [shouted] })).toMatchObject({ type: 'LEAD_CAPTURED' });
});

test('one definition takes several handlers, and another of its type is refused', async () => {
  const handled: string[] = [];
  const receiver = createWebhookReceiver({ secret, logger: new RecordingLogger() })
    .on(leadScored, () => handled.push('one'))
    .on(leadScored, () => handled.push('other'));
  expect((await receiver.handle(post(sent))).status).toBe(200);
  expect(handled).toEqual(['one', 'other']);
  const twin = defineEvent('lead_scored', z.object({}));
  expect(() => receiver.on(twin, () => undefined)).toThrow(/"lead_scored" is defined twice/);
});

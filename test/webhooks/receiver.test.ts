import { inspect } from 'node:util';
import {
  ConfigurationError,
  createWebhookReceiver,
  type Drift,
  type InvalidWebhookEvent,
  type UnknownWebhookEvent,
  type WebhookContext,
  type WebhookEvent,
  type WebhookFailure,
  type WebhookReceiverOptions,
  type WebhookRejection,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { delivery, envelope, minimal, post, secret, settle } from './deliveries.js';

function setUp(options: WebhookReceiverOptions = {}) {
  const logger = new RecordingLogger();
  const receiver = createWebhookReceiver({ secret, logger, logLevel: 'info', ...options });
  const rejections: WebhookRejection[] = [];
  const failures: [error: unknown, failure: WebhookFailure][] = [];
  receiver.onRejected((rejection) => rejections.push(rejection));
  receiver.onError((error, failure) => failures.push([error, failure]));
  return { receiver, logger, rejections, failures };
}

const id = { 'x-delivery-id': expect.stringMatching(/^[0-9a-f-]{36}$/) as string };
const ok = { status: 200, headers: id, body: '' };
const refused = (status: number, code: string, headers: object = {}) => ({
  status,
  headers: { ...id, 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ message: code.replaceAll('_', ' '), code }),
});

test('a handler gets the event without the secret, and a context that can be spread', async () => {
  const before = Date.now();
  const { receiver } = setUp();
  const seen: [WebhookEvent, WebhookContext][] = [];
  receiver.on('lead_captured', (event, context) => seen.push([event, { ...context }]));
  expect(await receiver.handle(post('lead_captured'))).toEqual(ok);
  expect(seen).toEqual([
    [
      { type: 'lead_captured', payload: minimal.lead_captured },
      {
        signal: expect.any(AbortSignal),
        deliveryId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        eventKey: expect.stringMatching(/^[0-9a-f]{64}$/),
        receivedAt: expect.any(Number),
        drift: [],
      },
    ],
  ]);
  expect(seen[0]?.[1].receivedAt).toBeGreaterThanOrEqual(before);
});

test('with named secrets, the event has the name of its workspace', async () => {
  const { receiver } = setUp({ secret: { acme: secret } });
  const workspaces: (string | undefined)[] = [];
  receiver.on('webhook_test', (event) => workspaces.push(event.workspace));
  await receiver.handle(post('webhook_test'));
  expect(workspaces).toEqual(['acme']);
});

test('all handlers of a type, and of any type, run; those of other types do not', async () => {
  const { receiver } = setUp();
  const ran: string[] = [];
  receiver
    .on('lead_captured', () => ran.push('first'))
    .on('lead_captured', () => ran.push('second'))
    .on('webhook_test', () => ran.push('other'))
    .onAny((event) => ran.push(`any ${event.type}`));
  await receiver.handle(post('lead_captured'));
  expect(ran).toEqual(['first', 'second', 'any lead_captured']);
});

test('a handler that is registered twice runs twice', async () => {
  const { receiver } = setUp();
  const ran: string[] = [];
  const handler = ({ type }: WebhookEvent) => ran.push(type);
  await receiver
    .on('lead_captured', handler)
    .on('lead_captured', handler)
    .onAny(handler)
    .handle(post('lead_captured'));
  expect(ran).toEqual(['lead_captured', 'lead_captured', 'lead_captured']);
});

test.each([0, 1, 2])('the response waits for each of several handlers (%i)', async (slow) => {
  const { receiver } = setUp();
  const end = deferred();
  let hasResponded = false;
  for (const number of [0, 1, 2]) {
    receiver.on('lead_captured', () => (number === slow ? end.promise : Promise.resolve()));
  }
  const responding = receiver.handle(post('lead_captured')).finally(() => {
    hasResponded = true;
  });
  await settle();
  expect(hasResponded).toBe(false);
  end.resolve();
  expect(await responding).toEqual(ok);
});

test('handlers run concurrently: the first may wait for the last', async () => {
  const { receiver } = setUp();
  const last = deferred();
  receiver
    .on('lead_captured', () => last.promise)
    .on('lead_captured', () => undefined)
    .onAny(() => last.resolve());
  expect(await receiver.handle(post('lead_captured'))).toEqual(ok);
});

test('a handler may return whatever can be awaited, such as the query of a database library', async () => {
  const { receiver, failures } = setUp();
  // biome-ignore lint/suspicious/noThenProperty: a query builder runs when it is awaited.
  const query = { then: (_: unknown, reject: (error: Error) => void) => reject(new Error('no such table')) };
  receiver.on('lead_captured', () => query);
  expect(await receiver.handle(post('lead_captured'))).toEqual(refused(500, 'handler_failed'));
  expect(failures).toMatchObject([[{ message: 'no such table' }, { stage: 'handler' }]]);
});

test('an event without a handler gets a 200', async () => {
  const { receiver, logger } = setUp();
  expect(await receiver.handle(post('webhook_test'))).toEqual(ok);
  expect(logger.lines).toEqual([
    expect.stringMatching(
      /^warn .*webhook webhook_test: no handler is registered for this type.*onUnhandled/,
    ),
    expect.stringMatching(/^info .*webhook_test: 200 no_handler/),
  ]);
});

test('an event without a handler goes to onUnhandled, and one with a handler does not', async () => {
  const { receiver, failures, logger } = setUp({ logLevel: 'warn' });
  const seen: WebhookEvent[] = [];
  receiver.on('lead_captured', () => undefined).onUnhandled((event) => seen.push(event));
  await receiver.handle(post('lead_captured'));
  await receiver.handle(post('agent_renamed'));
  await receiver.handle(post('agent_deleted', { agentId: null }));
  expect(await receiver.handle(post('webhook_test'))).toEqual(ok);
  expect(seen).toEqual([{ type: 'webhook_test', payload: minimal.webhook_test }]);
  expect(failures).toMatchObject([[{ type: 'webhook_payload_error' }, {}]]);
  expect(logger.lines.join()).not.toContain('no handler is registered');
});

test('onUnhandled gets every event if there is no other handler, and may fail like one', async () => {
  const { receiver, failures } = setUp();
  const seen: string[] = [];
  receiver.onUnhandled(({ type }) => {
    seen.push(type);
    if (type === 'webhook_test') throw new Error('no');
  });
  expect(await receiver.handle(post('lead_captured'))).toEqual(ok);
  expect(await receiver.handle(post('webhook_test'))).toEqual(refused(500, 'handler_failed'));
  expect(seen).toEqual(['lead_captured', 'webhook_test']);
  expect(failures).toMatchObject([[{ message: 'no' }, { stage: 'handler' }]]);
});

test('no onUnhandled runs if onAny takes the event', async () => {
  const { receiver, logger } = setUp();
  receiver.onAny(() => undefined).onUnhandled(() => expect.unreachable());
  expect(await receiver.handle(post('webhook_test'))).toEqual(ok);
  expect(logger.lines.join()).not.toContain('warn');
});

test('at the default log level each type that nobody handles, or nobody knows, leaves one line', async () => {
  const logger = new RecordingLogger();
  const receiver = createWebhookReceiver({ secret: { acme: secret, globex: 'another-secret' }, logger });
  for (const workspaceSecret of [secret, 'another-secret']) {
    for (const type of ['webhook_test', 'agent_renamed', 'agent_renamed', 'webhook_test', 'lead_captured']) {
      expect(await receiver.handle(post(type, { workspaceSecret }))).toEqual(ok);
    }
  }
  expect(logger.lines).toEqual([
    expect.stringMatching(/^warn .*webhook webhook_test: no handler is registered for this type/),
    expect.stringMatching(/^warn .*webhook "agent_renamed": this version does not know the type.*onUnknown/),
    expect.stringMatching(/^warn .*webhook lead_captured: no handler/),
  ]);
});

test('at most a thousand types are logged, and a long one is cut', async () => {
  const logger = new RecordingLogger();
  const receiver = createWebhookReceiver({ secret, logger });
  for (let index = 0; index < 1_100; index += 1) await receiver.handle(post(`type_${index}`));
  expect(logger.lines).toHaveLength(1_000);
  const other = new RecordingLogger();
  const long = createWebhookReceiver({ secret, logger: other });
  for (const end of ['a', 'b']) await long.handle(post('x'.repeat(1_000) + end));
  expect(other.lines).toHaveLength(1);
});

test('a type with a line break is quoted in the log', async () => {
  const { receiver, logger } = setUp();
  await receiver.handle(post('a "type"\nof a stranger'));
  expect(logger.lines.join()).toContain(String.raw`"a \"type\"\nof a stranger"`);
});

test('an unknown type goes to onUnknown', async () => {
  const { receiver, failures } = setUp();
  const seen: UnknownWebhookEvent[] = [];
  receiver.onAny(() => expect.unreachable()).onUnknown((event) => seen.push(event));
  expect(await receiver.handle(post('agent_renamed', { name: 'New' }))).toEqual(ok);
  expect([seen, failures]).toEqual([[{ type: 'agent_renamed', payload: { name: 'New' } }], []]);
});

test.each([
  ['onUnhandled', post('webhook_test')],
  ['onUnknown', post('agent_renamed', { name: 'New' })],
  ['onInvalid', post('agent_deleted', { agentId: null })],
] as const)('each of several that are registered by %s runs', async (name, request) => {
  const { receiver } = setUp();
  const ran: number[] = [];
  for (const one of [1, 2, 3]) receiver[name](() => void ran.push(one));
  expect(await receiver.handle(request)).toEqual(ok);
  expect(ran).toEqual([1, 2, 3]);
});

test('an invalid event goes to onInvalid with its issues, and gets a 200', async () => {
  const { receiver, rejections } = setUp({ secret: { acme: secret } });
  const seen: InvalidWebhookEvent[] = [];
  receiver.on('agent_deleted', () => expect.unreachable()).onInvalid((event) => seen.push(event));
  expect(await receiver.handle(post('agent_deleted', { agentId: null }))).toEqual(ok);
  expect(seen).toMatchObject([
    {
      type: 'agent_deleted',
      payload: { agentId: null },
      workspace: 'acme',
      issues: [{ path: ['payload', 'agentId'] }],
    },
  ]);
  expect(rejections).toEqual([]);
});

test('an invalid event that nobody takes gets a 400, and is reported', async () => {
  const { receiver, rejections, failures, logger } = setUp();
  expect(await receiver.handle(post('agent_deleted', { agentId: null }))).toEqual(
    refused(400, 'invalid_event'),
  );
  expect(rejections).toEqual([]);
  const payload: unknown = expect.objectContaining({
    agentId: null,
    createdAt: minimal.agent_deleted.createdAt,
  });
  expect(failures).toMatchObject([
    [
      { type: 'webhook_payload_error', issues: [{ path: ['payload', 'agentId'] }], payload },
      { stage: 'validation', event: { type: 'agent_deleted', payload } },
    ],
  ]);
  const [error, failure] = failures[0] ?? [];
  expect(inspect([error, failure], { depth: 20, showHidden: true })).not.toContain(secret);
  // Data of the event: there to be kept, not to be printed with the error.
  expect(JSON.stringify(error) + inspect(error)).not.toContain('1760000000000');
  expect(logger.lines).toEqual([
    expect.stringMatching(/^error .*payload.agentId: expected string, received null/s),
    expect.stringMatching(/^info .*400 invalid_event/),
  ]);
});

test.each(['GET', 'PUT', 'HEAD', undefined])('the method %s gets a 405', async (method) => {
  const { receiver, rejections, logger } = setUp();
  const response = await receiver.handle({ ...post('lead_captured'), method });
  expect(response).toEqual(refused(405, 'method_not_allowed', { allow: 'POST' }));
  expect(logger.lines).toEqual([
    expect.stringMatching(
      /refused with 405 method_not_allowed after \d+ ms, delivery \S+(\n {2}`method` is missing\.)?$/,
    ),
  ]);
  expect(rejections).toMatchObject([{ reason: 'method_not_allowed', status: 405 }]);
});

test.each(['post', 'Post'])('a method is accepted in any case: %s', async (method) => {
  expect(await setUp().receiver.handle({ ...post('lead_captured'), method })).toEqual(ok);
});

test.each<[number, string, unknown]>([
  [401, 'verification_failed', delivery('lead_captured', { workspaceSecret: 'forged' })],
  [401, 'verification_failed', '[]'],
  [401, 'verification_failed', {}],
  [401, 'verification_failed', null],
  [401, 'verification_failed', 'hello'],
  [401, 'verification_failed', '{"workspaceSecret":"no escape: \\x"}'],
  [401, 'verification_failed', new Uint8Array(2_000).fill(0xff)],
  [400, 'not_json', delivery('lead_captured').slice(0, -1)],
  [400, 'not_json', ''],
  [400, 'not_json', undefined],
  [413, 'body_too_large', 'x'.repeat(2_001)],
  [413, 'body_too_large', 'é'.repeat(1_001)],
  [413, 'body_too_large', new Uint8Array(2_001)],
])('%i %s: refused before any handler', async (status, reason, body) => {
  const { receiver, rejections, logger } = setUp({ maxBodyBytes: 2_000 });
  receiver.onAny(() => expect.unreachable()).onInvalid(() => expect.unreachable());
  expect(await receiver.handle({ method: 'POST', body })).toEqual(refused(status, reason));
  expect(rejections).toMatchObject([{ reason, status, size: sizeOf(body), deliveryId: expect.any(String) }]);
  expect(logger.lines).toEqual([
    expect.stringContaining(
      `warn [agent-platform-sdk] webhook (unverified): refused with ${status} ${reason}`,
    ),
  ]);
});

function sizeOf(body: unknown): number | undefined {
  return typeof body === 'string' || body instanceof Uint8Array ? Buffer.byteLength(body) : undefined;
}

test.each(['x', 'é', '€', '😀', '\uD83D', '\uDE00x'])(
  'a body of %j is measured in bytes of UTF-8',
  async (text) => {
    const body = JSON.stringify(text.repeat(100))
      .replaceAll('\\ud83d', '\uD83D')
      .replaceAll('\\ude00', '\uDE00');
    const size = Buffer.byteLength(body);
    const status = async (maxBodyBytes: number) =>
      (await setUp({ maxBodyBytes }).receiver.handle({ method: 'POST', body })).status;
    expect([await status(size), await status(size - 1)]).toEqual([401, 413]);
  },
);

test('one failure does not stop the other handlers, and each is passed to onError as thrown', async () => {
  const { receiver, failures } = setUp();
  const ran: string[] = [];
  const throws = () => {
    throw new Error('thrown');
  };
  const rejects = async () => {
    throw new Error('rejected');
  };
  receiver
    .on('lead_captured', throws)
    .on('lead_captured', rejects)
    .on('lead_captured', () => ran.push('third'));
  expect(await receiver.handle(post('lead_captured'))).toEqual(refused(500, 'handler_failed'));
  expect(ran).toEqual(['third']);
  const event = { type: 'lead_captured', payload: minimal.lead_captured };
  expect(failures).toMatchObject([
    [
      { message: 'thrown' },
      { stage: 'handler', event, context: { deliveryId: expect.any(String), eventKey: expect.any(String) } },
    ],
    [{ message: 'rejected' }, { stage: 'handler', event }],
  ]);
});

test.each<[what: string, body: string, handler: () => unknown]>([
  [
    'handler throws',
    delivery('lead_captured'),
    () => {
      throw new Error('thrown');
    },
  ],
  ['handler rejects', delivery('lead_captured'), () => Promise.reject(new Error('rejected'))],
  ['delivery is refused', 'no', () => undefined],
  ['payload does not fit', delivery('agent_deleted', { agentId: null }), () => undefined],
])('if a %s, the response waits for the listeners: a process may end with it', async (_, body, handler) => {
  const listened = deferred();
  const ended: string[] = [];
  const listen = async () => {
    await listened.promise;
    ended.push('listened');
  };
  const { receiver } = setUp();
  receiver.on('lead_captured', handler).onError(listen).onRejected(listen);
  const responding = receiver.handle({ method: 'POST', body }).then(() => ended.push('responded'));
  await settle();
  listened.resolve();
  await responding;
  expect(ended).toEqual(['listened', 'responded']);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('again');
    },
  ],
  ['rejects', () => Promise.reject(new Error('again'))],
])('an onError or onRejected that %s changes no response', async (_, listener) => {
  const logger = new RecordingLogger();
  const receiver = createWebhookReceiver({ secret, logger }).onError(listener).onRejected(listener);
  receiver.on('lead_captured', () => Promise.reject(new Error('no')));
  expect(await receiver.handle(post('lead_captured'))).toEqual(refused(500, 'handler_failed'));
  expect(await receiver.handle({ method: 'POST', body: '{}' })).toEqual(refused(401, 'verification_failed'));
  expect(logger.lines.filter((line) => / on(Error|Rejected) failed: Error: again$/m.test(line))).toHaveLength(
    2,
  );
});

test('a logger that throws changes no response', async () => {
  const fail = () => {
    throw new Error('disk full');
  };
  const receiver = createWebhookReceiver({
    secret,
    logger: { error: fail, warn: fail, info: fail, debug: fail },
  });
  expect(await receiver.handle(post('lead_captured'))).toEqual(ok);
  expect((await receiver.handle({ method: 'POST', body: '{}' })).status).toBe(401);
});

test('each delivery is one line at info, or one at warn when it was refused', async () => {
  const { receiver, logger } = setUp({ secret: { acme: secret } });
  receiver.on('lead_captured', () => undefined);
  await receiver.handle(post('lead_captured'));
  await receiver.handle(post('lead_captured'));
  await receiver.handle({ method: 'POST', body: '{}' });
  expect(logger.lines).toEqual([
    expect.stringMatching(
      /^info .*webhook lead_captured of "acme": 200 handled after \d+ ms, delivery [0-9a-f-]{36}$/,
    ),
    expect.stringMatching(/^info .*200 duplicate/),
    expect.stringMatching(/^warn .*401 verification_failed, 2 bytes/),
  ]);
});

test.each(['strict', 'tolerant', 'off'] as const)(
  'an unknown field of the envelope is drift by its name, not an error: %s',
  async (validation) => {
    const drifts: Drift[] = [];
    const { receiver, logger } = setUp({ validation, onDrift: (drift) => void drifts.push(drift) });
    receiver.onAny(() => undefined);
    const body = { ...envelope('webhook_test'), version: 2, meta: { sentBy: 'node_7' } };
    expect(await receiver.handle({ method: 'POST', body: JSON.stringify(body) })).toEqual(ok);
    const issue = { code: 'unrecognized_key', message: 'unknown field' };
    const issues = [
      { path: ['version'], ...issue },
      { path: ['meta'], ...issue },
    ];
    expect(drifts).toEqual(
      validation === 'off' ? [] : [{ source: 'webhook_test', region: undefined, issues }],
    );
    // It contradicts nothing: the document does not close the envelope.
    expect(JSON.stringify(logger.lines)).not.toContain('does not match');
    if (validation !== 'off') expect(JSON.stringify(logger.lines)).toContain('not passed on');
  },
);

test('neither the receiver nor what it reports contains the secret', async () => {
  const { receiver, rejections, failures, logger } = setUp();
  receiver.onAny(() => Promise.reject(new Error('no')));
  const responses = [
    await receiver.handle(post('lead_captured')),
    await receiver.handle(post('lead_captured', { channel: secret })),
    await receiver.handle({ method: 'POST', body: delivery('lead_captured').slice(1) }),
  ];
  // The event itself is data as it was sent: only what this package says about it is looked at here.
  const errors = failures.map(([error]) => error);
  const output = inspect([responses, rejections, errors, logger.lines, receiver], {
    depth: 20,
    showHidden: true,
  });
  expect(output).not.toContain(secret);
});

test.each<[options: object, option: string]>([
  [{ dedup: false }, 'dedup'],
  [{ dedupe: { windowMS: 1 } }, 'dedupe.windowMS'],
  [{ dedupe: true }, 'dedupe'],
  [{ dedupe: null }, 'dedupe'],
  [{ dedupe: { window: 0 } }, 'dedupe.window'],
  [{ dedupe: { store: {} } }, 'dedupe.store'],
  [{ dedupe: { store: { claim: () => 'new' } } }, 'dedupe.store'],
  [{ dedupe: { claim: () => 'new', complete: () => undefined } }, 'dedupe.store'],
  [{ dedupe: {}, inbox: { store: async () => undefined } }, 'dedupe'],
  [{ inbox: {} }, 'inbox'],
  [{ inbox: { store: async () => undefined, storeTimeout: 55_000 } }, 'deadline'],
  [{ deadline: 0 }, 'deadline'],
  [{ deadline: 59_001 }, 'deadline'],
  [{ maxBodyBytes: 0 }, 'maxBodyBytes'],
  [{ verifySecret: () => true }, 'verifySecret'],
  [{ hooks: { onDelivery: 1 } }, 'hooks.onDelivery'],
  [{ hooks: { onDeliverey: () => undefined } }, 'hooks.onDeliverey'],
  [{ validation: 'lax' }, 'validation'],
  [{ logLevel: 'loud' }, 'logLevel'],
  [{ logger: { log: () => undefined } }, 'logger'],
  [{ onDrift: 'console' }, 'onDrift'],
])('refuses the option %j', (options, option) => {
  const create = () => createWebhookReceiver({ secret, ...options } as WebhookReceiverOptions);
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(expect.objectContaining({ option }));
});

test.each<object>([
  { deadline: 59_000 },
  { maxBodyBytes: 1 },
  { dedupe: undefined },
  { dedupe: false },
  { dedupe: { window: Number.POSITIVE_INFINITY } },
  { inbox: { store: async () => undefined, storeTimeout: 54_999 } },
  { logger: { error: () => 0, warn: () => 0, info: () => 0, debug: () => 0 }, logLevel: 'debug' },
])('takes the options %j', (options) => {
  expect(() => createWebhookReceiver({ secret, ...options })).not.toThrow();
});

test('all wrong options are named in one error, with what was meant', () => {
  expect(() => createWebhookReceiver(secret as never)).toThrow(ConfigurationError);
  expect(() => createWebhookReceiver({ secret, deadlin: 1, validation: 'lax' } as never)).toThrow(
    /createWebhookReceiver: 2 options .*\n.*validation must be one of .*\n.*deadlin .*Did you mean `deadline`\?/s,
  );
});

test('a handler for an unknown type or a list of types, and anything but a function, is refused', () => {
  const { receiver } = setUp();
  expect(() => receiver.on('lead_capturd' as 'lead_captured', () => undefined)).toThrow(
    expect.objectContaining({
      option: 'type',
      message: expect.stringContaining('"lead_capturd" is not an event type. Did you mean "lead_captured"?'),
    }),
  );
  for (const type of [['lead_captured'], null, undefined]) {
    expect(() => receiver.on(type as never, () => undefined)).toThrow(ConfigurationError);
  }
  expect(() => receiver.on('lead_captured', undefined as never)).toThrow(
    expect.objectContaining({
      option: 'on',
      message: expect.stringMatching(/^on must be a function, got nothing\./) as string,
    }),
  );
  for (const name of ['onAny', 'onUnhandled', 'onUnknown', 'onInvalid', 'onError', 'onRejected'] as const) {
    expect(() => receiver[name]('log' as never)).toThrow(expect.objectContaining({ option: name }));
  }
});

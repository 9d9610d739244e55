import { inspect } from 'node:util';
import {
  ConfigurationError,
  createWebhookHandlers,
  createWebhookReceiver,
  type Drift,
  type StoredWebhook,
  type WebhookHandlers,
} from 'agent-platform-sdk';
import { expect, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { keepsNothing, leavesNothing } from '../support/leaves-nothing.js';
import { serve } from '../support/loopback.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { delivery, envelope, minimal, secret, settle } from './deliveries.js';
import { failing, handling, requestOf, setUp } from './receivers.js';

test('a handler gets the event without the secret, and a context that can be spread', async () => {
  const before = Date.now();
  const { events, contexts, send } = handling({ secret: { acme: secret } });
  expect(await send(delivery('lead_captured'))).toEqual([200]);
  expect(events).toStrictEqual([
    { type: 'lead_captured', payload: minimal.lead_captured, workspace: 'acme' },
  ]);
  expect(contexts.map((context) => ({ ...context }))).toEqual([
    {
      signal: expect.any(AbortSignal),
      deliveryId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      eventKey: expect.stringMatching(/^[0-9a-f]{64}$/),
      receivedAt: expect.any(Number),
      drift: [],
    },
  ]);
  expect(contexts[0]?.receivedAt).toBeGreaterThanOrEqual(before);
});

/** What is registered, and what of it runs: for a lead, another event, one of an unknown type, an invalid one. */
test.each<[registered: string, lead: string, other: string, unknown: string, invalid: string]>([
  ['', '', '', '', ''],
  ['on', 'on', '', '', ''],
  ['onAny on on', 'on on onAny', 'onAny', '', ''],
  ['onUnhandled onUnhandled', 'onUnhandled onUnhandled', 'onUnhandled onUnhandled', '', ''],
  ['onUnhandled on', 'on', 'onUnhandled', '', ''],
  ['onUnhandled onAny', 'onAny', 'onAny', '', ''],
  ['onUnknown onUnknown', '', '', 'onUnknown onUnknown', ''],
  ['onInvalid onInvalid', '', '', '', 'onInvalid onInvalid'],
])('with `%s` registered, in a receiver and in a worker', async (registered, ...expected) => {
  const handlers = createWebhookHandlers({ logLevel: 'off' });
  const ran: string[] = [];
  for (const name of registered.split(' ').filter(Boolean)) {
    const run = () => void ran.push(name);
    if (name === 'on') handlers.on('lead_captured', run);
    else handlers[name as 'onAny'](run);
  }
  const stored: StoredWebhook[] = [];
  const inbox = { store: async (webhook: StoredWebhook) => stored.push(webhook) };
  const receivers = [setUp({ handlers }), setUp({ inbox })];
  const types = ['lead_captured', 'webhook_test', 'agent_renamed', 'agent_deleted'];
  for (const [index, type] of types.entries()) {
    const body = delivery(type, type === 'agent_deleted' ? { agentId: null } : {});
    const isRefused = type === 'agent_deleted' && expected[index] === '';
    const responses = await Promise.all(receivers.map(({ send }) => send(body)));
    expect(responses).toEqual([isRefused ? [400, 'invalid_event'] : [200], [200]]);
    expect(ran.splice(0).join(' ')).toBe(expected[index]);
    const processing = handlers.process(stored.pop() as StoredWebhook);
    if (isRefused) await expect(processing).rejects.toMatchObject({ type: 'webhook_payload_error' });
    else await processing;
    expect(ran.splice(0).join(' ')).toBe(expected[index]);
    if (type !== 'agent_deleted') expect(handlers.handles(type)).toBe(expected[index] !== '');
  }
});

test.each([0, 1, 2])('the response waits for each of several handlers (%i)', async (slow) => {
  const { receiver, send } = setUp();
  const end = deferred();
  let hasResponded = false;
  for (const number of [0, 1, 2]) {
    receiver.on('lead_captured', () => (number === slow ? end.promise : Promise.resolve()));
  }
  const responding = send(delivery('lead_captured')).finally(() => {
    hasResponded = true;
  });
  await settle();
  expect(hasResponded).toBe(false);
  end.resolve();
  expect(await responding).toEqual([200]);
});

test('handlers run concurrently: the first may wait for the last', async () => {
  const { receiver, send } = setUp();
  const last = deferred();
  receiver.on('lead_captured', () => last.promise).onAny(() => last.resolve());
  expect(await send(delivery('lead_captured'))).toEqual([200]);
});

test('each type that nobody handles, or nobody knows, leaves one line', async () => {
  const { lines, send } = setUp({ secret: { acme: secret, globex: 'another-secret' } });
  for (const workspaceSecret of [secret, 'another-secret']) {
    for (const type of ['webhook_test', 'a "type"\nof a stranger', 'webhook_test', 'lead_captured']) {
      expect(await send(delivery(type, { workspaceSecret }))).toEqual([200]);
    }
  }
  expect(lines).toEqual([
    expect.stringMatching(
      /^warn .*webhook webhook_test: no handler is registered for this type.*onUnhandled/,
    ),
    expect.stringMatching(/^warn .*webhook "a \\"type\\"\\nof a stranger": this version does not.*onUnknown/),
    expect.stringMatching(/^warn .*webhook lead_captured: no handler/),
  ]);
});

test('at most a thousand types are logged, and a long one is cut', async () => {
  const { lines, send } = setUp();
  for (const end of ['a', 'b']) await send(delivery('x'.repeat(1_000) + end));
  expect(lines).toHaveLength(1);
  for (let index = 1; index < 1_000; index += 1) await send(delivery(`type_${index}`));
  expect(lines).toHaveLength(1_000);
  await send(delivery('one more'));
  expect(lines).toHaveLength(1_000);
});

test('an invalid event goes to onInvalid with its issues', async () => {
  const { receiver, rejections, failures, send } = setUp({ secret: { acme: secret } });
  const seen: unknown[] = [];
  receiver.onInvalid((event) => seen.push(event));
  expect(await send(delivery('agent_deleted', { agentId: null }))).toEqual([200]);
  const issues = [{ path: ['payload', 'agentId'] }];
  const error = { type: 'webhook_payload_error', issues };
  expect(seen).toMatchObject([
    { type: 'agent_deleted', payload: { agentId: null }, workspace: 'acme', issues, error },
  ]);
  expect([rejections, failures]).toEqual([[], []]);
});

test('an invalid event that nobody takes goes to onError, with its payload and without the secret', async () => {
  const { failures, lines, send } = setUp();
  await send(delivery('agent_deleted', { agentId: null }));
  const payload = { agentId: null, createdAt: minimal.agent_deleted.createdAt };
  const issues = [{ path: ['payload', 'agentId'] }];
  const event = { type: 'agent_deleted', payload };
  expect(failures).toMatchObject([
    [
      { issues, payload },
      { stage: 'validation', event },
    ],
  ]);
  expect(inspect(failures, { depth: 20, showHidden: true })).not.toContain(secret);
  // Data of the event: there to be kept, not to be printed with the error.
  const error = failures[0]?.[0];
  expect(JSON.stringify(error) + inspect(error)).not.toContain('1760000000000');
  expect(lines).toEqual([expect.stringMatching(/^error .*payload.agentId: expected string, received null/s)]);
});

test('an event without a type cannot be stored: onError has its payload', async () => {
  const { failures, send } = setUp({ inbox: { store: () => expect.unreachable() } });
  const body = { payload: { agentId: 'agent_1', workspaceSecret: secret } };
  expect(await send(body)).toEqual([400, 'invalid_event']);
  expect(failures).toMatchObject([[{ payload: { agentId: 'agent_1' } }, { stage: 'validation' }]]);
});

test.each([
  ['POST', undefined],
  ['post', undefined],
  ['Post', undefined],
  ['GET', 'info'],
  ['HEAD', 'info'],
  ['OPTIONS', 'info'],
  ['PUT', 'warn'],
  [undefined, 'warn'],
])('the method %s leaves a line at %s: a probe is nothing to look into', async (method, level) => {
  const { receiver, lines } = handling({ logLevel: 'info' });
  const response = await receiver.handle({ method, body: delivery('lead_captured') });
  expect(response.status).toBe(level === undefined ? 200 : 405);
  const line = `^${level} \\S+ webhook \\(unverified\\): refused with 405 method_not_allowed after \\d+ ms, delivery`;
  expect(lines).toEqual([
    expect.stringMatching(level === undefined ? /^info .* 200 handled/ : new RegExp(line)),
  ]);
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
])('%i %s: refused before any handler, with its size', async (status, reason, body) => {
  const { receiver, rejections, deliveries, send } = handling({ maxBodyBytes: 2_000 }, expect.unreachable);
  receiver.onInvalid(() => expect.unreachable());
  expect(await send(body)).toEqual([status, reason]);
  const isMeasured = typeof body === 'string' || body instanceof Uint8Array;
  const size = isMeasured ? Buffer.byteLength(body) : undefined;
  expect([rejections, deliveries]).toMatchObject([[{ reason, size }], [{ size }]]);
});

test.each(['x', 'é', '€', '😀', '\uD83D', '\uDE00x'])(
  'a body of %j is measured in bytes of UTF-8',
  async (text) => {
    const body = `"${text.repeat(100)}"`;
    const size = Buffer.byteLength(body);
    const statusWith = async (maxBodyBytes: number) => (await setUp({ maxBodyBytes }).send(body))[0];
    expect([await statusWith(size), await statusWith(size - 1)]).toEqual([401, 413]);
  },
);

test('one failure does not stop the other handlers, and each is passed to onError as thrown', async () => {
  const { receiver, failures, send } = setUp();
  const ran: string[] = [];
  const [thrown, rejected] = [new Error('thrown'), new Error('rejected')];
  receiver.on('lead_captured', () => {
    throw thrown;
  });
  receiver.on('lead_captured', () => Promise.reject(rejected)).on('lead_captured', () => ran.push('third'));
  expect(await send(delivery('lead_captured'))).toEqual([500, 'handler_failed']);
  const event = { type: 'lead_captured', payload: minimal.lead_captured };
  const context = { deliveryId: expect.any(String), eventKey: expect.stringMatching(/^\w{64}$/) };
  const failure = { stage: 'handler', event, context };
  expect(failures).toMatchObject([thrown, rejected].map((error) => [error, failure]));
  expect(ran).toEqual(['third']);
});

test.each([
  ['handler rejects', delivery('lead_captured')],
  ['delivery is refused', 'no'],
  ['payload does not fit', delivery('agent_deleted', { agentId: null })],
])('if a %s, the response waits for the listeners: a process may end with it', async (_, body) => {
  const listened = deferred();
  const ended: string[] = [];
  const listen = async () => {
    await listened.promise;
    ended.push('listened');
  };
  const { receiver, send } = handling({}, failing);
  receiver.onError(listen).onRejected(listen);
  const responding = send(body).then(() => ended.push('responded'));
  await settle();
  listened.resolve();
  await responding;
  expect(ended).toEqual(['listened', 'responded']);
});

test.each<[string, () => unknown]>([
  ['rejects', () => Promise.reject(new Error('again'))],
  [
    'throws',
    () => {
      throw new Error('again');
    },
  ],
])('a hook or a listener that %s changes no response, and is logged', async (_, listener) => {
  const { receiver, lines, send } = handling({ hooks: { onDelivery: listener } }, failing);
  receiver.onError(listener).onRejected(listener);
  expect(await send(delivery('lead_captured'))).toEqual([500, 'handler_failed']);
  expect(await send('{}')).toEqual([401, 'verification_failed']);
  await settle();
  const failed = lines.flatMap((line) => / (on\w+) failed: Error: again$/m.exec(line)?.[1] ?? []);
  expect(failed.sort()).toEqual(['onDelivery', 'onDelivery', 'onError', 'onRejected']);
});

test('a logger that throws changes no response', async () => {
  const fail = () => {
    throw new Error('disk full');
  };
  const { send } = setUp({ logger: { error: fail, warn: fail, info: fail, debug: fail } });
  expect(await send(delivery('lead_captured'))).toEqual([200]);
  expect(await send('{}')).toEqual([401, 'verification_failed']);
});

test.each(['strict', 'tolerant', 'off'] as const)(
  'an unknown field of the envelope is drift by its name, not an error: %s',
  async (validation) => {
    const drifts: Drift[] = [];
    const { all, send } = handling({ validation, onDrift: (drift) => void drifts.push(drift) });
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, at]));
    const counts = [2, 100, 101];
    for (const count of counts)
      expect(await send({ ...envelope('webhook_test'), ...fields(count) })).toEqual([200]);
    const issuesOf = (count: number) =>
      Object.keys(fields(count)).map((name) => ({
        path: [name],
        code: 'unrecognized_key',
        message: 'unknown field',
      }));
    const drift = { source: 'webhook_test', region: undefined };
    expect(drifts).toEqual(
      validation === 'off' ? [] : [2, 100, 100].map((count) => ({ ...drift, issues: issuesOf(count) })),
    );
    // It contradicts nothing: the document does not close the envelope.
    expect(all()).not.toContain('does not match');
    if (validation !== 'off') expect(all()).toContain('not passed on');
  },
);

test('a receiver runs the handlers that are passed, with their validation and their listeners', async () => {
  const drifts: string[] = [];
  const seen: string[] = [];
  const failures: unknown[] = [];
  const handlers = createWebhookHandlers({ onDrift: ({ source }) => drifts.push(source), logLevel: 'off' })
    .on('lead_captured', ({ type }) => seen.push(type))
    .on('webhook_test', failing)
    .onError((error, { stage }) => failures.push([error, stage]));
  const { receiver, send, stages } = setUp({ handlers });
  receiver.onAny(({ type }) => seen.push(`any ${type}`));
  expect(receiver.handlers).toBe(handlers);
  expect(await send(delivery('lead_captured', { channel: 'hologram' }))).toEqual([200]);
  expect(await send(delivery('webhook_test'))).toEqual([500, 'handler_failed']);
  expect(seen).toEqual(['lead_captured', 'any lead_captured', 'any webhook_test']);
  expect([drifts, failures, stages()]).toEqual([
    ['lead_captured'],
    [[new Error('no'), 'handler']],
    ['handler'],
  ]);
});

test.each([
  ['without a logger log where their first receiver does', {}, 2],
  ['with a level of their own keep it', { logLevel: 'off' as const }, 0],
])('handlers %s', async (_, options, count) => {
  const handlers = createWebhookHandlers(options).onAny(() => false);
  const [first, second] = [setUp({ handlers }), setUp({ handlers })];
  await first.send(delivery('webhook_test'));
  await second.send(delivery('lead_captured'));
  expect([first.lines.length, second.lines.length]).toEqual([count, 0]);
});

test('every method of a receiver and of handlers can be taken off it', async () => {
  const types: string[] = [];
  const push = ({ type }: { readonly type: string | undefined }) => void types.push(String(type));
  const made = createWebhookHandlers({ logLevel: 'off' });
  const register = ({ on, onAny, onUnhandled, onUnknown, onInvalid, onError }: WebhookHandlers) => {
    on('lead_captured', push);
    for (const method of [onAny, onUnhandled, onUnknown, onInvalid, onError]) method(push as () => void);
  };
  register(made);
  const { handles, process } = made;
  expect([handles('lead_captured'), handles('scored')]).toEqual([true, true]);
  const own = createWebhookReceiver({ secret, logLevel: 'off' });
  register(own as unknown as WebhookHandlers);
  const { handle, node, fetch: take, onRejected } = own;
  onRejected(() => undefined);
  const body = (createdAt: number) => delivery('lead_captured', { createdAt });
  expect((await handle({ method: 'POST', body: body(1) })).status).toBe(200);
  expect((await fetch(await serve(node), { method: 'POST', body: body(2) })).status).toBe(200);
  expect((await take(requestOf(body(3)))).status).toBe(200);
  const { type, payload } = envelope('lead_captured');
  await process({ version: 1, key: 'k', type, payload, deliveryId: 'd', receivedAt: 1 });
  expect(types).toEqual(Array(8).fill('lead_captured'));
});

test('handlers and a logger of another copy of the package work', async () => {
  vi.resetModules();
  const other = await import('agent-platform-sdk');
  const handlers = other.createWebhookHandlers().on('lead_captured', failing);
  const { lines, send } = setUp({ handlers });
  expect(await send(delivery('lead_captured'))).toEqual([500, 'handler_failed']);
  expect(await send(delivery('webhook_test'))).toEqual([200]);
  // The second line is written by the handlers themselves.
  expect(lines).toEqual([
    expect.stringMatching(/^error .*lead_captured: failed at handler/),
    expect.stringMatching(/^warn .*webhook_test: no handler is registered/),
  ]);
});

test('a handler for an unknown type, for a list of types, or that is no function, is refused', () => {
  const { receiver } = setUp();
  const on = receiver.on as (type: unknown, handler?: unknown) => unknown;
  for (const type of [['lead_captured'], null, undefined, '*', {}]) {
    expect(() => on(type, () => undefined)).toThrow(expect.objectContaining({ option: 'type' }));
  }
  expect(() => on('lead_capturd')).toThrow(
    'on(type, handler): "lead_capturd" is not an event type. Did you mean "lead_captured"?\n' +
      '  Unknown types go to onUnknown, all others to onAny, failures to onError.',
  );
  expect(() => on('lead_captured')).toThrow('on must be a function, got nothing.');
  for (const name of ['onAny', 'onUnhandled', 'onUnknown', 'onInvalid', 'onError', 'onRejected'] as const) {
    expect(() => receiver[name]('log' as never)).toThrow(expect.objectContaining({ option: name }));
    expect(() => receiver[name]('log' as never)).toThrow(ConfigurationError);
  }
});

test('deliveries leave nothing behind, whatever comes of them', async () => {
  const logger = new RecordingLogger();
  const receiver = createWebhookReceiver({ secret, logger, dedupe: false }).on('lead_captured', failing);
  const deliverAll = async () => {
    for (const type of ['lead_captured', 'webhook_test', 'later']) {
      await (await receiver.fetch(requestOf(delivery(type)))).text();
      await receiver.handle({ method: 'POST', body: delivery(type, { workspaceSecret: 'forged' }) });
    }
    logger.lines.length = 0;
    logger.fields.length = 0;
  };
  await leavesNothing(deliverAll);
  await keepsNothing(deliverAll, 100);
});

import { inspect } from 'node:util';
import {
  ConfigurationError,
  createWebhookHandlers,
  createWebhookReceiver,
  type Drift,
  type StoredWebhook,
} from 'agent-platform-sdk';
import { expect, test, vi } from 'vitest';
import { stored as aStored } from '../inbox/fixture.js';
import { deferred } from '../support/deferred.js';
import { keepsNothing, leavesNothing } from '../support/leaves-nothing.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { delivery, envelope, minimal, secret, settle } from './deliveries.js';
import { failing, handling, requestOf, setUp, storing, throwing } from './receivers.js';

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
  const [direct, inbox] = [setUp({ handlers }), storing()];
  const types = ['lead_captured', 'webhook_test', 'agent_renamed', 'agent_deleted'];
  for (const [index, type] of types.entries()) {
    const body = delivery(type, type === 'agent_deleted' ? { agentId: null } : {});
    const isRefused = type === 'agent_deleted' && expected[index] === '';
    expect([await direct.send(body), await inbox.send(body)]).toEqual([
      isRefused ? [400, 'invalid_event'] : [200],
      [200],
    ]);
    expect(ran.splice(0).join(' ')).toBe(expected[index]);
    const processing = handlers.process(inbox.stored.pop() as StoredWebhook);
    if (isRefused) await expect(processing).rejects.toMatchObject({ type: 'webhook_payload_error' });
    else await processing;
    expect(ran.splice(0).join(' ')).toBe(expected[index]);
    if (type !== 'agent_deleted') expect(handlers.handles(type)).toBe(expected[index] !== '');
  }
});

test('handlers run concurrently, and the response waits for all of them', async () => {
  const { receiver, send } = setUp();
  const [last, end] = [deferred(), deferred()];
  let hasResponded = false;
  // The first waits for the last.
  receiver.on('lead_captured', () => last.promise).on('lead_captured', () => end.promise);
  receiver.onAny(() => last.resolve());
  const responding = send(delivery('lead_captured')).finally(() => {
    hasResponded = true;
  });
  await settle();
  expect(hasResponded).toBe(false);
  end.resolve();
  expect(await responding).toEqual([200]);
});

test('each type that nobody handles, or nobody knows, leaves one line, and a long one is cut', async () => {
  const { lines, send } = setUp({ secret: { acme: secret, globex: 'another-secret' } });
  const long = 'x'.repeat(100);
  const types = ['webhook_test', 'a "type"\nof a stranger', 'webhook_test', `${long}a`, `${long}b`];
  for (const workspaceSecret of [secret, 'another-secret']) {
    for (const type of types) expect(await send(delivery(type, { workspaceSecret }))).toEqual([200]);
  }
  expect(lines).toEqual([
    expect.stringMatching(/^warn .*webhook webhook_test: no handler is registered for this .*onUnhandled/),
    expect.stringMatching(/^warn .*webhook "a \\"type\\"\\nof a stranger": this version does not.*onUnknown/),
    expect.stringContaining(`"${long}"`),
  ]);
});

test('an invalid event goes to onError or onInvalid, with its payload and without the secret', async () => {
  const { receiver, rejections, failures, lines, send } = setUp({ secret: { acme: secret } });
  const body = delivery('agent_deleted', { agentId: null });
  expect(await send(body)).toEqual([400, 'invalid_event']);
  const payload = { agentId: null, createdAt: minimal.agent_deleted.createdAt };
  const issues = [{ path: ['payload', 'agentId'] }];
  const error = { type: 'webhook_payload_error', issues, payload };
  const event = { type: 'agent_deleted', payload, workspace: 'acme', issues, error };
  expect(failures).toMatchObject([[error, { stage: 'validation', event }]]);
  expect(inspect(failures, { depth: 20, showHidden: true })).not.toContain(secret);
  // Data of the event: there to be kept, not to be printed with the error.
  expect(JSON.stringify(failures[0]?.[0]) + inspect(failures[0]?.[0])).not.toContain('1760000000000');
  const seen: unknown[] = [];
  receiver.onInvalid((one) => seen.push(one));
  expect(await send(body)).toEqual([200]);
  expect(seen).toMatchObject([event]);
  expect([failures.length, rejections, lines.length]).toEqual([1, [], 1]);
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
  const line =
    level === undefined ? '^info .*: 200 handled after' : `^${level} .*: refused with 405 method_not`;
  expect(lines).toEqual([expect.stringMatching(line)]);
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
  const errors = [new Error('one'), new Error('other')];
  for (const error of errors) receiver.on('lead_captured', () => Promise.reject(error));
  receiver.on('lead_captured', () => ran.push('third'));
  expect(await send(delivery('lead_captured'))).toEqual([500, 'handler_failed']);
  const event = { type: 'lead_captured', payload: minimal.lead_captured };
  const context = { deliveryId: expect.any(String), eventKey: expect.stringMatching(/^\w{64}$/) };
  expect(failures).toMatchObject(errors.map((error) => [error, { stage: 'handler', event, context }]));
  expect(ran).toEqual(['third']);
});

test.each([
  ['handler rejects', delivery('lead_captured')],
  ['delivery is refused', 'no'],
])('if a %s, the response waits for the listeners: a process may end with it', async (_, body) => {
  const { receiver, send } = handling({}, failing);
  const heard = vi.fn();
  const listen = () => settle().then(heard);
  receiver.onError(listen).onRejected(listen);
  await send(body);
  expect(heard).toHaveBeenCalledOnce();
});

test('a hook or a listener that throws changes no response, and is logged', async () => {
  const { receiver, lines, send } = handling({ hooks: { onDelivery: failing } }, failing);
  receiver.onError(throwing).onError(failing).onRejected(failing);
  expect(await send(delivery('lead_captured'))).toEqual([500, 'handler_failed']);
  expect(await send('{}')).toEqual([401, 'verification_failed']);
  await settle();
  const failed = lines.flatMap((line) => / (on\w+) failed: Error: no$/m.exec(line)?.[1] ?? []);
  expect(failed.sort()).toEqual(['onDelivery', 'onDelivery', 'onError', 'onError', 'onRejected']);
});

test.each([
  ['strict', 2, 2],
  ['tolerant', 100, 100],
  ['tolerant', 101, 100],
  ['off', 2, 0],
] as const)('in %s, of %i unknown fields of an envelope, %i are drift', async (validation, count, most) => {
  const drifts: Drift[] = [];
  const { all, send } = handling({ validation, onDrift: (drift) => void drifts.push(drift) });
  const names = Array.from({ length: count }, (_, at) => `f${at}`);
  const fields = Object.fromEntries(names.map((name) => [name, 1]));
  expect(await send({ ...envelope('webhook_test'), ...fields })).toEqual([200]);
  const issues = names.slice(0, most).map((name) => ({ path: [name], code: 'unrecognized_key' }));
  expect(drifts).toMatchObject(most === 0 ? [] : [{ source: 'webhook_test', issues }]);
  // It contradicts nothing: the document does not close the envelope.
  expect(all()).not.toContain('does not match');
  expect(all().includes('not passed on')).toBe(most > 0);
});

test('a receiver runs the handlers that are passed, with their validation and their listeners', async () => {
  const drifts: string[] = [];
  const seen: string[] = [];
  const stages: string[] = [];
  const handlers = createWebhookHandlers({ onDrift: ({ source }) => drifts.push(source), logLevel: 'off' })
    .on('lead_captured', ({ type }) => seen.push(type))
    .on('webhook_test', failing)
    .onError((_, { stage }) => stages.push(stage));
  const made = setUp({ handlers });
  made.receiver.onAny(({ type }) => seen.push(`any ${type}`));
  expect(made.receiver.handlers).toBe(handlers);
  expect(await made.send(delivery('lead_captured', { channel: 'hologram' }))).toEqual([200]);
  expect(await made.send(delivery('webhook_test'))).toEqual([500, 'handler_failed']);
  expect(seen).toEqual(['lead_captured', 'any lead_captured', 'any webhook_test']);
  expect([drifts, stages, made.stages()]).toEqual([['lead_captured'], ['handler'], ['handler']]);
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

test('methods can be taken off a receiver and off handlers', async () => {
  const run = vi.fn();
  const { on, onError, handles, process } = createWebhookHandlers({ logLevel: 'off' });
  on('lead_captured', run);
  onError(run);
  await process(aStored());
  const { onAny, onRejected, handle } = createWebhookReceiver({ secret, logLevel: 'off' });
  onAny(run);
  onRejected(run);
  for (const body of ['{}', delivery('lead_captured')]) await handle({ method: 'POST', body });
  expect([handles('lead_captured'), run.mock.calls.length]).toEqual([true, 3]);
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
  expect(() => on('lead_captured')).toThrow('on: the handler must be a function, got nothing.');
  for (const name of ['onAny', 'onUnhandled', 'onUnknown', 'onInvalid', 'onError', 'onRejected'] as const) {
    expect(() => receiver[name]('log' as never)).toThrow(expect.objectContaining({ option: name }));
    expect(() => receiver[name]('log' as never)).toThrow(ConfigurationError);
  }
});

// An event is handled if its handlers did not throw, so a result that meant something else is warned of.
const REFUSAL = 'false, an error or an error status, which has no effect';
const error = new Error('no');

test.each<[what: string, warning: string, run: () => unknown]>([
  ['false', REFUSAL, () => false],
  ['a Response of an error', REFUSAL, () => new Response(null, { status: 400 })],
  ['{ status }', REFUSAL, () => ({ status: 400 })],
  ['{ statusCode }', REFUSAL, () => ({ statusCode: 503, body: '' })],
  ['an error', REFUSAL, () => error],
  ['{ ok: false }', REFUSAL, () => ({ ok: false })],
  ['{ success: false }', REFUSAL, () => ({ success: false })],
  ['{ error }', REFUSAL, () => ({ data: null, error: { message: 'no' } })],
  ['a list with an error in a list', REFUSAL, () => [[undefined], [[error]]]],
  ['what Promise.allSettled has caught', REFUSAL, () => [{ status: 'rejected', reason: error }]],
  ['a function', 'a function, which nobody runs', () => () => undefined],
  ['functions in a list', 'a function, which', () => [1, 2].map(() => async () => () => undefined)],
  ['an Observable', 'an Observable, which nobody runs', () => ({ subscribe: () => undefined })],
  ['another Observable', 'an Observable, which', () => ({ '@@observable': () => undefined })],
  ['Observables in a list', 'an Observable, which', () => [1, 2].map(() => ({ subscribe: () => undefined }))],
  // biome-ignore lint/correctness/useYield: it is never started.
  ['a generator', 'a generator, which nobody runs', () => (function* () {})()],
  // biome-ignore lint/correctness/useYield: it is never started.
  ['an asynchronous generator', 'a generator, which', () => (async function* () {})()],
])('a handler that returns %s is warned of once for each type', async (_, warning, run) => {
  const { lines, send } = handling({ dedupe: false }, run);
  for (const type of ['webhook_test', 'webhook_test', 'lead_captured']) {
    expect(await send(delivery(type))).toEqual([200]);
  }
  const line = (type: string): unknown =>
    expect.stringContaining(`warn [agent-platform-sdk] webhook ${type}: a handler returned ${warning}`);
  expect(lines).toEqual([line('webhook_test'), line('lead_captured')]);
});

test('a handler may return data that looks like no result at all, or that contains itself', async () => {
  const list: unknown[] = [false, { status: 500 }, { success: false }, undefined];
  list.push(list);
  const silent = [list, [], undefined, null, true, 0, {}, { ok: true }, { status: 'ok' }, { status: 399 }];
  for (const result of [...silent, { error: null }, new Response('ok')]) {
    const { lines, send } = handling({}, () => result);
    expect([await send(delivery('webhook_test')), lines]).toEqual([[200], []]);
  }
});

// graphile/crystal#397
test('promises in a list, or in lists of one, are awaited, and one that rejects is a 500', async () => {
  const saved: number[] = [];
  const save = async (index: number) => {
    await settle();
    if (index === 3) throw error;
    saved.push(index);
  };
  const sent = (run: () => unknown) => handling({}, run).send(delivery('webhook_test'));
  expect(await sent(() => [1, 2].map(save))).toEqual([200]);
  expect(saved).toEqual([1, 2]);
  const inLists = () => [[1], [3]].map(async (indices) => indices.map(save));
  expect(await sent(inLists)).toEqual([500, 'handler_failed']);
});

// Counting all objects takes seconds on a busy machine.
test('deliveries leave nothing behind, whatever comes of them', { timeout: 120_000 }, async () => {
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
  await keepsNothing(deliverAll, 50);
});

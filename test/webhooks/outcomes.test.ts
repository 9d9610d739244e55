import type { DedupeStore, DeliveryOutcome, LogFields } from 'agent-platform-sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { delivery, envelope, secret } from './deliveries.js';
import {
  failing,
  fakeTime,
  forgetful,
  handling,
  never,
  type Options,
  pass,
  setUp,
  throwing,
} from './receivers.js';

// biome-ignore lint/suspicious/noThenProperty: a query builder runs when it is awaited.
const query = () => ({ then: (_: unknown, reject: (error: Error) => void) => reject(new Error('no')) });
const nested = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown;
const dedupe = (store: Partial<DedupeStore>) => ({ dedupe: { ...forgetful, ...store } });
const store = (store: () => unknown) => ({ inbox: { store: store as () => Promise<unknown> } });

const forged = delivery('later', { workspaceSecret: 'forged' });
const withoutId = envelope('agent_deleted', { agentId: null });
const withoutType = { ...envelope('later'), type: 1 };

const fails = { run: failing };

interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  /** The handler. Default: one that succeeds. */
  readonly run?: (() => unknown) | undefined;
}

/** The outcome of a delivery, its status, and how it is reported: by its refusal, or by the stages of its failures. */
type Row = [what: string, outcome: DeliveryOutcome, status: number, report: string, Options?, Sent?];

const rows: readonly Row[] = [
  ['a handler that succeeds', 'handled', 200, ''],
  ['no handler', 'no_handler', 200, '', {}, { run: undefined }],
  ['a handler that throws', 'handler_failed', 500, 'handler', {}, { run: throwing }],
  ['a handler that rejects', 'handler_failed', 500, 'handler', {}, fails],
  ['a query of a library that fails', 'handler_failed', 500, 'handler', {}, { run: query }],
  ['a handler that never settles', 'deadline_passed', 500, 'deadline', { dedupe: false }, { run: never }],
  ['what was handled before', 'duplicate', 200, '', dedupe({ claim: () => 'done' })],
  ['what another handles for ever', 'duplicate_pending', 503, '', dedupe({ claim: () => 'pending' })],
  ['a claim that fails', 'handled', 200, 'dedupe', dedupe({ claim: failing })],
  ['a claim that throws', 'handled', 200, 'dedupe', dedupe({ claim: throwing })],
  ['a claim that never settles', 'handled', 200, 'dedupe', dedupe({ claim: never })],
  ['a claim that is nonsense', 'handled', 200, 'dedupe', dedupe({ claim: () => 'OK' as 'new' })],
  ['a completion that fails', 'handled', 200, 'dedupe', dedupe({ complete: failing })],
  ['a completion that never settles', 'handled', 200, 'dedupe', dedupe({ complete: never })],
  ['a release that fails', 'handler_failed', 500, 'handler dedupe', dedupe({ release: failing }), fails],
  ['an object that has no key', 'internal_error', 500, 'dedupe', {}, { body: envelope('later', { nested }) }],
  ['an inbox', 'stored', 200, '', store(async () => undefined)],
  ['an inbox that returns at once', 'stored', 200, '', store(() => undefined)],
  ['an inbox that fails', 'not_stored', 500, 'inbox', store(failing)],
  ['an inbox that throws', 'not_stored', 500, 'inbox', store(throwing)],
  ['an inbox that never settles', 'not_stored', 500, 'inbox', store(never)],
  ['a loader that fails', 'secret_failed', 500, 'secret', { secret: failing }],
  ['a loader that never settles', 'secret_failed', 500, 'secret', { secret: never }],
  ['a `verifySecret` that fails', 'secret_failed', 500, 'secret', { verifySecret: failing }],
  ['a `verifySecret` that throws', 'secret_failed', 500, 'secret', { verifySecret: throwing }],
  ['a `verifySecret` that never settles', 'secret_failed', 500, 'secret', { verifySecret: never }],
  ['an event without its id', 'invalid_event', 400, 'validation', {}, { body: withoutId }],
  ['no type, for an inbox', 'invalid_event', 400, 'validation', store(never), { body: withoutType }],
  ['a wrong secret', 'verification_failed', 401, 'refused', {}, { body: forged }],
  ['bytes of no text', 'verification_failed', 401, 'refused', {}, { body: new Uint8Array(9).fill(255) }],
  ['half a body', 'not_json', 400, 'refused', {}, { body: delivery('later').slice(0, -1) }],
  ['an empty body', 'not_json', 400, 'refused', {}, { body: '' }],
  ['no body', 'not_json', 400, 'refused', {}, { body: async () => undefined }],
  ['null', 'verification_failed', 401, 'refused', {}, { body: null }],
  ['a large text', 'body_too_large', 413, 'refused', { maxBodyBytes: 20 }, { body: 'x'.repeat(21) }],
  ['large bytes', 'body_too_large', 413, 'refused', { maxBodyBytes: 20 }, { body: new Uint8Array(21) }],
  ['a body that fails', 'body_unreadable', 400, 'refused', {}, { body: failing }],
  ['a body that never comes', 'body_unreadable', 400, 'refused', {}, { body: never }],
  ['another method', 'method_not_allowed', 405, 'refused', {}, { method: 'PUT' }],
];

function typeOf(body: unknown): string | undefined {
  const { type } = (typeof body === 'string' ? JSON.parse(body) : body) as { readonly type: unknown };
  return typeof type === 'string' ? type : undefined;
}

test.each(rows)('%s: %s', async (_what, outcome, status, report, options = {}, sent = {}) => {
  fakeTime();
  const { receiver, deliveries, rejections, stages, lines } = setUp({ logLevel: 'info', ...options });
  const { method = 'POST', body = delivery('lead_captured'), run = () => undefined } = sent;
  const isHandled = options.inbox === undefined && (!('run' in sent) || sent.run !== undefined);
  if (isHandled) receiver.onAny(run);
  const responding = receiver.handle({ method, body: typeof body === 'function' ? body() : body });
  await pass(55_000);
  const response = await responding;
  const deliveryId = response.headers['x-delivery-id'];
  expect(response).toStrictEqual({
    status,
    headers: {
      'x-delivery-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...(status !== 200 && { 'content-type': 'application/json' }),
      ...(status === 405 && { allow: 'POST' }),
    },
    body: status === 200 ? '' : JSON.stringify({ message: outcome.replaceAll('_', ' '), code: outcome }),
  });
  const isMeasured = typeof body === 'string' || body instanceof Uint8Array;
  const size = isMeasured && method === 'POST' ? Buffer.byteLength(body) : undefined;
  expect(rejections).toMatchObject(
    report === 'refused' ? [{ reason: outcome, status, deliveryId, size }] : [],
  );
  expect(stages().join(' ')).toBe(report === 'refused' ? '' : report);
  // One line for each failure, and one for the delivery.
  const levels = lines
    .filter((line) => line.includes(`delivery ${deliveryId}`))
    .map((line) => line.split(' ')[0]);
  expect(levels).toEqual(report === 'refused' ? ['warn'] : [...stages().map(() => 'error'), 'info']);
  const type = ['refused', 'secret'].includes(report) ? undefined : typeOf(body);
  const durationMs = expect.any(Number) as number;
  expect(deliveries).toEqual([{ deliveryId, type, outcome, status, size, durationMs }]);
  await pass(60_000);
  expect(vi.getTimerCount()).toBe(0);
});

test('the response does not wait for onDelivery', async () => {
  const { send } = handling({ hooks: { onDelivery: never } });
  expect(await send(delivery('webhook_test'))).toEqual([200]);
});

test('a duration is never negative, although the clock steps back', async () => {
  const { deliveries, lines, send } = handling({ logLevel: 'info' }, () => {
    vi.spyOn(Date, 'now').mockReturnValue(0);
    onTestFinished(() => void vi.restoreAllMocks());
  });
  await send(delivery('webhook_test'));
  expect(deliveries[0]?.durationMs).toBeGreaterThanOrEqual(0);
  expect(lines.join()).toMatch(/200 handled after \d+ ms/);
});

test('an error of a handler is logged with message, stack and causes', async () => {
  const { lines, send } = handling({ secret: { acme: secret } }, function saveLead() {
    throw new TypeError('the lead has no address', { cause: new Error('column is null') });
  });
  await send(delivery('webhook_test'));
  const [line = ''] = lines;
  expect(line).toMatch(
    /^error .*webhook webhook_test of "acme": failed at handler, delivery \S+: TypeError: the lead has/,
  );
  expect(line).toMatch(/\n {4}at .*saveLead/);
  expect(line).toMatch(/\n {2}Caused by: Error: column is null\n {4}at /);
});

const unreadable = Object.defineProperty(new Error('no'), 'cause', { get: throwing });
const circular = Object.assign(new Error('one'), { cause: new Error('two') });
circular.cause.cause = circular;
const fields = { code: 'E_CRM', token: 'hunter2', message: 'CRM is down' };

test.each<[what: string, thrown: unknown, line: RegExp]>([
  ['a text', 'sold out', /: sold out$/],
  ['null', null, /: null$/],
  ['an object', fields, /: an object, not an Error \(fields: code, token, message\): CRM is down$/],
  ['an error whose cause cannot be read', unreadable, /something that cannot be described/],
  [
    'errors that are the cause of each other',
    circular,
    /^(?:(?:(?!Caused by)[^])*Caused by){5}(?![^]*Caused by)/,
  ],
])('a handler that throws %s leaves one line', async (_, thrown, line) => {
  const { lines, send } = handling({}, () => Promise.reject(thrown));
  expect(await send(delivery('webhook_test'))).toEqual([500, 'handler_failed']);
  expect(lines).toEqual([expect.stringMatching(line)]);
  expect(lines.join()).not.toContain('hunter2');
});

const quoted = new RangeError(`where secret = ${secret}`);
const quoting = () => Promise.reject(quoted);

test.each<[stage: string, options: Options]>([
  ['secret', { verifySecret: quoting }],
  ['dedupe', { dedupe: { ...forgetful, claim: quoting } }],
  ['inbox', { inbox: { store: quoting } }],
])(
  'what fails at %s goes to onError as thrown, and is logged without its message',
  async (stage, options) => {
    const { receiver, lines, failures, send } = setUp(options);
    if (stage !== 'inbox') receiver.on('webhook_test', () => undefined);
    await send(delivery('webhook_test'));
    expect(failures).toEqual([[quoted, expect.objectContaining({ stage })]]);
    expect(lines).toEqual([expect.stringMatching(`failed at ${stage}, delivery \\S+: RangeError\\n {4}at `)]);
    expect(lines.join()).not.toContain(secret);
  },
);

test('log lines carry their facts as fields, and a long type is cut there', async () => {
  const facts: (LogFields | undefined)[] = [];
  const take = (_: string, more?: LogFields) => void facts.push(more);
  const logger = { error: take, warn: take, info: take, debug: take };
  const workspace = 'w'.repeat(101);
  const options = { secret: { [workspace]: secret }, logLevel: 'info', logger } as const;
  const { receiver, deliveries, send } = setUp(options);
  receiver.onUnknown(({ type }) => (type === 'later' ? failing() : undefined));
  await send(delivery('t'.repeat(101)));
  await receiver.handle({ method: 'GET' });
  await send(delivery('later'));
  const [deliveryId, durationMs] = [expect.any(String) as string, expect.any(Number) as number];
  expect(facts).toEqual([
    { type: 't'.repeat(100), workspace, deliveryId, outcome: 'handled', status: 200, durationMs },
    { deliveryId, outcome: 'method_not_allowed', status: 405, durationMs },
    { type: 'later', workspace, deliveryId, outcome: 'handler_failed' },
    { type: 'later', workspace, deliveryId, outcome: 'handler_failed', status: 500, durationMs },
  ]);
  expect(deliveries).toMatchObject([{ type: 't'.repeat(101), workspace }, {}, { type: 'later', workspace }]);
});

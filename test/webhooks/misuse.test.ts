import { Readable } from 'node:stream';
import {
  ConfigurationError,
  createWebhookReceiver,
  parseWebhook,
  parseWebhookRequest,
  WebhookPayloadError,
  WebhookVerificationError,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { RecordingLogger } from '../support/recording-logger.js';
import { delivery, post, secret } from './deliveries.js';
import { ManualClock } from './manual-clock.js';

const request = () => new Request('https://example.com', { method: 'POST', body: delivery('lead_captured') });

test.each<[string, () => unknown, new (...args: never[]) => Error, string]>([
  ['a Request', request, ConfigurationError, 'pass `await request.text()`, or use parseWebhookRequest.'],
  ['a promise', () => request().text(), ConfigurationError, 'or use parseWebhookRequest'],
  [
    'the request of a server',
    () => ({ method: 'POST', body: {} }),
    WebhookVerificationError,
    '\n  There is no `payload`: pass the body of the request, not the request.',
  ],
  ['nothing', () => undefined, WebhookPayloadError, 'is a body parser mounted?'],
])('parseWebhook given %s says what to pass', (_, body, ErrorClass, hint) => {
  expect(() => parseWebhook(body(), { secret })).toThrow(ErrorClass);
  expect(() => parseWebhook(body(), { secret })).toThrow(hint);
});

test('what is forged gets no advice about what to pass, and a wrong body is an option that is wrong', async () => {
  const forged = delivery('lead_captured', { workspaceSecret: 'forged' });
  const told = expect.objectContaining({
    message:
      'The webhook was not verified: payload.workspaceSecret is missing or not your workspace secret\n' +
      '  After a rotation, `secret` takes both secrets as a list.',
  }) as Error;
  for (const body of [forged, JSON.parse(forged)]) {
    expect(() => parseWebhook(body, { secret })).toThrow(told);
  }
  // What is neither genuine nor JSON is not parsed.
  for (const body of [forged, 'not JSON']) {
    await expect(parseWebhookRequest(body, { secret })).rejects.toThrow(told);
    await expect(parseWebhookRequest(body, { secret })).rejects.toThrow(WebhookVerificationError);
  }
  expect(() => parseWebhook(request(), { secret })).toThrow(expect.objectContaining({ option: 'body' }));
});

test('a wrong option is refused before the body is looked at', () => {
  expect(() => parseWebhook('not JSON', { secret, validation: 'lax' as 'strict' })).toThrow(
    ConfigurationError,
  );
});

test.each<[string, () => unknown]>([
  ['of the Web', () => request().body],
  ['of Node', () => Readable.from([delivery('lead_captured')])],
])('a stream %s is no body that `handle` can read, and is not taken for a forgery', async (_, body) => {
  const receiver = createWebhookReceiver({ secret, logger: new RecordingLogger() });
  expect(await receiver.handle({ method: 'POST', body: body() })).toMatchObject({ status: 400 });
});

/** As a class of a user would be: its methods need it. */
class Everything {
  readonly #told: string[] = [];
  readonly told = () => this.#told;
  claim() {
    this.#told.push('claim');
    return 'new' as const;
  }
  complete() {
    this.#told.push('complete');
  }
  release() {
    this.#told.push('release');
  }
  store() {
    this.#told.push('store');
  }
  now() {
    this.#told.push('now');
    return 0;
  }
  setTimeout() {
    this.#told.push('setTimeout');
  }
  clearTimeout() {
    this.#told.push('clearTimeout');
  }
  info() {
    this.#told.push('info');
  }
  error() {
    return expect.unreachable();
  }
  warn = this.error;
  debug = this.error;
}

test.each<[string, (own: Everything) => object, string[]]>([
  ['a store', (dedupe) => ({ dedupe }), ['claim', 'complete']],
  ['a store among options', (store) => ({ dedupe: { store } }), ['claim', 'complete']],
  ['an inbox', (inbox) => ({ inbox }), ['store']],
  ['a clock', (clock) => ({ clock }), ['now', 'setTimeout', 'clearTimeout']],
  ['a logger', (logger) => ({ logger, logLevel: 'info' }), ['info']],
])('%s of a class of your own is called as it is', async (_, options, told) => {
  const own = new Everything();
  const receiver = createWebhookReceiver({ secret, logLevel: 'off', ...options(own) });
  receiver.on('lead_captured', async () => undefined);
  expect((await receiver.handle(post('lead_captured'))).status).toBe(200);
  expect(own.told()).toEqual(expect.arrayContaining(told));
});

test('a method that is no text is refused', async () => {
  const receiver = createWebhookReceiver({ secret, logger: new RecordingLogger() });
  const given = { ...post('lead_captured'), method: 5 as never };
  expect((await receiver.handle(given)).status).toBe(405);
  expect((await receiver.fetch(given as never)).status).toBe(405);
});

test('what cannot be looked at is logged, and told without an event', async () => {
  const logger = new RecordingLogger();
  const receiver = createWebhookReceiver({ secret, logger });
  const body = {
    type: 'lead_captured',
    get payload() {
      throw new RangeError('a lazy body');
    },
  };
  const told: unknown[] = [];
  receiver.onError((error, { stage, event }) => told.push(error, stage, event));
  const answer = await receiver.handle({ method: 'POST', body });
  expect([answer.status, JSON.parse(answer.body)]).toMatchObject([500, { code: 'internal_error' }]);
  expect(told).toEqual([expect.any(RangeError), 'validation', undefined]);
  expect(logger.lines.join()).toMatch(/error .*failed at validation with RangeError/);
});

const throwing = (name: string) =>
  Object.defineProperty({ method: 'POST' }, name, {
    get: () => {
      throw new Error('a getter');
    },
  });
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'POST'],
  ['a symbol', Symbol('request')],
  ['a getter of the method that throws', throwing('method')],
  ['a getter of the body that throws', throwing('body')],
  ['a method that cannot be a text', { method: Object.create(null) as unknown }],
  ['a revoked proxy', revoked()],
  ['a body whose fields throw', { method: 'POST', body: throwing('payload') }],
  ['a body that is a revoked proxy', { method: 'POST', body: revoked() }],
  // biome-ignore lint/suspicious/noThenProperty: a body that is a promise, or looks like one.
  ['a body that rejects', { method: 'POST', body: { then: (_: unknown, reject: () => void) => reject() } }],
])('handle, fetch and node never reject, whatever they are given: %s', async (_, request) => {
  const receiver = createWebhookReceiver({ secret, logger: new RecordingLogger() });
  receiver.onAny(() => expect.unreachable());
  const { status } = await receiver.handle(request as never);
  expect([400, 405, 500]).toContain(status);
  expect([400, 405]).toContain((await receiver.fetch(request as never)).status);
  await expect(receiver.node(request as never, undefined as never)).resolves.toBeUndefined();
});

/** Throws what throws at every look at it. */
const fail = (): never => {
  const { proxy, revoke } = Proxy.revocable(new Error('?'), {});
  revoke();
  throw proxy;
};

test.each<[string, object, string]>([
  ['a look-up', { verifySecret: async () => fail() }, 'secret'],
  ['newestOnly', { secret, newestOnly: fail }, 'dedupe'],
  ['an inbox', { secret, inbox: { store: async () => fail() } }, 'inbox'],
])('what %s throws may be unreadable: the answer is 500, and it is told', async (_, options, stage) => {
  const logger = new RecordingLogger();
  const stages: unknown[] = [];
  // Without `deadline`, the answer would come all the same, and late.
  const receiver = createWebhookReceiver({ logger, clock: new ManualClock(), ...options } as never);
  receiver.onAny(() => undefined).onError((_error, { stage: failed }) => stages.push(failed));
  expect(await receiver.handle({ method: 'POST', body: delivery('webhook_test') })).toMatchObject({
    status: 500,
  });
  expect(stages).toEqual([stage]);
  expect(logger.lines.filter((line) => line.startsWith('error'))).not.toEqual([]);
});

test('a hook and a handler that throw what is unreadable leave a line', async () => {
  const logger = new RecordingLogger();
  const receiver = createWebhookReceiver({ secret, logger, hooks: { onDelivery: fail } });
  receiver.onAny(fail);
  const { status } = await receiver.handle({ method: 'POST', body: delivery('webhook_test') });
  expect(status).toBe(500);
  await expect
    .poll(() => logger.lines)
    .toEqual([
      expect.stringContaining('failed at handler with WebhookError'),
      expect.stringContaining('the hook onDelivery failed: something unreadable'),
    ]);
});

const nodeRequest = (fields: object) =>
  Object.defineProperties(
    Readable.from([]),
    Object.getOwnPropertyDescriptors({ method: 'POST', headers: {}, ...fields }),
  );
const respond = () => ({
  headersSent: false,
  on: () => undefined,
  setHeader: () => undefined,
  end: () => undefined,
});
type Receiver = ReturnType<typeof createWebhookReceiver>;
const handed = (request: unknown) => (receiver: Receiver) => receiver.handle(request as never);

test.each<[string, (receiver: Receiver) => unknown, RegExp]>([
  ['nothing', handed(undefined), /handle\(\{ method, body \}\)/],
  [
    'the context of Koa',
    handed({ method: 'POST', request: {}, req: {} }),
    /context: .* receiver\.handle\(\{ method, body \}\), or/,
  ],
  ['the context of Astro', handed({ request: request() }), /framework's context/],
  ['the context of Hono', handed({ req: { raw: request() } }), /receiver\.fetch\(c\.req\.raw\)/],
  [
    'an event of Lambda',
    handed({ requestContext: { http: { method: 'POST' } }, body: '{}' }),
    /handle\(\{ method: event\.requestContext\.http\.method, body: event\.body \}\), .* decoded if isBase64Encoded\./,
  ],
  ['an older event of Lambda', handed({ httpMethod: 'POST', body: '{}' }), /event of Lambda/],
  ['a Request', handed(request()), /receiver\.fetch/],
  [
    'a request of Node that nobody has read',
    handed(nodeRequest({})),
    /receiver\.node\(request, response\), or mount a body parser/,
  ],
  [
    'the request of Koa, which no parser has read',
    handed(Object.create({ method: 'POST', req: {}, ctx: {} })),
    /is a body parser mounted/,
  ],
  ['a request without a body', handed({ method: 'POST' }), /is a body parser mounted/],
  [
    'to node, a request that was read',
    // As Node leaves it.
    (receiver) =>
      receiver.node(nodeRequest({ readableEnded: true, destroyed: true }) as never, respond() as never),
    /receiver before whatever reads it/,
  ],
  [
    'to fetch, a request that was read',
    async (receiver) => {
      const used = request();
      await used.text();
      return receiver.fetch(used);
    },
    /before whatever reads it; behind .* receiver\.node\(request, response, body\)\.$/,
  ],
])('a receiver that is given %s says what to do instead', async (_, call, hint) => {
  const logger = new RecordingLogger();
  const receiver = createWebhookReceiver({ secret, logger });
  const hints: unknown[] = [];
  receiver.onRejected((rejection) => hints.push(rejection.hint));
  await call(receiver);
  expect(hints).toEqual([expect.stringMatching(hint)]);
  expect(logger.lines).toEqual([expect.stringMatching(/, delivery \S{36}\n {2}\S/)]);
  expect(logger.lines[0]?.split('\n  ')[1]).toBe(hints[0]);
});

test('a stranger who sends nothing, or looks by, leads to no hint', async () => {
  const hints: unknown[] = [];
  const receiver = createWebhookReceiver({ secret, logger: new RecordingLogger() });
  receiver.onRejected(({ hint }) => hints.push(hint));
  await receiver.handle({ method: 'GET' });
  await receiver.handle({ method: 'POST', body: '' });
  await receiver.fetch(new Request('https://example.com'));
  // These two read the body themselves.
  await receiver.fetch(new Request('https://example.com', { method: 'POST' }));
  await receiver.node(nodeRequest({}) as never, respond() as never);
  // Nor does what cannot be looked at.
  await receiver.handle(revoked());
  expect(hints).toEqual(Array.from({ length: 6 }));
});

test.each([undefined, null, 'a-secret'])('the options %j are refused as no object', (options) => {
  const create = () => createWebhookReceiver(options as never);
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(/^options must be an object/);
});

test('a secret that is not set asks for the environment variable', () => {
  const create = () => createWebhookReceiver({ secret: process.env.NO_SUCH_SECRET as string });
  expect(create).toThrow(/^secret must be .*got nothing\. Is the environment variable set\?/);
});

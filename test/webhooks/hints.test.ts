import { once } from 'node:events';
import { Readable } from 'node:stream';
import { type HandlingReceiver, parseWebhook } from 'agent-platform-sdk';
import express from 'express';
import Fastify from 'fastify';
import { type Context, Hono } from 'hono';
import Koa from 'koa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serve } from '../support/loopback.js';
import { delivery, secret } from './deliveries.js';
import { fakeTime, handling, inMemory, never, pass, requestOf } from './receivers.js';

// What a refusal says: in the log, to onRejected, and in the errors of parseWebhook.

const text = delivery('webhook_test');
const given =
  (request: unknown) =>
  ({ handle }: HandlingReceiver) =>
    handle(request as never);
const body = (sent: unknown, headers = {}) => given({ method: 'POST', body: sent, headers });
const fetched =
  (sent: BodyInit, headers = {}) =>
  ({ fetch }: HandlingReceiver) =>
    fetch(requestOf(sent, headers));
const readUntil = (event: 'data' | 'end') => async (receiver: HandlingReceiver) => {
  const { request, response } = inMemory([text, text]);
  request.on('data', () => event === 'data' && request.pause());
  await once(request, event);
  await receiver.node(request, response);
};
const locked = () => {
  const request = requestOf(text);
  request.body?.getReader();
  return request;
};
const used = async ({ fetch }: HandlingReceiver) => {
  const request = requestOf(text);
  await request.text();
  return fetch(request);
};
const limited = () =>
  new ReadableStream({ pull: (stream) => stream.error(new Error('exceeded BODY_SIZE_LIMIT')) });
/** Passes something of Hono's to `fetch`. */
const inHono =
  (pick: (context: Context) => unknown) =>
  async ({ fetch }: HandlingReceiver) => {
    const app = new Hono().post('/', (context) => fetch(pick(context) as never));
    await app.onError((_, context) => context.body(null, 500)).request('/', { method: 'POST', body: text });
  };
const wrong = { workspaceSecret: 'of another region' };
const probe = { workspaceSecret: 'forged-by-agent-platform-sdk' };

test.each<[what: string, deliver: (receiver: HandlingReceiver) => unknown, hint: RegExp]>([
  ['nothing for handle', given(undefined), /Pass an object: receiver\.handle\(\{ method, body \}\)/],
  ['no method', given({ body: text }), /`method` is missing/],
  ['a parsed body for handle', given(JSON.parse(text)), /parsed body\. Pass receiver\.handle\(\{ met/],
  ['the context of Koa', given({ method: 'POST', request: {}, req: {} }), /node\(context\.req, context\.res/],
  ['the context of Hono', inHono((context) => context), /Hono: receiver\.fetch\(c\.req\.raw\)/],
  ['a request of Hono', inHono(({ req }) => req), /Pass it on: receiver\.fetch\(c\.req\.raw\)/],
  ['a Request for handle', given({ arrayBuffer: never }), /receiver\.fetch\(request\)/],
  ['an unread request of Node', given(inMemory([]).request), /receiver\.node\(request, response\)/],
  ['a Node stream as the body', body(Readable.from([])), /Only receiver\.node\(request, response\) reads/],
  ['an empty body', body(''), /empty\. Was it read before\?/],
  ['no body', body(undefined), /Is a body parser mounted/],
  ['a stream that others read', body(locked().body), /The body was read before/],
  ['a Request that others read', ({ fetch }) => fetch(locked()), /The body was read before/],
  [
    'a Request of a polyfill, which has no stream',
    ({ fetch }) => fetch(Object.defineProperty(requestOf(text), 'body', { value: undefined })),
    /body: text \} to receiver\.handle/,
  ],
  ['a Request that was read', used, /The body was read before/],
  ['a request of Node that was read', readUntil('end'), /The body was read before/],
  ['a request whose first chunk was read', readUntil('data'), /Mount the receiver before whatever reads it/],
  ['a body that a framework cuts', fetched(limited()), /Reading it failed: exceeded BODY_SIZE_LIMIT/],
  ['a wrong secret', body(delivery('later', wrong)), /none of your secrets/],
  ['a wrong secret that was parsed', body({ payload: wrong }), /none of your secrets/],
  ['a probe', body(delivery('later', probe)), /forged event of `agent-/],
  ['no secret', body('{"type":"webhook_test"}'), /has no `payload.workspaceSecret`/],
  ['brotli', body(Uint8Array.of(0x8b, 2), { 'content-encoding': 'br' }), /compressed \(br\)\. .* only gzip/],
  ['zstd', fetched('x', { 'content-encoding': 'zstd' }), /compressed \(zstd\)\. .* only gzip/],
  ['a large body', body('x'.repeat(9_000)), /The limit is 8192 bytes: raise the option maxBodyBytes/],
])('%s: refused, with a hint', async (_, deliver, hint) => {
  const { receiver, all, rejections, payloads } = handling({ maxBodyBytes: 8_192 });
  const response = await deliver(receiver);
  expect(rejections).toMatchObject([{ hint: expect.stringMatching(hint) as string }]);
  expect(all()).toContain(`\n  ${rejections[0]?.hint}`);
  expect(all()).not.toContain('of another region');
  const sent = response instanceof Response ? await response.text() : JSON.stringify(response ?? '');
  expect(sent).not.toContain(rejections[0]?.hint);
  expect(payloads()).toEqual([]);
});

const open = (field: string) => `{"type":"webhook_test","payload":{"workspaceSecret":"${secret}",${field}`;
const head = open('').length;
const breaks = (at: number, of: number, found = '') =>
  `The JSON breaks at position ${head + at} of ${head + of}${found}.`;
const form = `payload=${encodeURIComponent(text)}`;
const parts = `--boundary\r\ncontent-disposition: x\r\n\r\n${text}`;

test.each<[what: string, code: string, sent: string, hint: string]>([
  ['a JSON string', 'verification_failed', JSON.stringify(text), 'inside a string: it was stringified twice'],
  ['base64', 'verification_failed', btoa(text), 'base64: decode it'],
  ['a form', 'verification_failed', form, 'form data: send JSON'],
  ['parts', 'verification_failed', parts, 'form data: send JSON'],
  ['gzip as text', 'verification_failed', '\x1f\ufffd', 'gzip: pass its bytes to parseW'],
  ['parts with the secret', 'not_json', parts, 'form data: send JSON'],
  ['another compression', 'verification_failed', 'ÿü\0', 'neither a JSON object nor gzip'],
  ['NaN', 'not_json', open('"score":NaN}}'), breaks(8, 13, ': NaN is not JSON')],
  ['a trailing comma', 'not_json', open('"a":1,}}'), breaks(6, 8)],
  ['a trailing comma in a list', 'not_json', open('"a":[1,]}}'), breaks(7, 10)],
  ['no comma', 'not_json', open('"a":1 "b":2}}'), breaks(6, 13)],
  ['a raw line break', 'not_json', open('"a":"b\n"}}'), breaks(4, 10)],
  ['text behind it', 'not_json', open('"a":1}}x'), breaks(7, 8)],
  ['its end missing', 'not_json', open('"a":{"b":[1'), `The JSON is cut off at position ${head + 11}, or`],
  ['a bracket too many', 'not_json', open('"a":[1]]}}'), 'or its brackets do not match.'],
])('%s as the body is named, and not quoted', async (_, code, sent, hint) => {
  const own = code === 'not_json' ? secret : 'another-secret';
  const { rejections, send } = handling({ secret: own });
  expect((await send(sent))[1]).toBe(code);
  expect(rejections).toMatchObject([{ hint: expect.stringContaining(hint) as string }]);
  expect(() => parseWebhook(sent, { secret: own })).toThrow(hint);
});

test('a string that is too long for a regular expression of V8 is named by its place', () => {
  const sent = open(`"a":"${'\\n'.repeat(16_000_000)}",}`);
  expect(() => parseWebhook(sent, { secret })).toThrow(`The JSON breaks at position ${head + 4} of`);
});

test.each<[string, object]>([
  ['1.0', { httpMethod: 'POST', requestContext: { stage: 'prod' } }],
  ['2.0', { version: '2.0', requestContext: { http: { method: 'POST' } } }],
])('the hint for an event of Lambda is right for payload format %s', async (_, fields) => {
  const { receiver, rejections } = handling();
  const event = { ...fields, body: btoa(text), isBase64Encoded: true };
  await receiver.handle(event as never);
  const code = /receiver\.handle\(.*\)/.exec(rejections[0]?.hint ?? '')?.[0];
  // What a user would paste.
  // oxlint-disable-next-line typescript/no-implied-eval
  const handle = new Function('receiver', 'event', `return ${code}`) as (...args: unknown[]) => unknown;
  expect(await handle(receiver, event)).toMatchObject({ status: 200 });
});

test('a receiver on every route of Express is a warning', async () => {
  const { receiver, lines } = handling();
  const everywhere = express().use(receiver.node);
  expect((await fetch(`${await serve(everywhere)}/health`)).status).toBe(405);
  expect(lines).toEqual([
    expect.stringMatching(/^warn .*405[^]*mounted on every route.*app\.use\('\/webhooks', receiver\.node\)/),
  ]);
  const right = express().use('/webhooks', receiver.node).all('/other', receiver.node);
  const url = await serve(right);
  for (const path of ['webhooks', 'webhooks/more', 'other']) await fetch(`${url}/${path}`);
  expect(lines).toHaveLength(1);
});

// A wrong mount must never respond with 200: the service would not send the event again.

const post = async (address: string) => (await fetch(address, { method: 'POST', body: text })).status;

/** Posts an event to a route of a framework. Returns the status. */
const frameworks: Readonly<Record<string, (route: never) => Promise<number>>> = {
  Express: async (route) => post(await serve(express().post('/', route))),
  Koa: async (route) =>
    post(
      await serve(
        new Koa()
          .on('error', () => undefined)
          .use(route)
          .callback(),
      ),
    ),
  async Fastify(route) {
    const app = Fastify().post('/', route);
    onTestFinished(() => app.close());
    return post(await app.listen({ port: 0, host: '127.0.0.1' }));
  },
  async Hono(route) {
    const app = new Hono().post('/', route).onError((_, context) => context.body(null, 500));
    return (await app.request('/', { method: 'POST', body: text })).status;
  },
};
const right: Readonly<Record<string, string>> = { Express: 'node', Hono: 'fetch' };

describe.each(Object.entries(frameworks))('in %s', (framework, statusOf) => {
  const methods = (['node', 'handle', 'fetch'] as const).filter((method) => method !== right[framework]);
  test.each(methods)('%s itself as a route gets a 500', async (method) => {
    const { receiver, events } = handling();
    expect([await statusOf(receiver[method] as never), events]).toEqual([500, []]);
  });
});

test.each(['node', 'handle', 'fetch'] as const)(
  '%s, mounted wrongly, rejects with what to write',
  async (method) => {
    const { receiver, all } = handling();
    const mounting = (receiver[method] as (...args: unknown[]) => Promise<unknown>)({}, {});
    await expect(mounting).rejects.toMatchObject({ type: 'configuration_error', option: method });
    await expect(mounting).rejects.toThrow(
      /takes .* but got something else.*\n {2}Express: .*\n {2}Fastify: re/,
    );
    // A framework may not log what a route throws. `handle` is called with anything.
    expect(all() !== '').toBe(method !== 'handle');
  },
);

test('fetch without `return`: a failure leaves one warning, and a response that is sent none', async () => {
  fakeTime();
  const [one, other] = [handling(), handling()];
  const app = new Hono().post('/right', ({ req }) => one.receiver.fetch(req.raw));
  app.post('/other', ({ req }) => other.receiver.fetch(req.raw));
  app.post('/wrong', async (context) => {
    await one.receiver.fetch(context.req.raw);
    return context.body(null, 200);
  });
  const sendTo = async (path: string) => {
    const response = await app.request(path, { method: 'POST', body: '{}' });
    const sent = await response.text();
    await pass(500);
    return [response.status, sent];
  };
  for (let count = 0; count < 2; count += 1) expect(await sendTo('/wrong')).toEqual([200, '']);
  expect(one.lines).toEqual([
    expect.stringContaining('refused with 401'),
    expect.stringMatching(/^warn .*response of receiver\.fetch .*\(401\) was not sent\. Return it/),
    expect.stringContaining('refused with 401'),
  ]);
  const sent = [401, '{"message":"verification failed","code":"verification_failed"}'];
  expect([await sendTo('/right'), await sendTo('/other')]).toEqual([sent, sent]);
  expect(other.lines).toEqual([expect.stringContaining('refused with 401')]);
});

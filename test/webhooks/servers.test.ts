import { once } from 'node:events';
import http2 from 'node:http2';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { WebhookReceiver } from 'agent-platform-sdk';
import express from 'express';
import Fastify from 'fastify';
import Koa, { type Middleware } from 'koa';
import { expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { listenOnLoopback, serve } from '../support/loopback.js';
import { delivery, minimal, secret, settle } from './deliveries.js';
import { failing, handling, inMemory, requestOf, throwing } from './receivers.js';

const lead = delivery('lead_captured');
const post = (url: string, body: BodyInit, type = 'application/json') =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': type } });

/** With a parser that passes the stream on, or leaves it. */
function inFastify({ node }: WebhookReceiver, passesOn: boolean): Promise<string> {
  const app = Fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_, body, done) => done(null, passesOn ? body : undefined));
  app.post('/', (request, reply) => {
    reply.hijack();
    return node(request.raw, reply.raw, request.body);
  });
  onTestFinished(() => app.close());
  return app.listen({ port: 0, host: '127.0.0.1' });
}

const inKoa = (middleware: Middleware) => serve(new Koa().use(middleware).callback());
const large = { type: '*/*', limit: '4mb' };

/** Serves a receiver. Returns the address. */
const mounts: Readonly<Record<string, (receiver: WebhookReceiver) => Promise<string>>> = {
  'node:http': ({ node }) => serve(node),
  Express: ({ node }) => serve(express().post('/', node)),
  'Express with json()': ({ node }) =>
    serve(
      express()
        .use(express.json({ limit: '4mb' }))
        .post('/', node),
    ),
  'Express with raw()': ({ node }) => serve(express().use(express.raw(large)).post('/', node)),
  'Express with text()': ({ node }) => serve(express().use(express.text(large)).post('/', node)),
  'Fastify, whose parser passes the stream on': (receiver) => inFastify(receiver, true),
  'Fastify, whose parser leaves the stream': (receiver) => inFastify(receiver, false),
  'Koa, node': ({ node }) =>
    inKoa((context) => {
      context.respond = false;
      return node(context.req, context.res);
    }),
  'Koa, its request for `handle`, behind a parser': ({ handle }) =>
    inKoa(async (context) => {
      const body: unknown = JSON.parse(await text(context.req));
      const response = await handle(Object.assign(context.request, { body }));
      context.status = response.status;
      context.set(response.headers);
      context.body = response.body;
    }),
};

test.each(Object.entries(mounts))(
  '%s takes any content type and a large body, and responds',
  async (_, mount) => {
    const { receiver, payloads } = handling();
    const address = await mount(receiver);
    const fields = {
      'application/json': { leadName: 'x'.repeat(3_000_000) },
      'text/plain': { leadName: 'Ada' },
    };
    for (const [type, overrides] of Object.entries(fields)) {
      const response = await post(address, delivery('lead_captured', overrides), type);
      expect([response.status, await response.text()]).toEqual([200, '']);
    }
    expect(payloads()).toMatchObject(Object.values(fields));
    const forged = await post(address, delivery('lead_captured', { workspaceSecret: 'forged' }));
    expect([forged.status, forged.headers.get('content-type')]).toEqual([401, 'application/json']);
    expect(await forged.json()).toMatchObject({ code: 'verification_failed' });
    receiver.on('lead_captured', failing);
    expect((await post(address, lead)).status).toBe(500);
  },
);

const message = (one: string) => delivery('webhook_test', { message: one });
const parsed = JSON.parse(message('body')) as unknown;
const ended = { body: parsed, readableEnded: true };

/** Where the body of a request of Node comes from. */
test.each<[from: string, what: string, fields: object, given?: unknown]>([
  ['given', 'an object is given', { body: parsed }, JSON.parse(message('given'))],
  ['given', 'a text is given', { body: parsed }, message('given')],
  ['body', 'Express gives its `next`', { body: parsed }, () => undefined],
  ['body', 'a parser has set it', { body: parsed }],
  // unjs/nitro#912
  ['body', 'Nitro has set it to a Web stream', { ...ended, body: new Response(message('body')).body }],
  ['stream', 'body-parser 1 has set an empty object', { body: {} }],
  ['stream', 'a parser has set null', { body: null }],
  // Its numbers are exact.
  ['raw', 'its text is kept', { ...ended, rawBody: message('raw') }],
  ['raw', 'its bytes are kept', { ...ended, rawBody: Buffer.from(message('raw')) }],
  ['body', 'the text that is kept is empty', { ...ended, rawBody: '' }],
  ['stream', 'something still collects its text', { rawBody: message('raw') }],
])('node takes %s, if %s', async (from, _, fields, given) => {
  const { receiver, payloads } = handling();
  const { request, response } = inMemory([message('stream')]);
  for (const [name, value] of Object.entries(fields)) Object.defineProperty(request, name, { value });
  await receiver.node(request, response, given);
  expect(payloads()).toMatchObject([{ message: from }]);
});

test('text from setEncoding is read as the bytes it was', async () => {
  const { receiver, payloads } = handling();
  const { request, response } = inMemory([message('Zoë 😀')]);
  request.setEncoding('utf8');
  await receiver.node(request, response);
  expect(payloads()).toMatchObject([{ message: 'Zoë 😀' }]);
});

test('a body that throws when it is read gets a 400, and what it threw is not logged', async () => {
  const { receiver, rejections, all } = handling();
  const { request, response } = inMemory([lead]);
  const get = () => {
    throw new SyntaxError(`Unexpected token in ${secret}`);
  };
  await receiver.node(Object.defineProperty(request, 'body', { get }), response);
  expect(response.statusCode).toBe(400);
  expect(rejections).toStrictEqual([
    { reason: 'body_unreadable', status: 400, size: undefined, deliveryId: expect.any(String) },
  ]);
  expect(all()).not.toContain(secret);
});

/** Sends a body to one of the doors of a receiver. Returns the status. */
type Send = (receiver: WebhookReceiver, body: Uint8Array<ArrayBuffer>, headers?: object) => Promise<unknown>;

const doors: Readonly<Record<string, Send>> = {
  async node(receiver, body, headers = {}) {
    const { request, response } = inMemory([body], { headers });
    await receiver.node(request, response);
    return response.statusCode;
  },
  fetch: async (receiver, body, headers) => (await receiver.fetch(requestOf(body, { ...headers }))).status,
  handle: async ({ handle }, body) => (await handle({ method: 'POST', body })).status,
  'handle, as a stream': async ({ handle }, body) =>
    (await handle({ method: 'POST', body: new Response(body).body })).status,
};
const eachDoor = test.each(Object.entries(doors));

eachDoor('%s takes a body of the greatest size, packed or not, and no larger one', async (_, send) => {
  const body = Buffer.from(message('m'.repeat(1_000)));
  for (const sent of [body, gzipSync(body)]) {
    for (const length of [{}, { 'content-length': String(sent.length) }]) {
      const statusWith = (maxBodyBytes: number) =>
        send(handling({ maxBodyBytes }).receiver, sent, { ...length, 'content-encoding': 'gzip' });
      expect([await statusWith(body.length), await statusWith(body.length - 1)]).toEqual([200, 413]);
    }
  }
});

eachDoor('%s unpacks no bomb, and no broken gzip', async (_, send) => {
  const { receiver, rejections } = handling({ maxBodyBytes: 100_000 });
  expect(await send(receiver, gzipSync(Buffer.alloc(50_000_000)))).toBe(413);
  expect(await send(receiver, gzipSync(lead).subarray(0, 40))).toBe(400);
  // What was unpacked until then.
  expect(rejections[0]?.size).toBeLessThan(1_000_000);
  const hint = expect.stringMatching(/^Reading it failed: ./) as string;
  expect(rejections[1]).toMatchObject({ reason: 'body_unreadable', hint });
});

test('a body that announces too much is refused unread', async () => {
  const { receiver, rejections } = handling({ maxBodyBytes: 1_000 });
  const headers = { 'content-length': '5000' };
  const { request, response } = inMemory(new Readable({ read: () => undefined }), { headers });
  await receiver.node(request, response);
  const refused = await receiver.fetch(requestOf('{}', headers));
  expect([response.statusCode, refused.status]).toEqual([413, 413]);
  const rejection = { reason: 'body_too_large', size: 5_000 };
  expect(rejections).toMatchObject([rejection, rejection]);
});

test('fetch makes a `Response`: a 200 has no body and no type', async () => {
  const { receiver } = handling();
  const { status, body, headers } = await receiver.fetch(requestOf(lead));
  expect([status, body, headers.get('content-type')]).toEqual([200, null, null]);
  const looked = await receiver.fetch(new Request('https://example.com'));
  expect([looked.status, looked.headers.get('allow')]).toEqual([405, 'POST']);
  expect(await looked.json()).toMatchObject({ code: 'method_not_allowed' });
});

test('fetch reads no further than the limit', async () => {
  const { receiver, rejections } = handling({ maxBodyBytes: 1_000 });
  const cancel = vi.fn(() => Promise.reject(new Error('a socket that is gone')));
  const body = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(600)), cancel });
  expect((await receiver.fetch(requestOf(body))).status).toBe(413);
  expect(rejections).toMatchObject([{ reason: 'body_too_large', size: 1_200 }]);
  expect(cancel).toHaveBeenCalledOnce();
});

test('a sender that does not stop is cut off after twice the limit', async () => {
  const { receiver } = handling({ maxBodyBytes: 1_000 });
  const { request, response } = inMemory(new Readable({ read: () => undefined }));
  const responding = receiver.node(request, response);
  request.push(Buffer.alloc(1_001));
  await responding;
  request.push(Buffer.alloc(2_000));
  await settle();
  expect([response.statusCode, request.destroyed]).toEqual([413, false]);
  request.push(Buffer.alloc(1));
  await settle();
  expect(request.destroyed).toBe(true);
});

test('a sender that disconnects half way is reported, and the server stays usable', async () => {
  const { receiver, rejections } = handling();
  const [started, ended] = [deferred(), deferred()];
  const address = await serve(async (request, response) => {
    request.once('data', () => started.resolve());
    await receiver.node(request, response);
    ended.resolve();
  });
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n{"type":');
  await started.promise;
  socket.destroy();
  await ended.promise;
  expect(rejections).toMatchObject([{ reason: 'body_unreadable', hint: 'Reading it failed: aborted' }]);
  expect((await post(address, lead)).status).toBe(200);
});

test('a sender that disconnects while handlers run does not stop them', async () => {
  const [started, end, settled] = [deferred(), deferred(), deferred()];
  const { receiver, rejections, contexts } = handling({}, () => {
    started.resolve();
    return end.promise;
  });
  const address = await serve(async (request, response) => {
    await receiver.node(request, response);
    settled.resolve();
  });
  const controller = new AbortController();
  const sent = fetch(address, { method: 'POST', body: lead, signal: controller.signal });
  await started.promise;
  controller.abort();
  await expect(sent).rejects.toThrow();
  expect(contexts[0]?.signal.aborted).toBe(false);
  end.resolve();
  await settled.promise;
  expect(rejections).toEqual([]);
});

// An error without a listener would be thrown, and end the process.
test.each(['before', 'while'])(
  'errors of a connection that is gone %s the body is read have a listener',
  async (when) => {
    const { receiver, rejections } = handling();
    const { request, response } = inMemory(new Readable({ read: () => undefined }));
    const isBefore = when === 'before';
    if (isBefore) await once(request.destroy(), 'close');
    const responding = receiver.node(request, response);
    request.emit('error', new Error('aborted'));
    if (!isBefore) request.destroy();
    await responding;
    response.emit('error', new Error('write EPIPE'));
    expect(rejections).toMatchObject([{ reason: 'body_unreadable', size: isBefore ? undefined : 0 }]);
  },
);

test('a response whose connection is gone is not written', async () => {
  const { request, response } = inMemory([lead]);
  response.destroy();
  await handling().receiver.node(request, response);
  expect([response.headersSent, response.getHeaderNames()]).toEqual([false, []]);
});

test('a response that your program has sent before is left as it is, and logged', async () => {
  const end = deferred();
  const { receiver, lines } = handling({}, () => end.promise.then(failing));
  const address = await serve((request, response) => {
    void receiver.node(request, response);
    response.writeHead(202).end();
  });
  expect((await post(address, lead)).status).toBe(202);
  end.resolve();
  await vi.waitFor(() => expect(lines).toHaveLength(2));
  expect(lines[1]).toBe(
    'error [agent-platform-sdk] your program responded with 202 to a webhook, so receiver.node could not send ' +
      'its 500. Do not respond yourself.',
  );
});

test('a response that cannot be written is logged', async () => {
  const { receiver, lines } = handling();
  const { request, response } = inMemory([lead]);
  await receiver.node(request, Object.assign(response, { setHeader: throwing }));
  expect(lines).toEqual([expect.stringMatching(/^error .*failed to respond to a webhook: Error$/)]);
});

/** A stream of HTTP/2 to a receiver. */
async function openHttp2(receiver: WebhookReceiver, headers: http2.OutgoingHttpHeaders = {}) {
  const server = http2.createServer((request, response) => void receiver.node(request, response));
  const session = http2.connect(`http://127.0.0.1:${await listenOnLoopback(server)}`);
  onTestFinished(() => session.destroy());
  return { server, stream: session.request({ ':method': 'POST', ':path': '/', ...headers }) };
}

test('HTTP/2 has the same request and response', async () => {
  const { receiver, payloads } = handling();
  const { stream } = await openHttp2(receiver);
  stream.end(lead);
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  expect([headers[':status'], payloads()]).toEqual([200, [minimal.lead_captured]]);
});

test.each([
  ['body_unreadable', { 'content-length': lead.length }],
  // Without a length, half a body cannot be told from a whole one. It carries no secret.
  ['verification_failed', {}],
])('HTTP/2: a stream that was cut off is no body: %s', async (reason, headers) => {
  const { receiver, rejections, events } = handling();
  const { server, stream } = await openHttp2(receiver, headers);
  stream.on('error', () => undefined).write(lead.slice(0, lead.length / 2));
  await once(server, 'stream');
  await settle();
  stream.close(http2.constants.NGHTTP2_CANCEL);
  await vi.waitFor(() => expect(rejections).toMatchObject([{ reason }]));
  expect(events).toEqual([]);
});

import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { createWebhookReceiver, parseWebhookRequest, type WebhookReceiver } from 'agent-platform-sdk';
import express from 'express';
import Fastify, { type FastifyContentTypeParser, type FastifyInstance, type FastifyRequest } from 'fastify';
import Koa, { type Middleware } from 'koa';
import { expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { listenOnLoopback, serve } from '../support/loopback.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { delivery, minimal, secret, settle } from './deliveries.js';
import { failing, handling, inMemory, requestOf } from './receivers.js';

const json = { 'content-type': 'application/json' };
const post = (url: string, body: BodyInit, headers: Record<string, string> = json) =>
  fetch(url, { method: 'POST', body, headers });

/** Serves a receiver. Returns the address. */
type Mount = (receiver: WebhookReceiver) => Promise<string>;

const inExpress =
  (...before: express.RequestHandler[]): Mount =>
  (receiver) => {
    const app = express();
    for (const handler of before) app.use(handler);
    return serve(app.post('/', receiver.node));
  };

const inKoa =
  (middleware: (receiver: WebhookReceiver) => Middleware): Mount =>
  (receiver) =>
    serve(new Koa().use(middleware(receiver)).callback());

const inFastify =
  (prepare: (app: FastifyInstance) => unknown, parsed: (request: FastifyRequest) => unknown): Mount =>
  (receiver) => {
    const app = Fastify();
    prepare(app);
    app.post('/', (request, reply) => {
      reply.hijack();
      return receiver.node(request.raw, reply.raw, parsed(request));
    });
    onTestFinished(() => app.close());
    return app.listen({ port: 0, host: '127.0.0.1' });
  };

const parseAll = (parser: FastifyContentTypeParser) => (app: FastifyInstance) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', parser);
};

const setRawBody =
  (rawBody: string, collect: boolean): express.RequestHandler =>
  (request, _, next) => {
    const collected = Object.assign(request, { rawBody });
    if (collect) request.on('data', (chunk) => (collected.rawBody += String(chunk)));
    next();
  };

const mounts: readonly [name: string, mount: Mount][] = [
  ['node:http', (receiver) => serve(receiver.node)],
  ['Express', inExpress()],
  ['Express with json()', inExpress(express.json({ limit: '4mb' }))],
  ['Express with raw()', inExpress(express.raw({ type: '*/*', limit: '4mb' }))],
  ['Express with text()', inExpress(express.text({ type: '*/*', limit: '4mb' }))],
  // body-parser 1 does so for a content type that it does not accept: the stream stays unread.
  [
    'Express 4, whose parser leaves an empty object',
    inExpress((request, _, next) => next(void (request.body = {}))),
  ],
  ['a raw body that something still collects', inExpress(setRawBody('', true))],
  ['an empty raw body beside a parsed one', inExpress(express.json({ limit: '4mb' }), setRawBody('', false))],
  [
    'Fastify, the stream that a parser passes on',
    inFastify(
      parseAll((_, payload, done) => done(null, payload)),
      (request) => request.body,
    ),
  ],
  [
    'Fastify, the raw stream, parsers off',
    inFastify(
      parseAll((_request, _payload, done) => done(null)),
      () => undefined,
    ),
  ],
  [
    'Koa, node',
    inKoa((receiver) => (context) => {
      context.respond = false;
      return receiver.node(context.req, context.res);
    }),
  ],
  [
    'Koa, its request for `handle`, behind a parser',
    inKoa((receiver) => async (context) => {
      const parsed: unknown = JSON.parse(await text(context.req));
      const { status, headers, body } = await receiver.handle(
        Object.assign(context.request, { body: parsed }),
      );
      context.status = status;
      context.set(headers);
      context.body = body;
    }),
  ],
];

test.each(mounts)('%s: any content type, a large body, a forged one and a failure', async (_, mount) => {
  const { receiver, payloads } = handling();
  const address = await mount(receiver);
  const types = ['application/json', 'text/plain', 'application/octet-stream', 'application/vnd.acme+json'];
  for (const [createdAt, type] of types.entries()) {
    const response = await post(address, delivery('lead_captured', { createdAt }), { 'content-type': type });
    expect([response.status, await response.text()]).toEqual([200, '']);
  }
  expect(payloads()).toEqual(types.map((_type, createdAt) => ({ ...minimal.lead_captured, createdAt })));
  expect((await post(address, delivery('lead_captured', { leadName: 'x'.repeat(3_000_000) }))).status).toBe(
    200,
  );
  for (const body of ['{}', delivery('lead_captured', { workspaceSecret: 'forged' })]) {
    const forged = await post(address, body);
    expect([forged.status, forged.headers.get('content-type')]).toEqual([401, 'application/json']);
    expect(await forged.json()).toMatchObject({ code: 'verification_failed' });
  }
  receiver.on('lead_captured', () => Promise.reject(new Error('no')));
  expect((await post(address, delivery('lead_captured', { createdAt: 9 }))).status).toBe(500);
});

test('a raw body beside a parsed one is used, because its numbers are exact', async () => {
  const { receiver, events } = handling();
  const verify = (request: object, _: unknown, rawBody: Buffer) => void Object.assign(request, { rawBody });
  const address = await inExpress(express.json({ verify }))(receiver);
  for (const number of ['9007199254740992', '9007199254740993']) {
    const body = delivery('lead_captured', { number: 0 }).replace('"number":0', `"number":${number}`);
    expect((await post(address, body)).status).toBe(200);
  }
  expect(events).toHaveLength(2);
});

const lead = delivery('lead_captured');

/** Sends a body to one of the doors of a receiver, with its length declared, or not. Returns the status. */
type Send = (
  receiver: WebhookReceiver,
  body: Uint8Array<ArrayBuffer>,
  isDeclared?: boolean,
) => Promise<unknown>;

const doors: readonly [name: string, send: Send][] = [
  [
    'node',
    async (receiver, body, isDeclared = true) => {
      const length = isDeclared ? { 'content-length': body.length } : { 'transfer-encoding': 'chunked' };
      const headers = { ...length, 'content-encoding': 'gzip' };
      const request = httpRequest(await serve(receiver.node), { method: 'POST', headers });
      request.end(body);
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return response.resume().statusCode;
    },
  ],
  [
    'fetch',
    async (receiver, body, isDeclared = true) => {
      const length = isDeclared ? { 'content-length': String(body.length) } : {};
      return (await receiver.fetch(requestOf(body, { ...length, 'content-encoding': 'gzip' }))).status;
    },
  ],
  ['handle', async ({ handle }, body) => (await handle({ method: 'POST', body })).status],
  [
    'handle, as a stream',
    async ({ handle }, body) => (await handle({ method: 'POST', body: new Response(body).body })).status,
  ],
];

test.each(doors)(
  '%s takes a body of exactly the greatest size, packed or not, and no larger one',
  async (_, send) => {
    const body = Buffer.from(delivery('webhook_test', { message: 'm'.repeat(1_000) }));
    for (const isDeclared of [true, false]) {
      for (const sent of [body, gzipSync(body)]) {
        const statusWith = (maxBodyBytes: number) =>
          send(handling({ maxBodyBytes }).receiver, sent, isDeclared);
        expect([await statusWith(body.length), await statusWith(body.length - 1)]).toEqual([200, 413]);
      }
    }
  },
);

test.each(doors)('%s unpacks no bomb, and no broken gzip', async (_, send) => {
  const { receiver, rejections } = handling({ maxBodyBytes: 100_000 });
  expect(await send(receiver, gzipSync(Buffer.alloc(50_000_000)))).toBe(413);
  expect(await send(receiver, gzipSync(lead).subarray(0, 40))).toBe(400);
  const hint = expect.stringMatching(/^Reading it failed: ./) as string;
  expect(rejections[1]).toMatchObject({ reason: 'body_unreadable', hint });
});

test('parseWebhookRequest reads gzip, within maxBodyBytes', async () => {
  const packed = gzipSync(lead);
  expect(await parseWebhookRequest(requestOf(packed), { secret })).toMatchObject({ type: 'lead_captured' });
  const parsing = parseWebhookRequest(packed, { secret, maxBodyBytes: lead.length - 1 });
  await expect(parsing).rejects.toThrow(`expected at most ${lead.length - 1} bytes`);
});

test('a parsed body that is passed to node takes precedence over that of the request', async () => {
  const { receiver, payloads } = handling();
  const body = JSON.parse(delivery('webhook_test', { message: 'of the request' })) as unknown;
  const asText = delivery('webhook_test', { message: 'as text' });
  for (const given of [JSON.parse(delivery('webhook_test', { message: 'given' })), asText]) {
    const { request, response } = inMemory([], { body });
    await receiver.node(request, response, given);
  }
  expect(payloads()).toMatchObject([{ message: 'given' }, { message: 'as text' }]);
});

test.each<[string, unknown, string]>([
  ['an object, is taken', JSON.parse(delivery('webhook_test')), 'A test.'],
  ['an empty object, is read from the stream', {}, 'from the stream'],
  ['null, is read from the stream', null, 'from the stream'],
])('the body of a request that nobody has read, set to %s', async (_, body, message) => {
  const { receiver, payloads } = handling();
  const { request, response } = inMemory([delivery('webhook_test', { message: 'from the stream' })], {
    body,
  });
  await receiver.node(request, response);
  expect(payloads()).toMatchObject([{ message }]);
});

test('a Web stream as the body of a Node request is read, as Nitro passes it', async () => {
  const { receiver, payloads } = handling({ maxBodyBytes: 1_000 });
  const statusFor = async (sent: string) => {
    // unjs/nitro#912: the request of another server has no stream of its own.
    const nothing = { on: () => undefined, destroy: () => undefined };
    const body = new Response(sent).body;
    const request = { ...nothing, method: 'POST', headers: {}, readableEnded: true, body };
    const written = { setHeader: () => undefined, end: () => undefined };
    const response = { ...nothing, ...written, statusCode: 0, headersSent: false };
    await receiver.node(request, response);
    return response.statusCode;
  };
  expect(await statusFor(lead)).toBe(200);
  expect(payloads()).toEqual([minimal.lead_captured]);
  expect(await statusFor(delivery('lead_captured', { leadName: 'x'.repeat(1_000) }))).toBe(413);
});

test('a body that throws when it is read gets a 400, and what it threw is not logged', async () => {
  const { receiver, rejections } = handling();
  const address = await serve((request, response) => {
    const get = () => {
      throw new SyntaxError(`Unexpected token in ${secret}`);
    };
    void receiver.node(Object.defineProperty(request, 'body', { get }), response);
  });
  expect((await post(address, lead)).status).toBe(400);
  expect(rejections).toStrictEqual([
    { reason: 'body_unreadable', status: 400, size: undefined, deliveryId: expect.any(String) },
  ]);
});

test('a body that the limit of a framework cuts is refused with the message of its error', async () => {
  const { receiver, rejections, all } = handling();
  const message = 'request body size exceeded BODY_SIZE_LIMIT of 524288';
  const body = new ReadableStream({ pull: (stream) => stream.error(new Error(message)) });
  const response = await receiver.fetch(requestOf(body));
  expect([response.status, await response.text()]).toEqual([400, expect.not.stringContaining(message)]);
  expect(rejections).toMatchObject([{ reason: 'body_unreadable', hint: `Reading it failed: ${message}` }]);
  expect(all()).toContain(message);
});

test('node refuses a body that announces too much before it is read', async () => {
  const { receiver, rejections } = handling({ maxBodyBytes: 1_000 });
  const request = httpRequest(await serve(receiver.node), {
    method: 'POST',
    headers: { 'content-length': 5_000_000 },
  });
  request.on('error', () => undefined).flushHeaders();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(413);
  expect(rejections).toMatchObject([{ reason: 'body_too_large', size: 5_000_000 }]);
  request.destroy();
});

test('fetch refuses a body that announces too much, unread; a 200 has no body and no type', async () => {
  const { receiver, rejections } = handling({ maxBodyBytes: 1_000 });
  const refused = await receiver.fetch(requestOf('{}', { 'content-length': '5000' }));
  expect([refused.status, await refused.json()]).toMatchObject([413, { code: 'body_too_large' }]);
  expect(refused.headers.get('content-type')).toBe('application/json');
  expect(rejections).toMatchObject([{ reason: 'body_too_large', size: 5_000 }]);
  const { status, body, headers } = await receiver.fetch(requestOf(lead));
  expect([status, body, headers.get('content-type')]).toEqual([200, null, null]);
  const looked = await receiver.fetch(new Request('https://example.com'));
  expect([looked.status, looked.headers.get('allow')]).toEqual([405, 'POST']);
});

test('fetch reads no further than the limit', async () => {
  const { receiver, rejections } = handling({ maxBodyBytes: 1_000 });
  const cancel = vi.fn(() => Promise.reject(new Error('a socket that is gone')));
  const body = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(600)), cancel });
  expect((await receiver.fetch(requestOf(body))).status).toBe(413);
  expect(rejections).toMatchObject([{ reason: 'body_too_large', size: 1_200 }]);
  expect(cancel).toHaveBeenCalledOnce();
});

test('a sender that does not stop is cut off after twice the limit, and the server stays usable', async () => {
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

test('errors of a request and of a response whose connection is gone have a listener', async () => {
  const { receiver, rejections } = handling();
  const { request, response } = inMemory(new Readable({ read: () => undefined }));
  const responding = receiver.node(request, response);
  // An error without a listener would be thrown, and end the process.
  request.emit('error', new Error('aborted'));
  request.destroy();
  await responding;
  response.emit('error', new Error('write EPIPE'));
  expect(rejections).toMatchObject([{ reason: 'body_unreadable' }]);
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

test('a request or a response whose connection is gone is refused at once, or not written', async () => {
  const { receiver, rejections } = handling();
  const { request, response } = inMemory(new Readable({ read: () => undefined }));
  request.destroy();
  await once(request, 'close');
  await receiver.node(request, response);
  const refused = { reason: 'body_unreadable', status: 400, size: undefined, deliveryId: expect.any(String) };
  expect(rejections).toStrictEqual([refused]);
  // An error without a listener would be thrown, and end the process.
  request.emit('error', new Error('aborted'));
  const gone = inMemory([lead]);
  gone.response.destroy();
  await receiver.node(gone.request, gone.response);
  expect([gone.response.headersSent, gone.response.getHeaderNames()]).toEqual([false, []]);
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
  const logger = new RecordingLogger();
  const stream = { on: () => undefined, destroy: () => undefined };
  const setHeader = () => {
    throw new Error('no');
  };
  const response = { ...stream, statusCode: 0, headersSent: false, setHeader, end: () => undefined };
  await createWebhookReceiver({ secret, logger }).node({ ...stream, method: 'GET', headers: {} }, response);
  expect(logger.lines).toEqual([expect.stringMatching(/^error .*failed to respond to a webhook: Error$/)]);
});

test('text from setEncoding is read as the bytes it was', async () => {
  const { receiver, payloads } = handling();
  const address = await serve((request, response) => {
    request.setEncoding('utf8');
    void receiver.node(request, response);
  });
  await post(address, delivery('lead_captured', { leadName: 'Zoë 😀' }));
  expect(payloads()).toMatchObject([{ leadName: 'Zoë 😀' }]);
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

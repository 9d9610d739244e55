import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, ServerResponse } from 'node:http';
import http2 from 'node:http2';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createWebhookReceiver, type WebhookReceiver, type WebhookRejection } from 'agent-platform-sdk';
import express from 'express';
import Fastify, { type FastifyContentTypeParser, type FastifyInstance, type FastifyRequest } from 'fastify';
import Koa, { type Middleware } from 'koa';
import { expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { listenOnLoopback, serve } from '../support/loopback.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { delivery, minimal, secret, settle } from './deliveries.js';

function setUp(options: { maxBodyBytes?: number; deadline?: number } = {}) {
  const rejections: WebhookRejection[] = [];
  const events: unknown[] = [];
  const logger = new RecordingLogger();
  const receiver = createWebhookReceiver({ secret, logger, ...options })
    .onAny((event) => events.push(event.payload))
    .onRejected((rejection) => rejections.push(rejection));
  return { receiver, events, rejections, logger };
}

/** What `node:http` passes to a listener, without a connection: the parts that are used. */
function inMemory(stream: Readable, fields: object = {}) {
  const request = Object.assign(stream, { method: 'POST', headers: {}, ...fields });
  return { request, response: new ServerResponse(request as unknown as IncomingMessage) };
}

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
  const { receiver, events } = setUp();
  const address = await mount(receiver);
  const types = ['application/json', 'text/plain', 'application/octet-stream', 'application/vnd.acme+json'];
  for (const [createdAt, type] of types.entries()) {
    const response = await post(address, delivery('lead_captured', { createdAt }), { 'content-type': type });
    expect([response.status, await response.text()]).toEqual([200, '']);
  }
  expect(events).toEqual(types.map((_type, createdAt) => ({ ...minimal.lead_captured, createdAt })));
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
  const { receiver, events } = setUp();
  const verify = (request: object, _: unknown, rawBody: Buffer) => void Object.assign(request, { rawBody });
  const address = await inExpress(express.json({ verify }))(receiver);
  for (const number of ['9007199254740992', '9007199254740993']) {
    const body = delivery('lead_captured', { number: 0 }).replace('"number":0', `"number":${number}`);
    expect((await post(address, body)).status).toBe(200);
  }
  expect(events).toHaveLength(2);
});

test('a parsed body that is passed to node takes precedence over that of the request', async () => {
  const { receiver, events } = setUp();
  const body = JSON.parse(delivery('webhook_test', { message: 'of the request' })) as unknown;
  const text = delivery('webhook_test', { message: 'as text' });
  for (const given of [JSON.parse(delivery('webhook_test', { message: 'given' })), text]) {
    const { request, response } = inMemory(Readable.from([]), { body });
    await receiver.node(request, response, given);
  }
  expect(events).toMatchObject([{ message: 'given' }, { message: 'as text' }]);
});

test('a Web stream as the body of a Node request is read, as Nitro passes it', async () => {
  const { receiver, events } = setUp({ maxBodyBytes: 1_000 });
  const statusFor = async (text: string) => {
    // unjs/nitro#912: the request of another server has no stream of its own.
    const nothing = { on: () => undefined, destroy: () => undefined };
    const request = {
      ...nothing,
      method: 'POST',
      headers: {},
      readableEnded: true,
      body: new Response(text).body,
    };
    const response = {
      ...nothing,
      statusCode: 0,
      headersSent: false,
      setHeader: () => undefined,
      end: () => undefined,
    };
    await receiver.node(request, response);
    return response.statusCode;
  };
  expect(await statusFor(delivery('lead_captured'))).toBe(200);
  expect(events).toEqual([minimal.lead_captured]);
  expect(await statusFor(delivery('lead_captured', { leadName: 'x'.repeat(1_000) }))).toBe(413);
});

test('a body that throws when it is read gets a 400, and what it threw is not logged', async () => {
  const { receiver, rejections } = setUp();
  const address = await serve((request, response) => {
    const parsing = Object.defineProperty(request, 'body', {
      get: () => {
        throw new SyntaxError(`Unexpected token in ${secret}`);
      },
    });
    void receiver.node(parsing, response);
  });
  expect((await post(address, delivery('lead_captured'))).status).toBe(400);
  expect(rejections).toStrictEqual([
    { reason: 'body_unreadable', status: 400, size: undefined, deliveryId: expect.any(String) },
  ]);
});

test('a body that the limit of a framework cuts is refused with the message of its error', async () => {
  const { receiver, rejections, logger } = setUp();
  const message = 'request body size exceeded BODY_SIZE_LIMIT of 524288';
  const body = new ReadableStream({ pull: (stream) => stream.error(new Error(message)) });
  const init = { method: 'POST', body, duplex: 'half' };
  const response = await receiver.fetch(new Request('https://app.example/webhooks', init));
  expect([response.status, await response.text()]).toEqual([400, expect.not.stringContaining(message)]);
  expect(rejections).toMatchObject([{ reason: 'body_unreadable', hint: `Reading it failed: ${message}` }]);
  expect(logger.lines.join()).toContain(message);
});

test('a body that announces too much gets a 413 before it is read', async () => {
  const { receiver, rejections } = setUp({ maxBodyBytes: 1_000 });
  const address = await serve(receiver.node);
  const request = httpRequest(address, { method: 'POST', headers: { 'content-length': 5_000_000 } });
  request.on('error', () => undefined);
  request.flushHeaders();
  const [response] = (await once(request, 'response')) as [{ statusCode: number }];
  expect(response.statusCode).toBe(413);
  expect(rejections).toMatchObject([{ reason: 'body_too_large', size: 5_000_000 }]);
  request.destroy();
});

test('a sender that does not stop is cut off, and the server stays usable', async () => {
  const { receiver } = setUp({ maxBodyBytes: 1_000 });
  const address = await serve(receiver.node);
  const request = httpRequest(address, { method: 'POST', headers: { 'transfer-encoding': 'chunked' } });
  const cut = new Promise((resolve) => request.on('error', resolve).on('close', resolve));
  const pump = setInterval(() => request.write(Buffer.alloc(10_000)), 1);
  onTestFinished(() => clearInterval(pump));
  await cut;
  clearInterval(pump);
  expect((await post(address, delivery('lead_captured'))).status).toBe(200);
});

test('a sender that disconnects half way is reported, and the server stays usable', async () => {
  const { receiver, rejections } = setUp();
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
  expect((await post(address, delivery('lead_captured'))).status).toBe(200);
});

test('errors of a request and of a response whose connection is gone have a listener', async () => {
  const { receiver, rejections } = setUp();
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
  const { receiver, rejections } = setUp();
  const [started, end, settled] = [deferred(), deferred(), deferred()];
  let signal: AbortSignal | undefined;
  receiver.on('lead_captured', async (_, context) => {
    signal = context.signal;
    started.resolve();
    await end.promise;
  });
  const address = await serve(async (request, response) => {
    await receiver.node(request, response);
    settled.resolve();
  });
  const controller = new AbortController();
  const sent = fetch(address, { method: 'POST', body: delivery('lead_captured'), signal: controller.signal });
  await started.promise;
  controller.abort();
  await expect(sent).rejects.toThrow();
  expect(signal?.aborted).toBe(false);
  end.resolve();
  await settled.promise;
  expect(rejections).toEqual([]);
});

test('a request or a response whose connection is gone is refused at once, or not written', async () => {
  const { receiver, rejections } = setUp({ deadline: 100 });
  const { request, response } = inMemory(new Readable({ read: () => undefined }));
  request.destroy();
  await once(request, 'close');
  await receiver.node(request, response);
  const refused = { reason: 'body_unreadable', status: 400, size: undefined, deliveryId: expect.any(String) };
  expect(rejections).toStrictEqual([refused]);
  // An error without a listener would be thrown, and end the process.
  request.emit('error', new Error('aborted'));
  const gone = inMemory(Readable.from([delivery('lead_captured')], { objectMode: false }));
  gone.response.destroy();
  await receiver.node(gone.request, gone.response);
  expect(gone.response.headersSent).toBe(false);
  expect(gone.response.getHeaderNames()).toEqual([]);
});

test.each<[string, unknown, string]>([
  [
    'an object, is taken',
    { type: 'webhook_test', payload: { ...minimal.webhook_test, workspaceSecret: secret } },
    'A test.',
  ],
  ['an empty object, is read from the stream', {}, 'from the stream'],
  ['null, is read from the stream', null, 'from the stream'],
])('the body of a request that nobody has read, set to %s', async (_, body, message) => {
  const { receiver, events } = setUp();
  const sent = delivery('webhook_test', { message: 'from the stream' });
  const { request, response } = inMemory(Readable.from([sent], { objectMode: false }), { body });
  await receiver.node(request, response);
  expect(events).toMatchObject([{ message }]);
});

test('fetch refuses a body that announces too much, unread; a 200 has no body and no type', async () => {
  const { receiver, rejections } = setUp({ maxBodyBytes: 1_000 });
  const send = (body: string, headers = {}) =>
    receiver.fetch(new Request('https://example.com', { method: 'POST', body, headers }));
  const refused = await send('{}', { 'content-length': '5000' });
  expect([refused.status, await refused.json()]).toMatchObject([413, { code: 'body_too_large' }]);
  expect(rejections).toMatchObject([{ reason: 'body_too_large', size: 5_000 }]);
  const { status, body, headers } = await send(delivery('lead_captured'));
  expect([status, body, headers.get('content-type')]).toEqual([200, null, null]);
  expect(refused.headers.get('content-type')).toBe('application/json');
  const looked = await receiver.fetch(new Request('https://example.com'));
  expect([looked.status, looked.headers.get('allow')]).toEqual([405, 'POST']);
});

test('fetch reads no further than the limit', async () => {
  const { receiver, rejections } = setUp({ maxBodyBytes: 1_000 });
  const cancel = vi.fn(() => Promise.reject(new Error('a socket that is gone')));
  const body = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(600)), cancel });
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
  expect((await receiver.fetch(new Request('https://example.com', init))).status).toBe(413);
  expect(rejections).toMatchObject([{ reason: 'body_too_large', size: 1_200 }]);
  expect(cancel).toHaveBeenCalledOnce();
});

test('a response that something else has sent is left as it is', async () => {
  const { receiver, logger } = setUp();
  let done: Promise<void> | undefined;
  const address = await serve((request, response) => {
    response.writeHead(202).end();
    done = receiver.node(request, response);
  });
  expect((await post(address, delivery('lead_captured', { workspaceSecret: 'forged' }))).status).toBe(202);
  await expect(done).resolves.toBeUndefined();
  expect(logger.lines.join()).not.toContain('failed to respond');
});

test('text from setEncoding is read as the bytes it was', async () => {
  const { receiver, events } = setUp();
  const address = await serve((request, response) => {
    request.setEncoding('utf8');
    void receiver.node(request, response);
  });
  await post(address, delivery('lead_captured', { leadName: 'Zoë 😀' }));
  expect(events).toMatchObject([{ leadName: 'Zoë 😀' }]);
});

test('HTTP/2 has the same request and response', async () => {
  const { receiver, events } = setUp();
  const server = http2.createServer((request, response) => void receiver.node(request, response));
  const session = http2.connect(`http://127.0.0.1:${await listenOnLoopback(server)}`);
  onTestFinished(() => session.destroy());
  const stream = session.request({ ':method': 'POST', ':path': '/' });
  stream.end(delivery('lead_captured'));
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  expect([headers[':status'], events]).toEqual([200, [minimal.lead_captured]]);
});

test.each([true, false])(
  'HTTP/2: a stream that was cut off is no body, length declared: %s',
  async (isDeclared) => {
    const rejections: unknown[] = [];
    const { receiver, events } = setUp();
    receiver.onRejected(({ reason }) => rejections.push(reason));
    const server = http2.createServer((request, response) => void receiver.node(request, response));
    const session = http2.connect(`http://127.0.0.1:${await listenOnLoopback(server)}`);
    onTestFinished(() => session.destroy());
    const body = delivery('lead_captured');
    const length = isDeclared ? { 'content-length': body.length } : {};
    const stream = session.request({ ':method': 'POST', ':path': '/', ...length });
    stream.on('error', () => undefined);
    stream.write(body.slice(0, body.length / 2));
    await once(server, 'stream');
    await settle();
    stream.close(http2.constants.NGHTTP2_CANCEL);
    // Without a length, half a body cannot be told from a whole one. It carries no secret.
    await vi.waitFor(() =>
      expect(rejections).toEqual([isDeclared ? 'body_unreadable' : 'verification_failed']),
    );
    expect(events).toEqual([]);
  },
);

/** Sends a body whose length is declared, or not. */
type Send = (receiver: WebhookReceiver, body: string, isDeclared: boolean) => Promise<number | undefined>;

test.each<[string, Send]>([
  [
    'node',
    async (receiver, body, isDeclared) => {
      const length = isDeclared ? { 'content-length': body.length } : { 'transfer-encoding': 'chunked' };
      const request = httpRequest(await serve(receiver.node), { method: 'POST', headers: length });
      request.end(body);
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    },
  ],
  [
    'fetch',
    async (receiver, body, isDeclared) => {
      const headers = isDeclared ? { 'content-length': String(body.length) } : {};
      const request = new Request('https://example.com', { method: 'POST', body, headers });
      return (await receiver.fetch(request)).status;
    },
  ],
])('%s takes a body of exactly the greatest size, and refuses a larger one', async (_, send) => {
  const body = delivery('webhook_test', { message: 'm'.repeat(1_000) });
  for (const isDeclared of [true, false]) {
    expect(await send(setUp({ maxBodyBytes: body.length }).receiver, body, isDeclared)).toBe(200);
    expect(await send(setUp({ maxBodyBytes: body.length - 1 }).receiver, body, isDeclared)).toBe(413);
  }
});

test.each([
  [false, [expect.stringMatching(/^error .*failed to respond to a webhook: Error$/)]],
  // Someone else has responded: nothing is left to be done, but what the service got is not the outcome.
  [
    true,
    [
      expect.stringMatching(
        /^error .*your program responded with 0 to a webhook, so receiver\.node could not send its 405/,
      ),
    ],
  ],
])('a response that cannot be written is logged, if it has started: %s', async (headersSent, logged) => {
  const logger = new RecordingLogger();
  const stream = { on: () => undefined, destroy: () => undefined };
  const setHeader = () => {
    throw new Error('no');
  };
  const response = { ...stream, statusCode: 0, headersSent, setHeader, end: () => undefined };
  await createWebhookReceiver({ secret, logger }).node({ ...stream, method: 'GET', headers: {} }, response);
  expect(logger.lines.filter((line) => line.startsWith('error'))).toEqual(logged);
});

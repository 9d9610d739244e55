import { once } from 'node:events';
import {
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  ServerResponse,
} from 'node:http';
import http2 from 'node:http2';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createWebhookReceiver, type WebhookReceiver, type WebhookRejection } from 'agent-platform-sdk';
import express from 'express';
import Fastify from 'fastify';
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

type Mount = (receiver: WebhookReceiver) => RequestListener;

function inExpress(parser?: express.RequestHandler): Mount {
  return (receiver) => {
    const app = express();
    if (parser !== undefined) app.use(parser);
    app.post('/', receiver.node);
    return app;
  };
}

/** A parser of Express 4 (body-parser 1) that does not accept the content type: the stream stays unread. */
const emptyBody: express.RequestHandler = (request, _, next) => {
  request.body = {};
  next();
};

const mounts: readonly [name: string, mount: Mount][] = [
  ['node:http', (receiver) => receiver.node],
  ['Express', inExpress()],
  ['Express with json()', inExpress(express.json())],
  ['Express with raw()', inExpress(express.raw({ type: '*/*' }))],
  ['Express with text()', inExpress(express.text({ type: '*/*' }))],
  ['Express 4, whose parser leaves an empty object', inExpress(emptyBody)],
];

test.each(mounts)('%s: an authentic event is handled', async (_, mount) => {
  const { receiver, events } = setUp();
  const response = await post(await serve(mount(receiver)), delivery('lead_captured'));
  expect([response.status, await response.text()]).toEqual([200, '']);
  expect(events).toEqual([minimal.lead_captured]);
});

test.each(mounts)('%s: a content type refuses nothing that is JSON', async (_, mount) => {
  const { receiver, events } = setUp();
  const address = await serve(mount(receiver));
  for (const [index, type] of [
    'text/plain',
    'application/octet-stream',
    'application/vnd.acme+json',
  ].entries()) {
    const response = await post(address, delivery('lead_captured', { createdAt: index }), {
      'content-type': type,
    });
    expect(response.status).toBe(200);
  }
  expect(events).toHaveLength(3);
});

test.each(mounts)('%s: a refusal has its status and code', async (_, mount) => {
  const address = await serve(mount(setUp({ maxBodyBytes: 10_000 }).receiver));
  const forged = await post(address, delivery('lead_captured', { workspaceSecret: 'forged' }));
  expect([forged.status, await forged.json()]).toMatchObject([401, { code: 'verification_failed' }]);
  const empty = await post(address, '{}');
  expect(empty.status).toBe(401);
});

test('Fastify: request and reply can be given as they are, with the parsed body', async () => {
  const { receiver, events } = setUp();
  const app = Fastify();
  app.post('/', (request, reply) => {
    reply.hijack();
    return receiver.node(request.raw, reply.raw, request.body);
  });
  onTestFinished(() => app.close());
  const response = await post(await app.listen({ port: 0, host: '127.0.0.1' }), delivery('lead_captured'));
  expect([response.status, events]).toEqual([200, [minimal.lead_captured]]);
});

test('a raw body beside a parsed one is used, because its numbers are exact', async () => {
  const { receiver, events } = setUp();
  const app = express().post(
    '/',
    express.json({ verify: (request, _, bytes) => Object.assign(request, { rawBody: bytes }) }),
    receiver.node,
  );
  const address = await serve(app);
  for (const number of ['9007199254740992', '9007199254740993']) {
    const body = delivery('lead_captured', { number: 0 }).replace('"number":0', `"number":${number}`);
    expect((await post(address, body, { 'content-type': 'application/json' })).status).toBe(200);
  }
  expect(events).toHaveLength(2);
});

test('a raw body that something still collects is not used', async () => {
  const { receiver, events } = setUp();
  const app = express().use((request, _, next) => {
    const collected = Object.assign(request, { rawBody: '' });
    request.on('data', (chunk) => {
      collected.rawBody += String(chunk);
    });
    next();
  });
  const response = await post(await serve(app.post('/', receiver.node)), delivery('lead_captured'));
  expect([response.status, events]).toEqual([200, [minimal.lead_captured]]);
});

test('an empty raw body beside a parsed one is not used', async () => {
  const { receiver, events } = setUp();
  const app = express().use(express.json(), (request, _, next) => {
    Object.assign(request, { rawBody: '' });
    next();
  });
  const address = await serve(app.post('/', receiver.node));
  const response = await post(address, delivery('lead_captured'), { 'content-type': 'application/json' });
  expect([response.status, events]).toEqual([200, [minimal.lead_captured]]);
});

test('Fastify: a parser that passes the stream on leaves it to the receiver', async () => {
  const { receiver, events } = setUp();
  const app = Fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_, payload, done) => done(null, payload));
  app.post('/', (request, reply) => {
    reply.hijack();
    return receiver.node(request.raw, reply.raw, request.body);
  });
  onTestFinished(() => app.close());
  const response = await post(await app.listen({ port: 0, host: '127.0.0.1' }), delivery('lead_captured'));
  expect([response.status, events]).toEqual([200, [minimal.lead_captured]]);
});

test.each<[string, (receiver: WebhookReceiver) => Middleware]>([
  [
    'node writes the response itself',
    (receiver) => (context) => {
      context.respond = false;
      return receiver.node(context.req, context.res);
    },
  ],
  [
    'its request fits `handle` as it is, behind a parser',
    (receiver) => async (context) => {
      const parsed: unknown = JSON.parse(await text(context.req));
      const { status, headers, body } = await receiver.handle(
        Object.assign(context.request, { body: parsed }),
      );
      context.status = status;
      context.set(headers);
      context.body = body;
    },
  ],
])('Koa: %s', async (_, middleware) => {
  const { receiver, events } = setUp();
  const address = await serve(new Koa().use(middleware(receiver)).callback());
  const response = await post(address, delivery('lead_captured'));
  expect([response.status, await response.text(), events]).toEqual([200, '', [minimal.lead_captured]]);
  const forged = await post(address, '{}');
  expect([forged.status, forged.headers.get('content-type')]).toEqual([401, 'application/json']);
  expect(await forged.json()).toMatchObject({ code: 'verification_failed' });
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

test('an empty body is not JSON', async () => {
  const response = await post(await serve(setUp().receiver.node), '');
  expect([response.status, await response.json()]).toMatchObject([400, { code: 'not_json' }]);
});

test('another method gets a 405 with what is allowed', async () => {
  const response = await fetch(await serve(setUp().receiver.node));
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
});

test('a body that was read before gets a 400, and does not hang', async () => {
  const { receiver, rejections } = setUp();
  const address = await serve(async (request, response) => {
    request.resume();
    await once(request, 'end');
    await receiver.node(request, response);
  });
  expect((await post(address, delivery('lead_captured'))).status).toBe(400);
  expect(rejections).toMatchObject([{ reason: 'body_unreadable' }]);
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

test('a body that turns out too large gets a 413, and the connection stays usable', async () => {
  const { receiver, events, rejections } = setUp({ maxBodyBytes: 100_000 });
  const address = await serve(receiver.node);
  const chunks = new ReadableStream({
    start(stream) {
      for (let chunk = 0; chunk < 15; chunk += 1) stream.enqueue(new Uint8Array(10_000));
      stream.close();
    },
  });
  const response = await fetch(address, { method: 'POST', body: chunks, duplex: 'half' } as RequestInit);
  expect([response.status, await response.json()]).toMatchObject([413, { code: 'body_too_large' }]);
  expect(rejections).toMatchObject([{ reason: 'body_too_large' }]);
  expect((await post(address, delivery('lead_captured'))).status).toBe(200);
  expect(events).toHaveLength(1);
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

test('an empty object of a server whose requests are no streams is a body, and refused as one', async () => {
  const { receiver, rejections } = setUp();
  const ignore = () => undefined;
  const request = { method: 'POST', headers: {}, body: {}, on: ignore, destroy: ignore };
  await receiver.node(request, inMemory(Readable.from([])).response);
  expect(rejections).toMatchObject([{ reason: 'verification_failed' }]);
});

test('a letter whose bytes come one by one is read as it was', async () => {
  const { receiver, events } = setUp();
  const bytes = new TextEncoder().encode(delivery('lead_captured', { leadName: 'Zoë 😀' }));
  const chunks = Array.from(bytes, (byte) => Uint8Array.of(byte));
  const { request, response } = inMemory(Readable.from(chunks, { objectMode: false }));
  await receiver.node(request, response);
  expect(events).toMatchObject([{ leadName: 'Zoë 😀' }]);
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

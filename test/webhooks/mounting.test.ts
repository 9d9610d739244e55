import { Readable } from 'node:stream';
import { createWebhookReceiver, type WebhookReceiver } from 'agent-platform-sdk';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listenOnLoopback, serve } from '../support/loopback.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { delivery, secret } from './deliveries.js';

// A wrong mount must never respond with 200: the service would not send the event again.

function setUp() {
  const logger = new RecordingLogger();
  const hints: (string | undefined)[] = [];
  const events: unknown[] = [];
  const receiver = createWebhookReceiver({ secret, logger })
    .onAny((event) => events.push(event.payload))
    .onRejected(({ hint }) => hints.push(hint));
  return { receiver, logger, hints, events };
}

const send = (url: string, body = delivery('lead_captured')) =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });

/** Serves one route of a framework. Returns its address, and collects the errors that the framework gets. */
type Serve = (receiver: WebhookReceiver, errors: unknown[]) => Promise<string>;

const fastify =
  (route: (receiver: WebhookReceiver) => unknown): Serve =>
  async (receiver, errors) => {
    const app = Fastify();
    app.setErrorHandler((error, _, reply) => {
      errors.push(error);
      return reply.code(500).send();
    });
    // From JavaScript, anything can be mounted.
    app.post('/', route(receiver) as never);
    onTestFinished(() => app.close());
    return app.listen({ port: 0, host: '127.0.0.1' });
  };

const koa =
  (middleware: (receiver: WebhookReceiver) => unknown): Serve =>
  async (receiver, errors) => {
    const app = new Koa().use(middleware(receiver) as Koa.Middleware);
    app.on('error', (error: unknown) => errors.push(error));
    return serve(app.callback());
  };

const hono =
  (route: (receiver: WebhookReceiver) => unknown): Serve =>
  async (receiver, errors) => {
    const app = new Hono();
    app.onError((error, context) => {
      errors.push(error);
      return context.body(null, 500);
    });
    app.post('/', route(receiver) as never);
    return serve(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const routed = await app.request('/', { method: 'POST', body: Buffer.concat(chunks) });
      response.writeHead(routed.status).end(await routed.text());
    });
  };

const expressApp =
  (route: (receiver: WebhookReceiver) => unknown): Serve =>
  async (receiver, errors) => {
    const app = express();
    app.post('/', route(receiver) as express.RequestHandler);
    const onError: express.ErrorRequestHandler = (error, _request, response, _next) => {
      errors.push(error);
      response.status(500).end();
    };
    app.use(onError);
    return serve(app);
  };

test.each<[string, Serve, RegExp]>([
  [
    'Fastify, node as a route',
    fastify((receiver) => receiver.node),
    /reply\.hijack\(\); await receiver\.node\(request\.raw, reply\.raw\)/,
  ],
  ['Fastify, handle as a route', fastify((receiver) => receiver.handle), /and returns the response to send/],
  [
    'Koa, node as a middleware',
    koa((receiver) => receiver.node),
    /receiver\.node\(context\.req, context\.res\)/,
  ],
  ['Koa, handle as a middleware', koa((receiver) => receiver.handle), /and returns the response to send/],
  ['Hono, node as a route', hono((receiver) => receiver.node), /receiver\.fetch\(c\.req\.raw\)/],
  ['Hono, handle as a route', hono((receiver) => receiver.handle), /and returns the response to send/],
  [
    'Express, handle as a route',
    expressApp((receiver) => receiver.handle),
    /and returns the response to send/,
  ],
  ['Fastify, fetch as a route', fastify((receiver) => receiver.fetch), /takes a `Request`/],
  [
    'Koa, fetch as a middleware',
    koa((receiver) => receiver.fetch),
    /receiver\.node\(context\.req, context\.res\)/,
  ],
  [
    'Express, fetch as a route',
    expressApp((receiver) => receiver.fetch),
    /app\.post\('\/webhooks', receiver\.node\)/,
  ],
])('%s: the framework responds with 500, and its error says what to write', async (_, mount, message) => {
  const { receiver, events } = setUp();
  const errors: unknown[] = [];
  const response = await send(await mount(receiver, errors));
  expect([response.status, events]).toEqual([500, []]);
  expect(errors).toMatchObject([{ type: 'configuration_error', message: expect.stringMatching(message) }]);
});

interface HonoContext {
  readonly req: { readonly raw: Request };
}

test.each<[string, Serve]>([
  ['fetch as a route', hono((receiver) => receiver.fetch)],
  ['fetch given the context', hono((receiver) => (context: never) => receiver.fetch(context))],
  ['fetch given `c.req`', hono((receiver) => (context: HonoContext) => receiver.fetch(context.req as never))],
])('Hono, %s: refused, with the line to write in log and onRejected', async (_, mount) => {
  const { receiver, logger, hints, events } = setUp();
  const response = await send(await mount(receiver, []));
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(events).toEqual([]);
  expect(hints).toEqual([expect.stringContaining('receiver.fetch(c.req.raw)')]);
  expect(logger.lines.join()).toContain('receiver.fetch(c.req.raw)');
});

const request = () => new Request('https://example.com', { method: 'POST', body: delivery('lead_captured') });
const nodeRequest = (fields: object = {}) =>
  Object.assign(Readable.from([]), { method: 'POST', headers: {}, ...fields });
const handed = (given: unknown) => (receiver: WebhookReceiver) => receiver.handle(given as never);

test.each<[string, (receiver: WebhookReceiver) => unknown, RegExp]>([
  ['handle, nothing', handed(undefined), /handle\(\{ method, body \}\)/],
  [
    'handle, the context of Koa',
    handed({ method: 'POST', request: {}, req: {} }),
    /receiver\.node\(context\.req, context\.res\)/,
  ],
  ['handle, the context of Hono', handed({ req: { raw: request() } }), /receiver\.fetch\(c\.req\.raw\)/],
  [
    'handle, an event of Lambda',
    handed({ requestContext: { http: {} }, body: '{}' }),
    /event\.httpMethod \?\? event\.requestContext\.http\.method.*isBase64Encoded/,
  ],
  ['handle, an older event of Lambda', handed({ httpMethod: 'POST', body: '{}' }), /AWS Lambda/],
  ['handle, a Request', handed({ arrayBuffer: () => undefined }), /receiver\.fetch/],
  [
    'handle, a request of Node that nobody has read',
    handed(nodeRequest()),
    /receiver\.node\(request, response\)/,
  ],
  [
    'handle, a body that is a Node stream',
    handed({ method: 'POST', body: Readable.from([]) }),
    /Only receiver\.node\(request, response\)/,
  ],
  ['handle, an empty body', handed({ method: 'POST', body: '' }), /empty\. Was it read before\?/],
  ['handle, a request without a body', handed({ method: 'POST' }), /Is a body parser mounted/],
  [
    'fetch, a request that was read',
    async (receiver) => {
      const used = request();
      await used.text();
      return receiver.fetch(used);
    },
    /before whatever reads it.*receiver\.node\(request, response, body\)/,
  ],
])('%s: refused, with a hint', async (_, call, hint) => {
  const { receiver, hints, logger } = setUp();
  expect(await call(receiver)).not.toMatchObject({ status: 200 });
  expect(hints).toEqual([expect.stringMatching(hint)]);
  expect(logger.lines.join()).toContain(`\n  ${hints[0]}`);
});

test.each<[string, object]>([
  ['1.0', { httpMethod: 'POST', requestContext: { stage: 'prod' } }],
  ['2.0', { version: '2.0', requestContext: { http: { method: 'POST' } } }],
])('the hint for an event of Lambda is right for payload format %s', async (_, parts) => {
  const { receiver, hints } = setUp();
  const event = { ...parts, body: btoa(delivery('lead_captured')), isBase64Encoded: true };
  await receiver.handle(event as never);
  const code = /receiver\.handle\(.*\)/.exec(hints[0] ?? '')?.[0];
  // What a user would paste.
  // oxlint-disable-next-line typescript/no-implied-eval
  const handle = new Function('receiver', 'event', `return ${code}`) as (...args: unknown[]) => unknown;
  expect(await handle(receiver, event)).toMatchObject({ status: 200 });
});

test('Hono, fetch without `return`: a failure leaves one warning, and a response that is sent none', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { receiver, logger } = setUp();
  const app = new Hono().post('/right', (context) => receiver.fetch(context.req.raw));
  app.post('/wrong', async (context) => {
    await receiver.fetch(context.req.raw);
    return context.body(null, 200);
  });
  const other = setUp();
  app.post('/other', (context) => other.receiver.fetch(context.req.raw));
  const sendTo = async (path: string) => {
    const response = await app.request(path, { method: 'POST', body: '{}' });
    const text = await response.text();
    await vi.advanceTimersByTimeAsync(1_000);
    return [response.status, text];
  };
  for (let count = 0; count < 2; count += 1) expect(await sendTo('/wrong')).toEqual([200, '']);
  expect(logger.lines).toEqual([
    expect.stringContaining('refused with 401'),
    expect.stringMatching(/^warn .*response of receiver\.fetch .*\(401\) was not sent\. Return it/),
    expect.stringContaining('refused with 401'),
  ]);
  const sent = [401, '{"message":"verification failed","code":"verification_failed"}'];
  expect([await sendTo('/right'), await sendTo('/other')]).toEqual([sent, sent]);
  expect(other.logger.lines).toEqual([expect.stringContaining('refused with 401')]);
});

test('a server whose requests are read by another gets a hint, over a real connection', async () => {
  const { receiver, hints } = setUp();
  const { createServer } = await import('node:http');
  const server = createServer(async (incoming, response) => {
    for await (const chunk of incoming) void chunk;
    await receiver.node(incoming, response);
  });
  const response = await send(`http://127.0.0.1:${await listenOnLoopback(server)}`);
  expect([response.status, hints]).toEqual([400, [expect.stringContaining('was read before')]]);
});

test('node given no response of node:http is logged too', async () => {
  const { receiver, logger } = setUp();
  await expect(receiver.node({} as never, {} as never)).rejects.toThrow(/reply\.hijack\(\)/);
  expect(logger.lines.join()).toContain('reply.hijack()');
});

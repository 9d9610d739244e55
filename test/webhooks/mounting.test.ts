import type { HandlingReceiver } from 'agent-platform-sdk';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serve } from '../support/loopback.js';
import { delivery } from './deliveries.js';
import { fakeTime, handling, pass } from './receivers.js';

// A wrong mount must never respond with 200: the service would not send the event again.

/** Serves one route of a framework. Returns its address, and collects the errors that the framework gets. */
type Serve = (route: never, errors: unknown[]) => Promise<string>;

const frameworks: Readonly<Record<string, Serve>> = {
  async Fastify(route, errors) {
    const app = Fastify().post('/', route);
    app.setErrorHandler((error, _, reply) => {
      errors.push(error);
      return reply.code(500).send();
    });
    onTestFinished(() => app.close());
    return app.listen({ port: 0, host: '127.0.0.1' });
  },
  Koa(route, errors) {
    const app = new Koa().use(route);
    app.on('error', (error) => errors.push(error));
    return serve(app.callback());
  },
  Hono(route, errors) {
    const app = new Hono().post('/', route);
    app.onError((error, context) => {
      errors.push(error);
      return context.body(null, 500);
    });
    return serve(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const routed = await app.request('/', { method: 'POST', body: Buffer.concat(chunks) });
      response.writeHead(routed.status).end(await routed.text());
    });
  },
  Express(route, errors) {
    const onError: express.ErrorRequestHandler = (error, _request, response, _next) => {
      errors.push(error);
      response.status(500).end();
    };
    return serve(express().post('/', route).use(onError));
  },
};

const send = (url: string) => fetch(url, { method: 'POST', body: delivery('lead_captured') });

describe.each(Object.entries(frameworks))('%s', (framework, open) => {
  const wrong = ['node', 'handle', 'fetch'] as const;
  const isRight = { Express: 'node', Hono: 'fetch', Fastify: undefined, Koa: undefined }[framework];

  test.each(wrong.filter((method) => method !== isRight))(
    '%s as a route: the framework responds with 500, and its error says what to write',
    async (method) => {
      const { receiver, events } = handling();
      const errors: unknown[] = [];
      const response = await send(await open(receiver[method] as never, errors));
      expect([response.status, events]).toEqual([500, []]);
      const message = expect.stringMatching(
        /takes .* but got something else.*\n {2}Express: .*\n {2}Fastify: reply/,
      ) as string;
      expect(errors).toMatchObject([{ type: 'configuration_error', option: method, message }]);
    },
  );
});

interface HonoContext {
  readonly req: { readonly raw: Request };
}

test.each<[string, (receiver: HandlingReceiver) => unknown]>([
  ['as a route', ({ fetch }) => fetch],
  [
    'given the context',
    ({ fetch }) =>
      (context: never) =>
        fetch(context),
  ],
  [
    'given `c.req`',
    ({ fetch }) =>
      ({ req }: HonoContext) =>
        fetch(req as never),
  ],
])('Hono, fetch %s: refused, with the line to write in log and onRejected', async (_, route) => {
  const { receiver, all, rejections, events } = handling();
  const response = await send(await (frameworks.Hono as Serve)(route(receiver) as never, []));
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect([rejections, events]).toMatchObject([
    [{ hint: expect.stringContaining('receiver.fetch(c.req.raw)') }],
    [],
  ]);
  expect(all()).toContain('receiver.fetch(c.req.raw)');
});

test('Hono, fetch without `return`: a failure leaves one warning, and a response that is sent none', async () => {
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
    const text = await response.text();
    await pass(500);
    return [response.status, text];
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

test('node given no response of node:http is logged too', async () => {
  const { receiver, all } = handling();
  await expect(receiver.node({} as never, {} as never)).rejects.toThrow(/reply\.hijack\(\)/);
  expect(all()).toContain('reply.hijack()');
});

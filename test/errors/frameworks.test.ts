import { AgentPlatform, AgentPlatformError } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import express, { type ErrorRequestHandler } from 'express';
import Fastify, { type FastifyInstance } from 'fastify';
import { Hono } from 'hono';
import Koa, { type Middleware } from 'koa';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { serve } from '../support/loopback.js';

// What an integrator's client reads if a route calls the service, and the service refuses the token.

const { baseUrls, fetch: fakeFetch } = createFakePlatform();
const platform = new AgentPlatform({ region: 'eu', token: 'an-unknown-token', baseUrls, fetch: fakeFetch });
const callService = () => platform.tools.get('tool_eu_1');
const failOtherwise = () => Promise.reject(new Error('not of this package'));

type Route = () => Promise<unknown>;

beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

const inExpress =
  (...handlers: ErrorRequestHandler[]) =>
  (route: Route) => {
    const app = express();
    app.get('/', async (_request, response) => response.json(await route()));
    for (const handler of handlers) app.use(handler);
    return serve(app);
  };

const inFastify =
  (prepare: (app: FastifyInstance) => unknown = () => undefined) =>
  (route: Route) => {
    const app = Fastify();
    prepare(app);
    app.get('/', route);
    onTestFinished(() => app.close());
    return app.listen({ port: 0, host: '127.0.0.1' });
  };

const inKoa =
  (...middlewares: Middleware[]) =>
  (route: Route) => {
    const app = new Koa();
    for (const middleware of middlewares) app.use(middleware);
    app.use(async (context) => {
      context.body = await route();
    });
    return serve(app.callback());
  };

const inHono = (route: Route) => {
  const app = new Hono().get('/', async (context) => context.json(await route()));
  return serve(async (_request, response) => {
    const own = await app.request('/');
    response.writeHead(own.status).end(await own.text());
  });
};

test.each([
  ['Express', inExpress(), 401, true],
  ['Fastify', inFastify(), 401, true],
  ['Koa', inKoa(), 401, false],
  ['Hono', inHono, 500, false],
])('%s alone, as the table of the guide says', async (_, mount, status, hasMessage) => {
  const response = await fetch(await mount(callService));
  const text = await response.text();
  expect([response.status, text.includes('responded with 401')]).toEqual([status, hasMessage]);
});

// The lines of the guide.
const onPlatformError: ErrorRequestHandler = (error, _request, response, next) => {
  if (!(error instanceof AgentPlatformError) || response.headersSent) return next(error);
  console.error(error);
  response.status(502).json({ error: 'bad gateway' });
};

test.each<[string, (route: Route) => Promise<string>]>([
  ['Express', inExpress(onPlatformError)],
  [
    'Fastify',
    inFastify((app) =>
      app.setErrorHandler((error, request, reply) => {
        if (!(error instanceof AgentPlatformError)) throw error;
        request.log.error(error);
        return reply.code(502).send({ error: 'bad gateway' });
      }),
    ),
  ],
  [
    'Koa',
    inKoa(async (context, next) => {
      try {
        await next();
      } catch (error) {
        if (!(error instanceof AgentPlatformError)) throw error;
        console.error(error);
        context.status = 502;
        context.body = { error: 'bad gateway' };
      }
    }),
  ],
])('%s with the lines of the guide: a 502 without the message', async (_, mount) => {
  const response = await fetch(await mount(callService));
  expect([response.status, await response.json()]).toEqual([502, { error: 'bad gateway' }]);
  expect((await fetch(await mount(failOtherwise))).status).toBe(500);
});

import { AgentPlatform, AgentPlatformError } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import express, { type ErrorRequestHandler } from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { expect, onTestFinished, test, vi } from 'vitest';
import { serve } from '../support/loopback.js';

// What an integrator's client reads if a route calls the service, and the service refuses the token.

const { baseUrls, fetch: fakeFetch } = createFakePlatform();
const platform = new AgentPlatform({ region: 'eu', token: 'an-unknown-token', baseUrls, fetch: fakeFetch });
const routes = {
  '/ours': () => platform.tools.get('tool_eu_1'),
  '/other': () => Promise.reject(new Error('not of this package')),
};

/** The lines of the guide, for Express. */
const onPlatformError: ErrorRequestHandler = (error, _request, response, next) => {
  if (!(error instanceof AgentPlatformError) || response.headersSent) return next(error);
  console.error(error);
  response.status(502).json({ error: 'bad gateway' });
};

function startExpress(isGuided: boolean): Promise<string> {
  const app = express();
  for (const [path, route] of Object.entries(routes)) {
    app.get(path, async (_request, response) => response.json(await route()));
  }
  if (isGuided) app.use(onPlatformError);
  return serve(app);
}

function startFastify(isGuided: boolean): Promise<string> {
  const app = Fastify();
  if (isGuided) {
    app.setErrorHandler((error, request, reply) => {
      if (!(error instanceof AgentPlatformError)) throw error;
      request.log.error(error);
      return reply.code(502).send({ error: 'bad gateway' });
    });
  }
  for (const [path, route] of Object.entries(routes)) app.get(path, route);
  onTestFinished(() => app.close());
  return app.listen({ port: 0, host: '127.0.0.1' });
}

function startKoa(isGuided: boolean): Promise<string> {
  const app = new Koa();
  if (isGuided) {
    app.use(async (context, next) => {
      try {
        await next();
      } catch (error) {
        if (!(error instanceof AgentPlatformError)) throw error;
        console.error(error);
        context.status = 502;
        context.body = { error: 'bad gateway' };
      }
    });
  }
  app.use(async (context) => {
    context.body = await routes[context.path as keyof typeof routes]();
  });
  return serve(app.callback());
}

function startHono(): Promise<string> {
  const app = new Hono().get('/ours', async (context) => context.json(await routes['/ours']()));
  return serve(async (_request, response) => {
    const own = await app.request('/ours');
    response.writeHead(own.status).end(await own.text());
  });
}

// As the table of the guide says; then with its lines, if it has some for the framework.
test.each([
  ['Express', startExpress, 401, true],
  ['Fastify', startFastify, 401, true],
  ['Koa', startKoa, 401, false],
  ['Hono', startHono, 500, false],
] as const)('%s', async (_, start, status, hasMessage) => {
  vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => void vi.restoreAllMocks());
  const alone = await fetch(`${await start(false)}/ours`);
  expect([alone.status, (await alone.text()).includes('responded with 401')]).toEqual([status, hasMessage]);
  if (start === startHono) return;
  const url = await start(true);
  const guided = await fetch(`${url}/ours`);
  expect([guided.status, await guided.json()]).toEqual([502, { error: 'bad gateway' }]);
  expect((await fetch(`${url}/other`)).status).toBe(500);
});

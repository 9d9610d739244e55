// Serves webhooks, and a route that calls the service, in one framework: `servers.mjs h3`. Prints its address.
// After SIGTERM, it ends with the line of the guide.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentPlatform, createWebhookReceiver, drain } from 'agent-platform-sdk';

// Settings are taken from the environment. The token is one that the service refuses.
const platform = new AgentPlatform({ logLevel: 'off', maxRetries: 0 });
const receiver = createWebhookReceiver({ logLevel: 'off' })
  .onAny(() => sleep(20))
  .on('bug_reported', async () => {
    console.log('handling');
    await sleep(1_000);
  });
const inbox = { close: async () => console.log('closed') };
const callService = () => platform.tools.get('tool_eu_1');

const loopback = { port: 0, hostname: '127.0.0.1' };

/** What the decorators of a Nest application compile to. */
async function nestModule(providers = []) {
  await import('reflect-metadata');
  const { Controller, Get, Module } = await import('@nestjs/common');
  class ServiceController {
    read() {
      return callService();
    }
  }
  const { prototype } = ServiceController;
  Get()(prototype, 'read', Object.getOwnPropertyDescriptor(prototype, 'read'));
  Controller('service')(ServiceController);
  class AppModule {}
  Module({ controllers: [ServiceController], providers })(AppModule);
  return AppModule;
}

/** Nest with a listener of SIGTERM, or with shutdown hooks, when it calls a provider before it closes the server. */
async function nest(adapter, hasHooks = false) {
  const { NestFactory } = await import('@nestjs/core');
  let app;
  const beforeApplicationShutdown = () => drain(app.getHttpServer(), { inbox });
  const provider = { provide: 'drain', useValue: { beforeApplicationShutdown } };
  const module = await nestModule(hasHooks ? [provider] : []);
  app = await NestFactory.create(module, ...[adapter].filter(Boolean), { logger: false });
  app.use('/webhooks', receiver.node);
  if (hasHooks) app.enableShutdownHooks();
  else process.once('SIGTERM', () => drain(app.getHttpServer(), { inbox }).then(() => app.close()));
  await app.listen(0, '127.0.0.1');
  app.getHttpServer().keepAliveTimeout = 65_000;
  return app.getUrl();
}

const nestFastify = async () => {
  const { FastifyAdapter } = await import('@nestjs/platform-fastify');
  return new FastifyAdapter();
};

/** An app of h3 1 with one route. */
async function h3App(route) {
  const { createApp, createRouter, defineEventHandler } = await import('h3-1');
  const router = createRouter().post('/webhooks', defineEventHandler(route));
  return createApp().use(router.get('/service', defineEventHandler(callService)));
}

const throughFetch = async () => {
  const { toWebRequest } = await import('h3-1');
  return h3App((event) => receiver.fetch(toWebRequest(event)));
};

async function serveNode(listener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  server.keepAliveTimeout = 65_000;
  process.once('SIGTERM', () => drain(server, { inbox }));
  await once(server, 'listening');
  return `http://127.0.0.1:${server.address().port}`;
}

/** A server of the Web, as the presets of Nitro for edges have it. */
async function serveWeb(handler) {
  const { serve } = await import('srvx');
  const server = serve({ fetch: handler, ...loopback, silent: true });
  await server.ready();
  return server.url;
}

/** Ends a server that is not one of `node:http`. */
function endWith(stop) {
  process.once('SIGTERM', async () => {
    await stop();
    await inbox.close();
  });
}

const servers = {
  Hono: async () => {
    const { serve } = await import('@hono/node-server');
    const { Hono } = await import('hono');
    const app = new Hono().post('/webhooks', (context) => receiver.fetch(context.req.raw));
    app.get('/service', async (context) => context.json(await callService()));
    const server = serve({ fetch: app.fetch, ...loopback, serverOptions: { keepAliveTimeout: 65_000 } });
    process.once('SIGTERM', () => drain(server, { inbox }));
    await once(server, 'listening');
    return `http://127.0.0.1:${server.address().port}`;
  },
  'h3 2': async () => {
    const { H3, toNodeHandler } = await import('h3');
    const app = new H3({ silent: true })
      .post('/webhooks', (event) => receiver.fetch(event.req))
      .get('/service', callService);
    return serveNode(toNodeHandler(app));
  },
  'h3 1': async () => {
    const { toNodeListener } = await import('h3-1');
    return serveNode(toNodeListener(await throughFetch()));
  },
  // unjs/nitro#912
  'h3 1, toWebHandler': async () => {
    const { toWebHandler } = await import('h3-1');
    return serveWeb(toWebHandler(await throughFetch()));
  },
  // As presets of Nitro 2 call it: the body is a Web stream.
  'h3 1, node, a request that is none': async () => {
    const { toNodeListener } = await import('h3-1');
    const { fetchNodeRequestHandler } = await import('node-mock-http');
    const listener = toNodeListener(await h3App((event) => receiver.node(event.node.req, event.node.res)));
    return serveWeb(({ url, method, headers, body }) =>
      fetchNodeRequestHandler(listener, url, { method, headers, body }),
    );
  },
  'Nest on Express': () => nest(),
  'Nest on Fastify': async () => nest(await nestFastify()),
  'Nest on Express, hooks': () => nest(undefined, true),
  'Nest on Fastify, hooks': async () => nest(await nestFastify(), true),
  Elysia: async () => {
    const { Elysia } = await import('elysia');
    const app = new Elysia({ serve: { idleTimeout: 65 } })
      .post('/webhooks', ({ request }) => receiver.fetch(request), { parse: 'none' })
      .get('/service', callService)
      .listen(loopback);
    endWith(() => app.stop());
    return app.server.url;
  },
  Bun: async () => {
    const server = Bun.serve({ ...loopback, fetch: receiver.fetch, idleTimeout: 65 });
    endWith(() => server.stop());
    return server.url;
  },
  Deno: async () => {
    const server = Deno.serve({ ...loopback, onListen() {} }, receiver.fetch);
    endWith(() => server.shutdown());
    return `http://127.0.0.1:${server.addr.port}`;
  },
  SvelteKit: async () => serveNode((await import('./build/handler.js')).handler),
  Nitro: async () => serveNode((await import('./.output/server/index.mjs')).listener),
  Next: async () => {
    const { default: next } = await import('next');
    const app = next({ dev: false });
    await app.prepare();
    return serveNode(app.getRequestHandler());
  },
};

console.log(String(await servers[process.argv[2]]()));

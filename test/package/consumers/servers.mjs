// Serves webhooks, and a route that calls the service, in one framework: `servers.mjs h3`. Prints its address.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { AgentPlatform, createWebhookReceiver } from 'agent-platform-sdk';

// Settings are taken from the environment. The token is one that the service refuses.
const platform = new AgentPlatform({ logLevel: 'off', maxRetries: 0 });
const receiver = createWebhookReceiver({ logLevel: 'off' }).onAny(() => undefined);
const callService = () => platform.tools.get('tool_eu_1');

const loopback = { port: 0, hostname: '127.0.0.1' };

/** What the decorators of a Nest application compile to. */
async function nestModule() {
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
  Module({ controllers: [ServiceController] })(AppModule);
  return AppModule;
}

async function nest(adapter) {
  const { NestFactory } = await import('@nestjs/core');
  const app = await NestFactory.create(await nestModule(), ...[adapter].filter(Boolean), { logger: false });
  app.use('/webhooks', receiver.node);
  await app.listen(0, '127.0.0.1');
  return app.getUrl();
}

const servers = {
  'h3 2': async () => {
    const { H3, serve } = await import('h3');
    const app = new H3({ silent: true })
      .post('/webhooks', (event) => receiver.fetch(event.req))
      .get('/service', callService);
    const server = serve(app, { ...loopback, silent: true });
    await server.ready();
    return server.url;
  },
  'h3 1': async () => {
    const { createApp, createRouter, defineEventHandler, toNodeListener } = await import('h3-1');
    const webhooks = defineEventHandler((event) => receiver.node(event.node.req, event.node.res));
    const router = createRouter()
      .post('/webhooks', webhooks)
      .get('/service', defineEventHandler(callService));
    const server = createServer(toNodeListener(createApp().use(router))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${server.address().port}`;
  },
  'Nest on Express': () => nest(),
  'Nest on Fastify': async () => {
    const { FastifyAdapter } = await import('@nestjs/platform-fastify');
    return nest(new FastifyAdapter());
  },
  Elysia: async () => {
    const { Elysia } = await import('elysia');
    const app = new Elysia()
      .post('/webhooks', ({ request }) => receiver.fetch(request))
      .get('/service', callService)
      .listen(loopback);
    return app.server.url;
  },
};

console.log(String(await servers[process.argv[2]]()));

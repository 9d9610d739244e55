import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWebhookReceiver, type WebhookReceiver } from 'agent-platform-sdk';
import express from 'express';
import Fastify from 'fastify';
import Koa from 'koa';
import { expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { delivery, secret } from './deliveries.js';

// The recipe of docs/guides/webhooks.md#shutdown.

/** A receiver on a server of its own. */
interface Served {
  readonly server: Server;
  /** Ends the server as after SIGTERM. */
  shutDown(closed: () => void): void;
}

function onServer(server: Server): Served {
  server.listen(0, '127.0.0.1');
  return {
    server,
    shutDown(closed) {
      server.close(closed);
      server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
      setInterval(() => server.closeIdleConnections(), 500).unref();
    },
  };
}

function inExpress({ node }: WebhookReceiver): Served {
  return onServer(createServer(express().post('/', node)));
}

function inKoa({ node }: WebhookReceiver): Served {
  const app = new Koa().use((context) => {
    context.respond = false;
    return node(context.req, context.res);
  });
  return onServer(createServer(app.callback()));
}

async function inFastify({ node }: WebhookReceiver): Promise<Served> {
  const app = Fastify({ return503OnClosing: false });
  app.register(async (webhooks) => {
    webhooks.removeAllContentTypeParsers();
    webhooks.addContentTypeParser('*', (_request, _body, done) => done(null));
    webhooks.post('/', async (request, reply) => {
      reply.hijack();
      await node(request.raw, reply.raw);
    });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    server: app.server,
    shutDown(closed) {
      void app.close().then(closed);
      setInterval(() => app.server.closeIdleConnections(), 500).unref();
    },
  };
}

const servers: readonly [name: string, open: (receiver: WebhookReceiver) => Served | Promise<Served>][] = [
  ['node:http', (receiver) => onServer(createServer(receiver.node))],
  ['Express', inExpress],
  ['Koa', inKoa],
  ['Fastify', inFastify],
];

/** Sends deliveries on connections that stay open. */
function openSender(server: Server) {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const { port } = server.address() as AddressInfo;
  /** Resolves with the response; undefined without one. */
  return (name: string) =>
    new Promise<IncomingMessage | undefined>((resolve) => {
      const headers = { 'content-type': 'application/json' };
      const sent = request({ agent, port, host: '127.0.0.1', method: 'POST', headers }, (response) => {
        response.resume().on('end', () => resolve(response));
      });
      sent.on('error', () => resolve(undefined));
      sent.end(delivery('lead_captured', { leadName: name }));
    });
}

const SENDERS = 10;

test.each(servers)(
  'under steady traffic on open connections, %s closes, and no acknowledged event is lost',
  async (_, open) => {
    const handled = new Set<string | undefined>();
    const receiver = createWebhookReceiver({ secret, logLevel: 'off' }).onAny(async ({ payload }) => {
      await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 20));
      handled.add((payload as { leadName?: string }).leadName);
    });
    const { server, shutDown } = await open(receiver);
    if (!server.listening) await once(server, 'listening');
    const send = openSender(server);
    const acknowledged: string[] = [];
    const afterwards = new Set<string>();
    const closed = deferred();
    let [isClosing, isClosed] = [false, false];
    const sendOn = async (sender: number) => {
      for (let count = 0; !isClosed; count += 1) {
        const name = `${sender}-${count}`;
        const isLate = isClosing;
        const response = await send(name);
        if (response === undefined) continue;
        acknowledged.push(name);
        if (isLate) afterwards.add(`${response.statusCode} ${response.headers.connection}`);
        if (acknowledged.length !== 5 * SENDERS) continue;
        isClosing = true;
        shutDown(closed.resolve);
      }
    };
    const sending = Array.from({ length: SENDERS }, (_, sender) => sendOn(sender));
    await closed.promise;
    isClosed = true;
    await Promise.all(sending);
    expect(acknowledged.filter((name) => !handled.has(name))).toEqual([]);
    // What an open connection delivers after the signal is handled, and is its last. There may be none.
    expect([...afterwards].filter((response) => response !== '200 close')).toEqual([]);
  },
);

test.each(servers)('%s closes after a delivery in progress, whose connection stays open', async (_, open) => {
  const [started, end, closed] = [deferred(), deferred(), deferred()];
  const receiver = createWebhookReceiver({ secret, logLevel: 'off' }).onAny(() => {
    started.resolve();
    return end.promise;
  });
  const { server, shutDown } = await open(receiver);
  if (!server.listening) await once(server, 'listening');
  server.keepAliveTimeout = 600_000;
  const sending = openSender(server)('in progress');
  await started.promise;
  shutDown(closed.resolve);
  await vi.waitFor(() => expect(server.listening).toBe(false));
  end.resolve();
  expect(await sending).toMatchObject({ statusCode: 200 });
  await closed.promise;
});

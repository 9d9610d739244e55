import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer as createTlsServer, Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { createWebhookReceiver, type DrainableServer, drain, type WebhookReceiver } from 'agent-platform-sdk';
import express from 'express';
import Fastify from 'fastify';
import Koa from 'koa';
import { expect, onTestFinished, test, vi } from 'vitest';
import { deliverUntilRefused } from '../package/deliver-until-refused.js';
import { deferred } from '../support/deferred.js';
import { leavesNothing } from '../support/leaves-nothing.js';
import { collectGarbage } from '../support/memory.js';
import { ownCertificate } from '../support/own-certificate.js';
import { delivery, secret, settle } from './deliveries.js';
import { handling, never, pass, setUp } from './receivers.js';

/** Resolves once the server listens. It is closed when the test ends, in case the test has failed. */
async function listening(server: Server): Promise<Server> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return server;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const onHttp = ({ node }: Pick<WebhookReceiver, 'node'>) => listening(createServer(node));

// Express and Koa listen with a server of node:http, and so do those of `test/package/servers.test.ts`.
const servers = {
  'node:http': onHttp,
  'node:https': ({ node }: WebhookReceiver) => listening(createTlsServer(ownCertificate(), node) as Server),
};
const eachServer = test.each(Object.entries(servers));

/** Sends a delivery, by default on a connection that stays open. */
function sendTo(server: Server, keepAlive = true) {
  const isTls = 'setSecureContext' in server;
  const agent = isTls ? new TlsAgent({ keepAlive, rejectUnauthorized: false }) : new Agent({ keepAlive });
  onTestFinished(() => agent.destroy());
  return new Promise<IncomingMessage>((resolve, reject) => {
    const options = { agent, port: portOf(server), host: '127.0.0.1', method: 'POST' };
    const sent = (isTls ? tlsRequest : request)(options, (response) => {
      response.resume().on('end', () => resolve(response));
    });
    sent.on('error', reject).end(delivery('lead_captured'));
  });
}

test('under steady traffic, drain handles what it accepts, and refuses new connections', async () => {
  const handled = new Set<unknown>();
  const receiver = createWebhookReceiver({ secret }).on('chat_delegated', async ({ payload }) => {
    await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 20));
    handled.add(payload.customerName);
  });
  const server = await onHttp(receiver);
  const url = `http://127.0.0.1:${portOf(server)}`;
  const { accepted, failures } = await deliverUntilRefused(url, secret, {}, () => void drain(server));
  await drain(server);
  expect(accepted.filter((name) => !handled.has(name))).toEqual([]);
  expect(failures).toEqual(new Set(['ECONNREFUSED']));
});

eachServer('%s is drained after a delivery in progress on a connection that is kept', async (_, open) => {
  const [started, end] = [deferred(), deferred()];
  const { receiver } = handling({}, () => {
    started.resolve();
    return end.promise;
  });
  const server = await open(receiver);
  server.keepAliveTimeout = 600_000;
  const sending = sendTo(server);
  await started.promise;
  const draining = drain(server);
  await vi.waitFor(() => expect(server.listening).toBe(false));
  end.resolve();
  expect(await sending).toMatchObject({ statusCode: 200, headers: { connection: 'close' } });
  await draining;
});

/** A receiver whose connections are written by hand. Times of `drain` pass as the test says. */
async function openRaw(handler: () => unknown = () => undefined) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const server = await onHttp(handling({ dedupe: false }, handler).receiver);
  server.keepAliveTimeout = 600_000;
  const openConnection = async () => {
    const socket = connect(portOf(server), '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    const body = delivery('webhook_test');
    const send = async (): Promise<string> => {
      socket.write(`POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      return String(chunk);
    };
    return { socket, closed, send };
  };
  return { server, openConnection };
}

test('an idle connection may send one more delivery for 5 s, and is closed then', async () => {
  const { server, openConnection } = await openRaw();
  const [used, unused] = [await openConnection(), await openConnection()];
  for (const { send } of [used, unused]) expect(await send()).not.toMatch(/connection: close/i);
  const draining = drain(server);
  await pass(4_999);
  expect(await used.send()).toMatch(/200 OK[^]*connection: close/i);
  await used.closed;
  expect(unused.socket.closed).toBe(false);
  await pass(1);
  await unused.closed;
  await draining;
});

test('after `timeout`, what is open is cut, and the inbox is closed', async () => {
  const started = deferred();
  const { server, openConnection } = await openRaw(() => {
    started.resolve();
    return never();
  });
  const { send, closed } = await openConnection();
  void send().catch(() => undefined);
  await started.promise;
  const close = vi.fn();
  const draining = drain(server, { inbox: { close }, timeout: 10_000 });
  await pass(9_999);
  expect(close).not.toHaveBeenCalled();
  await pass(1);
  await closed;
  await draining;
  expect(close).toHaveBeenCalledOnce();
});

test('until `delay` is over, the server accepts connections', async () => {
  const { server, openConnection } = await openRaw();
  const draining = drain(server, { delay: 3_000, timeout: 1_000 });
  await pass(2_999);
  const late = await openConnection();
  expect(await late.send()).not.toMatch(/connection: close/i);
  await pass(1);
  expect(server.listening).toBe(false);
  expect(await late.send()).toMatch(/connection: close/i);
  await draining;
});

test('the inbox is closed after the last delivery, and drain waits for it; a second call changes nothing', async () => {
  const [stored, closed] = [deferred(), deferred()];
  const inbox = { store: vi.fn(() => stored.promise), close: vi.fn(() => closed.promise) };
  const server = await onHttp(setUp({ inbox }).receiver);
  const sending = sendTo(server, false);
  await vi.waitFor(() => expect(inbox.store).toHaveBeenCalled());
  const drained = vi.fn();
  const draining = drain(server, { inbox }).then(drained);
  expect(drain(server)).toBe(drain(server, { inbox, timeout: 1 }));
  await settle();
  expect(inbox.close).not.toHaveBeenCalled();
  stored.resolve();
  expect(await sending).toMatchObject({ statusCode: 200 });
  await vi.waitFor(() => expect(inbox.close).toHaveBeenCalled());
  expect(drained).not.toHaveBeenCalled();
  closed.resolve();
  await draining;
  expect(inbox.close).toHaveBeenCalledOnce();
});

test('a server that was closed before is drained too, and drain rejects with what the inbox rejects with', async () => {
  const { server } = await openRaw();
  await once(server.close(), 'close');
  const close = () => Promise.reject(new Error('the disk is gone'));
  await expect(drain(server, { inbox: { close } })).rejects.toThrow('the disk is gone');
});

eachServer('%s: drain leaves nothing behind', async (_, open) => {
  await leavesNothing(async () => {
    const server = await open(handling().receiver);
    expect(await sendTo(server, false)).toMatchObject({ statusCode: 200 });
    await drain(server);
  });
});

test('a server that was drained does not stay in memory', async () => {
  const serveAndDrain = async () => {
    const server = createServer(handling().receiver.node).listen(0, '127.0.0.1');
    await once(server, 'listening');
    await drain(server);
    return new WeakRef(server);
  };
  const drained = await serveAndDrain();
  await vi.waitFor(() => {
    collectGarbage();
    expect(typeof drained.deref()).toBe('undefined');
  });
});

test('drain leaves no timer, and closes kept connections of a server that closes none itself', async () => {
  const { server } = await openRaw();
  server.keepAliveTimeout = 0;
  const draining = drain(server);
  expect(server.keepAliveTimeout).toBe(5_000);
  await draining;
  expect(vi.getTimerCount()).toBe(0);
});

test.each<[what: string, make: () => unknown]>([
  ['nothing', () => undefined],
  ['an Express app', express],
  ['a Koa app', () => new Koa()],
  ['a Fastify app', Fastify],
  ['a receiver', () => createWebhookReceiver({ secret })],
  ['an HTTP/2 server', () => createHttp2Server()],
])('given %s, drain rejects, and says what to pass', async (_, make) => {
  const draining = drain(make() as DrainableServer);
  await expect(draining).rejects.toMatchObject({ type: 'configuration_error', option: 'server' });
  await expect(draining).rejects.toThrow(/app\.listen\(3000\)[^]*app\.server[^]*app\.getHttpServer\(\)/);
});

test.each<[option: string, options: object]>([
  ['delay', { delay: -1 }],
  ['timeout', { timeout: Number.NaN }],
  ['inbox', { inbox: {} }],
  ['inbox', { store: never, close: never }],
  ['grace', { grace: 1 }],
])('a wrong `%s` is refused (%#), and the next call drains', async (option, options) => {
  const { server } = await openRaw();
  await expect(drain(server, options)).rejects.toMatchObject({ type: 'configuration_error', option });
  expect(server.listening).toBe(true);
  await drain(server);
});

test('a delay or a timeout in seconds is warned of', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  const { server } = await openRaw();
  const draining = drain(server, { delay: 5, timeout: 5 });
  await pass(5);
  await draining;
  const warning = (option: string): unknown => [
    expect.stringContaining(`${option} is 5 milliseconds, which is`),
  ];
  expect(warn.mock.calls).toEqual([warning('delay'), warning('timeout')]);
});

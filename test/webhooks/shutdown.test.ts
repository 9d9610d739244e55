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
import { deferred } from '../support/deferred.js';
import { leavesNothing } from '../support/leaves-nothing.js';
import { collectGarbage } from '../support/memory.js';
import { ownCertificate } from '../support/own-certificate.js';
import { delivery, secret } from './deliveries.js';
import { handling, never, pass, setUp } from './receivers.js';

/** A receiver on a server of its own. */
interface Served {
  readonly server: Server;
  /** Ends the program as after SIGTERM, in the order of the guide. */
  shutDown(): Promise<unknown>;
}

/** Resolves once the server listens. It is closed when the test ends, in case the test has failed. */
async function listening(server: Server): Promise<Served> {
  if (server.address() === null) await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { server, shutDown: () => drain(server) };
}

const onHttp = ({ node }: Pick<WebhookReceiver, 'node'>) =>
  listening(createServer(node).listen(0, '127.0.0.1'));

async function inFastify({ node }: WebhookReceiver): Promise<Served> {
  const app = Fastify();
  app.register(async (webhooks) => {
    webhooks.removeAllContentTypeParsers();
    webhooks.addContentTypeParser('*', (_request, _body, done) => done(null));
    webhooks.post('/', async (request, reply) => {
      reply.hijack();
      await node(request.raw, reply.raw);
    });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { server } = await listening(app.server);
  return { server, shutDown: () => drain(app.server).then(() => app.close()) };
}

const servers: readonly [name: string, open: (receiver: WebhookReceiver) => Promise<Served>][] = [
  ['node:http', onHttp],
  [
    'node:https',
    ({ node }) => listening(createTlsServer(ownCertificate(), node).listen(0, '127.0.0.1') as Server),
  ],
  ['Express', ({ node }) => listening(express().post('/', node).listen(0, '127.0.0.1'))],
  [
    'Koa',
    ({ node }) => {
      const app = new Koa().use((context) => {
        context.respond = false;
        return node(context.req, context.res);
      });
      return listening(app.listen(0, '127.0.0.1'));
    },
  ],
  ['Fastify', inFastify],
];

type Sent = IncomingMessage | { readonly failed: string | undefined };

/** Sends deliveries, by default on connections that stay open. */
function openSender(server: Server, keepAlive = true) {
  const isTls = 'setSecureContext' in server;
  const agent = isTls ? new TlsAgent({ keepAlive }) : new Agent({ keepAlive });
  onTestFinished(() => agent.destroy());
  const { port } = server.address() as AddressInfo;
  return (name: string) =>
    new Promise<Sent>((resolve) => {
      const headers = { 'content-type': 'application/json' };
      const options = { agent, port, host: '127.0.0.1', method: 'POST', headers, rejectUnauthorized: false };
      const sent = (isTls ? tlsRequest : request)(options, (response) => {
        response.resume().on('end', () => resolve(response));
      });
      sent.on('error', ({ code }: NodeJS.ErrnoException) => resolve({ failed: code }));
      sent.end(delivery('lead_captured', { leadName: name }));
    });
}

const SENDERS = 10;

test.each(servers)(
  '%s: under steady traffic, drain finishes every delivery on open connections, and refuses new ones',
  async (_, open) => {
    const handled = new Set<string | undefined>();
    const receiver = createWebhookReceiver({ secret, logLevel: 'off' }).onAny(async ({ payload }) => {
      await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 20));
      handled.add((payload as { leadName?: string }).leadName);
    });
    const { server, shutDown } = await open(receiver);
    const send = openSender(server);
    const acknowledged: string[] = [];
    const [afterwards, failures] = [new Set<string>(), new Set<string | undefined>()];
    let ending: Promise<unknown> | undefined;
    const sendOn = async (sender: number) => {
      for (let count = 0; ; count += 1) {
        const name = `${sender}-${count}`;
        const isLate = ending !== undefined;
        const response = await send(name);
        if ('failed' in response) return failures.add(response.failed);
        acknowledged.push(name);
        if (isLate) afterwards.add(`${response.statusCode} ${response.headers.connection}`);
        if (acknowledged.length === 5 * SENDERS) ending = shutDown();
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, (_, sender) => sendOn(sender)));
    await ending;
    expect(acknowledged.filter((name) => !handled.has(name))).toEqual([]);
    expect([...failures]).toEqual(['ECONNREFUSED']);
    // What an open connection delivers after the signal is its last. There may be none.
    expect([...afterwards].filter((response) => response !== '200 close')).toEqual([]);
  },
);

test('each server is drained after a delivery in progress, although its connection stays open', async () => {
  // At once, because a connection stays open for five seconds.
  const drainings = servers.map(async ([, open]) => {
    const [started, end] = [deferred(), deferred()];
    const { receiver } = handling({}, () => {
      started.resolve();
      return end.promise;
    });
    const { server, shutDown } = await open(receiver);
    server.keepAliveTimeout = 600_000;
    const sending = openSender(server)('in progress');
    await started.promise;
    const draining = shutDown();
    await vi.waitFor(() => expect(server.listening).toBe(false));
    end.resolve();
    expect(await sending).toMatchObject({ statusCode: 200, headers: { connection: 'close' } });
    await draining;
  });
  await Promise.all(drainings);
});

/** A receiver whose connections are written by hand. Times of `drain` pass as the test says. */
async function openRaw(handler: () => unknown = () => undefined) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { server } = await onHttp(handling({ dedupe: false }, handler).receiver);
  server.keepAliveTimeout = 600_000;
  const { port } = server.address() as AddressInfo;
  const openConnection = async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
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
  const [stored, closing] = [deferred(), deferred()];
  const steps: string[] = [];
  const inbox = {
    store: async () => {
      steps.push('store');
      await stored.promise;
      steps.push('stored');
    },
    close: () => {
      steps.push('close');
      return closing.promise;
    },
  };
  const { server } = await onHttp(setUp({ inbox }).receiver);
  const sending = openSender(server, false)('the last');
  await vi.waitFor(() => expect(steps).toEqual(['store']));
  const draining = drain(server, { inbox }).then(() => steps.push('drained'));
  expect(drain(server)).toBe(drain(server, { inbox, timeout: 1 }));
  stored.resolve();
  expect(await sending).toMatchObject({ statusCode: 200 });
  await vi.waitFor(() => expect(steps).toEqual(['store', 'stored', 'close']));
  closing.resolve();
  await draining;
  expect(steps).toHaveLength(4);
});

test('drain rejects with what the inbox rejects with', async () => {
  const { server } = await openRaw();
  const close = () => Promise.reject(new Error('the disk is gone'));
  await expect(drain(server, { inbox: { close } })).rejects.toThrow('the disk is gone');
});

test('a server that was closed before is drained too', async () => {
  const { server } = await openRaw();
  server.close();
  await once(server, 'close');
  const close = vi.fn();
  await drain(server, { inbox: { close } });
  expect(close).toHaveBeenCalledOnce();
});

test.each(servers.slice(0, 2))('%s: drain leaves nothing behind', async (_, open) => {
  await leavesNothing(async () => {
    const { server, shutDown } = await open(handling().receiver);
    expect(await openSender(server, false)('the last')).toMatchObject({ statusCode: 200 });
    await shutDown();
  });
});

test('a server that was drained does not stay in memory', async () => {
  const drained: WeakRef<Server>[] = [];
  const serveAndDrain = async () => {
    const server = createServer(handling().receiver.node).listen(0, '127.0.0.1');
    await once(server, 'listening');
    drained.push(new WeakRef(server));
    await drain(server);
  };
  await serveAndDrain();
  await vi.waitFor(() => {
    collectGarbage();
    expect(drained.map((one) => typeof one.deref())).toEqual(['undefined']);
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

test.each<[string, () => unknown]>([
  ['nothing', () => undefined],
  ['an Express app', express],
  ['a Koa app', () => new Koa()],
  ['a Fastify app', () => Fastify()],
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

test.each(['delay', 'timeout'])('a %s in seconds is warned of', async (option) => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  const { server } = await openRaw();
  const draining = drain(server, { [option]: 5 });
  await pass(5);
  await draining;
  expect(warn.mock.calls).toEqual([[expect.stringContaining(`${option} is 5 milliseconds, which is short`)]]);
});

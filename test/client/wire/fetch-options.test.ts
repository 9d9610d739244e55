import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect as connectSocket, type Socket } from 'node:net';
import { AgentPlatform, type FetchOptions } from 'agent-platform-sdk';
import { Agent, ProxyAgent } from 'undici';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { listenOnLoopback } from '../../support/loopback.js';
import { ownCertificate } from '../../support/own-certificate.js';
import { calls, outcomeOf, startRawServer, wire } from '../../support/raw-server.js';
import { closedAddress, connect, rejectionOf, success } from '../../support/server.js';

// Backoff is a random part of a bound: with 0 there is nothing to wait for.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

const service = ownCertificate('491231235959Z', 'localhost');
const client = ownCertificate();

/** A service over TLS that lets in only the client certificate, and a tool of it. */
async function startService() {
  const methods: string[] = [];
  const options = { ...service, ca: client.cert, requestCert: true };
  const server = createTlsServer(options, (request, response) => {
    methods.push(request.method ?? '');
    response.end(JSON.stringify(success({ id: 't1', key: 'k' })));
  });
  server.on('tlsClientError', () => undefined);
  return { url: `https://localhost:${await listenOnLoopback(server)}`, methods };
}

/** A proxy that opens tunnels. */
async function startProxy() {
  const tunnels: string[] = [];
  const server = createServer().on('connect', ({ url = '' }, socket: Socket) => {
    tunnels.push(url);
    const target = connectSocket(Number(url.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    socket.on('error', () => target.destroy());
    target.on('error', () => socket.destroy());
  });
  return { url: `http://127.0.0.1:${await listenOnLoopback(server)}`, tunnels };
}

const trust = { ca: service.cert, key: client.key, cert: client.cert };

test.each(calls)('a $method with a client certificate', async ({ make }) => {
  const { url, methods } = await startService();
  const refused = connect(url, {
    fetchOptions: { dispatcher: new Agent({ connect: { ca: service.cert } }) },
  });
  expect(await outcomeOf(make(refused))).toMatchObject({ type: 'connection_error' });
  const platform = connect(url, { fetchOptions: { dispatcher: new Agent({ connect: trust }) } });
  expect(await outcomeOf(make(platform))).toMatchObject({ type: 'value' });
  expect(methods).toHaveLength(1);
});

test.each(calls)('a $method through a proxy', async ({ make }) => {
  const { url } = await startService();
  const proxy = await startProxy();
  const dispatcher = new ProxyAgent({ uri: proxy.url, requestTls: trust });
  expect(await outcomeOf(make(connect(url, { fetchOptions: { dispatcher } })))).toMatchObject({
    type: 'value',
  });
  expect(proxy.tunnels).toEqual([new URL(url).host]);
});

test.each(calls)('a $method is retried if the connection to the proxy was never made', async ({ make }) => {
  const { url } = await startService();
  const dispatcher = new ProxyAgent(await closedAddress());
  let attempts = 0;
  const onRequest = () => {
    attempts += 1;
  };
  const platform = connect(url, { maxRetries: 1, hooks: { onRequest }, fetchOptions: { dispatcher } });
  expect(await outcomeOf(make(platform))).toEqual({ type: 'connection_error', unknown: false });
  expect(attempts).toBe(2);
});

test('the options of a call are merged over those of the client', async () => {
  const given: unknown[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
    given.push(init);
    return Response.json(success({ id: 't1' }));
  });
  const platform = connect('https://eu.example', { fetchOptions: { cache: 'no-store', keepalive: true } });
  await platform.tools.get('t1', { fetchOptions: { cache: 'reload' } });
  await platform.withOptions({ fetchOptions: { keepalive: false } }).tools.get('t1');
  expect(given).toMatchObject([
    { method: 'GET', redirect: 'manual', cache: 'reload', keepalive: true },
    { method: 'GET', redirect: 'manual', cache: 'no-store', keepalive: false },
  ]);
});

test.each(['method', 'body', 'headers', 'redirect', 'signal'])(
  '`%s` is not for fetchOptions',
  async (name) => {
    const fetchOptions = { [name]: undefined } as FetchOptions;
    const message = new RegExp(`fetchOptions.*\`${name}\``);
    expect(() => connect('https://eu.example', { fetchOptions })).toThrow(message);
    const error = await rejectionOf(connect('https://eu.example').tools.get('t1', { fetchOptions }));
    expect(error).toMatchObject({ type: 'configuration_error', message: expect.stringMatching(message) });
  },
);

test('fetchOptions together with the option `fetch` are refused', async () => {
  const fetchOptions = { keepalive: true };
  const both = /fetchOptions are for the runtime.*`fetch`/;
  expect(() => connect('https://eu.example', { fetch, fetchOptions })).toThrow(both);
  const platform: AgentPlatform = connect('https://eu.example', { fetch });
  expect(() => platform.withOptions({ fetchOptions })).toThrow(both);
  const error = await rejectionOf(platform.tools.get('t1', { fetchOptions }));
  expect(error).toMatchObject({ type: 'configuration_error', message: expect.stringMatching(both) });
});

test('without pipelining, undici opens a connection for each call', async () => {
  const sockets = new Set<Socket>();
  const server = await startRawServer((socket) => {
    sockets.add(socket);
    socket.write(wire('200 OK', ['content-length: 33'], '{"success":true,"message":"gone"}'));
  });
  const platform = connect(server.url, { fetchOptions: { dispatcher: new Agent({ pipelining: 0 }) } });
  for (let call = 0; call < 3; call += 1) await platform.workspaces.delete('w1');
  expect(sockets.size).toBe(3);
});

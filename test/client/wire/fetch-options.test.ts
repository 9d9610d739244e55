import type { Socket } from 'node:net';
import type { AgentPlatform, FetchOptions } from 'agent-platform-sdk';
import { Agent, ProxyAgent } from 'undici';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { calls, outcomeOf, startRawServer, wire } from '../../support/raw-server.js';
import { closedAddress, connect, rejectionOf, success } from '../../support/server.js';
import { startCertifiedService, startProxy } from '../../support/tunnels.js';

// Backoff is a random part of a bound: with 0 there is nothing to wait for.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

test.each(calls)('a $method with a client certificate', async ({ make }) => {
  const { url, methods, credentials } = await startCertifiedService();
  const { ca } = credentials;
  const refused = connect(url, { fetchOptions: { dispatcher: new Agent({ connect: { ca } }) } });
  expect(await outcomeOf(make(refused))).toMatchObject({ type: 'connection_error' });
  const platform = connect(url, { fetchOptions: { dispatcher: new Agent({ connect: credentials }) } });
  expect(await outcomeOf(make(platform))).toMatchObject({ type: 'value' });
  expect(methods).toHaveLength(1);
});

test.each(calls)('a $method through a proxy', async ({ make }) => {
  const { url, credentials } = await startCertifiedService();
  const proxy = await startProxy();
  const dispatcher = new ProxyAgent({ uri: proxy.url, requestTls: credentials });
  const platform = connect(url, { fetchOptions: { dispatcher } });
  expect(await outcomeOf(make(platform))).toMatchObject({ type: 'value' });
  expect(proxy.tunnels).toEqual([new URL(url).host]);
});

test.each(calls)('a $method is retried if the connection to the proxy was never made', async ({ make }) => {
  const { url } = await startCertifiedService();
  const dispatcher = new ProxyAgent(await closedAddress());
  let attempts = 0;
  const onRequest = () => {
    attempts += 1;
  };
  const platform = connect(url, { maxRetries: 1, hooks: { onRequest }, fetchOptions: { dispatcher } });
  expect(await outcomeOf(make(platform))).toEqual({ type: 'connection_error', unknown: false });
  expect(attempts).toBe(2);
});

test('the options of a call are added to those of the client, which `withOptions` replaces', async () => {
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
    { method: 'GET', redirect: 'manual', keepalive: false },
  ]);
  expect(given[1]).not.toHaveProperty('cache');
});

test.each(['method', 'body', 'headers', 'redirect', 'signal'])(
  '`%s` is not for fetchOptions',
  async (name) => {
    const fetchOptions = { [name]: 'x' } as FetchOptions;
    const message = new RegExp(`fetchOptions.${name} cannot be set here: the client sets it`);
    expect(() => connect('https://eu.example', { fetchOptions })).toThrow(message);
    const error = await rejectionOf(connect('https://eu.example').tools.get('t1', { fetchOptions }));
    expect(error).toMatchObject({ type: 'configuration_error', message: expect.stringMatching(message) });
  },
);

test('fetchOptions together with the option `fetch` are refused', async () => {
  const fetchOptions = { keepalive: true };
  const both = /fetchOptions cannot be combined with `fetch`/;
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

import { createServer, type Socket } from 'node:net';
import { Agent, ProxyAgent } from 'undici';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { listenOnLoopback } from '../../support/loopback.js';
import { calls, outcomeOf } from '../../support/raw-server.js';
import { closedAddress, connect, rejectionOf } from '../../support/server.js';
import { startCertifiedService, startProxy } from '../../support/tunnels.js';

// Backoff is a random part of a bound: with 0 there is nothing to wait for.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

/** A server that does this when it receives the first bytes. */
const onFirstBytes = (respond: (socket: Socket) => void) => async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => respond(socket));
  });
  return `https://127.0.0.1:${await listenOnLoopback(server)}`;
};

/** A fatal alert of the record layer: handshake failure. */
const HANDSHAKE_FAILURE = Uint8Array.of(0x15, 3, 3, 0, 2, 2, 40);

/** The dispatcher of a proxy that refuses a tunnel. */
async function refusing(status: string): Promise<ProxyAgent> {
  const refuse = (socket: Socket) => socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
  return new ProxyAgent((await onFirstBytes(refuse)()).replace('https:', 'http:'));
}

const closedProxy = async () => new ProxyAgent(await closedAddress());
const elsewhere = async () => 'https://api.example.com';

/** Whether a POST is sent again, because no connection was made, or nothing can ever be sent, or may have acted. */
type End = 'again' | 'never' | 'unknown';

// How the real errors of the runtime are read; `test/client/retry.test.ts` has those of others.
test.each<[what: string, end: End, url: () => Promise<string>, proxy?: () => Promise<ProxyAgent>]>([
  ['nobody listens', 'again', closedAddress],
  ['the name is unknown', 'again', async () => 'https://nowhere.invalid'],
  ['the certificate is not trusted', 'again', async () => (await startCertifiedService()).url],
  ['TLS sends an alert', 'unknown', onFirstBytes((socket) => socket.end(HANDSHAKE_FAILURE))],
  ['TLS is cut off', 'unknown', onFirstBytes((socket) => socket.destroy())],
  ['TLS is reset', 'unknown', onFirstBytes((socket) => socket.resetAndDestroy())],
  // undici#5441
  ['a proxy asks for a login', 'never', elsewhere, () => refusing('407 Proxy Authentication Required')],
  ['a proxy cannot connect', 'again', elsewhere, () => refusing('502 Bad Gateway')],
  ['the proxy is down', 'again', elsewhere, closedProxy],
  // nodejs#6886
  ['`fetch` blocks the port', 'never', async () => 'http://127.0.0.1:6667'],
])('if %s, a call that was certainly not sent may be sent again: %s', async (_, end, address, proxy) => {
  const url = await address();
  const fetchOptions = { dispatcher: await proxy?.() };
  for (const { method, make } of calls) {
    const onRequest = vi.fn();
    const platform = connect(url, { maxRetries: 1, hooks: { onRequest }, fetchOptions });
    const isUnknown = method !== 'GET' && end === 'unknown';
    expect(await outcomeOf(make(platform))).toEqual({ type: 'connection_error', unknown: isUnknown });
    expect(onRequest).toHaveBeenCalledTimes(end === 'never' || isUnknown ? 1 : 2);
  }
});

test('if plain HTTP responds to TLS, the error asks for the address', async () => {
  const url = await onFirstBytes((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))();
  expect(await rejectionOf(connect(url).workspaces.delete('w1'))).toMatchObject({
    outcomeUnknown: true,
    message: expect.stringContaining('\n  Does the server speak http: instead of https:?') as string,
  });
});

test.each(calls)('a $method with a client certificate, directly and through a proxy', async ({ make }) => {
  const { url, methods, credentials } = await startCertifiedService();
  const proxy = await startProxy();
  const { ca } = credentials;
  const outcomeWith = (dispatcher: object) => outcomeOf(make(connect(url, { fetchOptions: { dispatcher } })));
  expect(await outcomeWith(new Agent({ connect: { ca } }))).toMatchObject({ type: 'connection_error' });
  expect(await outcomeWith(new Agent({ connect: credentials }))).toMatchObject({ type: 'value' });
  const through = new ProxyAgent({ uri: proxy.url, requestTls: credentials });
  expect(await outcomeWith(through)).toMatchObject({ type: 'value' });
  expect(proxy.tunnels).toEqual([new URL(url).host]);
  expect(methods).toHaveLength(2);
});

import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { ProxyAgent } from 'undici';
import { expect, test } from 'vitest';
import { listenOnLoopback } from '../../support/loopback.js';
import { ownCertificate } from '../../support/own-certificate.js';
import { calls, outcomeOf } from '../../support/raw-server.js';
import { closedAddress, connect } from '../../support/server.js';

const addressOf = async (server: Server) => `https://127.0.0.1:${await listenOnLoopback(server)}`;

/** A server that responds to the first bytes of a TLS handshake. */
const toHello = (respond: (socket: Socket) => void) => () =>
  addressOf(
    createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => respond(socket));
    }),
  );

/** A fatal alert of the record layer: handshake failure. */
const HANDSHAKE_FAILURE = Uint8Array.of(0x15, 3, 3, 0, 2, 2, 40);

// If certain, the error of the runtime proves that nothing was sent, and every method is retried.
test.each<[name: string, address: () => Promise<string>, isCertain: boolean]>([
  ['nobody listens', closedAddress, true],
  ['the name is unknown', async () => 'https://nowhere.invalid', true],
  ['TLS sends an alert', toHello((socket) => socket.end(HANDSHAKE_FAILURE)), false],
  ['TLS is cut off', toHello((socket) => socket.destroy()), false],
  ['TLS is reset', toHello((socket) => socket.resetAndDestroy()), false],
  ['plain HTTP responds to TLS', toHello((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')), false],
])('a connection error if %s', async (_, address, isCertain) => {
  const url = await address();
  for (const call of calls) {
    let attempts = 0;
    const onRequest = () => {
      attempts += 1;
    };
    const outcome = await outcomeOf(call.make(connect(url, { maxRetries: 1, hooks: { onRequest } })));
    const isRetried = call.method === 'GET' || isCertain;
    expect(outcome).toEqual({ type: 'connection_error', unknown: !isRetried });
    expect(attempts).toBe(isRetried ? 2 : 1);
  }
});

// undici#5441, nodejs#6886
test.each<[what: string, status: string | undefined, isRetried: boolean]>([
  ['a proxy asks for a login', '407 Proxy Authentication Required', false],
  ['a proxy forbids it', '403 Forbidden', false],
  ['a proxy cannot connect', '502 Bad Gateway', true],
  ['`fetch` blocks the port', undefined, false],
])('nothing is sent if %s', async (_, status, isRetried) => {
  const refuse = (socket: Socket) => socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
  const proxy = await toHello(refuse)();
  const url = status === undefined ? 'http://127.0.0.1:6667' : 'https://api.example.com';
  const dispatcher = new ProxyAgent(proxy.replace('https:', 'http:'));
  for (const call of calls) {
    let attempts = 0;
    const onRequest = () => {
      attempts += 1;
    };
    const options = status === undefined ? {} : { fetchOptions: { dispatcher } };
    const platform = connect(url, { maxRetries: 1, hooks: { onRequest }, ...options });
    expect(await outcomeOf(call.make(platform))).toEqual({ type: 'connection_error', unknown: false });
    expect(attempts).toBe(isRetried ? 2 : 1);
  }
});

test('a certificate that the runtime refuses ends a call before it is sent', async () => {
  const received: Buffer[] = [];
  const server = createTlsServer(ownCertificate(), (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => received.push(chunk));
  });
  server.on('tlsClientError', () => undefined);
  const platform = connect(await addressOf(server));
  for (const call of calls) {
    expect(await outcomeOf(call.make(platform))).toEqual({ type: 'connection_error', unknown: false });
  }
  expect(received).toEqual([]);
});

test('TLS that stalls in its handshake ends with the timeout', async () => {
  const platform = connect(await toHello(() => undefined)(), { timeout: 300 });
  for (const call of calls) {
    const unknown = call.method !== 'GET';
    expect(await outcomeOf(call.make(platform))).toEqual({ type: 'timeout_error', unknown });
  }
});

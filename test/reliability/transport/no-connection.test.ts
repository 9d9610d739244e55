import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { expect, test } from 'vitest';
import { connect } from '../../support/client.js';
import { listenOnLoopback } from '../../support/loopback.js';
import { ownCertificate } from '../../support/own-certificate.js';
import { closedAddress } from '../../support/server.js';
import { withEach } from '../support/operations.js';
import { outcomeOf } from '../support/outcome.js';
import { watchProcess } from '../support/watch.js';

/** A failure to connect, and whether the runtime's word for it proves that nothing was sent. */
interface NoConnection {
  readonly name: string;
  readonly address: () => Promise<string>;
  readonly isCertain: boolean;
}

const addressOf = async (server: Server): Promise<string> =>
  `https://127.0.0.1:${await listenOnLoopback(server)}`;

/** Answers the first bytes of a TLS handshake. */
const toHello = (answer: (socket: Socket) => void) => () =>
  addressOf(
    createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => answer(socket));
    }),
  );

/** A fatal alert of the record layer: handshake failure. */
const HANDSHAKE_FAILURE = Uint8Array.of(0x15, 3, 3, 0, 2, 2, 40);

const noConnections: readonly NoConnection[] = [
  { name: 'nobody listens', address: closedAddress, isCertain: true },
  { name: 'a name that is not known', address: async () => 'https://nowhere.invalid', isCertain: true },
  {
    name: 'TLS: no common cipher',
    address: async () => {
      const server = createTlsServer({ ciphers: 'PSK', pskCallback: () => null, maxVersion: 'TLSv1.2' });
      server.on('tlsClientError', () => undefined);
      return addressOf(server);
    },
    isCertain: false,
  },
  { name: 'TLS: an alert', address: toHello((socket) => socket.end(HANDSHAKE_FAILURE)), isCertain: false },
  { name: 'TLS: cut off', address: toHello((socket) => socket.destroy()), isCertain: false },
  { name: 'TLS: reset', address: toHello((socket) => socket.resetAndDestroy()), isCertain: false },
  {
    name: 'TLS: plain HTTP in answer',
    address: toHello((socket) => socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n')),
    isCertain: false,
  },
];

test.each(noConnections)('$name: a typed error', async ({ address, isCertain }) => {
  watchProcess();
  const url = await address();
  await withEach(async (operation) => {
    let attempts = 0;
    const platform = connect(url, {
      timeout: 20_000,
      maxRetries: 1,
      hooks: {
        onRequest: () => {
          attempts += 1;
        },
      },
    });
    const outcome = await outcomeOf(operation.call(platform));
    const isRepeated = operation.method === 'GET' || isCertain;
    expect(outcome, operation.name).toMatchObject({
      type: 'connection_error',
      error: { outcomeUnknown: !isRepeated },
    });
    expect(attempts, operation.name).toBe(isRepeated ? 2 : 1);
  });
});

test('a certificate that the runtime refuses ends a call before it is sent', async () => {
  watchProcess();
  const received: Buffer[] = [];
  const server = createTlsServer(ownCertificate(), (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => received.push(chunk));
  });
  server.on('tlsClientError', () => undefined);
  const platform = connect(await addressOf(server));
  await withEach(async (operation) => {
    expect(await outcomeOf(operation.call(platform)), operation.name).toMatchObject({
      type: 'connection_error',
      error: { outcomeUnknown: false },
    });
  });
  expect(received).toEqual([]);
});

test('TLS that stalls in its handshake ends with the timeout', async () => {
  watchProcess();
  let open = 0;
  const url = await addressOf(
    createServer((socket) => {
      open += 1;
      socket.on('error', () => undefined);
      socket.once('close', () => {
        open -= 1;
      });
      socket.resume();
    }),
  );
  const platform = connect(url, { timeout: 300 });
  await withEach(async (operation) => {
    const outcome = await outcomeOf(operation.call(platform));
    expect(outcome, operation.name).toMatchObject({
      type: 'timeout_error',
      error: { outcomeUnknown: operation.method !== 'GET' },
    });
  });
  // The runtime's own limit for making a connection, 10 s, ends what a call has given up.
  await expect.poll(() => open, { timeout: 20_000 }).toBe(0);
});

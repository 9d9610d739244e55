import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { connect } from '../../support/client.js';
import { listenOnLoopback } from '../../support/loopback.js';
import { MIB } from '../support/heap.js';
import { isUnknown, outcomeOf } from '../support/outcome.js';
import { watchProcess } from '../support/watch.js';
import { wire } from '../support/wire.js';

/** Acts as soon as the first bytes of a request have come, and reads no more of it. */
async function startHasty(
  act: (socket: Socket) => void,
): Promise<{ url: string; connections: () => number }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.pause();
      act(socket);
    });
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    connections: () => sockets.filter((one) => one.bytesRead > 0).length,
  };
}

const refusal = wire('413 Too Large', ['content-length: 2', 'connection: close'], '{}');

test.each<[string, (socket: Socket) => void, readonly string[]]>([
  ['answers and stays', (socket) => void socket.write(refusal), ['api_error']],
  ['answers and closes', (socket) => void socket.end(refusal), ['api_error', 'connection_error']],
  [
    'answers and resets',
    (socket) => void socket.write(refusal, () => socket.resetAndDestroy()),
    ['api_error', 'connection_error'],
  ],
  ['closes', (socket) => void socket.end(), ['connection_error']],
  ['resets', (socket) => void socket.resetAndDestroy(), ['connection_error']],
  ['reads no more', () => undefined, ['timeout_error']],
])('a server that %s before it has read the request', async (_, act, types) => {
  watchProcess();
  const { url, connections } = await startHasty(act);
  const platform = connect(url, { timeout: types.includes('timeout_error') ? 3_000 : 20_000, maxRetries: 2 });
  const value = 'v'.repeat(8 * MIB);
  const outcome = await outcomeOf(platform.variables.create('a1', { key: 'k', value }));
  expect(types).toContain(outcome.type);
  // A 413 is of the class that says that nothing was done.
  expect(isUnknown(outcome)).toBe(outcome.type !== 'api_error');
  expect(connections()).toBe(1);
});

import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { calls, type Outcome, outcomeOf, startRawServer, wire } from '../../support/raw-server.js';
import { connect } from '../../support/server.js';

// Backoff is a random part of a bound: with 0 there is nothing to wait for.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

const answer = (body: string) => wire('200 OK', [`content-length: ${body.length}`], body);

// https://github.com/nodejs/undici/issues/3492
test.each(calls)('a $method over a kept connection that closes', async ({ method, make, body }) => {
  const used = new Set<Socket>();
  let isCut = false;
  const server = await startRawServer((socket) => {
    if (used.has(socket) && !isCut) {
      isCut = true;
      socket.destroy();
    } else {
      used.add(socket);
      socket.write(answer(body));
    }
  });
  const platform = connect(server.url, { maxRetries: 1 });
  let outcome: Outcome;
  // The runtime may open another connection before it takes the first one back.
  do outcome = await outcomeOf(make(platform));
  while (!isCut);
  // A GET was repeated.
  if (method === 'GET') expect(outcome).toMatchObject({ type: 'value' });
  else expect(outcome).toEqual({ type: 'connection_error', unknown: true });
});

// https://fetch.spec.whatwg.org/#http-network-or-cache-fetch: a 421 is repeated on a new connection.
test.each(calls)('the fetch of Node repeats a $method after a 421, without a retry', async ({ make }) => {
  const server = await startRawServer((socket) =>
    socket.write(wire('421 Misdirected Request', ['content-length: 0'])),
  );
  const outcome = await outcomeOf(make(connect(server.url)));
  expect([outcome, server.requests.length]).toEqual([{ type: 'api_error', unknown: false }, 2]);
});

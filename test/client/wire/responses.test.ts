import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Call, calls, outcomeOf, startRawServer, wire } from '../../support/raw-server.js';
import { connect, rejectionOf, success } from '../../support/server.js';

// Backoff is a random part of a bound: with 0 there is nothing to wait for.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

const JSON_TYPE = 'content-type: application/json';
const CHUNKED = 'transfer-encoding: chunked';

/** A response with a length. */
const whole = (status: string, body: string, ...headers: string[]) =>
  wire(status, [JSON_TYPE, 'connection: close', `content-length: ${body.length}`, ...headers], body);

const chunk = (part: string) => `${part.length.toString(16)}\r\n${part}\r\n`;
const inChunks = (status: string, body: string) =>
  wire(
    status,
    [JSON_TYPE, 'transfer-encoding: chunked'],
    `${chunk(body.slice(0, 9))}${chunk(body.slice(9))}0\r\n\r\n`,
  );

type Send = (socket: Socket, body: string, isFirst: boolean) => void;

/** Sends bytes and ends the connection. */
const end =
  (bytes: (body: string) => Uint8Array): Send =>
  (socket, body) =>
    void socket.end(bytes(body));

/** Repeats a piece until the connection closes. */
const endless =
  (start: string | Uint8Array, piece: string): Send =>
  (socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(piece), 5);
    socket.once('close', () => clearInterval(timer));
  };

const withLength = (more: number) =>
  end((body) => wire('200 OK', [JSON_TYPE, `content-length: ${body.length + more}`], body));
const hint = wire('103 Early Hints', ['link: </a>']);
/** Followed, it would be a value. */
const redirect: Send = (socket, body, isFirst) =>
  void socket.end(isFirst ? whole('307 Temporary', '', 'location: /v3/elsewhere') : whole('200 OK', body));

/** What is sent, and the outcomes that it may have: if several, the runtime decides. */
const rows: readonly (readonly [what: string, send: Send, ...types: string[]])[] = [
  ['a length of one byte more', withLength(1), 'connection_error'],
  ['a length of one byte less', withLength(-1), 'response_validation_error'],
  ['no size of a chunk', end(() => wire('200 OK', [CHUNKED], 'zz\r\n')), 'connection_error'],
  ['an early hint before it', end((body) => Buffer.concat([hint, whole('200 OK', body)])), 'value'],
  ['early hints without end', endless('', hint.toString()), 'timeout_error'],
  [
    'headers without end',
    endless('HTTP/1.1 200 OK\r\n', `x: ${'a'.repeat(4_096)}\r\n`),
    'connection_error',
    'timeout_error',
  ],
  ['a body without end', endless(wire('200 OK', [JSON_TYPE]), ' '), 'timeout_error'],
  ['a redirect', redirect, 'api_error'],
  ['another protocol', end(() => Buffer.from('SSH-2.0-OpenSSH_9.2\r\n')), 'connection_error'],
];

/** A DELETE differs from a POST only for a response without data. */
const getAndPost = calls.filter(({ method }) => method !== 'DELETE');

test.each(rows.flatMap(([what, send, ...types]) => getAndPost.map((call) => ({ call, what, send, types }))))(
  '$call.method with a response that has $what ends in a value or a typed error, and closes its connection',
  async ({ call, send, types }) => {
    let count = 0;
    const server = await startRawServer((socket) => send(socket, call.body, count++ === 0));
    const timeout = types.includes('timeout_error') ? 500 : 20_000;
    const outcome = await outcomeOf(call.make(connect(server.url, { timeout, maxRetries: 1 })));
    expect(types).toContain(outcome.type);
    if (outcome.type === 'value') expect(outcome.value).toEqual(call.value);
    expect(outcome.unknown).toBe(call.method !== 'GET' && outcome.type !== 'value');
    // What timed out may not have reached the server.
    if (call.method !== 'GET') expect(server.requests.length).toBeLessThanOrEqual(1);
    await expect.poll(server.open, { timeout: 20_000 }).toBe(0);
  },
);

test('the limit counts bytes after decompression, whatever length is declared', async () => {
  const text = `\ufeff${JSON.stringify(success({ id: 't1', name: 'x'.repeat(100_000) }))}`;
  const zipped = gzipSync(text);
  const headers = ['content-encoding: gzip', `content-length: ${zipped.length}`, 'connection: close'];
  const server = await startRawServer((socket) => void socket.end(wire('200 OK', headers, zipped)));
  const get = (maxResponseBytes: number) => connect(server.url, { maxResponseBytes }).tools.get('t1');
  expect(await get(text.length + 2)).toMatchObject({ id: 't1' });
  expect(await rejectionOf(get(text.length + 1))).toMatchObject({ issues: [{ code: 'too_large' }] });
});

const breaks = {
  closed: (socket: Socket, part: Uint8Array) => void socket.end(part),
  reset: (socket: Socket, part: Uint8Array) => void socket.write(part, () => socket.resetAndDestroy()),
  stalled: (socket: Socket, part: Uint8Array) => void socket.write(part),
};

/** Calls once for each byte of a response but the last, which ends there. Returns outcomes and attempts. */
async function cutEverywhere(call: Call, response: Buffer, way: keyof typeof breaks) {
  const server = await startRawServer((socket, head) => {
    breaks[way](socket, response.subarray(0, Number(/x-cut-at: (\d+)/.exec(head)?.[1])));
  });
  const platform = connect(server.url, { timeout: way === 'stalled' ? 500 : 20_000, maxRetries: 1 });
  const cuts = await Promise.all(
    Array.from({ length: response.length }, async (_, at) => {
      const outcome = await outcomeOf(call.make(platform, { headers: { 'x-cut-at': String(at) } }));
      const attempts = server.requests.filter((head) => head.includes(`x-cut-at: ${at}\r\n`)).length;
      return { ...outcome, at, attempts };
    }),
  );
  await expect.poll(server.open, { timeout: 20_000 }).toBe(0);
  return cuts;
}

const broken = '{"message":"broken"}';

test.each(
  getAndPost.flatMap((call) => [
    { call, what: 'a length', way: 'closed', response: whole('200 OK', call.body) } as const,
    { call, what: 'a length', way: 'reset', response: whole('200 OK', call.body) } as const,
    { call, what: 'a length', way: 'stalled', response: whole('200 OK', call.body) } as const,
    // Only whether their end is missed.
    { call, what: 'chunks', way: 'closed', response: inChunks('200 OK', call.body) } as const,
    {
      call,
      what: 'a status 500',
      way: 'closed',
      response: whole('500 Internal Server Error', broken),
    } as const,
  ]),
)(
  '$call.method with $what, $way at any byte, fails as far as it was received',
  async ({ call, way, response }) => {
    const isError = response.includes('500');
    const head = response.indexOf('\r\n\r\n') + 4;
    for (const { at, attempts, type, unknown } of await cutEverywhere(call, response, way)) {
      const where = `at byte ${at}`;
      const lost = way === 'stalled' ? 'timeout_error' : 'connection_error';
      expect(type, where).toBe(isError && at >= head ? 'server_error' : lost);
      expect(unknown, where).toBe(call.method !== 'GET');
      // What timed out may not have reached the server.
      if (way !== 'stalled') expect(attempts, where).toBe(call.method === 'GET' ? 2 : 1);
    }
  },
);

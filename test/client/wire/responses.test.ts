import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { calls, outcomeOf, startRawServer, wire } from '../../support/raw-server.js';
import { connect } from '../../support/server.js';

// Backoff is a random part of a bound: with 0 there is nothing to wait for.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

type Send = (socket: Socket, body: string, isFirst: boolean) => void;

const JSON_TYPE = 'content-type: application/json';
const lengthOf = (body: string) => `content-length: ${Buffer.byteLength(body)}`;
const whole = (status: string, body: string, ...headers: string[]) =>
  wire(status, [JSON_TYPE, lengthOf(body), 'connection: close', ...headers], body);

/** Sends bytes and ends the connection. */
const end =
  (bytes: (body: string) => Uint8Array): Send =>
  (socket, body) =>
    void socket.end(bytes(body));
const withHeaders = (...headers: string[]) => end((body) => wire('200 OK', [JSON_TYPE, ...headers], body));
const withLength = (length: (size: number) => string | number) =>
  end((body) => wire('200 OK', [JSON_TYPE, `content-length: ${length(body.length)}`], body));
const after = (...first: Buffer[]) => end((body) => Buffer.concat([...first, whole('200 OK', body)]));

/** Repeats a piece until the connection closes. */
const endless =
  (start: string, piece: string): Send =>
  (socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(piece), 5);
    socket.once('close', () => clearInterval(timer));
  };

const value = ['value'];
const cut = ['connection_error'];
const misfit = ['response_validation_error'];
const late = ['timeout_error'];
/** Without data: a success for a deletion alone. */
const empty = ['empty'];

/** The bytes that are sent, and the outcomes they may have: if several, the runtime decides. */
type Row = readonly [name: string, send: Send, types: readonly string[]];

const responses: readonly Row[] = [
  ['a length of one byte more', withLength((size) => size + 1), cut],
  ['a length of one byte less', withLength((size) => size - 1), misfit],
  ['a negative length', withLength((size) => -size), cut],
  ['a length that is not a number', withLength(() => 'some'), cut],
  ['a length of 2^64', withLength(() => '18446744073709551616'), cut],
  ['two lengths', withHeaders('content-length: 2', 'content-length: 3'), cut],
  ['a length and chunks', withHeaders('content-length: 2', 'transfer-encoding: chunked'), cut],
  [
    'a chunk size that is not a number',
    end((body) => wire('200 OK', ['transfer-encoding: chunked'], `zz\r\n${body}`)),
    cut,
  ],
  ['an early hint before the response', after(wire('103 Early Hints', ['link: </a>'])), value],
  ['102 before the response', after(wire('102 Processing', [])), value],
  ['101', end(() => wire('101 Switching Protocols', ['upgrade: x'])), cut],
  ['103 without end', endless('', 'HTTP/1.1 103 Early Hints\r\n\r\n'), late],
  ['204', end(() => wire('204 No Content', ['connection: close'])), empty],
  ['205', end(() => wire('205 Reset Content', ['content-length: 0'])), empty],
  ['304', end(() => wire('304 Not Modified', ['connection: close'])), ['api_error']],
  // Followed, they'd be a value.
  ...['301 Moved', '302 Found', '303 See Other', '307 Temporary', '308 Permanent'].map((status): Row => {
    const send: Send = (socket, body, isFirst) =>
      void socket.end(isFirst ? whole(status, '', 'location: /v3/elsewhere') : whole('200 OK', body));
    return [status, send, ['api_error']];
  }),
  ['a status of two digits', end((body) => whole('20 OK', body)), cut],
  ['a header of 1 MB', end((body) => whole('200 OK', body, `x-large: ${'a'.repeat(1 << 20)}`)), cut],
  ['headers without end', endless('HTTP/1.1 200 OK\r\n', `x: ${'a'.repeat(4096)}\r\n`), [...cut, ...late]],
  ['a header of bytes beyond ASCII', end((body) => whole('200 OK', body, 'x-odd: \u00ff\u0080')), value],
  ['UTF-16', end((body) => wire('200 OK', [JSON_TYPE], Buffer.from(body, 'utf16le'))), misfit],
  ['a body without end', endless(wire('200 OK', [JSON_TYPE]).toString(), ' '), late],
  ['SSH', end(() => Buffer.from('SSH-2.0-OpenSSH_9.2\r\n')), cut],
  ['HTTP/0.9', end((body) => Buffer.from(body)), cut],
  ['HTTP/2', end(() => Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])), cut],
];

// A DELETE differs from a POST only for a response without data.
const cases = responses.flatMap((one) =>
  calls
    .filter(({ method }) => method !== 'DELETE' || one[2] === empty)
    .map((call) => [call.method, one[0], call, one] as const),
);

test.each(cases)(
  '%s with the response %s ends in a value or a typed error',
  async (_, __, call, [, send, types]) => {
    let count = 0;
    const server = await startRawServer((socket) => send(socket, call.body, count++ === 0));
    const timeout = types.includes('timeout_error') ? 500 : 20_000;
    const outcome = await outcomeOf(call.make(connect(server.url, { timeout, maxRetries: 1 })));
    const success = call.method === 'DELETE' ? value : misfit;
    expect(types === empty ? success : types).toContain(outcome.type);
    if (outcome.type === 'value') expect(outcome.value).toEqual(call.value);
    expect(outcome.unknown).toBe(call.method !== 'GET' && outcome.type !== 'value');
    if (call.method !== 'GET') expect(server.requests).toHaveLength(1);
    await expect.poll(server.open, { timeout: 20_000 }).toBe(0);
  },
);

import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { connect } from '../../support/client.js';
import { type Operation, withEach } from '../support/operations.js';
import { isUnknown, outcomeOf } from '../support/outcome.js';
import { startRawServer } from '../support/raw-server.js';
import { watchProcess } from '../support/watch.js';
import { drip, wire } from '../support/wire.js';

/** An answer, and what it may come to. */
interface OddAnswer {
  readonly name: string;
  readonly send: (socket: Socket, operation: Operation) => void;
  /** The outcome; of several, the runtime decides. */
  readonly types: readonly string[];
  readonly timeout?: number;
}

const JSON_TYPE = 'content-type: application/json';
const lengthOf = (body: string) => `content-length: ${Buffer.byteLength(body)}`;
const whole = (status: string, body: string, ...headers: string[]) =>
  wire(status, [JSON_TYPE, lengthOf(body), 'connection: close', ...headers], body);
/** Sends, and ends the connection. */
const end = (bytes: (operation: Operation) => Uint8Array): OddAnswer['send'] => {
  return (socket, operation) => void socket.end(bytes(operation));
};
/** Sends, and leaves the connection open. */
const leave = (bytes: (operation: Operation) => Uint8Array): OddAnswer['send'] => {
  return (socket, operation) => void socket.write(bytes(operation));
};
const withLength = (length: (size: number) => string | number) =>
  end(({ body }) => wire('200 OK', [JSON_TYPE, `content-length: ${length(body.length)}`], body));

const ok = ['value'];
const cut = ['connection_error'];
const misfit = ['response_validation_error'];
const refused = ['connection_error', 'response_validation_error', 'value'];

const lengths: readonly OddAnswer[] = [
  { name: 'a length of one byte more', send: withLength((size) => size + 1), types: cut },
  {
    name: 'a length of one byte more, on a connection that stays open',
    send: leave(({ body }) => wire('200 OK', [JSON_TYPE, `content-length: ${body.length + 1}`], body)),
    types: ['timeout_error'],
    timeout: 300,
  },
  { name: 'a length of one byte less', send: withLength((size) => size - 1), types: misfit },
  { name: 'a negative length', send: withLength((size) => -size), types: cut },
  { name: 'a length that is no number', send: withLength(() => 'some'), types: cut },
  { name: 'a length of 2^64', send: withLength(() => '18446744073709551616'), types: cut },
  { name: 'two lengths in one', send: withLength((size) => `${size}, ${size + 1}`), types: cut },
  {
    name: 'two lengths in two headers',
    send: end(({ body }) => wire('200 OK', [lengthOf(body), 'content-length: 3'], body)),
    types: cut,
  },
  {
    name: 'a length and chunks',
    send: end(({ body }) => wire('200 OK', [lengthOf(body), 'transfer-encoding: chunked'], body)),
    types: cut,
  },
  {
    name: 'a chunk size that is no number',
    send: end(({ body }) => wire('200 OK', ['transfer-encoding: chunked'], `zz\r\n${body}\r\n0\r\n\r\n`)),
    types: cut,
  },
];

const statuses: readonly OddAnswer[] = [
  {
    name: 'an early hint before the answer',
    send: end(({ body }) =>
      Buffer.concat([wire('103 Early Hints', ['link: </a>; rel=preload']), whole('200 OK', body)]),
    ),
    types: ok,
  },
  {
    name: '102 before the answer',
    send: end(({ body }) => Buffer.concat([wire('102 Processing', []), whole('200 OK', body)])),
    types: ok,
  },
  {
    name: 'an unasked 100 before the answer',
    send: end(({ body }) => Buffer.concat([wire('100 Continue', []), whole('200 OK', body)])),
    types: ['connection_error', 'value'],
  },
  { name: '101', send: end(() => wire('101 Switching Protocols', ['upgrade: x'])), types: cut },
  {
    name: '103 without end',
    send: (socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 5);
      socket.once('close', () => clearInterval(timer));
    },
    types: ['timeout_error'],
    timeout: 300,
  },
  { name: '205', send: end(() => wire('205 Reset Content', ['content-length: 0'])), types: ['empty'] },
  { name: '204', send: end(() => wire('204 No Content', ['connection: close'])), types: ['empty'] },
  {
    name: '204 with a body',
    send: end(({ body }) => whole('204 No Content', body)),
    types: ['empty', 'connection_error'],
  },
  { name: '304', send: end(() => wire('304 Not Modified', ['connection: close'])), types: ['api_error'] },
  {
    name: '304 with a body',
    send: end(({ body }) => whole('304 Not Modified', body)),
    types: ['api_error'],
  },
  { name: 'a status of 999', send: end(({ body }) => whole('999 What', body)), types: ['*'] },
  { name: 'a status of 20', send: end(({ body }) => whole('20 OK', body)), types: cut },
];

const headers: readonly OddAnswer[] = [
  {
    name: 'a header of 1 MB',
    send: end(({ body }) => whole('200 OK', body, `x-large: ${'a'.repeat(1 << 20)}`)),
    types: cut,
  },
  {
    name: '20 000 headers',
    send: end(({ body }) => whole('200 OK', body, ...Array.from({ length: 20_000 }, (_, n) => `x-${n}: a`))),
    types: cut,
  },
  {
    name: 'headers without end',
    send: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write(`x-more: ${'a'.repeat(4_096)}\r\n`), 1);
      socket.once('close', () => clearInterval(timer));
    },
    types: ['connection_error', 'timeout_error'],
    timeout: 2_000,
  },
  {
    name: 'a header without a name',
    send: end(({ body }) => whole('200 OK', body, ': value')),
    types: refused,
  },
  {
    name: 'a header with a line break in it',
    send: end(({ body }) => whole('200 OK', body, 'x-odd: a\n b')),
    types: refused,
  },
  {
    name: 'a header of bytes beyond ASCII',
    send: end(({ body }) => whole('200 OK', body, 'x-odd: \u00ff\u0080')),
    types: ok,
  },
];

const bodies: readonly OddAnswer[] = [
  { name: 'a byte-order mark', send: end(({ body }) => whole('200 OK', `\ufeff${body}`)), types: ok },
  {
    name: 'UTF-16',
    send: end(({ body }) =>
      wire('200 OK', ['content-type: application/json; charset=utf-16'], Buffer.from(body, 'utf16le')),
    ),
    types: misfit,
  },
  {
    name: 'bytes that are not UTF-8',
    send: end(() => wire('200 OK', [JSON_TYPE], Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d))),
    types: misfit,
  },
  {
    name: 'one byte at a time, in time',
    send: (socket, { body }) => drip(socket, whole('200 OK', body), 1),
    types: ok,
    timeout: 20_000,
  },
  {
    name: 'one byte at a time, without end',
    send: (socket) => drip(socket, wire('200 OK', [JSON_TYPE], ' '.repeat(100_000)), 5),
    types: ['timeout_error'],
    timeout: 400,
  },
];

const noHttp: readonly OddAnswer[] = [
  { name: 'SSH', send: end(() => Buffer.from('SSH-2.0-OpenSSH_9.2\r\n')), types: cut },
  { name: 'HTTP/0.9', send: end(({ body }) => Buffer.from(body)), types: cut },
  {
    name: 'HTTP/2',
    send: end(() => Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])),
    types: cut,
  },
  { name: 'zeros', send: end(() => Buffer.alloc(1_000)), types: cut },
];

const all = [...lengths, ...statuses, ...headers, ...bodies, ...noHttp];

/** `empty` is a success for a deletion alone. */
function typesFor(types: readonly string[], { method }: Operation): readonly string[] {
  return types.map((type) => {
    if (type !== 'empty') return type;
    return method === 'DELETE' ? 'value' : 'response_validation_error';
  });
}

test.each(all)('$name: a value or a typed error, and no second attempt that is not safe', async (odd) => {
  watchProcess();
  await withEach(async (operation) => {
    const server = await startRawServer((socket) => odd.send(socket, operation));
    const platform = connect(server.url, { timeout: odd.timeout ?? 20_000, maxRetries: 1 });
    const outcome = await outcomeOf(operation.call(platform));
    const types = typesFor(odd.types, operation);
    if (!types.includes('*')) expect(types, operation.name).toContain(outcome.type);
    if (outcome.type === 'value') expect(outcome).toEqual({ type: 'value', value: operation.value });
    if (operation.method === 'GET') expect(isUnknown(outcome), operation.name).toBe(false);
    else {
      expect(isUnknown(outcome), operation.name).toBe(outcome.type !== 'value');
      expect(server.requests.length, operation.name).toBeLessThanOrEqual(1);
    }
    await expect.poll(server.open, { timeout: 30_000 }).toBe(0);
  });
});

test('what follows an answer on its connection is never taken for the answer of the next call', async () => {
  watchProcess();
  const answer = (id: string) => {
    const body = JSON.stringify({ success: true, message: 'ok', data: { id } });
    return wire('200 OK', [JSON_TYPE, lengthOf(body)], body);
  };
  const server = await startRawServer((socket) => {
    socket.write(Buffer.concat([answer('genuine'), answer('forged')]));
  });
  const platform = connect(server.url, { maxRetries: 2 });
  for (let call = 0; call < 20; call += 1) {
    const outcome = await outcomeOf(platform.tools.get('t1'));
    expect(outcome).toEqual({ type: 'value', value: { id: 'genuine' } });
  }
});

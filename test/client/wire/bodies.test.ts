import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { deferred } from '../../support/deferred.js';
import { calls, outcomeOf, startRawServer, wire } from '../../support/raw-server.js';
import { closedAddress, connect, connectTo, rejectionOf, success } from '../../support/server.js';

const tool = success({ id: 't1', name: 'ü' });
const text = JSON.stringify(tool);

test.each([
  ['compressed', gzipSync(text), { 'content-encoding': 'gzip' }],
  ['with a byte order mark', Buffer.from(`\ufeff${text}`), {}],
  ['of a length that is not declared', Buffer.from(text), { 'transfer-encoding': 'chunked' }],
] as [string, Buffer, Record<string, string>][])('a response %s is read', async (_, body, headers) => {
  const { platform } = await connectTo((__, response) => void response.writeHead(200, headers).end(body));
  expect(await platform.tools.get('t1')).toEqual(tool.data);
});

test('a body that is not compressed as it says is a typed error, and its connection is closed', async () => {
  for (const call of calls) {
    const headers = ['content-encoding: gzip', `content-length: ${call.body.length}`, 'connection: close'];
    const server = await startRawServer((socket) => void socket.end(wire('200 OK', headers, call.body)));
    expect(await outcomeOf(call.make(connect(server.url)))).toEqual({
      type: 'connection_error',
      unknown: call.method !== 'GET',
    });
    await expect.poll(server.open, { timeout: 20_000 }).toBe(0);
  }
});

test('the limit counts bytes after decompression, whatever length is declared', async () => {
  const bomb = gzipSync(JSON.stringify(success({ id: 't1', name: 'x'.repeat(100_000) })));
  const { platform } = await connectTo(
    (_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bomb.length }).end(bomb);
    },
    { maxResponseBytes: 10_000 },
  );
  expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({ issues: [{ code: 'too_large' }] });
});

test.each([
  ['a character split between two chunks: the data', Buffer.from(text), tool.data],
  [
    'bytes that are no UTF-8 in a text: the data, with characters that are missing',
    Buffer.from(text.replace('ü', '\xff\xfe'), 'latin1'),
    { id: 't1', name: '\ufffd\ufffd' },
  ],
  [
    'bytes that are no UTF-8 before the JSON: a typed error',
    Buffer.from(`\xff\xfe${text}`, 'latin1'),
    'ResponseValidationError',
  ],
])('%s', async (_, body, expected) => {
  const { platform } = await connectTo((__, response) => {
    response.writeHead(200);
    const at = body.findIndex((byte) => byte > 127) + 1;
    response.write(body.subarray(0, at), () => setTimeout(() => response.end(body.subarray(at)), 20));
  });
  const outcome = await platform.tools.get('t1').catch((error: Error) => error.name);
  expect(outcome).toEqual(expected);
});

test('the connection of a body that stalls is closed, even if a user-supplied `fetch` ignores its signal', async () => {
  const closed = deferred();
  const { platform } = await connectTo(
    (_, response) => {
      response.socket?.once('close', closed.resolve);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"success":');
    },
    { timeout: 200, fetch: (url, { signal, ...init }) => fetch(url, init) },
  );
  expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({ type: 'timeout_error' });
  await closed.promise;
});

test('a truncated error body is kept as far as it was read', async () => {
  const { platform } = await connectTo((_, response) => {
    response.writeHead(500, { 'content-length': 1000 });
    response.write('{"message":"half a', () => response.destroy());
  });
  expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({
    type: 'server_error',
    rawBody: '{"message":"half a',
    message: 'GET /tools/t1 responded with 500: broken or unexpected JSON, cut off after 18 characters',
  });
});

test.each([true, false])(
  'maxResponseBytes is the greatest size that is read (declared: %s)',
  async (isDeclared) => {
    const body = JSON.stringify(success({ id: 't1', name: 'x'.repeat(5_000) }));
    const headers = isDeclared ? { 'content-length': String(body.length) } : {};
    const { platform } = await connectTo((_, response) => {
      response.writeHead(200, headers);
      response.write(body.slice(0, 2_000));
      response.end(body.slice(2_000));
    });
    const get = (maxResponseBytes: number) => platform.withOptions({ maxResponseBytes }).tools.get('t1');
    expect(await get(body.length)).toMatchObject({ id: 't1' });
    const error = await rejectionOf(get(body.length - 1));
    expect(error).toMatchObject({ type: 'response_validation_error', issues: [{ code: 'too_large' }] });
    expect((error as Error).message).toContain('maxResponseBytes');
  },
);

test('a service that comes up between two attempts is reached, by a POST too', async () => {
  const address = new URL(await closedAddress());
  const server = createServer((_, response) => response.end(JSON.stringify(success({ id: 'v1', key: 'k' }))));
  const platform = connect(address.origin, {
    maxRetries: 2,
    hooks: { onRetry: () => void server.listen(Number(address.port), '127.0.0.1') },
  });
  expect(await platform.variables.create('a1', { key: 'k' })).toMatchObject({ id: 'v1' });
  server.closeAllConnections();
  server.close();
});

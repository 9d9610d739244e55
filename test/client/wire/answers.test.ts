import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { rejectionOf, success } from '../../support/client.js';
import { deferred } from '../../support/deferred.js';
import { connectTo } from '../../support/server.js';

const tool = success({ id: 't1', name: 'ü' });
const text = JSON.stringify(tool);

test.each([
  ['compressed', gzipSync(text), { 'content-encoding': 'gzip' }],
  ['with a byte order mark', Buffer.from(`\ufeff${text}`), {}],
  ['of a length that is not declared', Buffer.from(text), { 'transfer-encoding': 'chunked' }],
] as [string, Buffer, Record<string, string>][])('an answer %s is read', async (_, body, headers) => {
  const { platform } = await connectTo((__, response) => void response.writeHead(200, headers).end(body));
  expect(await platform.tools.get('t1')).toEqual(tool.data);
});

test('the limit counts what a compressed answer unfolds to', async () => {
  const bomb = gzipSync(JSON.stringify(success({ id: 't1', name: 'x'.repeat(100_000) })));
  const { platform } = await connectTo(
    (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
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

test('a character that was cut off is shown as one that is missing', async () => {
  const { platform } = await connectTo(
    (_, response) => void response.writeHead(500).end(Buffer.from([0x41, 0xc3])),
  );
  expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({ rawBody: 'A\ufffd' });
});

test('a call that takes too long gives its connection up', async () => {
  const closed = deferred();
  const { platform } = await connectTo((_, { socket }) => void socket?.once('close', closed.resolve), {
    timeout: 200,
  });
  expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({ type: 'timeout_error' });
  await closed.promise;
});

test('a body that stalls is let go, also where a `fetch` of the caller ignores its signal', async () => {
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

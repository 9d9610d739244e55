import { gzipSync } from 'node:zlib';
import type { AgentPlatform, FetchFunction } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { deferred } from '../support/deferred.js';
import { byteByByte, streamOf } from '../support/memory.js';
import { answerWith, connect, connectTo, rejectionOf, success } from '../support/server.js';

const tool = success({ id: 't1', name: 'ü' });
const text = JSON.stringify(tool);

/** A client whose fetch gives something that may be no `Response`. */
const connectWith = (answer: unknown): AgentPlatform =>
  connect('http://127.0.0.1', { fetch: (async () => answer) as FetchFunction });

test.each([
  ['without a stream, as of React Native', undefined],
  ['with a stream of Node, as of node-fetch', { on: () => undefined }],
])('an answer %s is read as text', async (_, body) => {
  const answer = { ok: true, status: 200, headers: new Headers(), body, text: async () => text };
  expect(await connectWith(answer).tools.get('t1')).toEqual(tool.data);
});

test('an answer that is read as text is held to maxResponseBytes too', async () => {
  const answer = { ok: true, status: 200, headers: new Headers(), text: async () => text };
  const platform = connectWith(answer).withOptions({ maxResponseBytes: 20 });
  expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({ issues: [{ code: 'too_large' }] });
});

test.each([
  ['nothing', undefined],
  ['null', null],
  ['text', text],
  ['a body', tool],
  [
    'headers that are no Headers',
    { ok: false, status: 500, headers: { get: () => null }, text: async () => '' },
  ],
])('a fetch that gives %s is named in a typed error', async (_, answer) => {
  const error = await rejectionOf(connectWith(answer).workspaces.delete('w1'));
  expect(error).toMatchObject({ type: 'connection_error', outcomeUnknown: true });
  expect((error as Error).message).toContain('the option `fetch` gave no Response');
});

test('an answer that was read before is told from an empty one', async () => {
  const platform = connectWith(new Response(text));
  await platform.tools.get('t1');
  const error = await rejectionOf(platform.tools.get('t1'));
  expect(error).toMatchObject({ type: 'connection_error', cause: { message: /read|used|unusable/i } });
});

test.each([
  ['nothing', () => undefined, 'undefined'],
  ['a text', () => 'no route', 'no route'],
  ['null', () => null, 'null'],
  [
    'a proxy that throws',
    () => new Proxy({}, { get: () => expect.fail('a trap'), getPrototypeOf: () => expect.fail('a trap') }),
    'unreadable',
  ],
])('a fetch that rejects with %s ends in a typed error', async (_, reason, words) => {
  const platform = connect('http://127.0.0.1', { fetch: () => Promise.reject(reason()) });
  const error = await rejectionOf(platform.workspaces.delete('w1'));
  expect(error).toMatchObject({ type: 'connection_error', outcomeUnknown: true });
  expect((error as Error).message).toContain(words);
});

test('an error of this package that fetch throws is one of the connection, since the request was sent', async () => {
  const inner = await rejectionOf(connectWith(new Response(text)).tools.get(''));
  const platform = connect('http://127.0.0.1', { fetch: () => Promise.reject(inner) });
  expect(await rejectionOf(platform.workspaces.delete('w1'))).toMatchObject({
    type: 'connection_error',
    outcomeUnknown: true,
    cause: inner,
  });
});

test('an answer that comes after the timeout is closed, so that it holds no connection', async () => {
  const closed = deferred();
  const platform = connect('http://127.0.0.1', {
    timeout: 20,
    fetch: async () => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return new Response(new ReadableStream({ cancel: closed.resolve }));
    },
  });
  expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({ type: 'timeout_error' });
  expect(await closed.promise).toBeUndefined();
});

test.each([
  ['of no declared length', {}],
  ['that is compressed, whatever length it declares', { 'content-length': '9', 'content-encoding': 'gzip' }],
])('an endless answer %s is closed at the limit', async (_, headers) => {
  const closed = deferred();
  const endless = new ReadableStream({
    pull: (stream) => stream.enqueue(new Uint8Array(1_000)),
    cancel: closed.resolve,
  });
  const platform = connectWith(new Response(endless, { headers })).withOptions({ maxResponseBytes: 5_000 });
  expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({ issues: [{ code: 'too_large' }] });
  expect(await closed.promise).toBeUndefined();
});

test('a redirect that the runtime hides, as browsers do, is an error', async () => {
  const error = await rejectionOf(connectWith(Response.error()).workspaces.delete('w1'));
  expect(error).toMatchObject({ type: 'api_error', status: 0, outcomeUnknown: true });
});

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

test('an answer in text is not masked beyond its marked fields', async () => {
  const { platform } = await connectTo(answerWith(500, 'upstream said: value is fine'));
  expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({
    rawBody: 'upstream said: value is fine',
  });
});

test('an answer in chunks of one byte costs the memory of its bytes, not of its chunks', async () => {
  const { chunks, heldPerByte } = byteByByte(' '.repeat(100_000) + text);
  expect(await connectWith(new Response(streamOf(chunks))).tools.get('t1')).toEqual(tool.data);
  expect(heldPerByte()).toBeLessThan(20);
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

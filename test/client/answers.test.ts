import type { AgentPlatform, FetchFunction } from 'agent-platform-sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connect, rejectionOf, success } from '../support/client.js';
import { deferred } from '../support/deferred.js';
import { heldPerByte, streamOf } from '../support/memory.js';
import { answerWith, connectTo } from '../support/msw.js';

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

test.each([
  [
    200,
    {
      issues: [
        { path: [], code: 'too_large', message: expect.stringContaining('at most 20 bytes') as string },
      ],
    },
  ],
  [404, { message: expect.stringContaining('too large') as string }],
])('an answer %s that is read as text is held to maxResponseBytes too', async (status, told) => {
  const answer = { ok: status === 200, status, headers: new Headers(), text: async () => text };
  const platform = connectWith(answer).withOptions({ maxResponseBytes: 20 });
  const error = await rejectionOf(platform.tools.get('t1'));
  expect(error).toMatchObject({ ...told, rawBody: text.slice(0, 20) });
  // No mode passes it on.
  expect((error as Error).message).not.toContain("validation: 'report'");
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

test('an error whose text cannot be read is told by its status', async () => {
  const text = () => Promise.reject(new Error('cut'));
  const answer = { ok: false, status: 500, headers: new Headers(), text };
  expect(await rejectionOf(connectWith(answer).tools.get('t1'))).toMatchObject({
    message: 'GET /tools/t1 answered 500 with an empty body',
  });
});

test.each([
  ['by the client', (response: Response) => connectWith(response).tools.get('t1')],
  ['by the fetch', (response: Response) => response.text()],
])('an answer that was read before, %s, is told from an empty one', async (_, read) => {
  const response = new Response(text);
  await read(response);
  const error = await rejectionOf(connectWith(response).tools.get('t1'));
  expect(error).toMatchObject({ type: 'connection_error' });
  expect((error as Error).message).toMatch(/already been read|unusable|used/i);
});

test.each([
  ['nothing', () => undefined, 'undefined'],
  ['a text', () => 'no route', 'no route'],
  ['null', () => null, 'null'],
  [
    'a proxy that throws',
    () => new Proxy({}, { get: () => expect.fail('a trap'), getPrototypeOf: () => expect.fail('a trap') }),
    'unreadable (attempt 1)\n  Check `baseUrls.eu`',
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

test('an answer that is read as text, and never ends, ends with the timeout', async () => {
  const text = () => new Promise(() => undefined);
  const platform = connectWith({ ok: true, status: 200, headers: new Headers(), text });
  expect(await rejectionOf(platform.tools.get('t1', { timeout: 20 }))).toMatchObject({
    type: 'timeout_error',
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
])('a long answer %s is closed at the limit', async (_, headers) => {
  for (const [isBuiltIn, maxResponseBytes] of [
    [false, 5_000],
    // The end of a chunk, behind which another one comes.
    [true, 5 * 999],
  ] as const) {
    const closed = deferred();
    let chunks = 0;
    const long = new ReadableStream({
      pull: (stream) => {
        chunks += 1;
        if (chunks > 1_000) stream.close();
        else stream.enqueue(new Uint8Array(999).fill(120));
      },
      cancel: closed.resolve,
    });
    const response = new Response(long, { headers });
    if (isBuiltIn) vi.stubGlobal('fetch', async () => response);
    onTestFinished(() => void vi.unstubAllGlobals());
    const client = isBuiltIn ? connect('http://127.0.0.1') : connectWith(response);
    const { tools } = client.withOptions({ maxResponseBytes });
    expect(await rejectionOf(tools.get('t1'))).toMatchObject({
      issues: [{ code: 'too_large' }],
      rawBody: 'x'.repeat(maxResponseBytes),
    });
    expect(chunks).toBeLessThan(20);
    expect(await closed.promise).toBeUndefined();
  }
});

test('a redirect that the runtime hides, as browsers do, is an error', async () => {
  const error = await rejectionOf(connectWith(Response.error()).workspaces.delete('w1'));
  expect(error).toMatchObject({ type: 'api_error', status: 0, outcomeUnknown: true });
});

test('an answer in text is not masked beyond its marked fields', async () => {
  const { platform } = connectTo(answerWith(500, 'upstream said: value is fine'));
  expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({
    rawBody: 'upstream said: value is fine',
  });
});

test('an answer in chunks of one byte costs the memory of its bytes, not of its chunks', async () => {
  const held = heldPerByte(' '.repeat(30_000) + text, async (chunks) => {
    expect(await connectWith(new Response(streamOf(chunks))).tools.get('t1')).toEqual(tool.data);
  });
  expect(await held).toBeLessThan(20);
});

import type { AgentPlatform, FetchFunction } from 'agent-platform-sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createClient, rejectionOf, respond, response, success } from '../support/client.js';
import { deferred } from '../support/deferred.js';

const tool = success({ id: 't1', name: 'ü' });
const text = JSON.stringify(tool);

/** A client whose `fetch` resolves with something that may not be a `Response`. */
const connectWith = (received: unknown): AgentPlatform =>
  createClient({ fetch: (async () => received) as FetchFunction });

test('success: false in a 2xx is an error in every mode, with the words of the service', async () => {
  // Without data: the body of a failure does not have to match the schema.
  respond(response(200, { success: false, message: 'no room\nleft' }));
  for (const validation of ['strict', 'tolerant', 'off'] as const) {
    expect(await rejectionOf(createClient({ validation }).tools.get('t1'))).toMatchObject({
      type: 'operation_failed_error',
      message: 'GET /tools/t1 responded with 200, but failed (success: false): no room left',
      body: { success: false, message: 'no room\nleft' },
    });
  }
});

test.each<[body: object, reason: string]>([
  [{ success: false, error: 'No room' }, 'No room'],
  [{ success: false, error: { message: 'No room' } }, 'No room'],
  [{ isGood: false, errors: [{ message: 'No room' }] }, 'No room'],
  [{ success: false }, 'without a reason'],
])('the words of the failed envelope %j survive', async (body, reason) => {
  respond(response(200, body));
  await expect(createClient().tools.get('t1')).rejects.toThrow(`: ${reason}`);
});

// node-fetch#541: version 2 leaves a byte order mark in the text.
test('a byte order mark before JSON is no part of it', async () => {
  const received = { ok: true, status: 200, headers: new Headers(), text: async () => `\uFEFF${text}` };
  expect(await connectWith(received).tools.get('t1')).toEqual(tool.data);
});

test.each([
  ['without a stream, as of React Native', undefined],
  ['with a stream of Node, as of node-fetch', { on: () => undefined }],
])('a response %s is read as text', async (_, body) => {
  const received = { ok: true, status: 200, headers: new Headers(), body, text: async () => text };
  expect(await connectWith(received).tools.get('t1')).toEqual(tool.data);
});

test.each([200, 404])('maxResponseBytes also limits a %s that is read as text', async (status) => {
  const received = { ok: status === 200, status, headers: new Headers(), text: async () => text };
  const platform = connectWith(received).withOptions({ maxResponseBytes: 20 });
  expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({ status, rawBody: text.slice(0, 20) });
});

test.each([
  ['nothing', undefined],
  ['a text', text],
  ['an object', tool],
])('a fetch that gives %s ends in a typed error', async (_, received) => {
  expect(await rejectionOf(connectWith(received).workspaces.delete('w1'))).toMatchObject({
    type: 'configuration_error',
    outcomeUnknown: true,
  });
});

test.each([
  ['by the client', (read: Response) => connectWith(read).tools.get('t1')],
  ['by the fetch', (read: Response) => read.text()],
])('a body that was read before, %s, is not taken for an empty one', async (_, read) => {
  const received = new Response(text);
  await read(received);
  const error = await rejectionOf(connectWith(received).tools.get('t1'));
  expect(error).toMatchObject({ type: 'connection_error' });
  expect((error as Error).message).toMatch(/already been read|unusable|used/i);
});

test('an error of this package that fetch throws becomes a connection error, because the request was sent', async () => {
  const inner = await rejectionOf(createClient().tools.get(''));
  const platform = createClient({ fetch: () => Promise.reject(inner) });
  expect(await rejectionOf(platform.workspaces.delete('w1'))).toMatchObject({
    type: 'connection_error',
    outcomeUnknown: true,
    cause: inner,
  });
});

test('a long body of no declared length is closed at the limit', async () => {
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
    const received = new Response(long);
    if (isBuiltIn) vi.stubGlobal('fetch', async () => received);
    onTestFinished(() => void vi.unstubAllGlobals());
    const client = isBuiltIn ? createClient() : connectWith(received);
    expect(await rejectionOf(client.withOptions({ maxResponseBytes }).tools.get('t1'))).toMatchObject({
      issues: [{ code: 'too_large' }],
      rawBody: 'x'.repeat(maxResponseBytes),
    });
    expect(chunks).toBeLessThan(20);
    await closed.promise;
  }
});

test('a redirect that the runtime hides, as browsers do, is an error', async () => {
  expect(await rejectionOf(connectWith(Response.error()).workspaces.delete('w1'))).toMatchObject({
    type: 'api_error',
    status: 0,
    outcomeUnknown: true,
    message: expect.stringContaining('does not follow redirects') as string,
  });
});

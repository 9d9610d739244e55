import {
  type AgentPlatform,
  type Drift,
  endpoints,
  type FetchFunction,
  ResponseValidationError,
  type ValidationMode,
} from 'agent-platform-sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod/v4/mini';
import { createClient, fake, rejectionOf, respond, response, success } from '../support/client.js';
import { deferred } from '../support/deferred.js';

// `test/validation/table.test.ts` has what becomes of each departure from a schema.

const MODES: readonly ValidationMode[] = ['strict', 'tolerant', 'off'];

/** A client in a mode, and the drift that it reports. */
function watched(validation?: ValidationMode) {
  const drifts: Drift[] = [];
  const hooks = { onDrift: (drift: Drift) => void drifts.push(drift) };
  return { drifts, platform: createClient({ validation, hooks }) };
}

/** Calls a service that responds with this body. */
function getTool(body: unknown, validation?: ValidationMode) {
  fake.handle(endpoints.getTool, () => Response.json(body));
  const { drifts, platform } = watched(validation);
  return { call: platform.tools.get('t1'), drifts };
}

function listMembers(clients: unknown[], validation?: ValidationMode) {
  const body = { success: true, message: 'ok', clients, teams: [] };
  fake.handle(endpoints.listMembersAndTeams, () => Response.json(body));
  const { drifts, platform } = watched(validation);
  return { call: platform.orgs.listMembersAndTeams('o1'), drifts };
}

test('a new field in each of 100,000 clients is drift', async () => {
  const clients = Array.from({ length: 100_000 }, (_, index) => ({ ID: `c${index}`, grown: 1 }));
  const { call, drifts } = listMembers(clients);
  expect((await call).clients).toHaveLength(100_000);
  expect(drifts).toMatchObject([{ issues: { length: 101 } }]);
});

test('more issues than Zod can list are one', async () => {
  const body = success({ id: 't1', channels: Array(150_000).fill(1) });
  const { call, drifts } = getTool(body);
  expect((await call).channels).toHaveLength(150_000);
  const issues = [{ path: ['data'], code: 'too_many_issues' }];
  expect(drifts).toMatchObject([{ issues }]);
  expect(await rejectionOf(getTool(body, 'strict').call)).toMatchObject({ issues });
});

test.each([
  [100, 100, ['data', 'channels', 99], /^expected string/],
  [101, 101, ['data'], /^and 1 more issue/],
  [250, 101, ['data'], /^and 150 more issue/],
])('100 issues are listed, and the rest is counted: %i', async (count, length, path, message) => {
  const body = success({ id: 't1', channels: Array(count).fill(1) });
  const { issues } = (await rejectionOf(getTool(body, 'strict').call)) as ResponseValidationError;
  expect(issues).toHaveLength(length);
  expect(issues.at(-1)).toMatchObject({ path, message: expect.stringMatching(message) });
});

test('the error names the field, what was expected and what was received, whatever the configuration of Zod', async () => {
  const before = z.config();
  z.config({ customError: () => 'changed' });
  onTestFinished(() => void z.config({ ...before, customError: undefined }));
  const body = success({ id: 't1', name: 5 });
  const error = (await rejectionOf(getTool(body, 'strict').call)) as ResponseValidationError;
  expect(error.message).toMatch(
    /^GET \/tools\/t1 responded with 200, but .*\n {2}- data\.name: expected string, received number/,
  );
  expect(error).toMatchObject({ status: 200, method: 'GET', path: '/tools/t1', region: 'eu', body });
});

test('an error shows a path as developers write it', async () => {
  const { call } = listMembers([{ ID: 'c1', 'a-b': 1, onboardingState: { '1c': 1 } }], 'strict');
  const { message } = (await rejectionOf(call)) as Error;
  expect(message).toContain('\n  - clients[0]["a-b"]: unknown field');
  expect(message).toContain('\n  - clients[0].onboardingState["1c"]: unknown field');
});

test('the mode of a call wins over the client’s', async () => {
  fake.handle(endpoints.getTool, () => Response.json(success({})));
  const { tools } = createClient({ validation: 'strict' });
  expect(await tools.get('t1', { validation: 'off' })).toEqual({});
  await expect(tools.get('t1')).rejects.toBeInstanceOf(ResponseValidationError);
});

test.each([
  ['HTML', '<html><body>Login</body></html>', 'not_json', /HTML/],
  ['truncated JSON', '{"success":true,"data":{"id":"t', 'not_json', /JSON/],
  ['text', 'OK', 'not_json', /text that is not JSON/],
  ['an empty body', '', 'empty_body', /an empty body/],
])('%s for JSON is a typed error in every mode', async (_, body, code, description) => {
  respond(response(200, body));
  for (const validation of MODES) {
    const error = (await rejectionOf(createClient({ validation }).tools.get('t1'))) as Error;
    expect(error).toMatchObject({ type: 'response_validation_error', issues: [{ code }] });
    expect(error.message).toMatch(description);
  }
});

test.each([204, 200])('%i with an empty body is a success of a deletion, in every mode', async (status) => {
  respond(response(status));
  for (const validation of MODES) {
    const { drifts, platform } = watched(validation);
    expect(await platform.workspaces.delete('w1')).toBeUndefined();
    expect(drifts).toMatchObject(validation === 'off' ? [] : [{ issues: [{ code: 'empty_body' }] }]);
  }
});

test.each<[body: object, says: string]>([
  [{ success: false, message: 'no room\nleft' }, '(success: false): no room left'],
  [{ success: false, error: { message: 'No room' } }, '(success: false): No room'],
  [{ isGood: false, errors: 'no such number' }, '(isGood: false): no such number'],
  [{ success: false }, '(success: false): without a reason'],
])('the failed envelope %j is an error in every mode, with the words of the service', async (body, says) => {
  // Without data: the body of a failure does not have to match the schema.
  respond(response(200, body));
  for (const validation of MODES) {
    expect(await rejectionOf(createClient({ validation }).workspaces.delete('w1'))).toMatchObject({
      type: 'operation_failed_error',
      message: `DELETE /workspaces/w1 responded with 200, but failed ${says}\n  The request may have taken effect. Check before retrying (\`error.outcomeUnknown\`).`,
      outcomeUnknown: true,
      body,
    });
  }
});

// What a `fetch` may give.

const tool = success({ id: 't1', name: 'ü' });
const text = JSON.stringify(tool);

/** A client whose `fetch` resolves with something that may not be a `Response`. */
const connectWith = (received: unknown): AgentPlatform =>
  createClient({ fetch: (async () => received) as FetchFunction });

test.each<[what: string, more: object]>([
  // node-fetch#541: version 2 leaves a byte order mark in the text.
  ['with a byte order mark', { text: async () => `\uFEFF${text}` }],
  ['without a stream, as of React Native', { body: undefined }],
  ['with a stream of Node, as of node-fetch', { body: { on: () => undefined } }],
])('a response %s is read as text', async (_, more) => {
  const received = { ok: true, status: 200, headers: new Headers(), text: async () => text, ...more };
  expect(await connectWith(received).tools.get('t1')).toEqual(tool.data);
});

/** A response with a body of these chunks. */
function streamed(...chunks: readonly Uint8Array[]): Response {
  const start = (stream: ReadableStreamDefaultController<Uint8Array>) => {
    for (const chunk of chunks) stream.enqueue(chunk);
    stream.close();
  };
  return new Response(new ReadableStream({ start }));
}

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
    undefined,
  ],
])('%s', async (_, body, expected) => {
  const at = body.findIndex((byte) => byte > 127) + 1;
  const call = connectWith(streamed(body.subarray(0, at), body.subarray(at))).tools.get('t1');
  if (expected === undefined) await expect(call).rejects.toBeInstanceOf(ResponseValidationError);
  else expect(await call).toEqual(expected);
});

test.each([200, 404])('maxResponseBytes also limits a %i that is read as text', async (status) => {
  const received = { ok: status === 200, status, headers: new Headers(), text: async () => text };
  const platform = connectWith(received).withOptions({ maxResponseBytes: 20 });
  expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({ status, rawBody: text.slice(0, 20) });
});

test.each([true, false])(
  'maxResponseBytes is the greatest size that is read (declared: %s)',
  async (isDeclared) => {
    const size = Buffer.byteLength(text);
    respond(response(200, text, isDeclared ? { 'content-length': String(size) } : {}));
    expect(await createClient({ maxResponseBytes: size }).tools.get('t1')).toEqual(tool.data);
    const error = await rejectionOf(createClient({ maxResponseBytes: size - 1 }).tools.get('t1'));
    expect(error).toMatchObject({ type: 'response_validation_error', issues: [{ code: 'too_large' }] });
    expect((error as Error).message).toContain('maxResponseBytes');
  },
);

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

test.each([
  ['nothing', undefined],
  ['a text', text],
  ['an object', tool],
  ['a response without ok', { status: 200, headers: new Headers(), text: () => Promise.resolve(text) }],
  ['a response without headers', { ok: true, status: 200, text: () => Promise.resolve(text) }],
])('a fetch that gives %s ends in a typed error', async (_, received) => {
  expect(await rejectionOf(connectWith(received).workspaces.delete('w1'))).toMatchObject({
    type: 'configuration_error',
    outcomeUnknown: true,
    message: expect.stringContaining('`fetch` must resolve to a Response (attempt 1)') as string,
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

test('what fetch throws becomes a connection error, also an error of this package, because the request was sent', async () => {
  const inner = await rejectionOf(createClient().tools.get(''));
  for (const cause of [inner, undefined]) {
    const { workspaces } = createClient({ fetch: () => Promise.reject(cause) });
    const error = (await rejectionOf(workspaces.delete('w1'))) as Error;
    expect(error).toMatchObject({ type: 'connection_error', outcomeUnknown: true });
    expect(error.cause).toBe(cause);
    if (cause === undefined) expect(error.message).toContain('`fetch` rejected with nothing');
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

import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { type AgentPlatform, endpoint, endpoints, ServerError, TimeoutError } from 'agent-platform-sdk';
import { createFakePlatform, type FakePlatform, type FaultInput } from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';
import { setupServer } from 'msw/node';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { FAULT_KINDS } from '../../src/testing/fake/faults/kinds.js';
import { clientOf, httpClientOf, listening, send } from './support/client.js';

/** Every fault that a client can see, and the error that it becomes. */
const outcomes: readonly (readonly [name: string, fault: FaultInput, seen: object])[] = [
  ['a status', { status: 503 }, { status: 503, code: 'SERVICE_UNAVAILABLE' }],
  ['a status without a body', { status: 500, body: '' }, { status: 500, code: undefined, rawBody: '' }],
  [
    'a chosen code',
    { status: 418, code: 'teapot', message: 'Short and stout' },
    { code: 'teapot', message: expect.stringContaining('Short and stout') },
  ],
  ['Retry-After', { kind: 'status', status: 429, retryAfter: 2 }, { name: 'RateLimitError', retryAfter: 2 }],
  ['an invalid Retry-After', { status: 429, retryAfter: 'soon' }, { retryAfter: undefined }],
  [
    'HTML',
    { status: 502, body: '<h1>502</h1>' },
    { status: 502, rawBody: expect.stringContaining('<h1>502</h1>') },
  ],
  ['HTML with 200', { status: 200, body: '<h1>200</h1>' }, { name: 'ResponseValidationError', status: 200 }],
  ['an empty body', { status: 200, body: '' }, { name: 'ResponseValidationError', rawBody: '', status: 200 }],
  ['truncated JSON', { kind: 'truncated' }, { name: 'ResponseValidationError', status: 200 }],
  ['a wrong shape', { status: 200, body: { unexpected: true } }, { body: { unexpected: true } }],
  ['a chosen shape', { status: 200, body: { data: [] } }, { body: { data: [] } }],
  ['a stalled body', { kind: 'stall' }, { name: 'TimeoutError' }],
  ['headers without a body', { kind: 'stall', after: 0 }, { name: 'TimeoutError' }],
  ['a reset', { kind: 'reset' }, { name: 'ConnectionError' }],
  ['a reset in the body', { kind: 'reset', at: 'body' }, { name: 'ConnectionError' }],
];

test('each kind of fault has a row above, or a test below', () => {
  const tested = ['rate-limit', 'latency', ...outcomes.map(([, { kind = 'status' }]) => kind)];
  expect(FAULT_KINDS.filter((kind) => !tested.includes(kind))).toEqual([]);
});

/** The ways in which a client reaches a fake. */
const ways: readonly (readonly [name: string, connect: (fake: FakePlatform) => Promise<AgentPlatform>])[] = [
  ['in process', async (fake) => clientOf(fake)],
  ['over HTTP', async (fake) => httpClientOf(fake, await listening(fake))],
  [
    'through msw',
    async (fake) => {
      const msw = setupServer(...fakeHandlers(fake));
      msw.listen();
      onTestFinished(() => msw.close());
      return clientOf(fake, { fetch: undefined });
    },
  ],
];

describe.each(ways)('%s', (_, connectTo) => {
  test.each(outcomes)('%s', async (__, fault, seen) => {
    const fake = createFakePlatform();
    const platform = await connectTo(fake);
    fake.faults.inject(fault);
    const timeout = fault.kind === 'stall' ? 250 : 30_000;
    await expect(platform.tools.get(fake.seed.eu.toolId, { timeout })).rejects.toMatchObject(seen);
    expect(fake.requests).toMatchObject([{ fault: fault.kind ?? 'status' }]);
    await expect(platform.tools.get(fake.seed.eu.toolId)).resolves.toBeDefined();
  });
});

/** The statuses of some calls. */
async function statuses(fake: FakePlatform, ...paths: readonly string[]): Promise<number[]> {
  const found: number[] = [];
  for (const path of paths) found.push((await send(fake, path)).status);
  return found;
}

const [TOOLS, TOOL] = ['/v3/tools/defaults', '/v3/tools/tool_eu_1'];

describe('scope', () => {
  test('the next calls of one endpoint, named by its declaration or its key', async () => {
    for (const endpointOf of [endpoints.getTool, 'getTool']) {
      const fake = createFakePlatform();
      fake.faults.inject({ endpoint: endpointOf, times: 2, status: 500 });
      expect(await statuses(fake, TOOLS, TOOL, TOOL, TOOL)).toEqual([200, 500, 500, 200]);
    }
  });

  test('a custom endpoint', async () => {
    const fake = createFakePlatform();
    const ping = endpoint({ method: 'GET', path: '/ping', response: z.unknown() });
    fake.handle(ping, () => ({}));
    fake.faults.inject({ endpoint: ping, status: 500 });
    fake.faults.inject({ endpoint: 'GET /ping', status: 501 });
    expect(await statuses(fake, TOOLS, '/v3/ping', '/v3/ping', '/v3/ping')).toEqual([200, 500, 501, 200]);
  });

  test('one region', async () => {
    const fake = createFakePlatform();
    fake.faults.inject({ region: 'na', status: 500 });
    expect(await statuses(fake, TOOLS)).toEqual([200]);
    await expect(clientOf(fake, { region: 'na' }).tools.listDefaults()).rejects.toThrow(ServerError);
  });

  test('always, until it is removed', async () => {
    const fake = createFakePlatform();
    const { id } = fake.faults.inject({ status: 500, times: 'always' });
    expect(await statuses(fake, TOOLS, TOOLS)).toEqual([500, 500]);
    expect(fake.faults.list()).toMatchObject([{ id: 'fault_1', status: 500, remaining: 'always', hits: 2 }]);
    expect(fake.faults.remove(id)).toBe(true);
    expect(await statuses(fake, TOOLS)).toEqual([200]);
    expect(fake.faults.remove(id)).toBe(false);
  });

  test('several, in the order of injection', async () => {
    const fake = createFakePlatform();
    fake.faults.inject({ status: 500 });
    fake.faults.inject({ status: 501 });
    expect(await statuses(fake, TOOLS, TOOLS, TOOLS)).toEqual([500, 501, 200]);
  });
});

describe('acts', () => {
  test.each([
    ['not by default', { status: 500 }, false],
    ['if set', { status: 500, acts: true }, true],
    ['not on a reset', { kind: 'reset' }, false],
    ['on a reset if set', { kind: 'reset', acts: true }, true],
    ['on a reset in the body', { kind: 'reset', at: 'body' }, true],
    ['on a truncated response', { kind: 'truncated' }, true],
    ['on a stalled response', { kind: 'stall', ms: 0 }, true],
    ['on a late response', { kind: 'latency', ms: 1 }, true],
  ] satisfies [string, FaultInput, boolean][])('performs the operation: %s', async (_, fault, acted) => {
    const fake = createFakePlatform();
    fake.faults.inject(fault);
    const { secondWorkspaceId, secondWorkspaceSecret: token } = fake.seed.eu;
    await clientOf(fake, { token })
      .workspaces.delete(secondWorkspaceId)
      .catch(() => undefined);
    expect(fake.state.eu.workspaces.has(secondWorkspaceId)).toBe(!acted);
  });
});

describe('latency', () => {
  test('adds up, and combines with another fault', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const fake = createFakePlatform();
    fake.faults.inject({ kind: 'latency', ms: 100 });
    fake.faults.inject({ kind: 'latency', ms: 20 });
    fake.faults.inject({ status: 500 });
    let status: number | undefined;
    const call = send(fake, TOOLS).then((response) => (status = response.status));
    await vi.advanceTimersByTimeAsync(119);
    expect(status).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await call;
    expect(status).toBe(500);
  });

  test('ends when the client aborts, and the operation is not performed', async () => {
    const fake = createFakePlatform();
    fake.faults.inject({ kind: 'latency', ms: 60_000 });
    const { secondWorkspaceId, secondWorkspaceSecret: token } = fake.seed.eu;
    const deleting = clientOf(fake, { token, timeout: 20 }).workspaces.delete(secondWorkspaceId);
    await expect(deleting).rejects.toThrow(TimeoutError);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(fake.state.eu.workspaces.has(secondWorkspaceId)).toBe(true);
    expect(fake.requests).toMatchObject([{ status: undefined, fault: undefined }]);
  });
});

describe('responses', () => {
  test.each<[FaultInput, number, string, Readonly<Record<string, string>>]>([
    [
      { status: 503 },
      503,
      '{"message":"Injected fault: 503.","code":"SERVICE_UNAVAILABLE"}',
      { 'content-type': 'application/json', 'content-length': '63' },
    ],
    [
      { kind: 'status', status: 429, code: 'a', message: 'b', retryAfter: 0.5 },
      429,
      '{"message":"b","code":"a"}',
      { 'retry-after': '0.5' },
    ],
    [{ status: 304, headers: { Location: 'https://x.example' } }, 304, '', { location: 'https://x.example' }],
    [
      { status: 504, headers: { 'content-type': 'text/html' }, body: '<h1>504</h1>' },
      504,
      '<h1>504</h1>',
      { 'content-type': 'text/html' },
    ],
    [{ status: 204, body: '' }, 204, '', {}],
    [{ status: 202, body: null }, 202, 'null', { 'content-length': '4' }],
  ])('%j', async (fault, status, body, headers) => {
    const fake = createFakePlatform();
    fake.faults.inject(fault);
    const response = await send(fake, TOOLS);
    expect([response.status, await response.text()]).toEqual([status, body]);
    expect(Object.fromEntries(response.headers)).toMatchObject(headers);
  });

  test('a reset rejects like fetch in Node', async () => {
    const fake = createFakePlatform();
    fake.faults.inject({ kind: 'reset' });
    const error: unknown = await send(fake, TOOLS).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    const cause = { message: 'read ECONNRESET', code: 'ECONNRESET' };
    expect(error).toMatchObject({ message: 'fetch failed', cause });
  });

  test('truncated: half of the real body, with its own length', async () => {
    const fake = createFakePlatform();
    const whole = await (await send(fake, TOOL)).text();
    fake.faults.inject({ kind: 'truncated' });
    const response = await send(fake, TOOL);
    const half = await response.text();
    expect(half).toBe(whole.slice(0, Math.floor(whole.length / 2)));
    expect(response.headers.get('content-length')).toBe(String(half.length));
    expect(fake.requests.at(-1)?.response).toEqual(fake.requests[0]?.response);
  });

  test('stall: the first bytes, and the rest after a time', async () => {
    const fake = createFakePlatform();
    const whole = await (await send(fake, TOOL)).text();
    fake.faults.inject({ kind: 'stall', ms: 1, after: 3 });
    const response = await send(fake, TOOL);
    const parts: string[] = [];
    const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(new TextDecoder().decode(part.value));
    }
    expect([parts[0], parts.join('')]).toEqual([whole.slice(0, 3), whole]);
    expect(response.headers.get('content-length')).toBe(String(whole.length));
  });

  test('stall: ends with the reason of an abort', async () => {
    const fake = createFakePlatform();
    fake.faults.inject({ kind: 'stall' });
    const controller = new AbortController();
    const { body } = await send(fake, TOOLS, { signal: controller.signal });
    const read = new Response(body).text();
    const reason = new Error('changed my mind');
    controller.abort(reason);
    await expect(read).rejects.toBe(reason);
  });

  test.each([{ kind: 'truncated' }, { kind: 'stall' }, { kind: 'reset', at: 'body' }] as const)(
    '%j leaves a response without a body unchanged',
    async (fault) => {
      const fake = createFakePlatform();
      const response = () => new Response(null, { status: 204, headers: { 'x-node': '7' } });
      fake.handle(endpoints.listDefaultTools, response);
      fake.faults.inject(fault);
      const { status, body, headers } = await send(fake, TOOLS);
      expect([status, body, Object.fromEntries(headers)]).toEqual([204, null, { 'x-node': '7' }]);
    },
  );
});

/** The bytes of a response over a real connection; rejects if the connection is reset. */
async function received(fault: FaultInput): Promise<string> {
  const fake = createFakePlatform();
  const { port } = await listening(fake);
  fake.faults.inject(fault);
  const lines = ['GET /eu/v3/tools/defaults HTTP/1.1', 'Host: localhost', 'Connection: close'];
  const { workspaceSecret } = fake.seed.eu;
  return text(connect(port).end([...lines, `Authorization: Bearer ${workspaceSecret}`, '', ''].join('\r\n')));
}

describe('over HTTP', () => {
  test('a reset resets the connection', async () => {
    await expect(received({ kind: 'reset' })).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('a reset in the body ends it after its first half', async () => {
    const whole = await (await send(createFakePlatform(), TOOLS)).text();
    const half = `\r\n\r\n${whole.slice(0, whole.length / 2)}`;
    expect(await received({ kind: 'reset', at: 'body' })).toContain(half);
  });
});

describe('a rate limit', () => {
  test('refuses more calls in a span of time, and says when the next one is allowed', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_760_000_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    const fake = createFakePlatform();
    fake.faults.inject({ kind: 'rate-limit', limit: 2, per: 10_000 });
    expect(await statuses(fake, TOOLS, TOOL)).toEqual([200, 200]);
    vi.advanceTimersByTime(2_500);
    const refused = await send(fake, TOOLS);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '8']);
    expect(fake.requests.at(-1)).toMatchObject({
      fault: 'rate-limit',
      response: { code: 'TOO_MANY_REQUESTS' },
    });
    vi.advanceTimersByTime(7_500);
    expect(await statuses(fake, TOOLS, TOOLS, TOOLS)).toEqual([200, 200, 429]);
    const waiting = { kind: 'rate-limit', limit: 2, per: 10_000, remaining: 'always', hits: 2 };
    expect(fake.faults.list()).toMatchObject([waiting]);
  });

  test('forgets its calls if the clock is set back', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const fake = createFakePlatform();
    fake.faults.inject({ kind: 'rate-limit', limit: 1, per: 10_000 });
    expect(await statuses(fake, TOOLS, TOOLS)).toEqual([200, 429]);
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(await statuses(fake, TOOLS, TOOLS)).toEqual([200, 429]);
  });

  test('counts the calls of its scope, also those that another fault answers later', async () => {
    const fake = createFakePlatform();
    fake.faults.inject({ kind: 'rate-limit', limit: 1, per: 60_000, endpoint: endpoints.getTool, times: 1 });
    fake.faults.inject({ endpoint: endpoints.getTool, status: 500 });
    expect(await statuses(fake, TOOLS, TOOL, TOOL, TOOL)).toEqual([200, 500, 429, 200]);
  });

  test('is waited for by the client', async () => {
    const fake = createFakePlatform();
    fake.faults.inject({ kind: 'rate-limit', limit: 1, per: 1_000 });
    const { tools } = clientOf(fake, { maxRetries: 1 });
    await tools.listDefaults();
    await tools.listDefaults();
    expect(fake.requests.map(({ status }) => status)).toEqual([200, 429, 200]);
  });
});

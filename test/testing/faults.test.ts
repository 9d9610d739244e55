import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { type AgentPlatform, endpoint, endpoints } from 'agent-platform-sdk';
import { createFakePlatform, type FakePlatform, type FaultInput } from 'agent-platform-sdk/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { FAULT_KINDS } from '../../src/testing/fake/faults/kinds.js';
import { clientOf, globalClientOf, intercepting, listening, send } from './clients.js';

/** Each kind of fault that a client can see, and the error that it becomes. */
const outcomes: readonly (readonly [name: string, fault: FaultInput, seen: object])[] = [
  ['a status', { status: 503 }, { status: 503, code: 'SERVICE_UNAVAILABLE' }],
  ['a status without a body', { status: 500, body: '' }, { status: 500, code: undefined, rawBody: '' }],
  ['Retry-After', { kind: 'status', status: 429, retryAfter: 2 }, { name: 'RateLimitError', retryAfter: 2 }],
  ['HTML', { status: 502, body: '<h1>502</h1>' }, { status: 502, rawBody: '<h1>502</h1>' }],
  ['an empty body', { status: 200, body: '' }, { name: 'ResponseValidationError', rawBody: '', status: 200 }],
  ['a chosen shape', { status: 200, body: { data: [] } }, { body: { data: [] } }],
  ['truncated JSON', { kind: 'truncated' }, { name: 'ResponseValidationError', status: 200 }],
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
  ['over HTTP', async (fake) => globalClientOf(fake, { baseUrls: (await listening(fake)).baseUrls })],
  [
    'through msw',
    async (fake) => {
      intercepting(fake);
      return globalClientOf(fake);
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

const [TOOLS, TOOL, PING] = ['/v3/tools/defaults', '/v3/tools/tool_eu_1', '/v3/ping'];
const ping = endpoint({ method: 'GET', path: '/ping', response: z.unknown() });
const { getTool } = endpoints;
const limit = { kind: 'rate-limit', limit: 1, per: 60_000, endpoint: getTool, times: 1 } as const;

test.each<[scope: string, faults: readonly FaultInput[], statuses: readonly number[]]>([
  ['the next calls', [{ endpoint: getTool, times: 2, status: 500 }], [200, 500, 500, 200, 200]],
  ['an endpoint by its key', [{ endpoint: 'getTool', status: 500 }], [200, 500, 200, 200, 200]],
  ['an endpoint of `handle`', [{ endpoint: ping, status: 500 }], [200, 200, 200, 200, 500]],
  ['one by method and path', [{ endpoint: 'GET /ping', status: 500 }], [200, 200, 200, 200, 500]],
  ['calls of its region', [{ region: 'eu', status: 500 }], [500, 200, 200, 200, 200]],
  ['no calls of another region', [{ region: 'na', status: 500 }], [200, 200, 200, 200, 200]],
  ['one call each, in their order', [{ status: 500 }, { status: 501 }], [500, 501, 200, 200, 200]],
  [
    'calls beyond a limit, which are counted first',
    [limit, { endpoint: getTool, status: 500 }],
    [200, 500, 429, 200, 200],
  ],
])('applies to %s', async (_, faults, expected) => {
  const fake = createFakePlatform();
  fake.handle(ping, () => ({}));
  for (const fault of faults) fake.faults.inject(fault);
  expect(await statuses(fake, TOOLS, TOOL, TOOL, TOOL, PING)).toEqual(expected);
});

test('applies always, until it is removed', async () => {
  const fake = createFakePlatform();
  const { id } = fake.faults.inject({ status: 500, times: 'always' });
  expect(await statuses(fake, TOOLS, TOOLS)).toEqual([500, 500]);
  expect(fake.faults.list()).toMatchObject([{ id: 'fault_1', status: 500, remaining: 'always', hits: 2 }]);
  expect(fake.faults.remove(id)).toBe(true);
  expect(await statuses(fake, TOOLS)).toEqual([200]);
  expect(fake.faults.remove(id)).toBe(false);
});

test.each<[FaultInput, boolean]>([
  [{ status: 500 }, false],
  [{ status: 500, acts: true }, true],
  [{ kind: 'reset' }, false],
  [{ kind: 'reset', acts: true }, true],
  [{ kind: 'reset', at: 'body' }, true],
  [{ kind: 'truncated' }, true],
  [{ kind: 'stall', ms: 0 }, true],
  [{ kind: 'latency', ms: 1 }, true],
])('with %j, the operation is performed: %s', async (fault, acted) => {
  const fake = createFakePlatform();
  fake.faults.inject(fault);
  const { secondWorkspaceId, secondWorkspaceSecret: token } = fake.seed.eu;
  await clientOf(fake, { token })
    .workspaces.delete(secondWorkspaceId)
    .catch(() => undefined);
  expect(fake.state.eu.workspaces.has(secondWorkspaceId)).toBe(!acted);
  expect(fake.requests[0]?.fault).toBe(fault.kind ?? 'status');
});

test('latencies add up, and combine with another fault', async () => {
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

describe('a response', () => {
  const injected = (status: number, code: string) =>
    `{"message":"Injected fault: ${status}.","code":"${code}"}`;
  test.each<[FaultInput, body: string, headers: Readonly<Record<string, string>>]>([
    [{ status: 503 }, injected(503, 'SERVICE_UNAVAILABLE'), { 'content-type': 'application/json' }],
    [{ status: 599 }, injected(599, 'HTTP_599'), { 'content-length': '52' }],
    [{ status: 429, code: 'a', retryAfter: 0.5 }, injected(429, 'a'), { 'retry-after': '0.5' }],
    [{ status: 500, message: 'b' }, '{"message":"b","code":"INTERNAL_SERVER_ERROR"}', {}],
    [{ status: 504, headers: { 'Content-Type': 'a/b' }, body: 'x' }, 'x', { 'content-type': 'a/b' }],
    [{ status: 304, headers: { location: 'https://x.example' } }, '', { location: 'https://x.example' }],
    [{ status: 204, body: '' }, '', {}],
    [{ status: 202, body: null }, 'null', { 'content-length': '4' }],
  ])('%j has its status, body and headers', async (fault, body, headers) => {
    const fake = createFakePlatform();
    fake.faults.inject(fault);
    const response = await send(fake, TOOLS);
    expect([response.status, await response.text()]).toEqual([(fault as { status: number }).status, body]);
    expect(Object.fromEntries(response.headers)).toMatchObject(headers);
  });

  test('a reset rejects like fetch in Node', async () => {
    const fake = createFakePlatform();
    fake.faults.inject({ kind: 'reset' });
    const cause = { message: 'read ECONNRESET', code: 'ECONNRESET' };
    const error = { name: 'TypeError', message: 'fetch failed', cause };
    await expect(send(fake, TOOLS)).rejects.toMatchObject(error);
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
    const { body, headers } = await send(fake, TOOL);
    const parts: string[] = [];
    for await (const part of body ?? []) parts.push(new TextDecoder().decode(part));
    expect(parts).toEqual([whole.slice(0, 3), whole.slice(3)]);
    expect(headers.get('content-length')).toBe(String(whole.length));
  });

  test('stall: ends with the reason of an abort', async () => {
    const fake = createFakePlatform();
    fake.faults.inject({ kind: 'stall' });
    const controller = new AbortController();
    const response = await send(fake, TOOLS, { signal: controller.signal });
    const read = response.text();
    const reason = new Error('changed my mind');
    controller.abort(reason);
    await expect(read).rejects.toBe(reason);
  });

  const damages: readonly FaultInput[] = [
    { kind: 'truncated' },
    { kind: 'stall' },
    { kind: 'reset', at: 'body' },
  ];
  test.each(damages)('without a body stays unchanged: %j', async (fault) => {
    const fake = createFakePlatform();
    const response = () => new Response(null, { status: 204, headers: { 'x-node': '7' } });
    fake.handle(endpoints.listDefaultTools, response);
    fake.faults.inject(fault);
    const { status, body, headers } = await send(fake, TOOLS);
    expect([status, body, Object.fromEntries(headers)]).toEqual([204, null, { 'x-node': '7' }]);
  });
});

test('a reset over HTTP resets the connection, at once or after half of the body', async () => {
  const fake = createFakePlatform();
  const { port } = await listening(fake);
  const authorization = `Authorization: Bearer ${fake.seed.eu.workspaceSecret}`;
  const lines = ['GET /eu/v3/tools/defaults HTTP/1.1', 'Host: localhost', 'Connection: close', authorization];
  const received = (fault: FaultInput) => {
    fake.faults.inject(fault);
    return text(connect(port).end(`${lines.join('\r\n')}\r\n\r\n`));
  };
  await expect(received({ kind: 'reset' })).rejects.toMatchObject({ code: 'ECONNRESET' });
  const whole = await (await send(fake, TOOLS)).text();
  const half = `\r\n\r\n${whole.slice(0, whole.length / 2)}`;
  expect(await received({ kind: 'reset', at: 'body' })).toContain(half);
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
    const response = { code: 'TOO_MANY_REQUESTS' };
    expect(fake.requests.at(-1)).toMatchObject({ fault: 'rate-limit', response });
    vi.advanceTimersByTime(7_499);
    expect(await statuses(fake, TOOLS)).toEqual([429]);
    vi.advanceTimersByTime(1);
    expect(await statuses(fake, TOOLS, TOOLS, TOOLS)).toEqual([200, 200, 429]);
    const waiting = { kind: 'rate-limit', limit: 2, per: 10_000, remaining: 'always', hits: 3 };
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
});

import { type AgentPlatform, type AgentPlatformOptions, endpoint, withoutData } from 'agent-platform-sdk';
import type { FaultInput } from 'agent-platform-sdk/testing';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  addFaults,
  createClient,
  fake,
  rejectionOf,
  requests,
  respond,
  response,
  seed,
} from '../support/client.js';

// Backoff is a random part of a bound: with 0 there is nothing to wait for.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

const get = (platform: AgentPlatform) => platform.tools.get(seed.toolId);
const create = (platform: AgentPlatform) => platform.variables.create(seed.agentId, { key: 'k' });
const remove = (platform: AgentPlatform) => platform.workspaces.delete('w1');

async function attemptsAfter(
  fault: FaultInput,
  call: (platform: AgentPlatform) => Promise<unknown>,
  options: AgentPlatformOptions = { maxRetries: 2 },
): Promise<number> {
  fake.faults.clear();
  requests.length = 0;
  addFaults({ ...fault, times: 'always' });
  await call(createClient(options)).catch(() => undefined);
  return requests.length;
}

test.each([408, 425, 429, 500, 502, 503, 504, 507, 509, 520, 530, 599])(
  'a GET with the response %i is retried until it succeeds',
  async (status) => {
    addFaults({ status, times: 2 });
    expect(await get(createClient({ maxRetries: 2 }))).toMatchObject({ id: seed.toolId });
    expect(requests).toHaveLength(3);
  },
);

test.each([302, 400, 401, 403, 404, 409, 422, 501, 505, 506, 508, 510, 511, 526])(
  'a GET with the response %i is not retried',
  async (status) => {
    expect(await attemptsAfter({ status }, get)).toBe(1);
  },
);

test.each([408, 425, 500, 502, 503, 504, 520])(
  'a POST or DELETE with the response %i is not retried: the service may have acted',
  async (status) => {
    expect(await attemptsAfter({ status }, create)).toBe(1);
    expect(await attemptsAfter({ status }, remove)).toBe(1);
  },
);

test('a POST or DELETE with the response 429 is retried: it was not accepted', async () => {
  expect(await attemptsAfter({ status: 429 }, create)).toBe(3);
  expect(await attemptsAfter({ status: 429 }, remove)).toBe(3);
});

test.each<[string, FaultInput]>([
  ['a cut connection', { kind: 'reset' }],
  ['a body that is cut off', { kind: 'reset', at: 'body' }],
  ['a body that stalls', { kind: 'stall' }],
])('a GET is retried after %s, a POST is not', async (_, fault) => {
  const options = { maxRetries: 2, timeout: fault.kind === 'stall' ? 200 : 20_000 };
  expect(await attemptsAfter(fault, get, options)).toBe(3);
  expect(await attemptsAfter(fault, create, options)).toBe(1);
});

const json = { 'content-type': 'application/vnd.api+json; charset=utf-8' };
const stop = endpoint({ method: 'GET', path: '/stop', response: withoutData() });

test.each<[string, Response, attempts: number, call?: (platform: AgentPlatform) => Promise<unknown>]>([
  ['JSON that is cut off', response(200, '{"success":tr', json), 3],
  ['nothing, declared as JSON', response(200, '', json), 3],
  ['nothing, from an operation without data', response(200, '', json), 1, (platform) => platform.send(stop)],
  ['a page', response(200, '<html>', { 'content-type': 'text/html' }), 1],
  ['JSON that is cut off, after a POST', response(200, '{"success":tr', json), 1, create],
  ['JSON of another shape', response(200, { unexpected: true }), 1],
])('a 2xx with %s', async (_, reply, attempts, call = get) => {
  const errors: unknown[] = [];
  respond(reply);
  const hooks = { onRetry: ({ error }: { readonly error: unknown }) => void errors.push(error) };
  const outcome: unknown = await call(createClient({ maxRetries: 2, hooks })).catch(
    (error: unknown) => error,
  );
  expect(requests).toHaveLength(attempts);
  expect(errors).toHaveLength(attempts - 1);
  for (const error of attempts > 1 ? [...errors, outcome] : [])
    expect(error).toMatchObject({ type: 'response_validation_error', outcomeUnknown: false });
});

test('a body over the limit is not fetched again', async () => {
  respond(response(200, `{"a":"${'x'.repeat(100)}`, json));
  await rejectionOf(get(createClient({ maxRetries: 2, maxResponseBytes: 50 })));
  expect(requests).toHaveLength(1);
});

test('maxRetries of a call wins over the client’s, and 0 means one attempt', async () => {
  addFaults({ status: 503, times: 'always' });
  await rejectionOf(createClient({ maxRetries: 2 }).tools.get(seed.toolId, { maxRetries: 0 }));
  expect(requests).toHaveLength(1);
});

test('by default a call is retried twice', async () => {
  expect(await attemptsAfter({ status: 503 }, get, { maxRetries: undefined })).toBe(3);
});

test.each([
  ['0.05', 50],
  ['0', 0],
  [new Date(Date.now() - 5_000).toUTCString(), 0],
])('Retry-After: %s is waited for', async (retryAfter, expected) => {
  const delays: number[] = [];
  addFaults({ status: 503, retryAfter });
  const onRetry = ({ delayMs }: { readonly delayMs: number }) => void delays.push(delayMs);
  await get(createClient({ maxRetries: 1, hooks: { onRetry } }));
  expect(delays).toEqual([expected]);
});

// rx-player#1864
test.each<[what: string, now: number, date: (now: number) => string]>([
  ['behind', 120_000, (now) => new Date(now).toUTCString()],
  ['ahead', -120_000, (now) => new Date(now).toUTCString()],
  [
    'behind, and the date comes twice',
    120_000,
    (now) => `${new Date(now).toUTCString()}, ${new Date(now).toUTCString()}`,
  ],
  ['right, and the date of the response is none', 0, () => 'today'],
])('a Retry-After date with a local clock that is %s', async (_, skew, dateOf) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) });
  onTestFinished(() => void vi.useRealTimers());
  const now = Date.now() + skew;
  const headers = { date: dateOf(now), 'retry-after': new Date(now + 3_000).toUTCString() };
  respond(response(503, '', headers));
  expect(await rejectionOf(get(createClient({ totalTimeout: 2_000, maxRetries: 1 })))).toMatchObject({
    message: expect.stringContaining('Retry-After is 3 s, too long to wait') as string,
  });
});

test('a Retry-After of 60 s is waited for', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  addFaults({ status: 429, retryAfter: 60 });
  const call = createClient({ maxRetries: 1, fetch: fake.fetch }).tools.get(seed.toolId);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(fake.requests).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await call).toMatchObject({ id: seed.toolId });
});

test.each<[what: string, options: AgentPlatformOptions, delayMs: number]>([
  ['up to a tenth later, so that calls that were refused together return one by one', {}, 10_500],
  ['without jitter that `totalTimeout` leaves no time for', { totalTimeout: 10_200 }, 10_000],
])('Retry-After is waited for, %s', async (_, options, delayMs) => {
  vi.mocked(Math.random).mockReturnValue(0.5);
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  addFaults({ status: 429, retryAfter: 10 });
  const onRetry = vi.fn();
  const call = createClient({ maxRetries: 1, fetch: fake.fetch, hooks: { onRetry }, ...options });
  const tool = call.tools.get(seed.toolId);
  await vi.advanceTimersByTimeAsync(12_000);
  await tool;
  expect(onRetry).toHaveBeenCalledWith(expect.objectContaining({ delayMs }));
});

// jest-fetch-mock#24
test('a stub of `fetch` that gives no response is a wrong option: nothing is retried', async () => {
  const fetch = vi.fn(async () => ({ ok: true, json: async () => ({}) }) as never);
  const error = await rejectionOf(get(createClient({ fetch, maxRetries: 2 })));
  expect(error).toMatchObject({ type: 'configuration_error', option: 'fetch', outcomeUnknown: false });
  expect(fetch).toHaveBeenCalledOnce();
});

test('an unreadable Retry-After falls back to backoff', async () => {
  expect(await attemptsAfter({ status: 503, retryAfter: 'soon' }, get)).toBe(3);
});

test('backoff is a random part of a bound that doubles from 0.5 s to 8 s', async () => {
  vi.mocked(Math.random).mockReturnValue(0.001);
  const delays: number[] = [];
  addFaults({ status: 503, times: 'always' });
  const onRetry = ({ delayMs }: { readonly delayMs: number }) => void delays.push(delayMs);
  await rejectionOf(get(createClient({ maxRetries: 6, hooks: { onRetry } })));
  expect(delays).toEqual([0.5, 1, 2, 4, 8, 8]);
});

const withCause = (cause: object) => Object.assign(new TypeError('fetch failed'), { cause });

/** What the runtime's own `fetch` throws. */
function failFetch(thrown: unknown): ReturnType<typeof vi.fn> {
  const fetch = vi.fn(() => Promise.reject(thrown));
  vi.stubGlobal('fetch', fetch);
  onTestFinished(() => void vi.unstubAllGlobals());
  return fetch;
}

test.each<[string, Error]>([
  ['Node: refused', withCause({ code: 'ECONNREFUSED' })],
  [
    'Node: refused, within another failure',
    withCause({ code: 'ERR_PROXY', cause: { code: 'ECONNREFUSED' } }),
  ],
  ['Node: no such host', withCause({ code: 'ENOTFOUND' })],
  ['Node: timed out while connecting', withCause({ code: 'ETIMEDOUT', syscall: 'connect' })],
  [
    'Node: every address timed out',
    withCause(
      new AggregateError([
        { syscall: 'connect', code: 'ETIMEDOUT' },
        { syscall: 'connect', code: 'ENETUNREACH' },
      ]),
    ),
  ],
  ['Node: no name server', withCause({ code: 'EAI_FAIL', syscall: 'getaddrinfo' })],
  ['Node: a certificate of an unknown issuer', withCause({ code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' })],
  ['undici: connect timeout', withCause({ code: 'UND_ERR_CONNECT_TIMEOUT' })],
  [
    'undici: a proxy is down',
    withCause({ code: 'UND_ERR_ABORTED', message: 'Proxy response (502) !== 200' }),
  ],
  [
    'Bun: a proxy is down',
    Object.assign(new Error('Proxy refused to open a tunnel: 503 Busy'), { code: 'ERR_PROXY_TUNNEL' }),
  ],
  ['Bun: refused', Object.assign(new Error('Unable to connect'), { code: 'ConnectionRefused' })],
  ['Bun 1.4: refused', Object.assign(new TypeError('Unable to connect'), { code: 'ECONNREFUSED' })],
  ['Deno: refused', new TypeError('client error (Connect): tcp connect error: Connection refused')],
  ['Deno 2.9: no such host', withCause(new Error('client error (Connect): dns error: failed to lookup'))],
])('a POST is retried if no connection was made: %s', async (runtime, thrown) => {
  if (runtime.startsWith('Deno')) vi.stubGlobal('Deno', {});
  const fetch = failFetch(thrown);
  expect(await rejectionOf(create(createClient({ maxRetries: 1 })))).toMatchObject({
    outcomeUnknown: false,
    cause: thrown,
    message: expect.stringContaining('Check `baseUrls.eu` and the network') as string,
  });
  expect(fetch).toHaveBeenCalledTimes(2);
});

const aborted = { name: 'Error', code: 0, message: 'Request was cancelled.' };

test.each<[string, Error, said: string]>([
  [
    'undici: a proxy asks for a login',
    withCause({ ...aborted, cause: { code: 'UND_ERR_ABORTED', message: 'Proxy response (407) !== 200' } }),
    'failed: UND_ERR_ABORTED: Proxy response (407) !== 200',
  ],
  [
    'undici: a proxy forbids it',
    withCause({ code: 'UND_ERR_ABORTED', message: 'Proxy response (403) !== 200' }),
    'Proxy response (403) !== 200',
  ],
  [
    'undici: the TLS of a proxy',
    withCause({ code: 'UND_ERR_PRX_TLS', message: 'no' }),
    'UND_ERR_PRX_TLS: no',
  ],
  [
    'undici: a dispatcher of another version',
    withCause({ code: 'UND_ERR_INVALID_ARG', message: 'invalid onRequestStart method' }),
    'UND_ERR_INVALID_ARG: invalid onRequestStart method',
  ],
  // nodejs#6886
  ['Node: a port that is blocked', withCause({ message: 'bad port' }), 'failed: bad port'],
  [
    'Deno: a port that is blocked',
    new TypeError('Fetch failed: Requests to port 6667 are blocked'),
    'port 6667',
  ],
  [
    'Bun: a proxy asks for a login',
    Object.assign(new Error('Proxy refused to open a tunnel: 407'), { code: 'ERR_PROXY_TUNNEL' }),
    'Proxy refused to open a tunnel: 407',
  ],
])('nothing is retried that can never be sent: %s', async (_, thrown, said) => {
  const fetch = failFetch(thrown);
  for (const call of [get, remove]) {
    expect(await rejectionOf(call(createClient({ maxRetries: 2 })))).toMatchObject({
      outcomeUnknown: false,
      message: expect.stringContaining(said) as string,
    });
  }
  expect(fetch).toHaveBeenCalledTimes(2);
});

const refused = Object.assign(new Error('?'), { code: 'ECONNREFUSED', syscall: 'connect' });
const cut = Object.assign(new Error('?'), { code: 'ECONNRESET', syscall: 'read' });

test.each<[string, unknown]>([
  ['an unknown code', withCause({ code: 'E_NEW' })],
  ['a broken pipe', withCause({ code: 'EPIPE', syscall: 'write' })],
  ['a reset', withCause({ code: 'ECONNRESET', syscall: 'read' })],
  ['a text, outside of Deno', new Error('the page says: connection refused')],
  ['several connections, one of which may have got through', new AggregateError([refused, cut], 'none')],
])('a POST or DELETE is not retried after %s', async (_, thrown) => {
  const fetch = failFetch(thrown);
  for (const call of [create, remove]) {
    expect(await rejectionOf(call(createClient({ maxRetries: 2 })))).toMatchObject({ outcomeUnknown: true });
  }
  expect(fetch).toHaveBeenCalledTimes(2);
});

test('a body that is cut with the code of a refused connection proves nothing', async () => {
  const broken = () => new Response(new ReadableStream({ pull: (body) => body.error(refused) }));
  const fetch = vi.fn(async () => broken());
  vi.stubGlobal('fetch', fetch);
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(await rejectionOf(remove(createClient({ maxRetries: 2 })))).toMatchObject({ outcomeUnknown: true });
  expect(fetch).toHaveBeenCalledOnce();
});

test('a user-supplied fetch cannot prove that it never connected: nothing is retried', async () => {
  const fetch = vi.fn(() => Promise.reject(refused));
  const platform = createClient({ fetch, maxRetries: 2 });
  expect(await rejectionOf(remove(platform))).toMatchObject({ outcomeUnknown: true });
  expect(fetch).toHaveBeenCalledOnce();
});

test.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'set NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'set NODE_EXTRA_CA_CERTS'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'for another host'],
  ['CERT_HAS_EXPIRED', 'has expired'],
  ['CERT_REVOKED', undefined],
])('the hint for a certificate: %s', async (code, hint) => {
  failFetch(withCause({ code, message: 'as OpenSSL says' }));
  const { message } = (await rejectionOf(get(createClient()))) as Error;
  expect(message).toContain(`failed: ${code}: as OpenSSL says`);
  const hints = ['set NODE_EXTRA_CA_CERTS', 'for another host', 'has expired'];
  expect(hints.filter((one) => message.includes(one))).toEqual(hint === undefined ? [] : [hint]);
});

test('each attempt sends the same request', async () => {
  respond(response(429, '', { 'retry-after': '0' }), response(429, '', { 'retry-after': '0' }));
  await rejectionOf(create(createClient({ maxRetries: 2 })));
  expect(requests.map(({ method, path, body }) => ({ method, path, body }))).toEqual(
    Array.from({ length: 3 }, () => ({
      method: 'POST',
      path: `/v3/agents/${seed.agentId}/variables`,
      body: '{"variable":{"key":"k"}}',
    })),
  );
});

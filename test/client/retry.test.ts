import { type AgentPlatform, type AgentPlatformOptions, endpoint, withoutData } from 'agent-platform-sdk';
import type { FaultInput } from 'agent-platform-sdk/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const get = (platform: AgentPlatform) => platform.tools.get(seed.toolId);
const create = (platform: AgentPlatform) => platform.variables.create(seed.agentId, { key: 'k' });
const { secondWorkspaceId, secondWorkspaceSecret: token } = seed;
const remove = ({ workspaces }: AgentPlatform) => workspaces.delete(secondWorkspaceId, { token });

/** Makes a call, and returns how often it was attempted, and its error. */
async function endOf(call: (platform: AgentPlatform) => Promise<unknown>, options: AgentPlatformOptions) {
  const onEnd = vi.fn();
  const error = (await rejectionOf(call(createClient({ ...options, hooks: { onEnd } })))) as Error;
  return { attempts: onEnd.mock.lastCall?.[0].attempts as number, error };
}

const json = { 'content-type': 'application/vnd.api+json; charset=utf-8' };

/** What a call meets each time; how often a GET, and anything else, is then sent; whether that may have acted. */
type Row = readonly [fault: FaultInput, gets: number, others: number, isUnknown: boolean];

test.each<Row>([
  ...[400, 401, 403, 404, 409, 418, 422].map((status): Row => [{ status }, 1, 1, false]),
  ...[302, 307, 501, 505, 506, 508, 510, 511, 526].map((status): Row => [{ status }, 1, 1, true]),
  ...[408, 500, 502, 503, 504, 507, 509, 520, 530, 599].map((status): Row => [{ status }, 3, 1, true]),
  [{ status: 425 }, 3, 1, false],
  [{ status: 429 }, 3, 3, false],
  [{ status: 403, body: '<h1>403</h1>' }, 1, 1, false],
  [{ status: 502, body: '' }, 3, 1, true],
  [{ status: 200, body: '{"success":tr', headers: json }, 3, 1, true],
  [{ status: 200, body: '<html>', headers: { 'content-type': 'text/html' } }, 1, 1, true],
  [{ status: 200, body: [] }, 1, 1, true],
  [{ status: 200, body: { success: false, message: 'no' } }, 1, 1, true],
  [{ kind: 'reset' }, 3, 1, true],
  [{ kind: 'reset', at: 'body' }, 3, 1, true],
  [{ kind: 'stall' }, 3, 1, true],
])(
  'after %j, a GET is sent %i times, another call %i; unknown: %j',
  async (fault, gets, others, isUnknown) => {
    addFaults({ ...fault, times: 'always' });
    const options = { maxRetries: 2, timeout: fault.kind === 'stall' ? 100 : 20_000 };
    for (const call of [get, create, remove]) {
      const { attempts, error } = await endOf(call, options);
      expect(attempts).toBe(call === get ? gets : others);
      expect(error).toMatchObject({ outcomeUnknown: call !== get && isUnknown });
    }
  },
);

test('by default a call is retried twice, with the same request; maxRetries of a call wins', async () => {
  addFaults({ status: 429, retryAfter: 0, times: 3 });
  const platform = createClient({ maxRetries: undefined });
  await rejectionOf(create(platform));
  const sent = `POST /v3/agents/${seed.agentId}/variables {"variable":{"key":"k"}}`;
  expect(requests.map(({ method, path, body }) => `${method} ${path} ${body}`)).toEqual([sent, sent, sent]);
  addFaults({ status: 503 });
  await rejectionOf(platform.tools.get(seed.toolId, { maxRetries: 0 }));
  expect(requests).toHaveLength(4);
  expect(await get(platform)).toMatchObject({ id: seed.toolId });
});

test('an empty 2xx that is declared as JSON is fetched again, unless its operation has no data', async () => {
  respond(response(200, '', json));
  const { attempts, error } = await endOf(get, { maxRetries: 2 });
  expect(attempts).toBe(3);
  expect(error).toMatchObject({ type: 'response_validation_error', outcomeUnknown: false });
  const stop = endpoint({ method: 'GET', path: '/stop', response: withoutData() });
  expect(await createClient({ maxRetries: 2 }).send(stop)).toBeUndefined();
  expect(requests).toHaveLength(4);
});

test('a body over the limit, or of no declared type, is not fetched again', async () => {
  const fetch = async () => new Response(new TextEncoder().encode('{'));
  expect(await endOf(get, { maxRetries: 2, fetch })).toMatchObject({ attempts: 1 });
  respond(response(200, `{"a":"${'x'.repeat(100)}`, json));
  expect(await endOf(get, { maxRetries: 2, maxResponseBytes: 50 })).toMatchObject({ attempts: 1 });
});

// The clock of the service; ours is a minute ahead (rx-player#1864).
const NOW = 'Tue, 01 Jan 2019 00:00:00 GMT';
const LATER = 'Tue, 01 Jan 2019 00:01:30 GMT';

test.each<[value: string, seconds: number | undefined, date?: string]>([
  ['120', 120],
  ['0', 0],
  ['1.5', 1.5],
  // openai-node#1841: a proxy repeats the header.
  ['1, 1', 1],
  ['5, 120', 120],
  ['soon, 7', 7],
  [`${NOW}, 3`, 3],
  ['soon', undefined],
  ['-5', undefined],
  ['5 minutes', undefined],
  ['5 GMT later', undefined],
  ['Tue, 01 Jan 2030 00:00:00', undefined],
  // The three forms of RFC 9110, 5.6.7.
  [LATER, 90],
  ['Tuesday, 01-Jan-19 00:01:30 GMT', 90],
  ['Tue Jan  1 00:01:30 2019', 90],
  [`${NOW}, ${LATER}`, 90],
  ['Mon, 31 Dec 2018 23:59:00 GMT', 0],
  [LATER, 90, `${NOW}, ${NOW}`],
  [LATER, 30, 'today'],
])('Retry-After: %s gives retryAfter %s', async (value, seconds, date = NOW) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(NOW) + 60_000 });
  respond(response(429, '', { date, 'retry-after': value }));
  const { error } = await endOf(get, { maxRetries: 0 });
  expect(error).toMatchObject({ retryAfter: seconds });
  expect(error.message.includes('Retry-After is')).toBe((seconds ?? 0) > 0);
});

test.each([
  ['above 60 s', 60.5, {}, 61],
  ['for which totalTimeout leaves no time', 5, { totalTimeout: 4_900 }, 5],
])('a Retry-After %s ends the call at once, and the error says so', async (_, retryAfter, options, shown) => {
  addFaults({ status: 429, retryAfter });
  const { attempts, error } = await endOf(get, { maxRetries: 2, ...options });
  expect(error.message).toContain(`Retry-After is ${shown} s, too long to wait.`);
  expect(attempts).toBe(1);
});

test('an error after retries says which attempt it was', async () => {
  addFaults({ status: 503, retryAfter: 0, times: 'always' });
  expect((await endOf(get, { maxRetries: 2 })).error.message).toContain('This was attempt 3.');
  expect((await endOf(get, { maxRetries: 0 })).error.message).not.toContain('attempt');
});

/** The delays before the retries of a call, which meets these faults. Timers are fake. */
async function delaysOf(options: AgentPlatformOptions, ...faults: readonly FaultInput[]): Promise<number[]> {
  vi.useFakeTimers();
  addFaults(...faults);
  const delays: number[] = [];
  const onRetry = ({ delayMs }: { readonly delayMs: number }) => void delays.push(delayMs);
  const call = get(createClient({ fetch: fake.fetch, hooks: { onRetry }, ...options })).catch(
    () => undefined,
  );
  await vi.advanceTimersByTimeAsync(120_000);
  await call;
  return delays;
}

test.each<[what: string, retryAfter: number | string, options: AgentPlatformOptions, delayMs: number]>([
  ['60 s, the most', 60, {}, 60_000],
  ['0 s', 0, {}, 0],
  ['a date that has passed', new Date(0).toUTCString(), {}, 0],
])('Retry-After is waited for: %s', async (_, retryAfter, options, delayMs) => {
  const delays = await delaysOf({ maxRetries: 1, ...options }, { status: 429, retryAfter });
  expect(delays).toEqual([delayMs]);
  expect(fake.requests).toHaveLength(2);
});

test('Retry-After is waited for up to a tenth longer, so that calls return one by one', async () => {
  vi.mocked(Math.random).mockReturnValue(0.5);
  const refusal = { status: 429, retryAfter: 10 };
  expect(await delaysOf({ maxRetries: 1 }, refusal)).toEqual([10_500]);
  // Without jitter that `totalTimeout` leaves no time for.
  expect(await delaysOf({ maxRetries: 1, totalTimeout: 10_200 }, refusal)).toEqual([10_000]);
});

test('without a readable Retry-After, backoff is a random part of a bound that doubles from 0.5 s to 8 s', async () => {
  vi.mocked(Math.random).mockReturnValue(0.5);
  const delays = await delaysOf({ maxRetries: 6 }, { status: 503, retryAfter: 'soon', times: 'always' });
  expect(delays).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000]);
});

// jest-fetch-mock#24
test('a stub of `fetch` that gives no response is a wrong option: nothing is retried', async () => {
  const fetch = async () => ({ ok: true, json: async () => ({}) }) as never;
  const { attempts, error } = await endOf(get, { fetch, maxRetries: 2 });
  expect(error).toMatchObject({ type: 'configuration_error', option: 'fetch', outcomeUnknown: false });
  expect(attempts).toBe(1);
});

/** What the `fetch` of Node throws. */
const failed = (cause: object) => Object.assign(new TypeError('fetch failed'), { cause });
const coded = (code: string, more: object = {}) => failed({ code, ...more });
const proxied = (status: number) =>
  coded('UND_ERR_ABORTED', { message: `Proxy response (${status}) !== 200` });
const tunnel = (message: string) => Object.assign(new Error(message), { code: 'ERR_PROXY_TUNNEL' });

const refused = Object.assign(new Error('?'), { code: 'ECONNREFUSED', syscall: 'connect' });
const cut = Object.assign(new Error('?'), { code: 'ECONNRESET', syscall: 'read' });
const late = Object.assign(new Error('?'), { code: 'ETIMEDOUT', syscall: 'connect' });
/** An error with a refused connection behind this number of others. */
const refusedBehind = (count: number) =>
  Array.from({ length: count }).reduce<Error>((cause) => new Error('outer', { cause }), refused);
const circular = new Error('circular');
circular.cause = circular;

/**
 * What the runtime's `fetch` throws; whether a POST is sent again, because no connection was made, or nothing can ever
 * be sent, or its outcome is unknown; and what the message says.
 */
test.each<[what: string, thrown: unknown, end: 'again' | 'never' | 'unknown', says?: string]>([
  ['Node: refused', coded('ECONNREFUSED'), 'again'],
  ['Node: refused, within another failure', coded('ERR_PROXY', { cause: refused }), 'again'],
  ['the fifth cause', refusedBehind(5), 'again'],
  ['the sixth cause', refusedBehind(6), 'unknown'],
  ['Node: no such host', coded('ENOTFOUND'), 'again', 'The address of a fake needs `fetch: fake.fetch`.'],
  ['Node: timed out while connecting', failed(late), 'again'],
  ['Node: no address was reached', failed(new AggregateError([late, refused])), 'again'],
  ['Node: no name server', coded('EAI_FAIL', { syscall: 'getaddrinfo' }), 'again'],
  ['undici: connect timeout', coded('UND_ERR_CONNECT_TIMEOUT'), 'again'],
  ['undici: a proxy is down', proxied(502), 'again'],
  ['Bun: a proxy is down', tunnel('Proxy refused to open a tunnel: 503 Busy'), 'again'],
  ['Bun: refused', Object.assign(new Error('no'), { code: 'ConnectionRefused' }), 'again'],
  ['Bun 1.4: refused', Object.assign(new TypeError('no'), { code: 'ECONNREFUSED' }), 'again'],
  ['Deno: refused', new TypeError('client error (Connect): tcp connect error'), 'again'],
  ['Deno 2.9: no such host', failed(new Error('client error (Connect): dns error')), 'again'],
  ['TLS: an own certificate', coded('DEPTH_ZERO_SELF_SIGNED_CERT'), 'again', 'set NODE_EXTRA_CA_CERTS'],
  ['TLS: an own authority', coded('UNABLE_TO_GET_ISSUER_CERT'), 'again', 'set NODE_EXTRA_CA_CERTS'],
  ['TLS: another host', coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'again', 'for another host'],
  ['TLS: too old', coded('CERT_HAS_EXPIRED'), 'again', 'has expired'],
  ['undici: a proxy asks for a login', proxied(407), 'never', 'UND_ERR_ABORTED: Proxy response (407)'],
  ['undici: the TLS of a proxy', coded('UND_ERR_PRX_TLS', { message: 'no' }), 'never', 'UND_ERR_PRX_TLS: no'],
  ['undici: a dispatcher of another version', coded('UND_ERR_INVALID_ARG'), 'never', 'of another undici'],
  // nodejs#6886
  ['Node: a port that is blocked', failed({ message: 'bad port' }), 'never', 'failed: bad port'],
  ['Deno: a port that is blocked', new TypeError('Fetch failed: Requests to port 6667 are blocked'), 'never'],
  ['Bun: a proxy asks for a login', tunnel('Proxy refused to open a tunnel: 407'), 'never', 'a tunnel: 407'],
  ['a code that is new', coded('E_NEW'), 'unknown'],
  ['a broken pipe', coded('EPIPE', { syscall: 'write' }), 'unknown'],
  ['a reset', failed(cut), 'unknown'],
  ['a text, outside of Deno', new Error('the page says: client error (Connect)'), 'unknown'],
  ['one of several connections may have got through', new AggregateError([refused, cut], 'none'), 'unknown'],
  ['a circular cause', circular, 'unknown'],
])('a call whose connection fails is sent again if that can help: %s', async (what, thrown, end, says) => {
  if (what.startsWith('Deno')) vi.stubGlobal('Deno', {});
  vi.stubGlobal('fetch', () => Promise.reject(thrown));
  const ofGet = await endOf(get, { maxRetries: 1 });
  expect(ofGet.attempts).toBe(end === 'never' ? 1 : 2);
  expect(ofGet.error).toMatchObject({ outcomeUnknown: false, cause: thrown });
  expect(ofGet.error.message).toContain(
    says ?? (end === 'again' ? 'Check `baseUrls.eu` and the network.' : ''),
  );
  const ofPost = await endOf(create, { maxRetries: 1 });
  expect(ofPost.attempts).toBe(end === 'again' ? 2 : 1);
  expect(ofPost.error).toMatchObject({ outcomeUnknown: end === 'unknown' });
});

test('neither a body that is cut nor a user-supplied fetch proves that there was no connection', async () => {
  const broken = async () => new Response(new ReadableStream({ pull: (body) => body.error(refused) }));
  vi.stubGlobal('fetch', broken);
  const unknown = { attempts: 1, error: { outcomeUnknown: true } };
  expect(await endOf(remove, { maxRetries: 2 })).toMatchObject(unknown);
  expect(await endOf(remove, { maxRetries: 2, fetch: () => Promise.reject(refused) })).toMatchObject(unknown);
});

test('a call that fails before it is sent has no unknown outcome', async () => {
  for (const options of [
    { hooks: { onRequest: () => Promise.reject(new Error('no tracer')) } },
    { token: () => new Promise<never>(() => undefined), timeout: 20 },
  ]) {
    expect(await rejectionOf(create(createClient(options)))).toMatchObject({ outcomeUnknown: false });
  }
});

// Jest's jsdom has no `Request`.
test('a runtime without `Request` fails with an error of ours, and nothing was sent', async () => {
  vi.stubGlobal('Request', undefined);
  const { error } = await endOf(remove, { maxRetries: 0 });
  expect(error).toMatchObject({
    name: 'ConnectionError',
    outcomeUnknown: false,
    cause: expect.any(TypeError),
  });
});

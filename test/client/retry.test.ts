import type { AgentPlatform, AgentPlatformOptions } from 'agent-platform-sdk';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { connect, rejectionOf, success } from '../support/client.js';
import { type Answer, answerInTurn, answerWith, connectTo } from '../support/msw.js';

// Backoff is a random part of a bound: with 0 there is nothing to wait for.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

const found = answerWith(200, success({ id: 't1' }));

const get = (platform: AgentPlatform) => platform.tools.get('t1');
const create = (platform: AgentPlatform) => platform.variables.create('a1', { key: 'k' });
const remove = (platform: AgentPlatform) => platform.workspaces.delete('w1');

async function attemptsOf(
  answer: Answer,
  call: (platform: AgentPlatform) => Promise<unknown>,
  options: AgentPlatformOptions = { maxRetries: 2 },
): Promise<number> {
  const { platform, requests } = connectTo(answer, options);
  await call(platform).catch(() => undefined);
  return requests.length;
}

test.each([408, 429, 500, 502, 503, 504])(
  'a GET answered %i is tried again until it succeeds',
  async (status) => {
    const { platform, requests } = connectTo(answerInTurn(answerWith(status), answerWith(status), found), {
      maxRetries: 2,
    });
    expect(await platform.tools.get('t1')).toEqual({ id: 't1' });
    expect(requests).toHaveLength(3);
  },
);

test.each([400, 401, 403, 404, 409, 422, 501, 505])(
  'a GET answered %i is not tried again',
  async (status) => {
    expect(await attemptsOf(answerWith(status), get)).toBe(1);
  },
);

test.each([408, 500, 502, 503, 504])(
  'a POST or DELETE answered %i is not tried again: the service may have acted',
  async (status) => {
    expect(await attemptsOf(answerWith(status), create)).toBe(1);
    expect(await attemptsOf(answerWith(status), remove)).toBe(1);
  },
);

test('a POST answered 429 is tried again: it was not accepted', async () => {
  expect(await attemptsOf(answerWith(429), create)).toBe(3);
});

test('an unknown connection failure of a POST is not tried again', async () => {
  const fetch = vi.fn(async () => {
    throw Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error('?'), { code: 'E_NEW' }),
    });
  });
  const platform = connect('http://127.0.0.1', { fetch, maxRetries: 2 });
  await rejectionOf(platform.workspaces.delete('w1'));
  expect(fetch).toHaveBeenCalledTimes(1);
  await rejectionOf(platform.tools.get('t1'));
  expect(fetch).toHaveBeenCalledTimes(4);
});

test.each([
  ['Node: refused', Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })],
  [
    'Node: refused, within another failure',
    Object.assign(new TypeError('x'), { code: 'ERR_PROXY', cause: { code: 'ECONNREFUSED' } }),
  ],
  ['Node: no such host', Object.assign(new TypeError('fetch failed'), { cause: { code: 'ENOTFOUND' } })],
  [
    'Node: timed out while connecting',
    Object.assign(new TypeError('x'), { cause: { code: 'ETIMEDOUT', syscall: 'connect' } }),
  ],
  [
    'Node: every address timed out',
    Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(
        new AggregateError([
          { syscall: 'connect', code: 'ETIMEDOUT' },
          { syscall: 'connect', code: 'ENETUNREACH' },
        ]),
        { code: 'ETIMEDOUT' },
      ),
    }),
  ],
  [
    'Node: no name server',
    Object.assign(new TypeError('x'), { cause: { code: 'EAI_FAIL', syscall: 'getaddrinfo' } }),
  ],
  ['Node: a busy name server', Object.assign(new TypeError('x'), { cause: { code: 'EAI_AGAIN' } })],
  [
    'Node: a certificate of an unknown issuer',
    Object.assign(new TypeError('fetch failed'), { cause: { code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' } }),
  ],
  [
    'Node: a certificate that has expired',
    Object.assign(new TypeError('fetch failed'), { cause: { code: 'CERT_HAS_EXPIRED' } }),
  ],
  [
    'undici: connect timeout',
    Object.assign(new TypeError('x'), { cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } }),
  ],
  ...['ConnectionRefused', 'FailedToOpenSocket', 'DNSResolveFailed'].map((code): [string, Error] => [
    `Bun: ${code}`,
    Object.assign(new Error('Unable to connect'), { code }),
  ]),
  [
    'Deno',
    new TypeError(
      'error sending request for url (http://x/): client error (Connect): tcp connect error: Connection refused (os error 111)',
    ),
  ],
  [
    'Deno: no such host',
    new TypeError(
      'error sending request for url (http://x/): client error (Connect): dns error: failed to lookup address information',
    ),
  ],
  ...[
    'Connection refused (os error 111)',
    'tcp connect error: timed out',
    'dns error: no record found',
    'failed to lookup address information',
  ].map((text): [string, Error] => [`Deno: ${text}`, new TypeError(text)]),
])('a connection that was never made is known as such: %s', async (runtime, thrown) => {
  if (runtime.startsWith('Deno')) vi.stubGlobal('Deno', {});
  vi.stubGlobal('fetch', () => Promise.reject(thrown));
  onTestFinished(() => void vi.unstubAllGlobals());
  const platform = connect('http://127.0.0.1');
  expect(await rejectionOf(platform.workspaces.delete('w1'))).toMatchObject({
    outcomeUnknown: false,
    cause: thrown,
    message: expect.stringContaining('Check `baseUrls.eu` and the network'),
  });
});

test.each([
  ['a code', Object.assign(new Error('x'), { code: 'ECONNREFUSED' })],
  ['a system call', Object.assign(new Error('x'), { cause: { syscall: 'connect', code: 'ETIMEDOUT' } })],
  ['a text', new Error('connection refused')],
])(
  'a fetch of the user’s cannot prove by %s that it never connected: nothing is repeated',
  async (_, thrown) => {
    const fetch = vi.fn(() => Promise.reject(thrown));
    const platform = connect('http://127.0.0.1', { fetch, maxRetries: 2 });
    expect(await rejectionOf(platform.workspaces.delete('w1'))).toMatchObject({ outcomeUnknown: true });
    expect(fetch).toHaveBeenCalledOnce();
  },
);

const refused = Object.assign(new Error('?'), { code: 'ECONNREFUSED', syscall: 'connect' });
const cut = Object.assign(new Error('?'), { code: 'ECONNRESET', syscall: 'read' });

test.each<[string, () => unknown]>([
  ...[
    { code: 'EPIPE' },
    { code: 'EPIPE', syscall: 'write' },
    { code: 'ECONNRESET', syscall: 'read' },
    { code: 'UND_ERR_SOCKET' },
  ].map((cause): [string, () => unknown] => [
    JSON.stringify(cause),
    () => Promise.reject(Object.assign(new TypeError('fetch failed'), { cause })),
  ]),
  [
    'a body that breaks off with the code of a refused connection',
    () => new Response(new ReadableStream({ pull: (body) => body.error(refused) })),
  ],
  ['a text, outside of Deno,', () => Promise.reject(new Error('the page says: connection refused'))],
  [
    'several attempts, one of which may have got through,',
    () => Promise.reject(new AggregateError([refused, cut], 'no gateway answered')),
  ],
  ['several attempts, of which nothing is told,', () => Promise.reject(new AggregateError([]))],
])('%s may come after the service has acted: no POST or DELETE follows', async (_, fail) => {
  const fetch = vi.fn(async () => fail());
  vi.stubGlobal('fetch', fetch);
  onTestFinished(() => void vi.unstubAllGlobals());
  const platform = connect('http://127.0.0.1', { maxRetries: 2 });
  for (const call of [create, remove]) {
    expect(await rejectionOf(call(platform))).toMatchObject({ outcomeUnknown: true });
  }
  expect(fetch).toHaveBeenCalledTimes(2);
});

test('maxRetries of a call wins over the client’s, and 0 means one attempt', async () => {
  const { platform, requests } = connectTo(answerWith(503), { maxRetries: 2 });
  await rejectionOf(platform.tools.get('t1', { maxRetries: 0 }));
  expect(requests).toHaveLength(1);
});

test('by default a call is tried again twice', async () => {
  expect(await attemptsOf(answerWith(503), get, { maxRetries: undefined })).toBe(3);
});

test.each([
  ['0.05', 50],
  ['0', 0],
  [new Date(Date.now() - 5_000).toUTCString(), 0],
])('Retry-After: %s is waited for', async (header, expected) => {
  const delays: number[] = [];
  const { platform } = connectTo(answerInTurn(answerWith(503, '', { 'retry-after': header }), found), {
    maxRetries: 1,
    hooks: { onRetry: ({ delayMs }) => void delays.push(delayMs) },
  });
  await platform.tools.get('t1');
  expect(delays).toEqual([expected]);
});

test('a Retry-After of 60 s is waited for', async () => {
  const delays: number[] = [];
  const controller = new AbortController();
  const onRetry = ({ delayMs }: { readonly delayMs: number }) => {
    delays.push(delayMs);
    controller.abort();
  };
  const busy = answerWith(429, '', { 'retry-after': '60' });
  const { platform } = connectTo(busy, { maxRetries: 1, hooks: { onRetry } });
  await rejectionOf(platform.tools.get('t1', { signal: controller.signal }));
  expect(delays).toEqual([60_000]);
});

test('an unreadable Retry-After falls back to backoff', async () => {
  expect(await attemptsOf(answerWith(503, '', { 'retry-after': 'soon' }), get)).toBe(3);
});

test('a Retry-After above 60 s ends the call at once, with the value in the error', async () => {
  const { platform, requests } = connectTo(answerWith(429, '', { 'retry-after': '60.2' }), {
    maxRetries: 2,
  });
  const error = await rejectionOf(platform.tools.get('t1'));
  expect(error).toMatchObject({ type: 'rate_limit_error', retryAfter: 60.2 });
  expect((error as Error).message).toContain('asks to wait 61 s');
  expect(requests).toHaveLength(1);
});

test('backoff is a random part of a bound that doubles from 0.5 s to 8 s', async () => {
  vi.mocked(Math.random).mockReturnValue(0.001);
  const delays: number[] = [];
  const { platform } = connectTo(answerWith(503), {
    maxRetries: 6,
    hooks: { onRetry: ({ delayMs }) => void delays.push(delayMs) },
  });
  await rejectionOf(platform.tools.get('t1'));
  expect(delays).toEqual([0.5, 1, 2, 4, 8, 8]);
});

test('a wait that would outlast totalTimeout is not begun: the last error is told at once', async () => {
  const { platform, requests } = connectTo(answerWith(503, '', { 'retry-after': '30' }), {
    maxRetries: 2,
    totalTimeout: 5_000,
  });
  expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({ status: 503 });
  expect(requests).toHaveLength(1);
});

test.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'])(
  'a certificate of an unknown issuer names the variable that trusts one: %s',
  async (code) => {
    const thrown = Object.assign(new TypeError('fetch failed'), { cause: { code } });
    vi.stubGlobal('fetch', () => Promise.reject(thrown));
    onTestFinished(() => void vi.unstubAllGlobals());
    await expect(connect('https://x.test').tools.get('t')).rejects.toThrow('NODE_EXTRA_CA_CERTS');
    thrown.cause.code = 'ECONNREFUSED';
    await expect(connect('https://x.test').tools.get('t')).rejects.not.toThrow('NODE_EXTRA_CA_CERTS');
  },
);

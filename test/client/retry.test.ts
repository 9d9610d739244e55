import { createServer } from 'node:http';
import type { AgentPlatform, AgentPlatformOptions, RetryHookContext } from 'agent-platform-sdk';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  type Answer,
  answerInTurn,
  answerWith,
  closedAddress,
  connect,
  connectTo,
  rejectionOf,
  success,
} from '../support/server.js';

// Backoff is a random part of a bound: with 0 there is nothing to wait for.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

const found = answerWith(200, success({ id: 't1' }));
const reset: Answer = (_, response) => void response.socket?.destroy();
const cutBody: Answer = (_, response) => {
  response.writeHead(200, { 'content-length': 100 });
  response.write('{"success":', () => response.destroy());
};

const get = (platform: AgentPlatform) => platform.tools.get('t1');
const create = (platform: AgentPlatform) => platform.variables.create('a1', { key: 'k' });
const remove = (platform: AgentPlatform) => platform.workspaces.delete('w1');

async function attemptsOf(
  answer: Answer,
  call: (platform: AgentPlatform) => Promise<unknown>,
  options: AgentPlatformOptions = { maxRetries: 2 },
): Promise<number> {
  const { platform, server } = await connectTo(answer, options);
  await call(platform).catch(() => undefined);
  return server.requests.length;
}

test.each([408, 429, 500, 502, 503, 504])(
  'a GET answered %i is tried again until it succeeds',
  async (status) => {
    const { platform, server } = await connectTo(
      answerInTurn(answerWith(status), answerWith(status), found),
      {
        maxRetries: 2,
      },
    );
    expect(await platform.tools.get('t1')).toEqual({ id: 't1' });
    expect(server.requests).toHaveLength(3);
  },
);

test.each([400, 401, 403, 404, 409, 422, 501, 505])(
  'a GET answered %i is not tried again',
  async (status) => {
    expect(await attemptsOf(answerWith(status), get)).toBe(1);
  },
);

test.each([
  ['a reset connection', reset],
  ['a body that was cut off', cutBody],
])('a GET is tried again after %s', async (_, failure) => {
  const { platform, server } = await connectTo(answerInTurn(failure, found), { maxRetries: 1 });
  expect(await platform.tools.get('t1')).toEqual({ id: 't1' });
  expect(server.requests).toHaveLength(2);
});

test('a GET is tried again after a timeout', async () => {
  const { platform, server } = await connectTo(
    answerInTurn(() => undefined, found),
    { maxRetries: 1, timeout: 100 },
  );
  expect(await platform.tools.get('t1')).toEqual({ id: 't1' });
  expect(server.requests).toHaveLength(2);
});

test.each([408, 500, 502, 503, 504])(
  'a POST or DELETE answered %i is not tried again: the service may have acted',
  async (status) => {
    expect(await attemptsOf(answerWith(status), create)).toBe(1);
    expect(await attemptsOf(answerWith(status), remove)).toBe(1);
  },
);

test.each([
  ['a reset connection', reset],
  ['a body that was cut off', cutBody],
  ['a timeout', () => undefined],
] as [string, Answer][])('a POST or DELETE is not tried again after %s', async (_, failure) => {
  expect(await attemptsOf(failure, create, { maxRetries: 2, timeout: 100 })).toBe(1);
  expect(await attemptsOf(failure, remove, { maxRetries: 2, timeout: 100 })).toBe(1);
});

test('a POST answered 429 is tried again: it was not accepted', async () => {
  expect(await attemptsOf(answerWith(429), create)).toBe(3);
});

test('a POST is tried again where no connection was made', async () => {
  const address = await closedAddress();
  const retries: RetryHookContext[] = [];
  const platform = connect(address, {
    maxRetries: 1,
    hooks: { onRetry: (context) => void retries.push(context) },
  });
  await rejectionOf(platform.variables.create('a1', { key: 'k' }));
  expect(retries).toMatchObject([{ attempt: 1, method: 'POST', error: { name: 'ConnectionError' } }]);
});

test('a service that comes up between two attempts is reached', async () => {
  const address = new URL(await closedAddress());
  const server = createServer((_, response) => response.end(JSON.stringify(success({ id: 'v1' }))));
  const platform = connect(address.origin, {
    maxRetries: 1,
    hooks: {
      onRetry: () =>
        new Promise<void>((resolve) => server.listen(Number(address.port), '127.0.0.1', resolve)),
    },
  });
  expect(await platform.variables.create('a1', { key: 'k' })).toEqual({ id: 'v1' });
  server.closeAllConnections();
  server.close();
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
    'Node: a certificate of an unknown issuer',
    Object.assign(new TypeError('fetch failed'), { cause: { code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' } }),
  ],
  [
    'undici: connect timeout',
    Object.assign(new TypeError('x'), { cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } }),
  ],
  ['Bun', Object.assign(new Error('Unable to connect'), { code: 'ConnectionRefused' })],
  [
    'Deno',
    new TypeError(
      'error sending request for url (http://x/): client error (Connect): tcp connect error: Connection refused (os error 111)',
    ),
  ],
])('a connection that was never made is known as such: %s', async (_, thrown) => {
  const platform = connect('http://127.0.0.1', { fetch: () => Promise.reject(thrown) });
  expect(await rejectionOf(platform.workspaces.delete('w1'))).toMatchObject({
    outcomeUnknown: false,
    cause: thrown,
    message: expect.stringContaining('Check `baseUrls.eu` and the network'),
  });
});

test('where one of several attempts may have got through, the outcome is unknown, and nothing is repeated', async () => {
  const refused = Object.assign(new Error('?'), { code: 'ECONNREFUSED', syscall: 'connect' });
  const cut = Object.assign(new Error('?'), { code: 'ECONNRESET', syscall: 'read' });
  const fetch = vi.fn(() => Promise.reject(new AggregateError([refused, cut], 'no gateway answered')));
  const platform = connect('http://127.0.0.1', { fetch, maxRetries: 2 });
  expect(await rejectionOf(platform.workspaces.delete('w1'))).toMatchObject({ outcomeUnknown: true });
  expect(fetch).toHaveBeenCalledOnce();
});

test('maxRetries of a call wins over the client’s, and 0 means one attempt', async () => {
  const { platform, server } = await connectTo(answerWith(503), { maxRetries: 2 });
  await rejectionOf(platform.tools.get('t1', { maxRetries: 0 }));
  expect(server.requests).toHaveLength(1);
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
  const { platform } = await connectTo(answerInTurn(answerWith(503, '', { 'retry-after': header }), found), {
    maxRetries: 1,
    hooks: { onRetry: ({ delayMs }) => void delays.push(delayMs) },
  });
  await platform.tools.get('t1');
  expect(delays).toEqual([expected]);
});

test('an unreadable Retry-After falls back to backoff', async () => {
  expect(await attemptsOf(answerWith(503, '', { 'retry-after': 'soon' }), get)).toBe(3);
});

test('a Retry-After above 60 s ends the call at once, with the value in the error', async () => {
  const { platform, server } = await connectTo(answerWith(429, '', { 'retry-after': '61' }), {
    maxRetries: 2,
  });
  const error = await rejectionOf(platform.tools.get('t1'));
  expect(error).toMatchObject({ type: 'rate_limit_error', retryAfter: 61 });
  expect((error as Error).message).toContain('asks to wait 61 s');
  expect(server.requests).toHaveLength(1);
});

test('backoff is a random part of a bound that doubles from 0.5 s to 8 s', async () => {
  vi.mocked(Math.random).mockReturnValue(0.001);
  const delays: number[] = [];
  const { platform } = await connectTo(answerWith(503), {
    maxRetries: 6,
    hooks: { onRetry: ({ delayMs }) => void delays.push(delayMs) },
  });
  await rejectionOf(platform.tools.get('t1'));
  expect(delays).toEqual([0.5, 1, 2, 4, 8, 8]);
});

test('a wait that would outlast totalTimeout is not begun: the last error is told at once', async () => {
  const { platform, server } = await connectTo(answerWith(503, '', { 'retry-after': '30' }), {
    maxRetries: 2,
    totalTimeout: 5_000,
  });
  expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({ status: 503 });
  expect(server.requests).toHaveLength(1);
});

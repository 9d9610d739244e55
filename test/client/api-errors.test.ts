import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  type Drift,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  type RequestOptions,
  ServerError,
  UnprocessableEntityError,
} from 'agent-platform-sdk';
import { describe, expect, test, vi } from 'vitest';
import { connect, rejectionOf } from '../support/client.js';
import { type Answer, answerWith, connectTo } from '../support/msw.js';

const errorBody = { message: 'It does not work', code: 'some_code', issues: [{ message: 'first' }] };

async function errorFor(status: number, body: unknown, headers?: Record<string, string>): Promise<ApiError> {
  const { platform } = connectTo(answerWith(status, body, headers));
  const error = await rejectionOf(platform.tools.get('t1'));
  if (error instanceof ApiError) return error;
  throw error;
}

test.each([
  [400, BadRequestError, 'bad_request_error'],
  [401, AuthenticationError, 'authentication_error'],
  [403, PermissionDeniedError, 'permission_denied_error'],
  [404, NotFoundError, 'not_found_error'],
  [409, ConflictError, 'conflict_error'],
  [422, UnprocessableEntityError, 'unprocessable_entity_error'],
  [429, RateLimitError, 'rate_limit_error'],
  [500, ServerError, 'server_error'],
  [503, ServerError, 'server_error'],
  [599, ServerError, 'server_error'],
  [418, ApiError, 'api_error'],
  [304, ApiError, 'api_error'],
])('the status decides the class: %i', async (status, errorClass, type) => {
  const error = await errorFor(status, status === 304 ? '' : errorBody);
  expect(error).toBeInstanceOf(errorClass);
  expect(error).toMatchObject({ type, status, name: errorClass.errorName });
});

test('an error tells what the service said, and on which call', async () => {
  const error = await errorFor(400, errorBody, { 'x-request-id': 'r1' });
  expect(error).toMatchObject({
    status: 400,
    code: 'some_code',
    issues: [{ message: 'first' }],
    method: 'GET',
    path: '/tools/t1',
    region: 'eu',
    outcomeUnknown: false,
  });
  expect(error.headers.get('x-request-id')).toBe('r1');
  expect(JSON.parse(error.rawBody)).toEqual(errorBody);
  expect(error.message).toBe('GET /tools/t1 answered 400: It does not work (code: some_code)\n  - first');
});

test.each([
  [401, true],
  [402, false],
  [403, true],
  [404, true],
  [405, false],
])('a %i names the region, since the wrong one fails the same way: %j', async (status, isNamed) => {
  const { message } = await errorFor(status, errorBody);
  expect(message.includes("The call went to region 'eu'.")).toBe(isNamed);
});

describe('any body is survived', () => {
  test.each([
    ['empty', '', undefined, 'an empty body'],
    ['blanks', '  \n', undefined, 'an empty body'],
    ['HTML', '<!DOCTYPE html><title>Bad gateway</title>', undefined, 'an HTML page'],
    ['HTML in capitals', '<HTML>', undefined, 'an HTML page'],
    ['HTML behind blanks', `\n${' '.repeat(30)}<html>`, undefined, 'an HTML page'],
    ['HTML in text', 'see <html>', undefined, 'text that is not JSON'],
    ['truncated JSON', ' {"message":"It does', undefined, 'broken or unexpected JSON'],
    ['the beginning of a list', '[', undefined, 'broken or unexpected JSON'],
    ['a bracket behind text', 'a [', undefined, 'text that is not JSON'],
    ['an array', '[1,2]', undefined, 'broken or unexpected JSON'],
    ['null', 'null', undefined, 'text that is not JSON'],
    ['a number', '5', undefined, 'text that is not JSON'],
    ['a wrong shape', '{"error":{"message":"nested"}}', undefined, 'broken or unexpected JSON'],
    ['wrong types', '{"message":5,"code":{},"issues":"no"}', undefined, 'broken or unexpected JSON'],
    ['a message without code', '{"message":"only words"}', undefined, 'only words'],
    ['a code without message', '{"code":"only_code"}', 'only_code', 'only_code'],
    ['text', 'upstream connect error', undefined, 'text that is not JSON'],
  ])('%s', async (_, body, code, said) => {
    const error = await errorFor(502, body);
    expect(error).toBeInstanceOf(ServerError);
    expect(error.code).toBe(code);
    expect(error.message).toContain(said);
    expect(error.rawBody).toBe(body);
  });

  test('issues keep fields the document does not list; entries without a message are left out', async () => {
    const issues = [{ message: 'a', path: ['x'], level: 2 }, { path: 'no message' }, null, 'text'];
    const error = await errorFor(400, { message: 'm', code: 'c', issues });
    expect(error.issues).toEqual([{ message: 'a', path: ['x'], level: 2 }]);
  });

  test('a megabyte of JSON: the message and code are read, the kept copy is capped at 16 KiB', async () => {
    const error = await errorFor(500, { message: 'm', code: 'c', trace: 'ä'.repeat(500_000) });
    expect(error).toMatchObject({ code: 'c', status: 500 });
    const { byteLength } = new TextEncoder().encode(error.rawBody);
    expect(byteLength).toBeLessThanOrEqual(16 * 1024);
    expect(byteLength).toBeGreaterThan(16 * 1024 - 2);
    expect(error.rawBody).not.toContain('\ufffd');
  });

  test('2 MB of text, and a message of 2 MB', async () => {
    expect((await errorFor(500, 'x'.repeat(2 * 1024 * 1024))).rawBody).toHaveLength(16 * 1024);
    const error = await errorFor(500, { message: 'm'.repeat(1_000_000), code: 'c' });
    expect(error.code).toBe('c');
    expect(error.message).toBe(`GET /tools/t1 answered 500: ${'m'.repeat(1_000)} (code: c)`);
  });

  test('of a larger error 1 MiB is read, and the stream is closed', async () => {
    const chunk = new Uint8Array(64 * 1024).fill(120);
    let [pulled, isCancelled] = [0, false];
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          pulled += 1;
          controller.enqueue(chunk);
        },
        cancel: () => {
          isCancelled = true;
        },
      });
    const fetch = () => Promise.resolve(new Response(endless(), { status: 500 }));
    const hooks = { onDrift: vi.fn() };
    const platform = connect('https://x.test', { fetch, hooks });
    const error = (await rejectionOf(platform.tools.get('t1'))) as ApiError;
    expect(error.message).toBe('GET /tools/t1 answered 500 with a body that is too large');
    expect(hooks.onDrift).not.toHaveBeenCalled();
    expect(error.rawBody).toBe('x'.repeat(16 * 1024));
    // 16 chunks are a MiB; a stream is one ahead.
    expect(pulled).toBeLessThanOrEqual(18);
    expect(pulled).toBeGreaterThan(16);
    expect(isCancelled).toBe(true);
  });

  test('an issue that is nested too deeply to be measured keeps its message', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const text = `{"message":"m","code":"c","issues":[{"message":"deep","x":${deep}}]}`;
    expect(await errorFor(422, text)).toMatchObject({ code: 'c', issues: [{ message: 'deep' }] });
  });

  /** An issue with so many characters. */
  const issueOf = (length: number) => {
    const written = JSON.stringify({ message: 'm', dump: '' }).length;
    return { message: 'm', dump: 'x'.repeat(length - written) };
  };

  test('of an issue with more than 4,000 characters only its message is kept', async () => {
    const issues = [issueOf(4_000), issueOf(4_001)];
    const error = await errorFor(422, { message: 'm', code: 'c', issues });
    expect(error.issues).toEqual([issueOf(4_000), { message: 'm' }]);
  });

  test('of all issues together, 20,000 characters are kept, and of the others the message', async () => {
    const four = Array.from({ length: 4 }, () => issueOf(4_000));
    const last = { message: 'm', a: 1 };
    const length = 4_000 - JSON.stringify(last).length;
    const fitting = [...four, issueOf(length), last];
    expect((await errorFor(422, { message: 'm', code: 'c', issues: fitting })).issues).toEqual(fitting);
    const issues = [...four, issueOf(length + 1), last];
    const error = await errorFor(422, { message: 'm', code: 'c', issues });
    expect(error.issues).toEqual([...issues.slice(0, 5), { message: 'm' }]);
  });
});

test.each([
  ['120', 120],
  ['60', 60],
  ['0', 0],
  ['1.5', 1.5],
  ['soon', undefined],
  ['-5', undefined],
  ['', undefined],
  ['2', 2],
  ['5 minutes', undefined],
  ['in 5', undefined],
  ['5 GMT later', undefined],
  ['Tue, 01 Jan 2030 00:00:00', undefined],
])('Retry-After: %s gives retryAfter %s', async (header, expected) => {
  const error = await errorFor(429, errorBody, { 'retry-after': header });
  expect((error as RateLimitError).retryAfter).toBe(expected);
  expect(error.message.includes('The service asks to wait')).toBe((expected ?? 0) > 0);
});

test('the wait that is too long is told of any status', async () => {
  const { message } = await errorFor(503, errorBody, { 'retry-after': '60.5' });
  expect(message).toMatch(/\n {2}The service asks to wait 61 s; a call waits 60 s at most\.$/);
});

test('a wait that the call would have made is told too, without a hint', async () => {
  const { message } = await errorFor(429, errorBody, { 'retry-after': '60' });
  expect(message).toMatch(/\n {2}The service asks to wait 60 s\.$/);
});

test('a wait for which the whole call has no time left is told as such', async () => {
  const { platform } = connectTo(answerWith(429, errorBody, { 'retry-after': '2' }), { maxRetries: 2 });
  const { message } = (await rejectionOf(platform.tools.get('t1', { totalTimeout: 1_500 }))) as ApiError;
  expect(message).toMatch(/\n {2}The service asks to wait 2 s; `totalTimeout` leaves less\.$/);
});

test('an error after retries tells which attempt it was, and the first attempt does not', async () => {
  const { platform } = connectTo(answerWith(503, errorBody, { 'retry-after': '0' }), { maxRetries: 2 });
  const messageAfter = async (maxRetries: number) =>
    ((await rejectionOf(platform.tools.get('t1', { maxRetries }))) as ApiError).message;
  expect(await messageAfter(2)).toMatch(/\n {2}This was attempt 3\.$/);
  expect(await messageAfter(1)).toMatch(/\n {2}This was attempt 2\.$/);
  expect(await messageAfter(0)).not.toContain('attempt');
});

test('Retry-After as a date gives seconds from now', async () => {
  const date = new Date(Date.now() + 90_000).toUTCString();
  const { retryAfter } = (await errorFor(429, errorBody, { 'retry-after': date })) as RateLimitError;
  expect(retryAfter).toBeGreaterThan(80);
  expect(retryAfter).toBeLessThanOrEqual(90);
});

test('headers that carry credentials are masked in the error', async () => {
  const error = await errorFor(500, errorBody, { 'set-cookie': 'session=abc', 'x-plain': 'shown' });
  expect(error.headers.get('set-cookie')).toBe('[redacted]');
  expect(error.headers.get('x-plain')).toBe('shown');
});

test('what the service says comes on one line and without colours', async () => {
  const message = ' \u001b[31mNo\u001b[0m\r\n\n\t never\u0007 ';
  const error = await errorFor(400, { message, code: 'c\u001b[2J' });
  expect(error.message).toBe('GET /tools/t1 answered 400: [31mNo [0m never (code: c [2J)');
});

describe('an error body that departs from section 7', () => {
  const departures: [what: string, body: string, paths: unknown[]][] = [
    ['the specified body', '{"message":"no","code":"c","issues":[{"message":"i"}]}', []],
    ['a new field', '{"message":"no","code":"c","traceId":"t"}', [['traceId']]],
    ['a new field of an issue', '{"message":"no","code":"c","issues":[{"message":"i","path":"p"}]}', []],
    ['no code', '{"message":"no"}', [['code']]],
    ['an HTML page', '<html></html>', [[]]],
    ['an empty body', '', [[]]],
  ];

  async function driftsOf(answer: Answer, options: RequestOptions = {}): Promise<Drift[]> {
    const drifts: Drift[] = [];
    const hooks = { onDrift: (drift: Drift) => void drifts.push(drift) };
    const { platform } = connectTo(answer, { hooks });
    expect(await rejectionOf(platform.tools.get('t1', options))).toBeInstanceOf(ApiError);
    return drifts;
  }

  test.each(departures)('%s: reported as drift, and the typed error is the same', async (_, body, paths) => {
    const drifts = await driftsOf(answerWith(403, body));
    expect(drifts.flatMap(({ issues }) => issues.map(({ path }) => path))).toEqual(paths);
    expect(drifts.every(({ source }) => source === 'GET /tools/{toolId}')).toBe(true);
  });

  test.each([
    ['strict', 2],
    ['off', 0],
  ] as const)('each attempt is told of, and none with validation off: %s', async (validation, times) => {
    const busy = answerWith(503, '', { 'retry-after': '0' });
    expect(await driftsOf(busy, { validation, maxRetries: 1 })).toHaveLength(times);
  });

  test('a redirect has no error body', async () => {
    expect(await driftsOf(answerWith(302, ''))).toEqual([]);
  });
});

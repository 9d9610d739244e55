import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  type RequestOptions,
  ServerError,
  UnprocessableEntityError,
} from 'agent-platform-sdk';
import { describe, expect, test } from 'vitest';
import {
  addFaults,
  createClient,
  rejectionOf,
  requests,
  respond,
  response,
  seed,
  TOKEN,
} from '../support/client.js';
import { RecordingLogger } from '../support/recording-logger.js';

const errorBody = { message: 'It does not work', code: 'some_code', issues: [{ message: 'first' }] };

async function errorFor(status: number, body: unknown, headers?: Record<string, string>): Promise<ApiError> {
  respond(response(status, body, headers));
  const error = await rejectionOf(createClient().tools.get('t1'));
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
  [302, ApiError, 'api_error'],
])('the status decides the class: %i', async (status, errorClass, type) => {
  addFaults({ status });
  const error = await rejectionOf(createClient().tools.get(seed.toolId));
  expect(error).toBeInstanceOf(errorClass);
  expect(error).toMatchObject({ type, status, name: errorClass.errorName });
});

test('an error says what the service said, and on which call', async () => {
  const error = await errorFor(400, errorBody, { 'x-request-id': 'r1' });
  expect(error).toMatchObject({
    status: 400,
    code: 'some_code',
    issues: [{ message: 'first' }],
    method: 'GET',
    path: '/tools/t1',
    region: 'eu',
    outcomeUnknown: false,
    body: errorBody,
    rawBody: JSON.stringify(errorBody),
  });
  expect(error.headers.get('x-request-id')).toBe('r1');
  expect(error.message).toBe(
    'GET /tools/t1 responded with 400: It does not work (code: some_code)\n  - first',
  );
});

const regionHint = (ending: string) =>
  `The region is 'eu': check that the token, the ids and https://eu.service.test/v3 belong to it${ending}`;

test.each<[status: number, hints: readonly string[]]>([
  // The live service responds with 401 for an unknown id.
  [401, [regionHint(', and that the id exists.')]],
  [402, []],
  [403, ["Check the workspace's plan and add-ons, and the permissions of the token."]],
  [404, [regionHint('.')]],
  [405, []],
  [301, ['The client does not follow redirects. Check the base address.']],
  [308, ['The client does not follow redirects. Check the base address.']],
  // octokit.js#673
  [300, []],
  [304, []],
])('after the words of a %i come the hints %j', async (status, hints) => {
  const fetch = async () => ({
    status,
    ok: false,
    headers: new Headers(),
    text: async () => '{"message":"No."}',
  });
  const { message } = (await rejectionOf(createClient({ fetch }).tools.get('t1'))) as ApiError;
  expect(message.split('\n  ')).toEqual([`GET /tools/t1 responded with ${status}: No.`, ...hints]);
});

test('a 401 of an operation on no item does not question an id', async () => {
  addFaults({ status: 401 });
  await expect(createClient().tools.listDefaults()).rejects.not.toThrow('the id exists');
});

describe('the words of the service survive in every form', () => {
  test.each<[form: string, body: unknown, says: string, code?: string]>([
    ['a message', { message: 'No.' }, 'No.'],
    ['a message beside a failed envelope', { success: false, message: 'No.' }, 'No.'],
    ['a message in `error`', { error: { code: 'NOT_FOUND', message: 'No route' } }, 'No route', 'NOT_FOUND'],
    ['a text as `error`', { error: 'upstream connect error' }, 'upstream connect error'],
    ['a message beside a text as `error`', { error: 'Unauthorized', message: 'No tool' }, 'No tool'],
    ['a blank message', { message: ' ', error: 'No.' }, 'No.'],
    ['a list of errors', { errors: [{ message: 'No.', code: 'c' }] }, 'No.', 'c'],
    ['a list of texts', { errors: ['No.'] }, 'No.'],
    ['a short plain text', 'Payload Too Large', 'Payload Too Large'],
    ['a JSON text', '"Payload Too Large"', 'Payload Too Large'],
    [
      'lines of text',
      'upstream connect error\n  reset before headers\n',
      'upstream connect error reset before',
    ],
  ])('%s', async (_, body, says, code) => {
    const error = await errorFor(418, body);
    expect(error.message.startsWith(`GET /tools/t1 responded with 418: ${says}`)).toBe(true);
    expect(error.code).toBe(code);
    // It stays for the body of section 7.
    expect(error.errorBody).toBeUndefined();
  });

  test('they are on one line, with the token masked', async () => {
    for (const body of [{ error: `no\n ${TOKEN}` }, { errors: [`no\n ${TOKEN}`] }, `no\n ${TOKEN}`]) {
      expect((await errorFor(418, body)).message).toBe('GET /tools/t1 responded with 418: no [redacted]');
    }
  });

  test('an issue shows its path, and keeps it; in both, the token is masked', async () => {
    const issues = [
      { path: ['agent', 'nodes', 0, 'llmConfig'], message: 'Required', expected: 'object', received: TOKEN },
      { path: ['headers', TOKEN], message: `not ${TOKEN}` },
      { path: [], message: 'at the top' },
      { path: 'agent', message: 'a path of another form' },
      { path: [{ name: 'x' }], message: 'another' },
    ];
    const error = await errorFor(400, { message: 'Input validation failed', code: 'BAD_REQUEST', issues });
    expect(error.issues).toEqual([
      { path: ['agent', 'nodes', 0, 'llmConfig'], message: 'Required' },
      { path: ['headers', '[redacted]'], message: 'not [redacted]' },
      { message: 'at the top' },
      { message: 'a path of another form' },
      { message: 'another' },
    ]);
    expect(error.message.split('\n')).toEqual([
      'GET /tools/t1 responded with 400: Input validation failed (code: BAD_REQUEST)',
      '  - agent.nodes.0.llmConfig: Required',
      '  - headers.[redacted]: not [redacted]',
      '  - at the top',
      '  - a path of another form',
      '  - another',
    ]);
  });

  test('issues of a list of errors survive too, and the first is not repeated', async () => {
    const errors = [{ message: 'No name' }, { message: 'No key', path: ['key'] }];
    const error = await errorFor(400, { errors });
    expect(error.message).toBe('GET /tools/t1 responded with 400: No name\n  - key: No key');
    expect(error.issues).toEqual(errors);
  });
});

describe('any error body is accepted', () => {
  test.each([
    ['empty', '', undefined, 'an empty body'],
    ['blanks', '  \n', undefined, 'an empty body'],
    ['HTML', '<!DOCTYPE html><title>Bad gateway</title>', undefined, 'HTML, 41 characters'],
    ['HTML behind blanks', `\n${' '.repeat(30)}<html>`, undefined, 'HTML, 37 characters'],
    ['truncated JSON', ' {"message":"It does', undefined, 'broken or unexpected JSON, 20 characters'],
    ['an array', '[1,2]', undefined, 'broken or unexpected JSON'],
    ['null', 'null', undefined, 'text that is not JSON'],
    ['wrong types', '{"message":5,"code":{},"issues":"no"}', undefined, 'broken or unexpected JSON'],
    ['a message without code', '{"message":"only words"}', undefined, 'only words'],
    ['a code without message', '{"code":"only_code"}', undefined, 'broken or unexpected JSON'],
    ['a code beside another message', '{"message":5,"code":"c"}', undefined, 'broken or unexpected JSON'],
    ['more than the specified fields', '{"message":"m","code":"c","traceId":1}', 'c', 'm (code: c)'],
    ['an object without words', '{"error":{"code":"c"}}', undefined, 'broken or unexpected JSON'],
    ['a long text', 'x'.repeat(301), undefined, 'text that is not JSON, 301 characters'],
    ['bytes', 'PNG\u0000', undefined, 'text that is not JSON, 4 characters'],
    ['XML', '<?xml version="1.0"?><Error/>', undefined, 'text that is not JSON, 29 characters'],
  ])('%s', async (_, body, code, said) => {
    const error = await errorFor(502, body);
    expect(error).toBeInstanceOf(ServerError);
    expect(error.code).toBe(code);
    expect(error.message).toContain(said);
    expect(error.rawBody).toBe(body);
  });

  test.each([
    ['the specified one', { message: '', code: '' }, true],
    ['with issues', { ...errorBody, issues: [{ message: 'a', path: 'x' }] }, true],
    ['without code', { message: 'Not found' }, false],
    ['without message', { code: 'NOT_FOUND' }, false],
    ['with another field', { ...errorBody, requestId: 'r1' }, false],
    ['with issues of another shape', { ...errorBody, issues: ['first'] }, false],
    ['of a proxy', '<html></html>', false],
  ])('`errorBody` is there for the specified body alone: %s', async (_, body, isSpecified) => {
    const error = await errorFor(404, body);
    expect(error.errorBody).toEqual(isSpecified ? body : undefined);
    expect(JSON.stringify(error)).not.toContain('errorBody');
  });

  test('issues without a message are left out', async () => {
    const issues = [{ message: 'a' }, { path: 'x' }, null, 'text'];
    const error = await errorFor(400, { message: 'm', code: 'c', issues });
    expect(error.issues).toEqual([{ message: 'a' }]);
  });

  test('an issue nested 20,000 deep changes nothing, even if the body is logged', async () => {
    const issue = `{"message":"a","path":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    respond(response(404, `{"message":"m","code":"c","issues":[${issue}]}`));
    const logger = new RecordingLogger();
    const error = await rejectionOf(createClient({ logger, logLevel: 'debug' }).tools.get('t1'));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ code: 'c', issues: [{ message: 'a' }] });
    expect(logger.lines.at(-1)).toContain('[nested too deeply]');
  });

  test('the first 100 issues are kept, and the message lists 20', async () => {
    const issues = Array.from({ length: 150 }, (_, at) => ({ message: `no ${at}` }));
    const error = await errorFor(400, { message: 'm', code: 'c', issues });
    expect(error.issues).toEqual(issues.slice(0, 100));
    expect(error.message.split('\n')).toHaveLength(22);
    expect(error.message).toContain('and 130 more issue(s)');
  });

  test('a large body is kept parsed, and as text up to 16,384 characters', async () => {
    const body = { message: 'm', code: 'c', trace: 'ä'.repeat(100_000) };
    const error = await errorFor(500, body);
    expect(error.body).toEqual(body);
    expect(error.rawBody).toHaveLength(16_384);
  });

  test('a long message is cut at 1,000 characters', async () => {
    const error = await errorFor(500, { message: 'm'.repeat(1_000_000), code: 'c' });
    expect(error.message).toBe(`GET /tools/t1 responded with 500: ${'m'.repeat(1_000)} (code: c)`);
  });

  test('an error body over 1 MiB is read up to there, and described as cut', async () => {
    const chunk = new Uint8Array(64 * 1024).fill(120);
    let [pulled, isCancelled] = [0, false];
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(chunk);
      },
      cancel: () => {
        isCancelled = true;
      },
    });
    const fetch = () => Promise.resolve(new Response(endless, { status: 500 }));
    const error = (await rejectionOf(createClient({ fetch }).tools.get('t1'))) as ApiError;
    expect(error.message).toBe(
      'GET /tools/t1 responded with 500: text that is not JSON, cut off after 1048576 characters',
    );
    expect(error.rawBody).toBe('x'.repeat(16 * 1024));
    // 16 chunks are a MiB; a stream is one ahead.
    expect(pulled).toBeLessThanOrEqual(18);
    expect(isCancelled).toBe(true);
  });
});

/** `Sun Nov  6 08:49:37 1994`, the arguments of a replacement. */
function asctime(...[, weekday, day = '', month, year, time]: readonly string[]): string {
  return `${weekday} ${month} ${day.padStart(2)} ${time} ${year}`;
}

test.each([
  ['120', 120],
  ['60', 60],
  ['0', 0],
  ['1.5', 1.5],
  // openai-node#1841: a proxy repeats the header.
  ['1, 1', 1],
  ['5, 120', 120],
  ['soon, 7', 7],
  ['Tue, 01 Jan 2019 00:00:00 GMT, 3', 3],
  ['soon', undefined],
  ['-5', undefined],
  ['5 minutes', undefined],
  ['5 GMT later', undefined],
  ['Tue, 01 Jan 2030 00:00:00', undefined],
])('Retry-After: %s gives retryAfter %s', async (retryAfter, expected) => {
  addFaults({ status: 429, retryAfter });
  const error = (await rejectionOf(createClient().tools.get(seed.toolId))) as RateLimitError;
  expect(error.retryAfter).toBe(expected);
  expect(error.message.includes('Retry-After is')).toBe((expected ?? 0) > 0);
});

// RFC 9110, 5.6.7
test.each<[form: string, write: (date: Date) => string]>([
  ['IMF-fixdate', (date) => date.toUTCString()],
  ['RFC 850', (date) => date.toUTCString().replace(/^(\w+), (\d+) (\w+) \d\d(\d\d)/, '$1day, $2-$3-$4')],
  ['asctime', (date) => date.toUTCString().replace(/^(\w+), 0?(\d+) (\w+) (\d+) (.*) GMT/, asctime)],
  ['two in a list', (date) => `${new Date(0).toUTCString()}, ${date.toUTCString()}`],
])('Retry-After as a date gives seconds from now: %s', async (_, write) => {
  addFaults({ status: 429, retryAfter: write(new Date(Date.now() + 90_000)) });
  const { retryAfter } = (await rejectionOf(createClient().tools.get(seed.toolId))) as RateLimitError;
  expect(retryAfter).toBeGreaterThan(80);
  expect(retryAfter).toBeLessThanOrEqual(90);
});

test.each<[what: string, retryAfter: number, options: RequestOptions, shown: number]>([
  ['above 60 s', 60.5, {}, 61],
  ['for which totalTimeout leaves no time', 2, { totalTimeout: 1_500 }, 2],
])('a Retry-After %s ends the call at once, and the error says so', async (_, retryAfter, options, shown) => {
  addFaults({ status: 429, retryAfter });
  const call = createClient({ maxRetries: 2 }).tools.get(seed.toolId, options);
  await expect(call).rejects.toThrow(`Retry-After is ${shown} s, too long to wait.`);
  expect(requests).toHaveLength(1);
});

test('an error after retries says which attempt it was', async () => {
  addFaults({ status: 503, retryAfter: 0, times: 'always' });
  const { tools } = createClient();
  const messageAfter = async (maxRetries: number) =>
    ((await rejectionOf(tools.get(seed.toolId, { maxRetries }))) as ApiError).message;
  expect(await messageAfter(2)).toContain('This was attempt 3.');
  expect(await messageAfter(0)).not.toContain('attempt');
});

test('words of the service are on one line, in message and issues', async () => {
  const message = ' \u001b[31mNo\r\n\n\t never \u202e中ü ';
  const error = await errorFor(400, { message, code: 'c', issues: [{ message: 'one\ntwo' }] });
  expect(error.message).toBe(
    'GET /tools/t1 responded with 400: \\u001b[31mNo never \\u202e中ü (code: c)\n  - one two',
  );
  expect(error.issues).toEqual([{ message: 'one two' }]);
});

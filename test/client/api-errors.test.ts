import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  UnprocessableEntityError,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { addFaults, createClient, rejectionOf, respond, response, seed, TOKEN } from '../support/client.js';
import { deferred } from '../support/deferred.js';
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
  const text = async () => '{"message":"No."}';
  const fetch = async () => ({ status, ok: false, headers: new Headers(), text });
  const { message } = (await rejectionOf(createClient({ fetch }).tools.get('t1'))) as ApiError;
  expect(message.split('\n  ')).toEqual([`GET /tools/t1 responded with ${status}: No.`, ...hints]);
});

test('a 401 of an operation on no item does not question an id', async () => {
  addFaults({ status: 401 });
  await expect(createClient().tools.listDefaults()).rejects.not.toThrow('the id exists');
});

test.each<[what: string, body: unknown, says: string, code?: string]>([
  ['a message beside a failed envelope', { success: false, message: 'No.' }, 'No.'],
  ['a message in `error`', { error: { code: 'NOT_FOUND', message: 'No route' } }, 'No route', 'NOT_FOUND'],
  ['a text as `error`', { error: 'upstream connect error' }, 'upstream connect error'],
  ['a message beside a text as `error`', { error: 'Unauthorized', message: 'No tool' }, 'No tool'],
  ['a blank message', { message: ' ', error: 'No.' }, 'No.'],
  ['a list of errors', { errors: [{ message: 'No.', code: 'c' }] }, 'No.', 'c'],
  ['a list of texts', { errors: ['No.'] }, 'No.'],
  ['a token in the words', { message: `no\n ${TOKEN}`, code: `c ${TOKEN}` }, 'no [redacted]', 'c [redacted]'],
  ['a token in `error`', { error: `no\n ${TOKEN}` }, 'no [redacted]'],
  ['a token in a list', { errors: [`no\n ${TOKEN}`] }, 'no [redacted]'],
  ['a token in a text', `no\n ${TOKEN}`, 'no [redacted]'],
  ['a short plain text', 'Payload Too Large', 'Payload Too Large'],
  ['a JSON text', '"Payload Too Large"', 'Payload Too Large'],
  ['control characters', { message: ' \u001b[31mNo\r\n\n\t \u202e中ü ' }, '\\u001b[31mNo \\u202e中ü'],
  ['more than the specified fields', { message: 'm', code: 'c', traceId: 1 }, 'm', 'c'],
  ['a long text', 'x'.repeat(301), 'text that is not JSON, 301 characters'],
  ['the longest plain text', 'x'.repeat(300), 'x'.repeat(300)],
  ['a long message', { message: 'm'.repeat(1_001), code: 'c' }, 'm'.repeat(1_000), 'c'],
  ['nothing', '', 'an empty body'],
  ['blanks', '  \n', 'an empty body'],
  ['HTML', '<!DOCTYPE html><title>Bad gateway</title>', 'HTML, 41 characters'],
  ['HTML behind blanks', `\n${' '.repeat(30)}<html>`, 'HTML, 37 characters'],
  ['truncated JSON', ' {"message":"It does', 'broken or unexpected JSON, 20 characters'],
  ['an array', '[1,2]', 'broken or unexpected JSON, 5 characters'],
  ['null', 'null', 'text that is not JSON, 4 characters'],
  ['wrong types', { message: 5, code: {}, issues: 'no' }, 'broken or unexpected JSON, 37 characters'],
  ['a code beside another message', { message: 5, code: 'c' }, 'broken or unexpected JSON, 24 characters'],
  ['an object without words', { error: { code: 'c' } }, 'broken or unexpected JSON, 22 characters'],
  ['bytes', 'PNG\u0000', 'text that is not JSON, 4 characters'],
  ['XML', '<?xml version="1.0"?><Error/>', 'text that is not JSON, 29 characters'],
])('the words of the service survive in any form of body: %s', async (_, body, says, code) => {
  const error = await errorFor(418, body);
  expect(error.message).toBe(
    `GET /tools/t1 responded with 418: ${says}${code === undefined ? '' : ` (code: ${code})`}`,
  );
  expect(error.code).toBe(code);
  expect(error.rawBody).toBe(typeof body === 'string' ? body : JSON.stringify(body));
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

test('an issue shows its path, and keeps it; in both, the token is masked', async () => {
  const issues = [
    { path: ['agent', 'nodes', 0, 'llmConfig'], message: 'Required', expected: 'object', received: TOKEN },
    { path: ['headers', TOKEN], message: `not\n${TOKEN}` },
    { path: [], message: 'at the top' },
    { path: 'agent', message: 'a path of another form' },
    { path: [{ name: 'x' }], message: 'another' },
    { path: ['without a message'] },
    null,
    'text',
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

test.each([
  [20, ['  - no 19']],
  [21, ['  - no 19', '  - and 1 more issue(s)']],
  [150, ['  - no 19', '  - and 130 more issue(s)']],
])('the first 100 issues are kept, and the message lists 20: %i', async (count, lastLines) => {
  const issues = Array.from({ length: count }, (_, at) => ({ message: `no ${at}` }));
  const error = await errorFor(400, { message: 'm', code: 'c', issues });
  expect(error.issues).toEqual(issues.slice(0, 100));
  expect(error.message.split('\n').slice(20)).toEqual(lastLines);
});

test('an issue nested 20,000 deep changes nothing, even if the body is logged', async () => {
  const issue = `{"message":"a","path":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  respond(response(404, `{"message":"m","code":"c","issues":[${issue}]}`));
  const logger = new RecordingLogger();
  const error = await rejectionOf(createClient({ logger, logLevel: 'debug' }).tools.get('t1'));
  expect(error).toMatchObject({ type: 'not_found_error', code: 'c', issues: [{ message: 'a' }] });
  expect(logger.lines.at(-1)).toContain('[nested too deeply]');
});

test('a large body is kept parsed, and as text up to 16,384 characters', async () => {
  const body = { message: 'm', code: 'c', trace: 'ä'.repeat(100_000) };
  const error = await errorFor(500, body);
  expect(error.body).toEqual(body);
  expect(error.rawBody).toHaveLength(16_384);
});

/** The error of a response whose body is a stream. */
async function errorOfStream(source: UnderlyingDefaultSource<Uint8Array>): Promise<ApiError> {
  const fetch = async () => new Response(new ReadableStream(source), { status: 500 });
  return (await rejectionOf(createClient({ fetch }).tools.get('t1'))) as ApiError;
}

test('an error body over 1 MiB is read up to there, and described as cut', async () => {
  const chunk = new Uint8Array(64 * 1024).fill(120);
  const cancelled = deferred();
  let pulled = 0;
  const pull = (stream: ReadableStreamDefaultController<Uint8Array>) => {
    pulled += 1;
    stream.enqueue(chunk);
  };
  const error = await errorOfStream({ pull, cancel: cancelled.resolve });
  expect(error.message).toBe(
    'GET /tools/t1 responded with 500: text that is not JSON, cut off after 1048576 characters',
  );
  expect(error.rawBody).toBe('x'.repeat(16 * 1024));
  // 16 chunks are a MiB; a stream is one ahead.
  expect(pulled).toBeLessThanOrEqual(18);
  await cancelled.promise;
});

test('an error body that is cut is kept as far as it was read', async () => {
  const chunks = [new TextEncoder().encode('{"message":"half a')];
  const pull = (stream: ReadableStreamDefaultController<Uint8Array>) => {
    const chunk = chunks.pop();
    if (chunk === undefined) stream.error(new Error('cut'));
    else stream.enqueue(chunk);
  };
  expect(await errorOfStream({ pull })).toMatchObject({
    type: 'server_error',
    rawBody: '{"message":"half a',
    message: 'GET /tools/t1 responded with 500: broken or unexpected JSON, cut off after 18 characters',
  });
});

import { inspect } from 'node:util';
import {
  type AgentPlatform,
  type ApiError,
  endpoint,
  type ResponseValidationError,
  type VariableInput,
} from 'agent-platform-sdk';
import { HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { rejectionOf, success } from '../support/client.js';
import { type Answer, answerWith, connectTo } from '../support/msw.js';
import { RecordingLogger } from '../support/recording-logger.js';

const CANARY = 'canary-1f9d2c-of-this-test';
const API_KEY = 'api-key-of-an-echo-test';

const shown = (value: unknown): string => inspect(value, { depth: 20 }) + JSON.stringify(value);

async function failureOf(
  call: (platform: AgentPlatform) => Promise<unknown>,
  answer: Answer,
  options: Parameters<typeof connectTo>[1] = {},
): Promise<ApiError> {
  const { platform } = connectTo(answer, { token: CANARY, ...options });
  // Each of these answers is an error by its status.
  return (await rejectionOf(call(platform))) as ApiError;
}

const getTool = (platform: AgentPlatform): Promise<unknown> => platform.tools.get('t1');

test('a token or a key in any field of an issue, and in its name, is masked; the rest is kept', async () => {
  const issues = [{ message: 'bad', received: `Bearer ${CANARY}`, deep: { keys: [API_KEY], [CANARY]: 1 } }];
  const answer = answerWith(422, { message: 'm', code: 'c', issues });
  const error = await failureOf(getTool, answer, { headers: { 'x-api-key': API_KEY } });
  expect(error.issues).toEqual([
    { message: 'bad', received: '[redacted]', deep: { keys: ['[redacted]'], '[redacted]': 1 } },
  ]);
  expect(shown(error)).not.toMatch(new RegExp(`${CANARY}|${API_KEY}`));
});

test('an endpoint without a bearer token masks that of the client', async () => {
  const login = endpoint({
    method: 'POST',
    path: '/auth/{key}',
    auth: 'none',
    body: z.object({ apiKey: z.string() }),
    response: z.unknown(),
  });
  const { platform, requests } = connectTo(
    async ({ request }) =>
      new HttpResponse(`no ${new URL(request.url).pathname} ${await request.text()}`, { status: 400 }),
    { token: CANARY },
  );
  const error = await rejectionOf(platform.send(login, { path: { key: CANARY }, body: { apiKey: CANARY } }));
  expect(requests[0]?.headers.authorization).toBeUndefined();
  expect(requests[0]?.body).toContain(CANARY);
  expect(error).toMatchObject({ path: '/auth/[redacted]', rawBody: expect.stringContaining('[redacted]') });
  expect(shown(error)).not.toContain(CANARY);
});

describe('a marked value of the call itself, which the service quotes, is masked', () => {
  const value = 'value-of-an-echo-test "quoted"';
  const create =
    (input: Partial<VariableInput>) =>
    (platform: AgentPlatform): Promise<unknown> =>
      platform.variables.create('a1', { key: 'k', ...input });
  const quoting = answerWith(400, {
    message: `'${value}' is not allowed`,
    code: 'c',
    issues: [{ message: `got ${value}`, received: [value] }],
  });

  test.each<[string, Partial<VariableInput>]>([
    ['the value of a variable with isEnv', { isEnv: true, value }],
    ['a part of it', { isEnv: true, value: { parts: [{ part: value }] } }],
    ['its default value', { isEnv: true, defaultValue: value }],
    // A field that the document does not list is sent all the same.
    ['a marked field', { serverUrlSecret: value } as Partial<VariableInput>],
  ])('%s', async (_, input) => {
    const error = await failureOf(create(input), quoting);
    expect(error.message).toContain("'[redacted]' is not allowed");
    expect(error.issues).toEqual([{ message: 'got [redacted]', received: ['[redacted]'] }]);
    expect(shown(error)).not.toContain('value-of-an-echo-test');
  });

  test.each(['correct horse battery staple', 'Pa55&w0rd,with;marks=and', `it's "quoted" all over`])(
    'behind its own name: %s',
    async (said) => {
      const words = `defaultValue: ${said} is too weak, and isEnv: defaultValue=${said}`;
      const error = await failureOf(create({ isEnv: true, defaultValue: said }), answerWith(400, words));
      expect(error.rawBody).toBe('defaultValue: [redacted] is too weak, and isEnv: defaultValue=[redacted]');
    },
  );

  test.each<[string, string, string]>([
    ['sessionKey', 'sessionKey=s3cret', '[redacted]=[redacted]'],
    ['sessionKey', '{"sessionKey":"s3cret"}', '{"[redacted]":"[redacted]"}'],
    ['isEnv', 'no {"isEnv":true,"value":"s3cret"}', 'no {"[redacted]":true,"value":[redacted]}'],
    [
      '8080',
      '{"port":8080,"message":"magicCode:\\n  s3cret"}',
      '{"port":"[redacted]","message":"magicCode:\\n  [redacted]"}',
    ],
    ['8080', '{"port":8080,"session\\u004bey":"s3cret"}', '{"port":"[redacted]","sessionKey":"[redacted]"}'],
    ['"hunter2!', 'magicCode: "hunter2! s3cret more"', 'magicCode: [redacted]'],
    ['{abcdefgh', 'magicCode={abcdefgh ijkl s3cret}', 'magicCode=[redacted]'],
    ['magicCode=abcd', 'magicCode=abcds3cret;', '[redacted]'],
    [
      'https://vapi.example',
      'listenUrl: https://vapi.example/l?a=1&key=s3cret now',
      'listenUrl: [redacted] now',
    ],
    ['opensesame', 'usedSecret=opensesame-s3cret, s3cre7', 'usedSecret=[redacted], s3cre7'],
    ['opensesame', 'opensesame is bad: it must be a string', '[redacted] is bad: it must be a string'],
    ['true', '{"ok":true}', '{"ok":true}'],
  ])('and hides no less of another, where it is %s', async (known, said, shows) => {
    const error = await failureOf(create({ isEnv: true, value: known }), answerWith(400, said));
    expect(error.rawBody).toBe(shows);
  });

  test('one that is encoded over and over', async () => {
    const again = `%${'25'.repeat(1_000)}41`;
    const error = await failureOf(create({ isEnv: true, value: again }), answerWith(400, `no ${again}.`));
    expect(error.rawBody).toBe('no [redacted].');
  });

  test('a number', async () => {
    const answer = answerWith(400, { message: 'no 1234567890', code: 'c', issues: [] });
    const error = await failureOf(create({ isEnv: true, value: 1234567890 }), answer);
    expect(error.message).toContain('no [redacted]');
  });

  test('in a log line', async () => {
    const logger = new RecordingLogger();
    await failureOf(create({ isEnv: true, value }), quoting, { logger, logLevel: 'debug' });
    expect(logger.lines.join('\n')).toContain('[redacted]');
    expect(logger.lines.join('\n')).not.toContain('value-of-an-echo-test');
  });

  test('but no value without isEnv', async () => {
    const plain = await failureOf(create({ isEnv: false, value }), quoting);
    expect(plain.message).toContain(value);
  });

  test.each<[VariableInput['value'], string, string]>([
    ['open', 'open, opened, open_up, to-open', '[redacted], opened, open_up, to-[redacted]'],
    ['größe', 'größer? größe', 'größer? [redacted]'],
    ['größe', 'ßgröße größeß', 'ßgröße größeß'],
    [1234, 'id 1234 of 12345', 'id [redacted] of 12345'],
    ['abc', 'abc', 'abc'],
    [true, 'true', 'true'],
    [null, 'null', 'null'],
  ])('one as short as %j is masked from four characters, as a word', async (short, said, shows) => {
    const answer = answerWith(400, { message: said, code: 'c', issues: [{ message: said, path: 1234 }] });
    const error = await failureOf(create({ isEnv: true, value: short }), answer);
    expect(error.message).toContain(`: ${shows} (code`);
    expect(error.issues[0]).toEqual({ message: shows, path: short === 1234 ? '[redacted]' : 1234 });
  });

  test('the first hundred of them', async () => {
    const parts = Array.from({ length: 101 }, (_, at) => `part-number-${at}.`);
    const answer = answerWith(400, { message: `no ${parts[99]} or ${parts[100]}`, code: 'c', issues: [] });
    const error = await failureOf(create({ isEnv: true, value: { parts } }), answer);
    expect(error.message).toContain(': no [redacted] or part-number-100. (code');
  });

  test('one that the end of what is shown would cut', async () => {
    const error = await failureOf(
      create({ isEnv: true, value }),
      answerWith(500, `${'x'.repeat(16 * 1024 - 6)}${value}`),
    );
    expect(error.rawBody).toMatch(/x\[redac$/);
  });

  test('one that is the name of a field breaks no error', async () => {
    const answer = answerWith(400, { message: 'm', code: 'c', issues: [{ message: 'no', path: 1 }] });
    for (const word of ['message', 'path', 'code', 'issues']) {
      const error = await failureOf(create({ isEnv: true, value: word }), answer);
      expect(error.issues).toEqual([{ message: 'no', path: 1 }]);
    }
    const wrong = answerWith(200, success({ id: 5 }));
    const error = await rejectionOf(
      connectTo(wrong).platform.variables.create('a1', { key: 'k', isEnv: true, value: 'path' }),
    );
    expect(error).toMatchObject({ issues: [{ path: ['data', 'id'] }] });
  });

  test('however deep or long the body is', async () => {
    const post = endpoint({ method: 'POST', path: '/x', body: z.unknown(), response: z.unknown() });
    let deep: unknown = { magicCode: value };
    for (let level = 0; level < 1_000; level += 1) deep = [deep];
    const body = { deep, many: Array.from({ length: 10_000 }, (_, at) => ({ magicCode: `${value} ${at}` })) };
    const error = await failureOf(
      (platform) => platform.send(post, { body }),
      answerWith(400, `no ${value} 7`),
    );
    expect(error).toMatchObject({ status: 400, rawBody: 'no [redacted]' });
  });
});

describe('a secret that is a part of JSON, or a word of the SDK, breaks no error', () => {
  test('digits, which the service sends as a number', async () => {
    const { platform } = connectTo(answerWith(200, success({ id: 5, account: 12345678 })), {
      headers: { 'x-session-account': '12345678' },
    });
    const error = (await rejectionOf(platform.tools.get('t1'))) as ResponseValidationError;
    expect(error.body).toEqual(success({ id: 5, account: '[redacted]' }));
    expect(error.rawBody).not.toContain('12345678');
  });

  test.each(['"invalid_type"', 'required,"path":["data"', '"success":true'])('%s', async (secret) => {
    const { platform } = connectTo(answerWith(200, success({ id: 5 })), {
      headers: { 'x-auth-mode': secret },
    });
    const error = (await rejectionOf(platform.tools.get('t1'))) as ResponseValidationError;
    expect(error.body).toEqual(success({ id: 5 }));
    expect(error.issues).toMatchObject([{ path: ['data', 'id'], code: 'invalid_type' }]);
  });
});

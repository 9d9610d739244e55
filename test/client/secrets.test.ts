import { inspect } from 'node:util';
import { AgentPlatform, type AgentPlatformError, type LogLevel, redact } from 'agent-platform-sdk';
import { describe, expect, test } from 'vitest';
import { type Answer, answerWith, connectTo, rejectionOf, success } from '../support/server.js';

const CANARY = 'canary-1f9d2c-of-this-test';
const marked = {
  dashboardPassword: CANARY,
  magicCode: CANARY,
  usedSecret: CANARY,
  FB_PUSH_TOKEN: CANARY,
  serverUrlSecret: CANARY,
  workspaceSecret: CANARY,
  sessionKey: CANARY,
  listenUrl: CANARY,
  isEnv: true,
  value: CANARY,
  defaultValue: { deep: [CANARY] },
};

/** Every form in which a value can get into a log by accident. */
function shown(value: unknown): string {
  const forms = [String(value), JSON.stringify(value), inspect(value, { depth: 20, showHidden: true })];
  try {
    forms.push(inspect(structuredClone(value), { depth: 20 }));
  } catch {
    // What cannot be cloned cannot leak that way.
  }
  if (value instanceof Error)
    forms.push(value.stack ?? '', inspect(value.cause, { depth: 20, showHidden: true }));
  return forms.join('\n');
}

const echo: Answer = (request, response) => {
  response.writeHead(500, { 'x-echo': String(request.headers.authorization), 'set-cookie': CANARY });
  response.end(
    JSON.stringify({
      message: `bad ${request.headers.authorization}`,
      code: CANARY,
      issues: [{ message: CANARY }],
    }),
  );
};

test('the platform shows no token', () => {
  const platform = new AgentPlatform({
    region: 'eu',
    token: CANARY,
    baseUrls: { eu: 'https://eu.example.com' },
    headers: { 'x-api-key': CANARY },
  });
  expect(shown(platform)).not.toContain(CANARY);
  expect(shown(platform.withOptions({ timeout: 5 }))).not.toContain(CANARY);
  expect(shown(platform.tools)).not.toContain(CANARY);
  expect(inspect(platform)).toContain("region: 'eu'");
});

describe('no error shows a token, however the service echoes it', () => {
  const answers: [string, Answer][] = [
    ['in a header, a message, a code and an issue', echo],
    ['in HTML', answerWith(500, `<html>${CANARY}</html>`)],
    ['in a 2xx that is not JSON', answerWith(200, `token ${CANARY}`)],
    ['in a 2xx of a wrong shape', answerWith(200, success({ id: 5, name: CANARY }))],
    ['in a failed envelope', answerWith(200, { success: false, message: CANARY })],
    ['just before the cap of the kept body', answerWith(500, `${'x'.repeat(16 * 1024 - 10)}${CANARY}`)],
  ];
  test.each(answers)('%s', async (_, answer) => {
    const { platform } = await connectTo(answer, { token: CANARY });
    const error = shown(await rejectionOf(platform.tools.get('t1')));
    expect(error).not.toContain(CANARY);
    expect(error).not.toContain(CANARY.slice(0, 12));
  });

  test('in what a custom fetch throws', async () => {
    const { platform } = await connectTo(answerWith(200), {
      token: CANARY,
      fetch: (_, init) => Promise.reject(new Error(`proxy refused ${JSON.stringify(init)}`)),
    });
    expect(shown(await rejectionOf(platform.tools.get('t1')))).not.toContain(CANARY);
  });

  test('a header of the caller that carries a credential', async () => {
    const { platform } = await connectTo(
      (request, response) => {
        response.writeHead(500).end(`no ${request.headers['x-proxy-key']}`);
      },
      { headers: { 'x-proxy-key': CANARY } },
    );
    expect(shown(await rejectionOf(platform.tools.get('t1')))).not.toContain(CANARY);
  });
});

describe('no error shows a marked field', () => {
  const bodies: [string, number, string][] = [
    ['a 2xx of a wrong shape', 200, JSON.stringify(success({ ...marked, id: 5 }))],
    ['a failed envelope', 200, JSON.stringify({ success: false, message: 'no', data: marked })],
    [
      'an error body',
      500,
      JSON.stringify({ message: 'm', code: 'c', issues: [{ message: 'i', ...marked }], data: marked }),
    ],
    ['JSON in the message', 400, JSON.stringify({ message: JSON.stringify(marked), code: 'c' })],
    ['an array', 500, JSON.stringify([[marked]])],
    ...[20, 40, 60, 90, 150, 220, 300].map((end): [string, number, string] => [
      `JSON cut after ${end}`,
      200,
      JSON.stringify(marked).slice(0, end),
    ]),
    [
      'a form',
      500,
      Object.keys(marked)
        .filter((key) => key !== 'isEnv')
        .map((key) => `${key}=${CANARY}`)
        .join('&'),
    ],
    ['a log line', 500, `failed: serverUrlSecret: ${CANARY}, magicCode = "${CANARY}"`],
    ['a text with a number before a brace', 500, `x {"defaultValue": {"a": "${CANARY}"}`],
    ['HTML with JSON', 500, `<html>{"listenUrl":"${CANARY}"}</html>`],
  ];
  test.each(bodies)('%s', async (_, status, body) => {
    const { platform } = await connectTo(answerWith(status, body));
    expect(shown(await rejectionOf(platform.tools.get('t1')))).not.toContain(CANARY);
  });

  test('an argument', async () => {
    const { platform } = await connectTo(answerWith(200));
    const error = await rejectionOf(platform.variables.create('a1', { ...marked, key: 5 } as never));
    expect(shown(error)).not.toContain(CANARY);
  });
});

test.each(['off', 'error', 'warn', 'info', 'debug'] as LogLevel[])(
  'no log line shows a secret at the level %s',
  async (logLevel) => {
    const lines: string[] = [];
    const write = (...line: unknown[]) => void lines.push(line.map(String).join(' '));
    const logger = { error: write, warn: write, info: write, debug: write };
    const echoed: Answer = (request, response) => {
      response.writeHead(200, {
        'x-token': CANARY,
        'set-cookie': CANARY,
        'x-echo': String(request.headers.authorization),
      });
      response.end(JSON.stringify(success({ ...marked, id: 't1', grown: CANARY, channels: null })));
    };
    const { platform } = await connectTo(echoed, {
      token: CANARY,
      logger,
      logLevel,
      headers: { cookie: CANARY },
    });
    await platform.tools.get('t1');
    await platform.variables.create('a1', { key: 'k', isEnv: true, value: CANARY, defaultValue: [CANARY] });
    const failing = await connectTo(echo, { token: CANARY, logger, logLevel, maxRetries: 1 });
    await rejectionOf(failing.platform.tools.get('t1'));
    expect(lines.join('\n')).not.toContain(CANARY);
    if (logLevel === 'debug') expect(lines.join('\n')).toContain('[redacted]');
  },
);

test('no hook sees the token', async () => {
  const seen: unknown[] = [];
  const note = (context: object) => void seen.push(context);
  const { platform } = await connectTo(echo, {
    token: CANARY,
    maxRetries: 1,
    hooks: { onRequest: note, onResponse: note, onRetry: note, onDrift: note },
  });
  await rejectionOf(platform.tools.get('t1'));
  expect(seen.length).toBeGreaterThan(4);
  const headers = seen.map((context) => [...((context as { headers?: Headers }).headers ?? [])]);
  expect(shown(seen) + shown(headers)).not.toContain(CANARY);
});

test('what the caller gets is never masked', async () => {
  const { platform } = await connectTo(answerWith(200, success({ ...marked, id: 't1' })));
  expect(await platform.tools.get('t1')).toEqual({ ...marked, id: 't1' });
});

test('an error can be printed whole, and says what it is', async () => {
  const { platform } = await connectTo(answerWith(404, { message: 'No such tool', code: 'not_found' }));
  const error = (await rejectionOf(platform.tools.get('t1'))) as AgentPlatformError;
  expect(inspect(error)).toMatch(
    /^NotFoundError: GET \/tools\/t1 answered 404: No such tool \(code: not_found\)/,
  );
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({
    name: 'NotFoundError',
    type: 'not_found_error',
    message: error.message,
    status: 404,
    code: 'not_found',
  });
});

describe('redact', () => {
  test('masks marked fields at any depth and leaves the rest', () => {
    const value = { a: [{ ...marked, name: 'kept' }], date: new Date(0) };
    const masked = redact(value) as { a: Record<string, unknown>[]; date: Date };
    expect(JSON.stringify(masked)).not.toContain(CANARY);
    expect(masked.a[0]).toMatchObject({
      name: 'kept',
      magicCode: '[redacted]',
      value: '[redacted]',
      isEnv: true,
    });
    expect(masked.date).toEqual(new Date(0));
    expect(value.a[0]?.magicCode).toBe(CANARY);
  });

  test('masks value and defaultValue only where isEnv holds', () => {
    expect(redact({ isEnv: false, value: 'a', defaultValue: 'b' })).toEqual({
      isEnv: false,
      value: 'a',
      defaultValue: 'b',
    });
    expect(redact({ isEnv: true, value: null })).toEqual({ isEnv: true, value: '[redacted]' });
  });

  test.each([['text'], [5], [null], [undefined], [true]])('passes %s on', (value) => {
    expect(redact(value)).toBe(value);
  });

  test('survives cycles, depth and hostile names', () => {
    const cycle: Record<string, unknown> = { magicCode: CANARY };
    cycle.self = cycle;
    expect(redact(cycle)).toEqual({ magicCode: '[redacted]', self: '[…]' });
    let deep: unknown = { magicCode: CANARY };
    for (let level = 0; level < 5_000; level += 1) deep = [deep];
    expect(inspect(redact(deep), { depth: 6_000 })).not.toContain(CANARY);
    const hostile = redact(JSON.parse('{"__proto__":{"polluted":1}}')) as object;
    expect(Object.getPrototypeOf(hostile)).toBe(Object.prototype);
    expect(Object.keys(hostile)).toEqual(['__proto__']);
  });
});

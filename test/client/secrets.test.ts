import { inspect } from 'node:util';
import {
  AgentPlatform,
  type AgentPlatformError,
  type AgentPlatformOptions,
  type Drift,
  endpoint,
  type LogLevel,
  redact,
  type StandardSchemaV1,
} from 'agent-platform-sdk';
import { HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { rejectionOf, success } from '../support/client.js';
import { type Answer, answerInTurn, answerWith, BASE_URL, connectTo } from '../support/msw.js';
import { RecordingLogger } from '../support/recording-logger.js';

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
    forms.push(
      value.stack ?? '',
      inspect(value.cause, { depth: 20, showHidden: true }),
      JSON.stringify(value.cause),
    );
  return forms.join('\n');
}

const echo: Answer = ({ request }) => {
  const authorization = String(request.headers.get('authorization'));
  return HttpResponse.json(
    { message: `bad ${authorization}`, code: CANARY, issues: [{ message: CANARY }], [CANARY]: 1 },
    { status: 500, headers: { 'x-echo': authorization, 'set-cookie': `session=${CANARY}` } },
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
    const { platform } = connectTo(answer, { token: CANARY });
    const error = shown(await rejectionOf(platform.tools.get('t1')));
    expect(error).not.toContain(CANARY);
    expect(error).not.toContain(CANARY.slice(0, 12));
  });

  const thrown: [string, (request: RequestInit) => unknown][] = [
    ['the message', (request) => new Error(`proxy refused ${JSON.stringify(request)}`)],
    ['a text', (request) => `proxy refused ${JSON.stringify(request)}`],
    ['a field, as of axios', (request) => Object.assign(new Error('refused'), { config: request })],
    ['a cause', (request) => new Error('refused', { cause: new Error(JSON.stringify(request)) })],
    ['a cause of a cause', (request) => new Error('a', { cause: { cause: { request } } })],
    ['one of several errors', (request) => new AggregateError([new Error(JSON.stringify(request))])],
    ['a value that is no error', (request) => ({ request })],
    ['headers', (request) => Object.assign(new Error('refused'), { sent: new Headers(request.headers) })],
    [
      'a request',
      (request) => Object.assign(new Error('refused'), { sent: new Request('http://x', request) }),
    ],
    ['a map', (request) => Object.assign(new Error('refused'), { sent: new Map([['request', request]]) })],
    [
      'a field named by a symbol',
      (request) => Object.assign(new Error('refused'), { [Symbol('s')]: request }),
    ],
    [
      'the description of a symbol',
      (request) => Object.assign(new Error('refused'), { s: Symbol(JSON.stringify(request)) }),
    ],
    [
      'a field of a function',
      (request) => Object.assign(new Error('refused'), { f: Object.assign(() => 1, { request }) }),
    ],
    ['a toJSON', (request) => Object.assign(new Error('refused'), { toJSON: () => request })],
    [
      'a toJSON of its class',
      (request) =>
        new (class extends Error {
          toJSON = () => request;
        })('refused'),
    ],
    [
      'a toString',
      (request) => Object.assign(new Error('refused'), { toString: () => JSON.stringify(request) }),
    ],
    [
      'a printing of its own',
      (request) => Object.assign(new Error('refused'), { [inspect.custom]: () => request }),
    ],
  ];
  test.each(thrown)('in what a custom fetch throws: %s', async (_, thrownFor) => {
    const { platform } = connectTo(answerWith(200), {
      token: CANARY,
      fetch: (__, { signal, ...request }) => Promise.reject(thrownFor(request)),
    });
    const error = await rejectionOf(platform.tools.get('t1'));
    expect(error).toMatchObject({ type: 'connection_error' });
    expect(shown(error)).not.toContain(CANARY);
    expect(String((error as Error).cause)).not.toContain(CANARY);
  });

  test('nor a header of any length', async () => {
    const long = CANARY.repeat(10_000);
    const { platform } = connectTo(answerWith(200), {
      headers: { 'x-api-key': long },
      fetch: () => Promise.reject(new Error(`refused ${long} and ${btoa(long)}`)),
    });
    const error = await rejectionOf(platform.tools.get('t1'));
    expect(error).toMatchObject({ type: 'connection_error' });
    expect(shown(error)).not.toContain(CANARY);
    expect(shown(error)).not.toContain(btoa(CANARY).slice(0, 24));
  });

  test('a cause whose parts refer to each other is looked through once', async () => {
    let looks = 0;
    const parts: object[] = Array.from({ length: 12 }, () => ({}));
    const all = new Proxy(parts, {
      get: (target, key) => {
        looks += 1;
        return Reflect.get(target, key);
      },
    });
    for (const part of parts) Object.assign(part, { all });
    const { platform } = connectTo(answerWith(200), {
      token: CANARY,
      fetch: () => Promise.reject(Object.assign(new Error('refused'), { parts: all })),
    });
    expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({ cause: { parts } });
    expect(looks).toBeLessThan(100);
  });

  test('the copy that stands in for a cause still says what happened', async () => {
    const cause = Object.assign(new TypeError(`to ${CANARY}: lost`), { code: 'E_LOST' });
    const { platform } = connectTo(answerWith(200), {
      token: CANARY,
      fetch: () => Promise.reject(new Error('fetch failed', { cause })),
    });
    const error = (await rejectionOf(platform.tools.get('t1'))) as Error;
    expect(error.message).toContain('fetch failed (E_LOST)');
    expect(error.cause).toMatchObject({ message: 'fetch failed', cause: { code: 'E_LOST' } });
    expect((error.cause as Error).cause).toMatchObject({ message: 'to [redacted]: lost' });
  });

  test('in an encoding', async () => {
    const token = 'abc"def\\/ghi+jkl=canary';
    const inJson = JSON.stringify(token).slice(1, -1);
    const inAddress = encodeURIComponent(token);
    const encoded = [inJson, inAddress, inAddress.replace(/%../g, (code) => code.toLowerCase())];
    for (const echoed of encoded) {
      for (const status of [200, 500]) {
        const { platform } = connectTo(answerWith(status, `<p>${echoed}</p>`), { token });
        const error = shown(await rejectionOf(platform.tools.get('t1')));
        expect(error).toContain('[redacted]');
        expect(error).not.toContain(echoed);
      }
    }
    const { platform } = connectTo(answerWith(200, success({ id: 5, name: token })), { token });
    expect(shown(await rejectionOf(platform.tools.get('t1')))).not.toContain(inJson);
  });

  test.each(['', 'a', 'ab', 'user:'])('in Base64, behind %j', async (before) => {
    const token = '~~?>>canary>>??~~~of-a-test~~~';
    const encoded = btoa(`${before}${token}:after`);
    for (const echoed of [encoded, encoded.replaceAll('+', '-').replaceAll('/', '_')]) {
      const { platform } = connectTo(answerWith(500, `<p>${echoed}</p>`), { token });
      const error = shown(await rejectionOf(platform.tools.get('t1')));
      expect(error).toContain('[redacted]');
      expect(error).not.toContain(echoed.slice(10, 34));
    }
  });

  test('in the place of an id', async () => {
    const { platform } = connectTo(answerInTurn(answerWith(404), answerWith(200)), { token: CANARY });
    expect(shown(await rejectionOf(platform.tools.get(CANARY)))).not.toContain(CANARY);
    expect(shown(await rejectionOf(platform.tools.get(CANARY)))).not.toContain(CANARY);
    const signal = AbortSignal.abort();
    expect(shown(await rejectionOf(platform.tools.get(CANARY, { signal })))).not.toContain(CANARY);
  });

  test('in the name of a field', async () => {
    const body = { success: true, message: 'ok', clients: [{ ID: 'c1', name: 5, [CANARY]: 1 }], teams: [] };
    const { platform } = connectTo(answerWith(200, body), { token: CANARY, validation: 'strict' });
    expect(shown(await rejectionOf(platform.orgs.listMembersAndTeams('o1')))).not.toContain(CANARY);
  });

  test.each<[string, AgentPlatformOptions]>([
    ['a hook', { hooks: { onRequest: ({ headers }) => headers.set('x-vault-token', CANARY) } }],
    ['the caller', { headers: { 'x-vault-token': CANARY } }],
  ])('in a header by %s that carries a credential', async (_, options) => {
    const { platform } = connectTo(
      ({ request }) => new HttpResponse(`no ${request.headers.get('x-vault-token')}`, { status: 500 }),
      options,
    );
    const error = shown(await rejectionOf(platform.tools.get('t1')));
    expect(error).toContain('no [redacted]');
    expect(error).not.toContain(CANARY);
  });

  test('a header that carries a credential, or a part of it', async () => {
    const headers = {
      'proxy-authorization': `Basic ${CANARY}`,
      cookie: 'session=another-key-of-it; theme=dark',
      'x-api-keys': 'first-key-of-it,second-key-of-it',
      'x-session': 'a=12 b=34',
    };
    const { platform } = connectTo(
      answerWith(500, `${CANARY} another-key-of-it second-key-of-it, Basic theme a=12 b=34`),
      { headers },
    );
    expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({
      rawBody: '[redacted] [redacted] [redacted], Basic theme [redacted]',
    });
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
    ['JSON in a form', 500, `body=${encodeURIComponent(JSON.stringify(marked))}`],
    ['JSON in JSON in a form', 500, `body=${encodeURIComponent(JSON.stringify(JSON.stringify(marked)))}`],
    [
      'JSON in a form in lower case',
      500,
      encodeURIComponent(JSON.stringify(marked)).replace(/%../g, (code) => code.toLowerCase()),
    ],
    ['a log line', 500, `failed: serverUrlSecret: ${CANARY}, magicCode = "${CANARY}"`],
    ['a text with a number before a brace', 500, `x {"defaultValue": {"a": "${CANARY}"}`],
    ['XML', 500, `<magicCode>${CANARY}</magicCode>`],
    ['a dump of PHP', 500, `Array ( [magicCode] => ${CANARY} )`],
    ['a dump of Ruby', 500, `{"magicCode"=>"${CANARY}"}`],
    ['a variable whose isEnv is no boolean', 200, JSON.stringify({ data: { isEnv: 'true', value: CANARY } })],
    ['HTML with JSON', 500, `<html>{"listenUrl":"${CANARY}"}</html>`],
  ];
  test.each(bodies)('%s', async (_, status, body) => {
    const { platform } = connectTo(answerWith(status, body));
    expect(shown(await rejectionOf(platform.tools.get('t1')))).not.toContain(CANARY);
  });

  test('a query', async () => {
    const search = endpoint({ method: 'GET', path: '/x', query: z.looseObject({}), response: z.unknown() });
    const { platform } = connectTo(answerInTurn(answerWith(500), answerWith(200)));
    for (let call = 0; call < 2; call += 1) {
      const error = await rejectionOf(platform.send(search, { query: { magicCode: CANARY } }));
      expect(shown(error)).not.toContain(CANARY);
    }
  });

  test('an issue that a schema of another library words with the value', async () => {
    const issue = { message: `expected a number, received "${CANARY}"`, path: ['serverUrlSecret'] };
    const schema: StandardSchemaV1 = {
      '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [issue] }) },
    };
    const { platform } = connectTo(answerWith(200, {}));
    const read = endpoint({ method: 'GET', path: '/x', response: schema });
    expect(shown(await rejectionOf(platform.send(read)))).not.toContain(CANARY);
    const write = endpoint({ method: 'POST', path: '/x', body: schema, response: z.unknown() });
    expect(shown(await rejectionOf(platform.send(write, { body: {} })))).not.toContain(CANARY);
  });

  test('an issue that a schema of another library words with the token, which the service has echoed', async () => {
    const issue = { message: `expected a number, received "${CANARY}"`, path: ['count'] };
    const response: StandardSchemaV1 = {
      '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [issue] }) },
    };
    const drifts: Drift[] = [];
    const hooks = { onDrift: (drift: Drift) => drifts.push(drift) };
    const { platform } = connectTo(answerWith(200, {}), { token: CANARY, hooks });
    const read = endpoint({ method: 'GET', path: '/x', response });
    expect(shown(await rejectionOf(platform.send(read)))).not.toContain(CANARY);
    await platform.send(read, {}, { validation: 'report' });
    expect(drifts).toHaveLength(1);
    expect(shown(drifts)).not.toContain(CANARY);
  });

  test('what a schema of the user’s throws', async () => {
    const validate = (): never => {
      throw new Error(`no place for ${CANARY}`);
    };
    const response: StandardSchemaV1 = { '~standard': { version: 1, vendor: 'test', validate } };
    const { platform } = connectTo(answerWith(200, {}), { token: CANARY });
    const error = await rejectionOf(platform.send(endpoint({ method: 'GET', path: '/x', response })));
    expect(error).toMatchObject({ cause: { message: 'no place for [redacted]' } });
    expect(shown(error)).not.toContain(CANARY);
  });

  describe('what a schema of the user’s says of an answer that is searched for marked fields', () => {
    /** What is told of a marked field by a schema that quotes it, as an error and as drift, and by one that throws. */
    const toldOf = async (value: unknown) => {
      const quoting = z.unknown().refine(() => false, `no place for ${JSON.stringify(value)}`);
      const throwing = z.unknown().transform(() => {
        throw new Error(`no place for ${JSON.stringify(value)}`);
      });
      const drifts: Drift[] = [];
      const hooks = { onDrift: (drift: Drift) => void drifts.push(drift) };
      const { platform } = connectTo(answerWith(200, { isEnv: true, defaultValue: value }), { hooks });
      const read = (response: StandardSchemaV1) => endpoint({ method: 'GET', path: '/x', response });
      const quoted = await rejectionOf(platform.send(read(quoting)));
      const thrown = await rejectionOf(platform.send(read(throwing)));
      await platform.send(read(quoting), {}, { validation: 'report' });
      return { quoted, thrown, drift: drifts[0] };
    };

    test('is masked', async () => {
      const { quoted, thrown, drift } = await toldOf(CANARY);
      expect(quoted).toMatchObject({ issues: [{ message: 'no place for "[redacted]"' }] });
      expect(drift).toMatchObject({ issues: [{ message: 'no place for "[redacted]"' }] });
      expect(thrown).toMatchObject({ cause: { message: 'no place for "[redacted]"' } });
    });

    test.each([
      ['a longer text', `${CANARY}${'x'.repeat(62_500)}`],
      ['more parts', [...Array(1_000_000).fill(1), CANARY]],
    ])('is not told where there is more: %s', async (_, value) => {
      const { quoted, thrown, drift } = await toldOf(value);
      expect(quoted).toMatchObject({ issues: [{ path: [], message: 'invalid value' }] });
      expect(drift).toMatchObject({ issues: [{ path: [], message: 'invalid value' }] });
      expect(thrown).toMatchObject({ cause: expect.stringMatching(/^not told: /) });
      expect(shown([quoted, thrown, drift])).not.toContain(CANARY);
    });
  });

  test('an argument', async () => {
    const { platform } = connectTo(answerWith(200));
    const error = await rejectionOf(platform.variables.create('a1', { ...marked, key: 5 } as never));
    expect(shown(error)).not.toContain(CANARY);
  });
});

test.each(['off', 'error', 'warn', 'info', 'debug'] as LogLevel[])(
  'no log line shows a secret at the level %s',
  async (logLevel) => {
    const logger = new RecordingLogger();
    const echoed: Answer = ({ request }) => {
      const authorization = String(request.headers.get('authorization'));
      return HttpResponse.json(success({ ...marked, id: 't1', grown: CANARY, channels: null }), {
        headers: { 'x-token': CANARY, 'set-cookie': `session=${CANARY}`, 'x-echo': authorization },
      });
    };
    const { platform } = connectTo(echoed, { token: CANARY, logger, logLevel, headers: { cookie: CANARY } });
    await platform.tools.get('t1');
    await platform.tools.get(CANARY);
    await platform.variables.create('a1', { key: 'k', isEnv: true, value: CANARY, defaultValue: [CANARY] });
    const failing = connectTo(echo, { token: CANARY, logger, logLevel, maxRetries: 1 });
    await rejectionOf(failing.platform.tools.get('t1'));
    expect(logger.lines.join('\n')).not.toContain(CANARY);
    if (logLevel === 'debug') expect(logger.lines.join('\n')).toContain('[redacted]');
  },
);

test.each<[string, AgentPlatformOptions]>([
  ['token', { token: CANARY }],
  ['token of a function', { token: () => CANARY }],
  ['key in a header', { headers: { 'x-api-key': CANARY } }],
])('no hook sees a %s given for an id, or a marked field in a query', async (_, options) => {
  const search = endpoint({
    method: 'GET',
    path: '/x/{id}',
    query: z.looseObject({}),
    response: z.unknown(),
  });
  const told: unknown[] = [];
  // The headers are those that are sent, less the token.
  const tell = (context: object) => void told.push({ ...context, headers: undefined });
  const { platform, requests } = connectTo(answerInTurn(answerWith(503), answerWith(200, {})), {
    ...options,
    maxRetries: 1,
    hooks: { onRequest: tell, onResponse: tell, onRetry: tell },
  });
  await platform.send(search, { path: { id: CANARY }, query: { magicCode: CANARY, page: 2 } });
  expect(told).toHaveLength(5);
  for (const one of told) expect(one).toMatchObject({ path: '/x/[redacted]?magicCode=[redacted]&page=2' });
  expect(told[0]).toMatchObject({ url: `${BASE_URL}/v3/x/[redacted]?magicCode=[redacted]&page=2` });
  expect(shown(told)).not.toContain(CANARY);
  expect(requests[0]?.url).toContain(CANARY);
});

test('no hook sees the token', async () => {
  const seen: unknown[] = [];
  const note = (context: object) => void seen.push(context);
  const { platform } = connectTo(echo, {
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
  const { platform } = connectTo(answerWith(200, success({ ...marked, id: 't1' })));
  expect(await platform.tools.get('t1')).toEqual({ ...marked, id: 't1' });
});

test('an error can be printed whole, and says what it is', async () => {
  const { platform } = connectTo(answerWith(404, { message: 'No such tool', code: 'not_found' }));
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

  test.each([
    ['an error', new TypeError('lost'), 'TypeError: lost'],
    ['a URL', new URL('https://x.example/?magicCode=m1'), 'https://x.example/?magicCode=[redacted]'],
    ['a map', new Map([['magicCode', 'm1']]), '[object Map]'],
  ])('describes %s, which JSON cannot hold', (_, value, described) => {
    expect(redact({ value })).toEqual({ value: described });
  });

  test('leaves out what would print a record in its own way', () => {
    const toJSON = () => CANARY;
    const date = Object.assign(new Date(0), { toJSON });
    class List extends Array<unknown> {
      toJSON = toJSON;
    }
    const value = {
      toJSON,
      [inspect.custom]: toJSON,
      s: Symbol(CANARY),
      date,
      list: List.from<unknown>([1, toJSON]),
    };
    const copy = redact(value);
    expect(shown(copy)).not.toContain(CANARY);
    expect(copy).toStrictEqual({ date: new Date(0), list: [1, undefined] });
    expect(redact(toJSON)).toBeUndefined();
  });

  test('a few objects that know each other are soon copied', () => {
    const friends: { knows?: object[] }[] = Array.from({ length: 12 }, () => ({}));
    for (const friend of friends) friend.knows = friends;
    let looks = 0;
    const count = {
      get: (target: object, key: PropertyKey): unknown => {
        looks += 1;
        return Reflect.get(target, key);
      },
    };
    redact(friends.map((friend) => Object.assign(friend, { self: new Proxy(friend, count) })));
    expect(looks).toBeLessThan(1_000);
  });

  test('masks a record in the name of a field', () => {
    const form = { '{"usedSecret":"s3cret"}': '', [`magicCode=${CANARY}`]: 1 };
    expect(redact(form)).toEqual({ '{"usedSecret":"[redacted]"}': '', 'magicCode=[redacted]': 1 });
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

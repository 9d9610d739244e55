import { inspect } from 'node:util';
import { type AgentPlatform, type AgentPlatformOptions, redact } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { createClient, rejectionOf, requests, respond, response, success } from '../support/client.js';
import { RecordingLogger } from '../support/recording-logger.js';

// `every-error.test.ts` has what errors print, and `hooks.test.ts` what hooks get.

const TOKEN = 'token-1f9d2c-of-this-test';
const MARKED = {
  dashboardPassword: 'marked-01',
  magicCode: 'marked-02',
  usedSecret: 'marked-03',
  FB_PUSH_TOKEN: 'marked-04',
  serverUrlSecret: 'marked-05',
  workspaceSecret: 'marked-06',
  sessionKey: 'marked-07',
  listenUrl: 'marked-08',
  variable: { isEnv: true, value: 'marked-09', defaultValue: 'marked-10' },
};
const SECRET = new RegExp(`${TOKEN}|marked-\\d\\d`);

const echo = { message: `no access with Bearer ${TOKEN}`, code: `c-${TOKEN}`, ...MARKED };
// Not the token, which is masked wherever it is.
const headers = { 'set-cookie': 'session=marked-11' };

/** A client that logs everything. */
function logged(options: AgentPlatformOptions = {}) {
  const logger = new RecordingLogger();
  return { logger, platform: createClient({ token: TOKEN, logger, logLevel: 'debug', ...options }) };
}

// gaxios#604
test.each<[what: string, call: (platform: AgentPlatform) => Promise<unknown>]>([
  ['a query', ({ request }) => request('GET', '/leads', { query: { token: TOKEN, email: 'marked-20' } })],
  ['a query in the path', ({ request }) => request('GET', `/leads?a=marked-20=b&${TOKEN}&c=${TOKEN}`)],
  ['an id', ({ tools }) => tools.get(TOKEN)],
  ['a path', ({ request }) => request('GET', `/leads/${encodeURIComponent(TOKEN)}/x`)],
  ['a path that is refused', ({ request }) => request('GET', `/leads/../${TOKEN}?a=marked-20`)],
  ['a wrong option', ({ request }) => request('GET', `/${TOKEN}?a=marked-20`, { params: 1 } as object)],
  ['a wrong body', ({ request }) => request('POST', `/${TOKEN}?a=marked-20`, { body: new Map() })],
])('the token and the values of a query are printed nowhere: in %s', async (_, call) => {
  const contexts: object[] = [];
  const record = (context: object) => void contexts.push({ ...context, url: undefined });
  const { logger, platform } = logged({ hooks: { onRequest: record, onResponse: record, onEnd: record } });
  respond(() => response(500, { message: `Cannot GET ${requests[0]?.path}` }));
  const error = (await rejectionOf(call(platform))) as Error;
  const printed = [error.message, error.stack, inspect(error, { depth: 9 }), JSON.stringify(error)];
  for (const text of [...printed, ...logger.lines, inspect(contexts, { depth: 9 })]) {
    expect(text).not.toMatch(SECRET);
  }
});

test.each([
  ['in lower case', '%2f', '/leads/'],
  ['in part', '/', '/leads/'],
  ['twice', '%252F', '/leads/'],
  ['as the name of a parameter', '%2F', '/leads?'],
])('a token that is encoded %s is masked in a path', async (_, slash, start) => {
  respond(response(500, 'no'));
  const path = `${start}se%22cret${slash}%7eof-${slash}this`;
  const token = 'se"cret/~of-/this';
  const error = await rejectionOf(createClient({ token }).request('GET', path));
  expect(error).toMatchObject({ path: `${start}[redacted]` });
});

test('the query of a call can be read from its error', async () => {
  respond(response(500, 'no'));
  const error = await rejectionOf(createClient().request('GET', '/leads?a=1', { query: { b: 'x y' } }));
  expect(error).toMatchObject({ path: '/leads?a=…&b=…', query: 'a=1&b=x+y' });
  expect(Object.keys(error as object)).not.toContain('query');
});

test('no log line contains the token or a marked field', async () => {
  respond(
    response(503, echo, { ...headers, 'retry-after': '0' }),
    response(200, { ...success({ id: 't1', name: null, ...MARKED }), message: TOKEN }, headers),
    response(200, `${TOKEN} ${JSON.stringify(MARKED)}`),
  );
  const { logger, platform } = logged({ maxRetries: 1 });
  await platform.tools.get('t1');
  await rejectionOf(platform.tools.get('t1'));
  await rejectionOf(platform.variables.create('a1', { key: 'k', isEnv: true, value: 'marked-12' }));
  expect(requests).toHaveLength(4);
  expect(logger.lines.length).toBeGreaterThan(12);
  for (const line of logger.lines) expect(line).not.toMatch(SECRET);
});

test('a token that the limit of a logged body cuts through is masked as a whole', async () => {
  const { logger, platform } = logged();
  const bodyWith = (fill: number) => success({ id: 't1', name: `${'x'.repeat(fill)}${TOKEN}` });
  // The last ten characters before the limit are the first of the token.
  const fill = 16_384 - JSON.stringify(bodyWith(0)).indexOf(TOKEN) - '[redacted]'.length;
  respond(response(200, bodyWith(fill)));
  await platform.tools.get('t1');
  expect(logger.lines.at(-1)?.slice(-11)).toBe('x[redacted]');
});

test('what the service sent can be read from the error, unaltered', async () => {
  const body = { ...echo, issues: [{ message: `not ${TOKEN}`, ...MARKED }] };
  respond(response(404, body, headers));
  const error = (await rejectionOf(createClient({ token: TOKEN }).tools.get('t1'))) as Error;
  expect(error).toMatchObject({
    body,
    rawBody: JSON.stringify(body),
    issues: [{ message: 'not [redacted]' }],
  });
  expect((error as Error & { headers: Headers }).headers.get('set-cookie')).toBe(headers['set-cookie']);
  expect(error.message).toContain('no access with Bearer [redacted] (code: c-[redacted])');
});

test('a token of fewer than eight characters works, and is not masked in words of the service', async () => {
  respond(response(404, { message: 'Not a tool-1234' }));
  const says = async (token: string) => rejectionOf(createClient({ token }).tools.get('t1'));
  expect(await says('ol-1234')).toMatchObject({
    message: expect.stringContaining('Not a tool-1234') as string,
  });
  expect(requests[0]?.headers.get('authorization')).toBe('Bearer ol-1234');
  expect(await says('ool-1234')).toMatchObject({
    message: expect.stringContaining('Not a t[redacted]') as string,
  });
});

test('the cause of an error is what was thrown, as thrown', async () => {
  class MyError extends Error {
    readonly at = new Date(0);
    readonly headers = new Headers({ a: 'b' });
  }
  const cause = new MyError('mine');
  const reject = () => Promise.reject(cause);
  for (const options of [{ fetch: reject }, { token: reject }, { hooks: { onRequest: reject } }]) {
    expect(((await rejectionOf(createClient(options).tools.get('t1'))) as Error).cause).toBe(cause);
  }
  const aborted = createClient().tools.get('t1', { signal: AbortSignal.abort(cause) });
  expect(((await rejectionOf(aborted)) as Error).cause).toBe(cause);
});

test('redact masks marked fields, values of variables with isEnv, and credential headers, at any depth', () => {
  const text = JSON.stringify(
    redact({ list: [MARKED, { Authorization: TOKEN, 'Set-Cookie': TOKEN, name: 'n' }] }),
  );
  expect(text).not.toMatch(SECRET);
  expect(text).toContain('"name":"n"');
  expect(redact({ isEnv: false, value: 'plain' })).toEqual({ isEnv: false, value: 'plain' });
  expect(redact({ isEnv: 'true', value: 'marked-09' })).toEqual({ isEnv: 'true', value: '[redacted]' });
});

test('redact changes nothing else: texts, dates, lists, fields that are absent, `__proto__`', () => {
  const record = JSON.parse('{"__proto__":{"a":1},"text":"magicCode: x","list":[1,null,true]}') as object;
  expect(JSON.stringify(redact(record))).toBe(JSON.stringify(record));
  expect(redact({ magicCode: undefined })).toEqual({ magicCode: undefined });
  expect(redact(new Date(0))).toBe('1970-01-01T00:00:00.000Z');
  for (const value of ['text', 5, null, undefined]) expect(redact(value)).toBe(value);
});

test('redact cuts an object within itself and what is nested too deeply, and leaves its argument alone', () => {
  const record: Record<string, unknown> = { magicCode: 'marked-02' };
  record.self = record;
  expect(redact(record)).toEqual({ magicCode: '[redacted]', self: '[circular]' });
  expect(record.magicCode).toBe('marked-02');
  const deep: unknown = JSON.parse(`${'{"in":'.repeat(50_000)}1${'}'.repeat(50_000)}`);
  const shown = JSON.stringify(redact(deep));
  expect(shown).toContain('[nested too deeply]');
  expect(shown.length).toBeLessThan(1_000);
});

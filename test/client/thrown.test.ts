import { inspect } from 'node:util';
import { type ConnectionError, endpoint } from 'agent-platform-sdk';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { connect, rejectionOf } from '../support/client.js';

const CANARY = 'canary-1f9d2c-of-this-test';
const post = endpoint({ method: 'POST', path: '/x', body: z.unknown(), response: z.unknown() });

/** The error of a call whose own `fetch` throws. */
async function failureFor(thrown: unknown): Promise<ConnectionError> {
  const platform = connect('http://127.0.0.1', { fetch: () => Promise.reject(thrown) });
  // Whatever is thrown after sending becomes a ConnectionError.
  return (await rejectionOf(platform.send(post, { body: {} }))) as ConnectionError;
}

const withParts = (parts: object): Error => Object.assign(new Error('refused'), parts);

describe('a marked field in what a custom fetch throws is not shown', () => {
  const variable = { key: 'k', isEnv: true, value: CANARY };
  const body = JSON.stringify({ variable });
  test.each<[string, unknown]>([
    ['in the message', new Error(`request failed: ${body}`)],
    ['in a text', `request failed: ${body}`],
    ['in a message that was cut', new Error(`request failed: ${body.slice(0, -5)}`)],
    ['in a field, as of axios', withParts({ config: { data: body } })],
    ['in a field that was parsed', withParts({ config: { data: { variable } } })],
    ['under its name', withParts({ usedSecret: CANARY })],
    ['in the name of a field', withParts({ [`usedSecret=${CANARY}`]: 1 })],
    ['in a cause', new Error('refused', { cause: new Error(`request failed: ${body}`) })],
    [
      'behind a thousand objects',
      withParts({ parts: Array.from({ length: 1_001 }, (_, at) => (at === 1_000 ? variable : { at })) }),
    ],
    ['in a code', withParts({ code: `usedSecret=${CANARY}` })],
    ['in an error without a message', new AggregateError([new Error(body)])],
  ])('%s', async (_, thrown) => {
    const error = await failureFor(thrown);
    expect(error).toMatchObject({ type: 'connection_error', outcomeUnknown: true });
    const printed = inspect(error, { depth: 20, showHidden: true, maxArrayLength: null });
    expect(printed + JSON.stringify(error)).not.toContain(CANARY);
  });
});

test('what is masked in an error still says what happened', async () => {
  const error = await failureFor(withParts({ message: 'lost usedSecret=s', code: 'E_LOST' }));
  expect(error.message).toContain('failed without an answer: lost usedSecret=[redacted] (E_LOST)');
  expect(error.cause).toMatchObject({ message: 'lost usedSecret=[redacted]', code: 'E_LOST' });
  const itself = withParts({ message: 'lost usedSecret=s' });
  itself.cause = itself;
  expect((await failureFor(itself)).message).toContain('lost usedSecret=[redacted]');
});

const LOOK = '\n  Check `baseUrls.eu` and the network.';

test.each<[string, unknown, said: string, look: string]>([
  [
    'with a cause',
    new TypeError('fetch failed', { cause: new Error('bad port') }),
    'fetch failed (bad port)',
    '',
  ],
  ['of several', new AggregateError([new Error('no route'), new Error('no host')], ''), '(no route)', ''],
  [
    'with a cause that says nothing',
    new TypeError('no proxy', { cause: new Error('') }),
    'no proxy (attempt 1)',
    '',
  ],
  ['that explains itself', new Error('the proxy is away'), 'the proxy is away', ''],
  ['of Node, without a cause', new TypeError('fetch failed'), 'fetch failed', LOOK],
  ['of Chromium', new TypeError('Failed to fetch'), 'Failed to fetch', LOOK],
  ['of Firefox', new TypeError('NetworkError when attempting to fetch resource.'), 'NetworkError', LOOK],
  ['of Safari', new TypeError('Load failed'), 'Load failed', LOOK],
  ['that says nothing', new Error(''), '', LOOK],
])('an error without a code, %s, says the cause or where to look', async (_, thrown, said, look) => {
  vi.stubGlobal('fetch', () => Promise.reject(thrown));
  onTestFinished(() => void vi.unstubAllGlobals());
  const builtIn = (await rejectionOf(connect('http://127.0.0.1').send(post, { body: {} }))) as Error;
  const own = await failureFor(thrown);
  for (const { message } of [builtIn, own]) expect(message).toContain(said);
  expect(builtIn.message.includes(`${LOOK} In a browser, see CORS too.`)).toBe(look !== '');
  expect(own.message.includes(`${LOOK} See the option \`fetch\` too.`)).toBe(look !== '');
});

test('the code of a failure is looked for in six errors, one the cause of the other', async () => {
  const nested = (depth: number): Error =>
    depth === 1 ? withParts({ code: 'E_DEEP' }) : withParts({ cause: nested(depth - 1) });
  expect((await failureFor(nested(6))).message).toContain('refused (E_DEEP)');
  expect((await failureFor(nested(7))).message).not.toContain('E_DEEP');
});

test('an answer that breaks off is no reason to look at the address', async () => {
  const broken = () => new ReadableStream({ pull: (body) => body.error(new TypeError('fetch failed')) });
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(broken())));
  onTestFinished(() => void vi.unstubAllGlobals());
  const error = (await rejectionOf(connect('http://127.0.0.1').tools.get('t1'))) as Error;
  expect(error.message).toBe('GET /tools/t1 failed without an answer: fetch failed (attempt 1)');
});

test('a port that the runtime blocks is named as the cause', async () => {
  const error = (await rejectionOf(connect('http://127.0.0.1:6667').tools.get('t1'))) as Error;
  expect(error.message).toContain('fetch failed (bad port)');
});

test.each<[string, unknown]>([
  ['plain', new TypeError('fetch failed')],
  ['of the platform', new DOMException('lost', 'NetworkError')],
  ['with the value of no variable', withParts({ value: 5, isEnv: false })],
  ['with a list and a function', withParts({ parts: [{ at: 1 }], retry: () => 1 })],
  ['with a thousand objects', withParts({ parts: Array.from({ length: 998 }, () => ({})) })],
  ['with JSON that holds nothing marked', withParts({ body: '{ "a": 1 }' })],
])('an error %s is passed on as it is', async (_, thrown) => {
  expect((await failureFor(thrown)).cause).toBe(thrown);
});

test('an error with one object more than a thousand is copied, without them', async () => {
  const thrown = withParts({ parts: Array.from({ length: 999 }, () => ({})) });
  const { cause } = await failureFor(thrown);
  expect(cause).not.toBe(thrown);
  expect(cause).toMatchObject({ message: 'refused' });
  expect(cause).not.toHaveProperty('parts');
});

test('where the runtime cannot even make a request, the error is typed, and nothing is sent', async () => {
  vi.stubGlobal(
    'Request',
    class {
      constructor() {
        throw new TypeError('not in this runtime');
      }
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const fetch = vi.fn();
  const error = await rejectionOf(connect('http://127.0.0.1', { fetch }).workspaces.delete('w1'));
  expect(error).toMatchObject({ name: 'ConnectionError', outcomeUnknown: false });
  expect((error as Error).message).toContain('not in this runtime');
  expect(fetch).not.toHaveBeenCalled();
});

test('a fetch of the user’s is called as a function, with headers of its own', async () => {
  // No wait before the second attempt, which tells of the first one's headers.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
  const seen: unknown[] = [];
  const keys = [CANARY, 'another-key-of-this-test'];
  const platform = connect('http://127.0.0.1', {
    maxRetries: 1,
    hooks: { onRequest: ({ headers }) => headers.set('x-api-key', keys.shift() ?? '') },
    fetch: function (this: unknown, url: string, init: RequestInit) {
      seen.push(this, url, init);
      // What it does to them hides nothing from the masking.
      delete (init.headers as Record<string, string>)['x-api-key'];
      return Promise.reject(new Error(`failed with ${CANARY}`));
    },
  });
  const error = await rejectionOf(platform.tools.get('t1'));
  expect(seen.slice(0, 3)).toEqual([
    undefined,
    'http://127.0.0.1/v3/tools/t1',
    { method: 'GET', headers: expect.any(Object), redirect: 'manual', signal: expect.any(AbortSignal) },
  ]);
  expect(keys).toEqual([]);
  expect(inspect(error)).not.toContain(CANARY);
});

test.each([200, 400])('a fetch whose %i has a body that is no text ends in a typed error', async (status) => {
  const response = { ok: status === 200, status, headers: new Headers(), text: async () => 5 };
  const fetch = async () => response as unknown as Response;
  const error = await rejectionOf(connect('http://127.0.0.1', { fetch }).workspaces.delete('w1'));
  expect(error).toMatchObject({ status, outcomeUnknown: status === 200 });
});

test.each([null, undefined, {}, 'GET /tools', { method: 'GET', path: '/tools' }])(
  'sending %j, which is no endpoint, is refused',
  async (given) => {
    const send = () => connect('http://127.0.0.1').send(given as never, {} as never);
    await expect(async () => send()).rejects.toMatchObject({
      type: 'configuration_error',
      option: 'endpoint',
    });
  },
);

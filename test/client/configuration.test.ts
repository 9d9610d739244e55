import { runInNewContext } from 'node:vm';
import {
  AgentPlatform,
  type AgentPlatformOptions,
  ConfigurationError,
  type FetchFunction,
} from 'agent-platform-sdk';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { baseUrls, createClient, rejectionOf, requests, seed, success, TOKEN } from '../support/client.js';

/** Sets the variables of the client to these, and no others. */
function setEnvironment(environment: Record<string, string> = {}): void {
  for (const name of ['REGION', 'TOKEN', 'BASE_URL_EU', 'BASE_URL_NA', 'LOG', 'ALLOW_INSECURE_BASE_URL']) {
    vi.stubEnv(`AGENT_PLATFORM_${name}`, environment[name]);
  }
}

beforeEach(() => setEnvironment());
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

/** Also what the types forbid. */
const construct = (options: object) => new AgentPlatform(options as AgentPlatformOptions);

function refusal(options: object | null): ConfigurationError {
  try {
    construct(options as object);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('expected a ConfigurationError');
}

const complete = { region: 'eu', token: TOKEN, baseUrls };

test('a client without any setting names region, token and base address at once', () => {
  const { message, option } = refusal({});
  expect(message.split('\n')).toEqual([
    'AgentPlatform: 3 options are missing or wrong',
    '  - region is missing. Set the option `region` or AGENT_PLATFORM_REGION.',
    '  - token is missing. Set the option `token` or AGENT_PLATFORM_TOKEN.',
    expect.stringMatching(
      /^ {2}- baseUrls is missing.*AGENT_PLATFORM_BASE_URL_EU or AGENT_PLATFORM_BASE_URL_NA\.$/,
    ),
  ]);
  expect(option).toBe('region');
  expect(refusal(null).option).toBe('options');
  expect(refusal(Promise.resolve(complete)).message).toContain(
    'options must be an object, got a promise (is',
  );
});

const eu = (address: unknown, more: object = {}) => ({ baseUrls: { eu: address }, ...more });
const NOT_HTTP = 'a name or a value that HTTP does not allow: x';

/** Wrong options, the option that the error names, and what it says if `check-options.ts` does not check it. */
test.each<[options: object, option: string, says?: string]>([
  [{ baseUrls: {} }, 'baseUrls.eu', 'is missing, and has no default. Set the option `baseUrls.eu` or AGENT'],
  [{ baseUrls: { na: 'https://x' } }, 'baseUrls.eu'],
  [{ region: 'mars' }, 'region'],
  [{ token: ' ' }, 'token', 'is blank'],
  [{ token: 5 }, 'token', 'must be a string or a function, got 5'],
  [{ retries: 1 }, 'retries'],
  [{ baseUrls: { us: 'https://x' } }, 'baseUrls.us'],
  [{ baseUrls: 'https://x' }, 'baseUrls'],
  [eu(' '), 'baseUrls.eu', 'is not a URL'],
  [eu('eu'), 'baseUrls.eu', 'is not a URL such as https:'],
  [eu('localhost:4010'), 'baseUrls.eu', 'is not a URL such as https:'],
  [eu(new URL('https://x')), 'baseUrls.eu', 'must be a string'],
  [eu('https://x/v2/'), 'baseUrls.eu', 'must end in /v3 or have no version, got /v2'],
  [eu('http://x.test/hunter2'), 'baseUrls.eu', 'must start with https:, got http://x.test. To use http:'],
  [eu('http://x', { allowInsecureBaseUrl: 'false' }), 'allowInsecureBaseUrl'],
  [eu('ftp://127.0.0.1', { allowInsecureBaseUrl: true }), 'baseUrls.eu', 'is not a URL such as https:'],
  [eu('https://u:hunter2@x.example'), 'baseUrls.eu', 'contains a user name'],
  [eu('https://x.example?a=hunter2'), 'baseUrls.eu', 'contains a user name, a password, a query'],
  [{ timeout: 0 }, 'timeout'],
  [{ totalTimeout: 0 }, 'totalTimeout'],
  [{ maxRetries: -1 }, 'maxRetries'],
  [{ validation: 'tolerent' }, 'validation'],
  [{ logLevel: 'trace' }, 'logLevel'],
  [{ fetch: {} }, 'fetch'],
  [{ maxResponseBytes: 0 }, 'maxResponseBytes'],
  [{ hooks: { onSend() {} } }, 'hooks.onSend'],
  [{ hooks: { onEnd: 1 } }, 'hooks.onEnd'],
  [{ logger: { error() {} } }, 'logger'],
  [{ headers: { Authorization: 'hunter2' } }, 'headers', 'contain authorization, which the client or'],
  [{ headers: [['Content-Type', 'x']] }, 'headers', 'contain content-type'],
  [{ headers: { Expect: '100-continue' } }, 'headers', 'contain expect'],
  [{ headers: new Headers({ x: 'hunter2' }).entries() }, 'headers', 'not an iterator'],
  [{ headers: { 'x y': 'hunter2' } }, 'headers', NOT_HTTP],
  [{ headers: { x: 'hunter2\nb' } }, 'headers', NOT_HTTP],
  [{ headers: { x: undefined } }, 'headers', 'must have strings as values, but x has nothing'],
  [{ headers: Promise.resolve({}) }, 'headers', 'or a Headers, got a promise (is `await` missing?)'],
  [{ headers: ['x', 'y'] }, 'headers', 'must be an object, a list of pairs or a Headers'],
  [{ fetch, fetchOptions: { keepalive: true } }, 'fetchOptions', 'cannot be combined with `fetch`'],
  [{ fetchOptions: { dispatcher: {} } }, 'fetchOptions.dispatcher'],
  ...['method', 'body', 'headers', 'redirect', 'signal'].map((name): [object, string, string] => [
    { fetchOptions: { [name]: 'x' } },
    `fetchOptions.${name}`,
    'cannot be set here: the client sets it',
  ]),
])('a client refuses %j', (options, option, says = option) => {
  const error = refusal({ ...complete, ...options });
  expect(error.option).toBe(option);
  expect(error.message).toContain(says);
  expect(error.message).not.toContain('hunter2');
  // A stack that starts here.
  expect(error.stack).toContain('configuration.test.ts');
});

test.each<[options: object, option: string, says?: string]>([
  [AbortSignal.abort(), 'options', 'options must be an object, got AbortSignal'],
  [{ timeout: -1 }, 'timeout'],
  [{ signal: 'now' }, 'signal', 'must be an AbortSignal, such as `controller.signal`, got string'],
  [{ retries: 3 }, 'retries'],
  [{ headers: { authorization: 'x' } }, 'headers'],
  [{ fetchOptions: { method: 'x' } }, 'fetchOptions.method'],
  [{ fetchOptions: { keepalive: true } }, 'fetchOptions', 'cannot be combined with `fetch`'],
])('a call refuses %j before anything is sent', async (options, option, says = option) => {
  const error = await rejectionOf(createClient({ fetch }).tools.get(seed.toolId, options));
  expect(error).toMatchObject({ type: 'configuration_error', option });
  expect((error as Error).message).toContain(says);
  expect(requests).toHaveLength(0);
});

test.each(Object.keys(complete).concat('timeout', 'hooks', 'headers', 'logger', 'logLevel', 'fetch'))(
  '%s that is null is refused, and not replaced by the environment',
  (option) => {
    setEnvironment({ REGION: 'eu', TOKEN, BASE_URL_EU: baseUrls.eu, LOG: 'off' });
    expect(refusal({ ...complete, [option]: null }).option).toBe(option);
    expect(() => createClient().withOptions({ [option]: null })).toThrow(ConfigurationError);
  },
);

test.each([
  ['https://eu.example.com', 'https://eu.example.com/v3'],
  ['https://eu.example.com/v3/', 'https://eu.example.com/v3'],
  ['https://eu.example.com//', 'https://eu.example.com/v3'],
  ['https://eu.example.com/proxy/api', 'https://eu.example.com/proxy/api/v3'],
  ['https://eu.example.com/proxyv2', 'https://eu.example.com/proxyv2/v3'],
  [' https://EU.example.com:8443/v3 ', 'https://eu.example.com:8443/v3'],
  ['http://localhost:4010', 'http://localhost:4010/v3'],
  ['http://127.1.2.3:4010/eu', 'http://127.1.2.3:4010/eu/v3'],
  ['http://[::1]:4010', 'http://[::1]:4010/v3'],
])('the base address %s becomes %s', (given, expected) => {
  expect(construct({ ...complete, ...eu(given) }).baseUrl).toBe(expected);
});

test.each(['127.0.0.1.example.com', 'evillocalhost', 'eu.localhost'])('%s is not loopback', (host) => {
  expect(refusal({ ...complete, ...eu(`http://${host}`) }).option).toBe('baseUrls.eu');
});

test.each<[variable: string, option: boolean | undefined, isAllowed: boolean]>([
  ['true', undefined, true],
  ['true', false, false],
  // sendgrid-nodejs#732: a file with Windows line ends.
  ['true\r', undefined, true],
  ['TRUE', undefined, true],
  ['False', undefined, false],
  ['1', undefined, false],
  ['yes', true, true],
  ['', true, true],
])('plain http if the variable is %j and the option %j: %j', (variable, option, isAllowed) => {
  setEnvironment({ ALLOW_INSECURE_BASE_URL: variable });
  const make = () => construct({ ...complete, ...eu('http://gateway', { allowInsecureBaseUrl: option }) });
  if (isAllowed) expect(make().baseUrl).toBe('http://gateway/v3');
  else expect(make).toThrow('allowInsecureBaseUrl');
});

test('settings are read from the environment, without blanks and line ends, and options win', async () => {
  // sendgrid-nodejs#732
  setEnvironment({
    REGION: ' EU\r',
    TOKEN: `${TOKEN}\r`,
    BASE_URL_EU: `${baseUrls.eu}\r`,
    BASE_URL_NA: baseUrls.na,
    LOG: 'off\r',
  });
  await new AgentPlatform().tools.get(seed.toolId);
  expect(requests[0]?.url).toContain(`${baseUrls.eu}/v3/`);
  expect(requests[0]?.headers.get('authorization')).toBe(`Bearer ${TOKEN}`);
  expect(new AgentPlatform({ region: 'na' }).baseUrl).toBe(`${baseUrls.na}/v3`);
});

const PASTED = 'is not the bare value: remove quotes';

test.each<[name: string, value: string, option: string, says?: string]>([
  ['REGION', 'mars', 'region'],
  ['TOKEN', ' \u0001', 'token'],
  ['BASE_URL_EU', 'nonsense', 'baseUrls.eu'],
  ['ALLOW_INSECURE_BASE_URL', '1', 'allowInsecureBaseUrl'],
  ['REGION', "'eu'", 'region', PASTED],
  ['REGION', 'AGENT_PLATFORM_REGION=eu', 'region', PASTED],
  ['BASE_URL_EU', `"${baseUrls.eu}"`, 'baseUrls.eu', PASTED],
  ['BASE_URL_EU', `${baseUrls.eu} # prod`, 'baseUrls.eu', PASTED],
  ['BASE_URL_EU', `URL=${baseUrls.eu}`, 'baseUrls.eu', PASTED],
  ['BASE_URL_EU', `${baseUrls.eu};`, 'baseUrls.eu', PASTED],
  ['TOKEN', 'hunter2\nb', 'token', PASTED],
])('AGENT_PLATFORM_%s=%j is refused', (name, value, option, says = '') => {
  setEnvironment({ REGION: 'eu', TOKEN, BASE_URL_EU: baseUrls.eu, [name]: value });
  const error = refusal({});
  expect(error.option).toBe(option);
  expect(error.message).toContain(`AGENT_PLATFORM_${name}`);
  expect(error.message).toContain(says);
  expect(error.message).not.toContain('hunter2');
});

const WORD = 'hunter2-hunter2';

test.each(
  [
    [`"${WORD}"`, `'${WORD}'`, `"${WORD}`, `${WORD}'`, `"${WORD}",`, `${WORD};`, `\u201c${WORD}\u201d`],
    [`Bearer ${WORD}`, `authorization: Bearer ${WORD}`, `${WORD} # prod`, `a ${WORD}`],
    [`TOKEN=${WORD}`, `token=${WORD}`, `apiKey=${WORD}`, `export TOKEN=${WORD}`, `TOKEN: ${WORD}`],
    [`$env:TOKEN="${WORD}"`, `["${WORD}"]`, `{"acme":"${WORD}"}`],
    ['undefined', 'null', '[object Object]', '<token>', '{{token}}', '$' + '{TOKEN}', '$TOKEN', '%TOKEN%'],
    ['\u200b', '\u2060', '\u00ad', '\u202e', '\u0001', '\n', '\ud800'].map((one) => `hunter2${one}hunter2`),
  ].flat(),
)('the token %j is refused as pasted', (token) => {
  const { message, option } = refusal({ ...complete, token });
  expect(option).toBe('token');
  expect(message).toContain(PASTED);
  expect(message).not.toContain('hunter2');
});

// Of the characters that a bearer token may have (RFC 6750, 2.1), and what other services put into theirs.
test.each(['MFRGGZDF====', 'abc=def', 'pass#word', 'a+b/c==', '1|a:b', '$2b$10$x', '50%', 'it"s', 'x-._~y'])(
  '%s may be a token',
  (token) => {
    expect(construct({ ...complete, token }).region).toBe('eu');
  },
);

test('an environment that may not be read is named', () => {
  // As in Deno without permission.
  const get = () => {
    throw new Error('Requires env access');
  };
  vi.stubGlobal('process', { ...process, env: new Proxy({}, { get }) });
  expect(() => new AgentPlatform()).toThrow(
    /region is missing\. Set the option `region` or AGENT_PLATFORM_REGION\. It could not be read: Deno needs --allow-env\./,
  );
});

test('works if there is no environment', () => {
  vi.stubGlobal('process', undefined);
  expect(construct(complete).region).toBe('eu');
});

/** As in a browser, whose `fetch` this is. */
function stubBrowser(): void {
  vi.stubGlobal('window', {});
  vi.stubGlobal('document', {});
  vi.stubGlobal('process', { ...process, versions: {} });
}

test('a browser is refused unless it is allowed', () => {
  stubBrowser();
  expect(refusal(complete).message).toMatch(/dangerouslyAllowBrowser is not set: in a browser everyone/);
  expect(refusal({ ...complete, dangerouslyAllowBrowser: 'true' }).option).toBe('dangerouslyAllowBrowser');
  expect(construct({ ...complete, dangerouslyAllowBrowser: true }).region).toBe('eu');
  // React Native, which has no document.
  vi.stubGlobal('document', undefined);
  expect(construct(complete).region).toBe('eu');
});

test('jsdom and happy-dom in Node are no browser', () => {
  vi.stubGlobal('window', {});
  vi.stubGlobal('document', {});
  expect(construct(complete).region).toBe('eu');
});

test('a browser sends no user agent, which would need a CORS preflight', async () => {
  stubBrowser();
  const fetch = vi.fn<FetchFunction>(async () => Response.json(success({ id: 't1' })));
  await construct({ ...complete, dangerouslyAllowBrowser: true, fetch }).tools.get('t1');
  expect(new Headers(fetch.mock.calls[0]?.[1].headers).has('user-agent')).toBe(false);
});

test.each<[form: string, headers: HeadersInit]>([
  ['an object', { 'X-App': 'call' }],
  ['a Headers', new Headers({ 'x-app': 'call' })],
  // jest#2549: as with jsdom's, nothing of it is an instance of a class of this realm.
  ['a Headers of another realm', runInNewContext("new Map([['x-app', 'call']])") as Headers],
  // nodejs/node#40263
  ['an object without a prototype', Object.assign(Object.create(null) as object, { 'x-app': 'call' })],
  // The headers of node:http2 have symbols.
  ['an object with symbols', { 'x-app': 'call', [Symbol('sensitive')]: ['x'] } as HeadersInit],
  ['pairs', [['x-App', 'call']]],
])('headers may be %s; those of a call are merged with the client’s, and win', async (_, headers) => {
  const platform = createClient({ headers: new Headers({ 'x-app': 'client', 'x-only': '1' }) });
  await platform.tools.get(seed.toolId, { headers });
  expect(requests[0]?.headers.get('x-app')).toBe('call');
  expect(requests[0]?.headers.get('x-only')).toBe('1');
});

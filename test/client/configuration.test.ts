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

function refusal(options: object): ConfigurationError {
  try {
    construct(options);
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
});

test.each<[what: string, options: object, message: RegExp]>([
  ['no base address', { baseUrls: {} }, /baseUrls\.eu is missing.*AGENT_PLATFORM_BASE_URL_EU/],
  ['the address of the other region alone', { baseUrls: { na: 'https://x' } }, /baseUrls\.eu is missing/],
  ['an unknown region', { region: 'mars' }, /region must be one of 'eu', 'na', got 'mars'\. Set .*_REGION/],
  ['a region in capitals', { region: 'EU' }, /got 'EU'\. Did you mean `eu`\?/],
  ['a blank token', { token: ' ' }, /token is blank.*AGENT_PLATFORM_TOKEN/],
  ['a token that is not a text', { token: 5 }, /token must be a string or a function, got 5/],
  [
    'an option that does not exist',
    { retries: 1 },
    /retries is not a known option\. Did you mean `maxRetries`\?/,
  ],
  ['an option that is another in the singular', { baseUrl: 'https://x' }, /Did you mean `baseUrls`\?/],
  ['an option like no other', { apiKey: 'x' }, /apiKey is not a known option\. Known: region, token/],
  ['a name that every object has', { constructor: 'x' }, /constructor is not a known option/],
  [
    'the address of an unknown region',
    { baseUrls: { us: 'https://x' } },
    /baseUrls\.us is not a known option\. Known: eu, na\./,
  ],
  ['addresses that are one text', { baseUrls: 'https://x' }, /baseUrls must be of type object, got string/],
  ['a blank address', { baseUrls: { eu: ' ' } }, /baseUrls\.eu is not a URL.*\. Set/],
  ['an address that is not a URL', { baseUrls: { eu: 'eu' } }, /is not a URL such as https:/],
  [
    'an address that is not a text',
    { baseUrls: { eu: new URL('https://x') } },
    /baseUrls\.eu must be a string/,
  ],
  ['another version', { baseUrls: { eu: 'https://x/v2/' } }, /must end in \/v3 or have no version, got \/v2/],
  [
    'plain http',
    { baseUrls: { eu: 'http://x.example/hunter2' } },
    /must start with https:, got http:\/\/x\.example\./,
  ],
  ['plain http allowed by a text', { baseUrls: { eu: 'http://x' }, allowInsecureBaseUrl: 'false' }, /https:/],
  [
    'another protocol',
    { baseUrls: { eu: 'ftp://127.0.0.1' }, allowInsecureBaseUrl: true },
    /must start with https:/,
  ],
  ['an address with a password', { baseUrls: { eu: 'https://u:hunter2@x.example' } }, /contains a user name/],
  ['an address with a query', { baseUrls: { eu: 'https://x.example?a=hunter2' } }, /a query/],
  [
    'a timeout of 0',
    { timeout: 0 },
    /timeout must be a number of milliseconds above 0 and at most \d+, got 0/,
  ],
  ['a timeout that no timer can keep', { timeout: 2 ** 31 }, /at most 2147483647/],
  ['half a retry', { maxRetries: 0.5 }, /maxRetries must be a whole number, 0 or more, got 0\.5/],
  ['an unknown mode', { validation: 'tolerent' }, /got 'tolerent'\. Did you mean `tolerant`\?/],
  ['an unknown log level', { logLevel: 'trace' }, /logLevel must be one of 'off', 'error'/],
  ['a long text for one of a list', { region: 'hunter2'.repeat(3) }, /region must be one of .*, got string/],
  ['a long text for a number', { maxRetries: 'hunter2'.repeat(3) }, /maxRetries must be .*, got string/],
  ['several wrong options', { timeout: '5s', retries: 2 }, /2 options .*\n {2}- timeout .*\n {2}- retries /],
  ['a fetch that is not a function', { fetch: {} }, /fetch must be a function, got object/],
  ['no bytes to read', { maxResponseBytes: 0 }, /maxResponseBytes must be a whole number, 1 or more/],
  [
    'an unknown hook',
    { hooks: { onSend() {} } },
    /hooks\.onSend is not a known option\. Did you mean `onEnd`\?/,
  ],
  ['a hook that is not a function', { hooks: { onEnd: 1 } }, /hooks\.onEnd must be a function/],
  [
    'a logger without a method',
    { logger: { error() {} } },
    /logger must be an object with the methods error, warn/,
  ],
  [
    'an authorization header',
    { headers: { Authorization: 'hunter2' } },
    /headers contain authorization.*`token`/,
  ],
  ['a content type', { headers: [['Content-Type', 'x']] }, /headers contain content-type/],
  [
    'a header name with a blank',
    { headers: { 'x y': 'hunter2' } },
    /headers contain a name or a value that HTTP does not allow: x/,
  ],
  [
    'a header value with a line break',
    { headers: { x: 'hunter2\nb' } },
    /headers contain a name or a value that HTTP does not allow: x/,
  ],
  [
    'a header that is undefined',
    { headers: { x: undefined } },
    /headers must have strings as values, but x has nothing/,
  ],
  ['headers in one list', { headers: ['x', 'y'] }, /headers must be an object, a list of pairs or a Headers/],
  ['options that are no object', null as unknown as object, /^AgentPlatform: options must be of type object/],
])('%s is refused, and the option is named', (_, options, message) => {
  const error = refusal(options === null ? options : { ...complete, ...options });
  expect(error.message).toMatch(message);
  expect(error.message).not.toContain('hunter2');
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
  expect(construct({ ...complete, baseUrls: { eu: given } }).baseUrl).toBe(expected);
});

test.each(['127.0.0.1.example.com', 'evillocalhost', 'eu.localhost'])('%s is not loopback', (host) => {
  expect(refusal({ ...complete, baseUrls: { eu: `http://${host}` } }).option).toBe('baseUrls.eu');
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
  const make = () =>
    construct({ ...complete, baseUrls: { eu: 'http://gateway' }, allowInsecureBaseUrl: option });
  if (isAllowed) expect(make().baseUrl).toBe('http://gateway/v3');
  else expect(make).toThrow('allowInsecureBaseUrl');
});

test('settings are read from the environment, and options win', async () => {
  setEnvironment({ REGION: 'EU', TOKEN, BASE_URL_EU: baseUrls.eu, BASE_URL_NA: baseUrls.na, LOG: ' ' });
  await new AgentPlatform().tools.get(seed.toolId);
  expect(requests[0]?.headers.get('authorization')).toBe(`Bearer ${TOKEN}`);
  expect(new AgentPlatform({ region: 'na' }).baseUrl).toBe(`${baseUrls.na}/v3`);
});

test('blanks and line ends around a variable are not part of it', () => {
  // sendgrid-nodejs#732
  setEnvironment({ REGION: ' eu\r', TOKEN: `${TOKEN}\r`, BASE_URL_EU: `${baseUrls.eu}\r`, LOG: 'off\r' });
  expect(new AgentPlatform()).toMatchObject({ region: 'eu', baseUrl: `${baseUrls.eu}/v3` });
});

test.each([
  ['REGION', 'mars', 'region'],
  ['TOKEN', ' \u0001', 'token'],
  ['BASE_URL_EU', 'nonsense', 'baseUrls.eu'],
  ['ALLOW_INSECURE_BASE_URL', '1', 'allowInsecureBaseUrl'],
])('a wrong AGENT_PLATFORM_%s is refused', (name, value, option) => {
  setEnvironment({ REGION: 'eu', TOKEN, BASE_URL_EU: baseUrls.eu, [name]: value });
  const error = refusal({});
  expect(error.option).toBe(option);
  expect(error.message).toContain(`AGENT_PLATFORM_${name}`);
});

test.each([
  ['REGION', "'eu'"],
  ['REGION', 'AGENT_PLATFORM_REGION=eu'],
  ['BASE_URL_EU', `"${baseUrls.eu}"`],
  ['BASE_URL_EU', `${baseUrls.eu} # prod`],
  ['BASE_URL_EU', `URL=${baseUrls.eu}`],
  ['BASE_URL_EU', `${baseUrls.eu};`],
  ['TOKEN', 'hunter2\nb'],
])('AGENT_PLATFORM_%s=%j is refused as pasted', (name, value) => {
  setEnvironment({ REGION: 'eu', TOKEN, BASE_URL_EU: baseUrls.eu, [name]: value });
  const { message } = refusal({});
  expect(message).toContain('is not the bare value: remove quotes');
  expect(message).not.toContain('hunter2');
});

// The headers of node:http2 have symbols.
test('headers under symbols are not sent, and the others are', async () => {
  const headers = { 'x-a': '1', [Symbol('sensitive')]: ['x'] };
  await createClient({ headers }).tools.get(seed.toolId, { headers: [['x-b', '2']] });
  expect(requests[0]?.headers.get('x-a')).toBe('1');
  expect(requests[0]?.headers.get('x-b')).toBe('2');
});

test('works if there is no environment', () => {
  vi.stubGlobal('process', undefined);
  expect(construct(complete).region).toBe('eu');
});

test('a browser is refused unless it is allowed', () => {
  vi.stubGlobal('window', {});
  vi.stubGlobal('document', {});
  // jsdom and happy-dom in Node.
  expect(construct(complete).region).toBe('eu');
  vi.stubGlobal('process', { ...process, versions: {} });
  expect(refusal(complete).message).toMatch(/dangerouslyAllowBrowser is not set: in a browser everyone/);
  expect(refusal({ ...complete, dangerouslyAllowBrowser: 'true' }).option).toBe('dangerouslyAllowBrowser');
  expect(construct({ ...complete, dangerouslyAllowBrowser: true }).region).toBe('eu');
  // React Native, which has no document.
  vi.stubGlobal('document', undefined);
  expect(construct(complete).region).toBe('eu');
});

test('a browser sends no user agent, which would need a CORS preflight', async () => {
  vi.stubGlobal('window', {});
  vi.stubGlobal('document', {});
  vi.stubGlobal('process', { ...process, versions: {} });
  const fetch = vi.fn<FetchFunction>(async () => Response.json(success({ id: 't1' })));
  await construct({ ...complete, dangerouslyAllowBrowser: true, fetch }).tools.get('t1');
  expect(new Headers(fetch.mock.calls[0]?.[1].headers).has('user-agent')).toBe(false);
});

test('the checks of an error start at the line of the caller', () => {
  expect(refusal({}).stack).toContain('configuration.test.ts');
});

test.each<[what: string, options: object, message: RegExp]>([
  ['a timeout', { timeout: -1 }, /timeout must be/],
  ['a signal', { signal: 'now' }, /signal must be an AbortSignal, such as `controller.signal`, got string/],
  ['an unknown option', { retries: 3 }, /retries is not a known option\. Did you mean `maxRetries`\?/],
  ['headers', { headers: { authorization: 'x' } }, /headers contain authorization/],
])('%s of one call is refused before anything is sent', async (_, options, message) => {
  const error = await rejectionOf(createClient().tools.get(seed.toolId, options));
  expect(error).toBeInstanceOf(ConfigurationError);
  expect((error as Error).message).toMatch(message);
  expect(requests).toHaveLength(0);
});

test.each<[form: string, headers: HeadersInit]>([
  ['an object', { 'X-App': 'call' }],
  ['a Headers', new Headers({ 'x-app': 'call' })],
  // jest#2549: as with jsdom's, nothing of it is an instance of a class of this realm.
  ['a Headers of another realm', runInNewContext("new Map([['x-app', 'call']])") as Headers],
  // nodejs/node#40263
  ['an object without a prototype', Object.assign(Object.create(null) as object, { 'x-app': 'call' })],
  ['pairs', [['x-App', 'call']]],
])('headers may be %s; those of a call are merged with the client’s, and win', async (_, headers) => {
  const platform = createClient({ headers: new Headers({ 'x-app': 'client', 'x-only': '1' }) });
  await platform.tools.get(seed.toolId, { headers });
  expect(requests[0]?.headers.get('x-app')).toBe('call');
  expect(requests[0]?.headers.get('x-only')).toBe('1');
});

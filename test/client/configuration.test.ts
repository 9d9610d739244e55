import {
  AgentPlatform,
  type AgentPlatformOptions,
  ConfigurationError,
  type FetchFunction,
} from 'agent-platform-sdk';
import { afterEach, expect, test, vi } from 'vitest';
import { success, TOKEN } from '../support/client.js';
import { answerAll, answerWith, BASE_URL, connectTo } from '../support/msw.js';
import { RecordingLogger } from '../support/recording-logger.js';

const VARIABLES = ['REGION', 'TOKEN', 'BASE_URL_EU', 'BASE_URL_NA', 'LOG'];

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

function construct(
  options: Record<string, unknown>,
  environment: Record<string, string> = {},
): AgentPlatform {
  for (const name of VARIABLES) vi.stubEnv(`AGENT_PLATFORM_${name}`, environment[name]);
  return new AgentPlatform(options);
}

function refusal(options: Record<string, unknown>, environment?: Record<string, string>): ConfigurationError {
  try {
    construct(options, environment);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('expected a ConfigurationError');
}

const complete = { region: 'eu' as const, token: TOKEN, baseUrls: { eu: 'https://eu.example.com' } };
const environment = { REGION: 'na', TOKEN: 'token-of-the-environment', BASE_URL_NA: BASE_URL, LOG: 'off' };

test.each([
  ['no region', { region: undefined }, 'region', /AGENT_PLATFORM_REGION/],
  [
    'an unknown region',
    { region: 'us' },
    'region',
    /^region must be 'eu' or 'na', got "us"\. Set the option `region` or AGENT_PLATFORM_REGION to your dashboard's\.$/,
  ],
  [
    'no token',
    { token: undefined },
    'token',
    /^token is missing\. Set the option `token` or AGENT_PLATFORM_TOKEN\.$/,
  ],
  ['a blank token', { token: ' ' }, 'token', /blank/],
  ['a token of seven characters', { token: ' seven77 ' }, 'token', /eight.*AGENT_PLATFORM_TOKEN/],
  [
    'a token with a letter that is not ASCII',
    { token: 'schlüssel-of-it' },
    'token',
    /cannot stand in a header/,
  ],
  ['a token that is no string', { token: 5 }, 'token', /must be a string, got number/],
  ['a token with a line break inside', { token: 'a\nb' }, 'token', /cannot stand in a header/],
  ['a token with a blank inside', { token: 'two words' }, 'token', /cannot stand in a header/],
  ['a token with a control character', { token: 'one-word\u007f.' }, 'token', /cannot stand in a header/],
  ['no base address', { baseUrls: {} }, 'baseUrls.eu', /AGENT_PLATFORM_BASE_URL_EU/],
  [
    'the base address of the other region only',
    { region: 'na' },
    'baseUrls.na',
    /AGENT_PLATFORM_BASE_URL_NA/,
  ],
  [
    'a base address that is no URL',
    { baseUrls: { eu: 'eu' } },
    'baseUrls.eu',
    /not a URL, which begins with https:/,
  ],
  ['a blank base address', { baseUrls: { eu: ' ' } }, 'baseUrls.eu', /is blank/],
  [
    'plain http',
    { baseUrls: { eu: 'http://eu.example.com/hunter2' } },
    'baseUrls.eu',
    /must start with https: .*, got http:\/\/eu\.example\.com\. Set/,
  ],
  ['another protocol', { baseUrls: { eu: 'ftp://127.0.0.1' } }, 'baseUrls.eu', /https/],
  [
    'a base address with credentials',
    { baseUrls: { eu: 'https://u:hunter2@x.example' } },
    'baseUrls.eu',
    /password/,
  ],
  [
    'a base address with a password alone',
    { baseUrls: { eu: 'https://:hunter2@x.example' } },
    'baseUrls.eu',
    /password/,
  ],
  [
    'a base address with a user name',
    { baseUrls: { eu: 'https://u@x.example' } },
    'baseUrls.eu',
    /user name/,
  ],
  ['a base address with a fragment', { baseUrls: { eu: 'https://x.example#a' } }, 'baseUrls.eu', /fragment/],
  ['a base address with a query', { baseUrls: { eu: 'https://x.example?a=1' } }, 'baseUrls.eu', /query/],
  ['a negative timeout', { timeout: -1 }, 'timeout', /milliseconds above 0.*got -1/],
  ['a timeout that is not a number', { timeout: Number.NaN }, 'timeout', /got NaN/],
  ['bytes that are not a number', { maxResponseBytes: Number.NaN }, 'maxResponseBytes', /got NaN/],
  ['a timeout of 0', { timeout: 0 }, 'timeout', /above 0/],
  ['a timeout that is no number', { timeout: '5' }, 'timeout', /number/],
  ['a timeout no timer can keep', { timeout: 2 ** 31 }, 'timeout', /at most 2147483647/],
  ['a negative totalTimeout', { totalTimeout: -1 }, 'totalTimeout', /above 0/],
  ['half a retry', { maxRetries: 0.5 }, 'maxRetries', /a whole number, 0 or more, got 0\.5/],
  ['negative retries', { maxRetries: -1 }, 'maxRetries', /whole number/],
  [
    'an unknown validation mode',
    { validation: 'loose' },
    'validation',
    /'strict', 'tolerant', 'report', 'off', got "loose"/,
  ],
  ['an unknown log level', { logLevel: 'trace' }, 'logLevel', /'off', 'error'/],
  ['a fetch that is no function', { fetch: {} }, 'fetch', /must be a function, got object/],
  ['no bytes to read', { maxResponseBytes: 0 }, 'maxResponseBytes', /above 0/],
  ['bytes in a text', { maxResponseBytes: '5' }, 'maxResponseBytes', /above 0, got "5"/],
  ['an unknown hook', { hooks: { onSend() {} } }, 'hooks.onSend', /is not a known option. Known: onRequest/],
  ['a hook that is no function', { hooks: { onRequest: 1 } }, 'hooks.onRequest', /function/],
  [
    'a second hook that is none',
    { hooks: { onRequest: () => undefined, onEnd: 1 } },
    'hooks.onEnd',
    /must be a function, got number/,
  ],
  ['an authorization header', { headers: { Authorization: 'x' } }, 'headers.Authorization', /option `token`/],
  ['a content type', { headers: { 'content-type': 'x' } }, 'headers.content-type', /set by the client/],
  ['a header name with a space', { headers: { 'x y': 'z' } }, 'headers.x y', /allowed in HTTP/],
  ['a header name with a colon', { headers: { 'x:y': 'z' } }, 'headers.x:y', /allowed in HTTP/],
  ['a header without a name', { headers: { '': 'z' } }, 'headers.', /allowed in HTTP/],
  ['a header value that is not there', { headers: { x: undefined } }, 'headers.x', /leave the header out/],
  ['a header value that is a number', { headers: { x: 5 } }, 'headers.x', /allowed in HTTP/],
  ...['\r\n', '\n', '\u001f', '\u007f'].map((control): [string, Record<string, unknown>, string, RegExp] => [
    `a header value with ${encodeURIComponent(control)}`,
    { headers: { x: `a${control}b` } },
    'headers.x',
    /allowed in HTTP/,
  ]),
  ['a header value beyond Latin-1', { headers: { x: '5 €' } }, 'headers.x', /allowed in HTTP/],
  ['a region that JSON cannot show', { region: 1n }, 'region', /got bigint/],
  ['a timeout that has no text', { timeout: Object.create(null) }, 'timeout', /got object/],
  ['headers that are null', { headers: null }, 'headers', /plain object/],
  ['headers that are one text', { headers: 'x-name: one' }, 'headers', /plain object/],
  [
    'headers of the class Headers',
    { headers: new Headers() },
    'headers',
    /plain object of names and values: of a `Headers`, `Object\.fromEntries\(headers\)`/,
  ],
  ['headers in a list', { headers: [['x-name', 'one']] }, 'headers', /plain object/],
  ...(['error', 'warn', 'info', 'debug'] as const).map(
    (method): [string, Record<string, unknown>, string, RegExp] => [
      `a logger without ${method}`,
      { logger: { ...console, [method]: undefined } },
      `logger.${method}`,
      /must be a function, got nothing/,
    ],
  ),
  [
    'a header that frames the request',
    { headers: { 'Transfer-Encoding': 'chunked' } },
    'headers.Transfer-Encoding',
    /set by the client/,
  ],
  ['a token with its scheme', { token: 'Bearer hunter2' }, 'token', /without `Bearer `/],
  ['a token with its scheme in lower case', { token: 'bearer hunter2' }, 'token', /without `Bearer `/],
  ['addresses that are one text', { baseUrls: 'https://x' }, 'baseUrls', /must be an object/],
  ['an address that is no text', { baseUrls: { eu: new URL('https://x') } }, 'baseUrls.eu', /got object/],
  [
    'plain http, allowed by a text',
    { baseUrls: { eu: 'http://x.example' }, allowInsecureBaseUrl: 'false' },
    'baseUrls.eu',
    /must start with https:/,
  ],
  [
    'another protocol, where plain http is allowed',
    { baseUrls: { eu: 'ftp://x.example' }, allowInsecureBaseUrl: true },
    'baseUrls.eu',
    /must start with https:/,
  ],
  [
    'an address of a region that there is not',
    { baseUrls: { us: 'https://x' } },
    'baseUrls.us',
    /Known: eu, na/,
  ],
  ['a token in place of a region', { region: 'hunter2-hunter2' }, 'region', /got another string/],
  [
    'an option with a name that every object has',
    { constructor: 'x' },
    'constructor',
    /is not a known option/,
  ],
  ['an option whose name has two lines', { 'api\nKey': 'x' }, 'api\nKey', /^api\\nKey is not/],
  [
    'an option that does not exist',
    { apiKey: 'x' },
    'apiKey',
    /is not a known option. Known: token, timeout/,
  ],
])('%s is refused, and the option is named', (_, options, option, message) => {
  const error = refusal({ ...complete, ...options });
  expect(error.option).toBe(option);
  expect(error.message).toMatch(message);
  expect(error.message).not.toContain('hunter2');
});

test.each([
  ['https://eu.example.com', 'https://eu.example.com/v3'],
  ['https://eu.example.com/', 'https://eu.example.com/v3'],
  ['https://eu.example.com/v3', 'https://eu.example.com/v3'],
  ['https://eu.example.com/v3/', 'https://eu.example.com/v3'],
  ['https://eu.example.com//', 'https://eu.example.com/v3'],
  ['https://eu.example.com/proxy/api', 'https://eu.example.com/proxy/api/v3'],
  ['https://eu.example.com/proxyv3', 'https://eu.example.com/proxyv3/v3'],
  [' https://EU.example.com:8443/v3 ', 'https://eu.example.com:8443/v3'],
  ['http://localhost:4010', 'http://localhost:4010/v3'],
  ['http://127.0.0.1:4010/eu', 'http://127.0.0.1:4010/eu/v3'],
  ['http://127.1.2.3:4010', 'http://127.1.2.3:4010/v3'],
  ['http://[::1]:4010', 'http://[::1]:4010/v3'],
])('the base address %s becomes %s', (given, expected) => {
  expect(construct({ ...complete, baseUrls: { eu: given } }).baseUrl).toBe(expected);
});

test('a header may hold every character of Latin-1, and its name those of HTTP', async () => {
  const { platform, requests } = connectTo(answerWith(200, success({ id: 't1' })));
  const headers = { 'x-name': 'Zoé\tM.\u0080ÿ', "x!#$%&'*+.^_`|~": '1' };
  await platform.tools.get('t1', { headers });
  expect(requests[0]?.headers).toMatchObject(headers);
});

test('plain http beyond loopback is allowed when asked for', () => {
  const options = { ...complete, baseUrls: { eu: 'http://gateway.internal' }, allowInsecureBaseUrl: true };
  expect(construct(options).baseUrl).toBe('http://gateway.internal/v3');
});

test('a blank variable of the environment counts as missing', () => {
  expect(() => construct(complete, { LOG: ' ', REGION: ' ' })).not.toThrow();
  expect(refusal({ ...complete, token: undefined }, { TOKEN: ' ' }).message).toContain('is missing');
});

test.each<[string, option: boolean | undefined, isAllowed: boolean]>([
  ['true', undefined, true],
  ['true', false, false],
  ['1', undefined, false],
  ['', true, true],
])('plain http, where the environment says %j and the option %j: %j', (variable, option, isAllowed) => {
  vi.stubEnv('AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL', variable);
  const baseUrls = { eu: 'http://gateway.internal' };
  const make = () => construct({ ...complete, baseUrls, allowInsecureBaseUrl: option });
  if (isAllowed) expect(make().baseUrl).toBe('http://gateway.internal/v3');
  else expect(make).toThrow('allowInsecureBaseUrl');
});

test.each(['127.0.0.1.example.com', 'evillocalhost', 'eu.localhost', 'localhost.example.com'])(
  'the host %s only looks like loopback, and is not',
  (host) => {
    expect(refusal({ ...complete, baseUrls: { eu: `http://${host}` } }).option).toBe('baseUrls.eu');
  },
);

test('withOptions with the base address of another region sends no token there', () => {
  const platform = construct(complete);
  const baseUrls = { na: 'https://na.example.com' };
  expect(() => platform.withOptions({ region: 'na', baseUrls })).toThrow(/a secret belongs to one region/);
  expect(platform.withOptions({ baseUrls }).baseUrl).toBe('https://eu.example.com/v3');
});

test('an option that throws when it is read is a typed error that names it', async () => {
  const { platform } = connectTo(answerWith(200));
  const options = {
    get signal(): never {
      throw new Error('not today');
    },
  };
  await expect(platform.tools.get('t', options)).rejects.toMatchObject({
    type: 'configuration_error',
    option: 'signal',
    cause: { message: 'not today' },
  });
  const hooks = {
    get onEnd(): never {
      throw new Error('not today');
    },
  };
  expect(() => platform.withOptions({ hooks })).toThrow('hooks.onEnd could not be read');
});

test('settings are read from the environment', async () => {
  const requests = answerAll(answerWith(200, success({ id: 't1' })));
  const platform = construct({}, environment);
  await platform.tools.get('t1');
  expect(platform.region).toBe('na');
  expect(requests[0]?.headers.authorization).toBe('Bearer token-of-the-environment');
});

test('the longest timeout that a timer can keep, and the shortest token, are taken', () => {
  const limits = { timeout: 2 ** 31 - 1, totalTimeout: 2 ** 31 - 1, token: 'bearer~!' };
  expect(construct({ ...complete, ...limits }).region).toBe('eu');
});

test('an option wins over the environment', () => {
  const platform = construct(
    { region: 'eu' },
    { REGION: 'na', TOKEN, BASE_URL_EU: 'https://eu.example.com' },
  );
  expect(platform.region).toBe('eu');
});

test('the address of one region as an option leaves that of the other to the environment', () => {
  const na = { baseUrls: { na: 'https://na.example.com' } };
  const environment = { REGION: 'eu', TOKEN, BASE_URL_EU: 'https://eu.example.com' };
  expect(construct(na, environment).region).toBe('eu');
});

test.each([
  ['REGION', 'mars', 'region'],
  ['TOKEN', '  ', 'token'],
  ['BASE_URL_EU', 'nonsense', 'baseUrls.eu'],
  ['LOG', 'loud', 'logLevel'],
])('a wrong AGENT_PLATFORM_%s is refused', (name, value, option) => {
  const error = refusal({}, { REGION: 'eu', TOKEN, BASE_URL_EU: 'https://eu.example.com', [name]: value });
  expect(error.option).toBe(option);
  expect(error.message).toContain(`AGENT_PLATFORM_${name}`);
});

test.each([
  ['exists', undefined],
  ['may be read', { env: new Proxy({}, { get: () => expect.fail('a trap') }) }],
])('works where no environment %s', (_, process) => {
  vi.stubGlobal('process', process);
  expect(new AgentPlatform(complete as AgentPlatformOptions).region).toBe('eu');
});

test('refuses a browser unless it is allowed', () => {
  vi.stubGlobal('window', {});
  vi.stubGlobal('document', {});
  // jsdom and happy-dom in Node
  expect(construct(complete).region).toBe('eu');
  vi.stubGlobal('process', { ...process, versions: {} });
  expect(refusal(complete)).toMatchObject({
    option: 'dangerouslyAllowBrowser',
    message: expect.stringMatching(
      /in a browser everyone can read the token, so call from your backend\.$/,
    ) as string,
  });
  expect(refusal({ ...complete, dangerouslyAllowBrowser: 'false' }).option).toBe('dangerouslyAllowBrowser');
  expect(construct({ ...complete, dangerouslyAllowBrowser: true }).region).toBe('eu');
  // React Native, which has no document
  vi.stubGlobal('document', undefined);
  expect(construct(complete).region).toBe('eu');
  vi.stubGlobal('document', {});
  // A page of Electron that may use Node
  vi.stubGlobal('process', { ...process, versions: { node: '24.0.0', electron: '40.0.0' } });
  expect(refusal(complete).option).toBe('dangerouslyAllowBrowser');
});

test('a browser names itself: a header of the client’s would need the leave of the service', async () => {
  vi.stubGlobal('window', {});
  vi.stubGlobal('document', {});
  vi.stubGlobal('process', { ...process, versions: {} });
  const fetch = vi.fn<FetchFunction>(async () => Response.json(success({ id: 't1' })));
  await new AgentPlatform({ ...complete, dangerouslyAllowBrowser: true, fetch }).tools.get('t1');
  expect(fetch.mock.calls[0]?.[1].headers).toEqual({
    accept: 'application/json',
    authorization: `Bearer ${TOKEN}`,
  });
});

test.each<[name: string, versions: Record<string, string>, userAgent?: string]>([
  ['bun/1.4.4', { node: '24.0.0', bun: '1.4.4' }],
  ['deno/2.9.6', { node: '24.0.0', deno: '2.9.6' }],
  ['workerd', { node: '24.0.0' }, 'Cloudflare-Workers'],
  ['unknown', {}],
])('every request says which runtime asks: %s', async (name, versions, userAgent) => {
  vi.resetModules();
  const fresh = await import('agent-platform-sdk');
  vi.stubGlobal('process', { ...process, versions });
  vi.stubGlobal('navigator', { userAgent });
  const fetch = vi.fn<FetchFunction>(async () => Response.json(success({ id: 't1' })));
  await new fresh.AgentPlatform({ ...complete, fetch }).tools.get('t1');
  expect(fetch.mock.calls[0]?.[1].headers).toMatchObject({
    'user-agent': `agent-platform-sdk/${fresh.VERSION} (${name})`,
  });
});

test.each([
  ['timeout', { timeout: -1 }],
  ['maxRetries', { maxRetries: 1.5 }],
  ['signal', { signal: 'now' }],
  ['signal', { signal: null }],
  ['signal', { signal: { aborted: false, addEventListener: () => undefined } }],
  ['signal', { signal: { aborted: false, removeEventListener: () => undefined } }],
  ['retries', { retries: 3 }],
  ['headers.host', { headers: { host: 'evil.example' } }],
  ['headers.Expect', { headers: { Expect: '100-continue' } }],
  ['headers.x', { headers: { x: undefined } }],
])('a wrong option of one call is refused before anything is sent: %s', async (option, options) => {
  const { platform, requests } = connectTo(answerWith(200, success({ id: 't1' })));
  await expect(platform.tools.get('t1', options as never)).rejects.toMatchObject({
    type: 'configuration_error',
    option,
  });
  expect(requests).toHaveLength(0);
});

test('headers of the client and of the call are sent, and the call wins whatever the case', async () => {
  const { platform, requests } = connectTo(answerWith(200, success({ id: 't1' })), {
    headers: { 'X-App': 'client', 'x-only': '1' },
  });
  await platform.tools.get('t1', { headers: { 'x-app': 'call' } });
  expect(requests[0]?.headers).toMatchObject({ 'x-app': 'call', 'x-only': '1' });
});

test('the token of a call wins over the client’s', async () => {
  const { platform, requests } = connectTo(answerWith(200, success({ id: 't1' })));
  await platform.tools.get('t1', { token: 'agent-secret' });
  expect(requests[0]?.headers.authorization).toBe('Bearer agent-secret');
});

test('withOptions changes what it names and keeps the rest', async () => {
  const { platform, requests } = connectTo(answerWith(200, success({ id: 't1' })), {
    headers: { 'x-a': '1' },
  });
  const other = platform.withOptions({ token: 'agent-secret', headers: { 'x-b': '2' }, timeout: undefined });
  await other.tools.get('t1');
  expect(requests[0]?.headers).toMatchObject({
    authorization: 'Bearer agent-secret',
    'x-a': '1',
    'x-b': '2',
  });
  await platform.tools.get('t1');
  expect(requests[1]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
});

test('withOptions keeps what came from the environment, although it is no longer there', async () => {
  const requests = answerAll(answerWith(200, success({ id: 't1' })));
  const logger = new RecordingLogger();
  const platform = construct({ logger }, { ...environment, LOG: 'info' });
  for (const name of VARIABLES) vi.stubEnv(`AGENT_PLATFORM_${name}`, undefined);
  const other = platform.withOptions({ timeout: 5_000 });
  await other.tools.get('t1');
  expect(other.baseUrl).toBe(platform.baseUrl);
  expect(logger.lines).toHaveLength(1);
  expect(requests[0]?.headers.authorization).toBe('Bearer token-of-the-environment');
});

test('withOptions keeps the options as they were given, whatever becomes of the object', async () => {
  const options = { headers: { 'x-a': '1' } };
  const { platform, requests } = connectTo(answerWith(200, success({ id: 't1' })), options);
  const first = platform.withOptions(options);
  options.headers['x-a'] = 'changed';
  for (const client of [first, platform]) await client.withOptions({}).tools.get('t1');
  expect(requests.map(({ headers }) => headers['x-a'])).toEqual(['1', '1']);
});

test.each([
  [null, 'options', 'options must be an object, got null.'],
  [undefined, 'options', 'options must be an object, got nothing.'],
  ['eu', 'options', 'options must be an object, got string.'],
  [{ tokens: 'x' }, 'tokens', 'tokens is not a known option.'],
])('withOptions(%j) is refused', async (options, option, problem) => {
  const { platform } = connectTo(answerWith(200));
  const refused = expect.objectContaining({ option, message: expect.stringContaining(problem) as string });
  expect(() => platform.withOptions(options as never)).toThrow(refused as Error);
});

test('the region may be written in any case', () => {
  expect(construct({ ...complete, region: 'EU' }).region).toBe('eu');
  expect(construct({ ...complete, region: 'Eu' }).region).toBe('eu');
  vi.stubEnv('AGENT_PLATFORM_REGION', 'NA');
  const american = new AgentPlatform({ token: TOKEN, baseUrls: { na: 'https://na.example.com' } });
  expect(american.region).toBe('na');
  expect(american.withOptions({ region: 'NA', timeout: 1 }).region).toBe('na');
  expect(() => american.withOptions({ region: 'EU' })).toThrow(/a secret belongs to one region/);
});

test('a secret cannot cross regions: withOptions to another region needs a token', async () => {
  const { platform, requests } = connectTo(answerWith(200, success({ id: 't1' })));
  for (const options of [{ region: 'na' }, { region: 'na', token: undefined }] as const) {
    expect(() => platform.withOptions(options)).toThrow(
      "token is missing: a secret belongs to one region, and withOptions changes it to 'na'.",
    );
  }
  const other = platform.withOptions({ region: 'na', token: 'secret-of-na' });
  await other.tools.get('t1');
  expect(other.region).toBe('na');
  expect(requests[0]?.headers.authorization).toBe('Bearer secret-of-na');
});

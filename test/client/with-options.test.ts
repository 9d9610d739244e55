import { AgentPlatform } from 'agent-platform-sdk';
import { afterEach, expect, expectTypeOf, test, vi } from 'vitest';
import {
  addFaults,
  baseUrls,
  createClient,
  requests,
  respond,
  response,
  seed,
  success,
  TOKEN,
} from '../support/client.js';
import { RecordingLogger } from '../support/recording-logger.js';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

test('withOptions changes what it names and keeps the rest', async () => {
  const platform = createClient({ headers: { 'x-a': '1', 'x-b': '1' }, token: 'first-token' });
  const other = platform.withOptions({ token: TOKEN, headers: { 'X-B': '2' }, timeout: undefined });
  await other.tools.get(seed.toolId);
  const { headers } = requests[0] as { headers: Headers };
  expect([headers.get('authorization'), headers.get('x-a'), headers.get('x-b')]).toEqual([
    `Bearer ${TOKEN}`,
    '1',
    '2',
  ]);
  await platform.tools.get(seed.toolId).catch(() => undefined);
  expect(requests[1]?.headers.get('authorization')).toBe('Bearer first-token');
});

test('an option that is undefined stays as it was', async () => {
  addFaults({ status: 503 }, { status: 503 });
  const changes = { maxRetries: undefined, baseUrls: { eu: undefined } };
  const platform = createClient({ maxRetries: 1 }).withOptions(changes);
  await expect(platform.tools.get(seed.toolId)).rejects.toThrow('503');
  expect(requests).toHaveLength(2);
});

test('options may be inherited, or getters of a class', async () => {
  class Changes {
    get headers() {
      return { 'x-a': '1' };
    }
  }
  const inherited = Object.create(new Changes()) as Changes;
  const { toolId } = seed;
  await createClient().withOptions(inherited).tools.get(toolId);
  await createClient().tools.get(toolId, new Changes());
  await createClient().request('GET', `/tools/${toolId}`, inherited);
  await new AgentPlatform(
    Object.create({ baseUrls, region: 'eu', token: TOKEN, headers: { 'x-a': '1' } }) as object,
  ).tools.get(toolId);
  expect(requests.map(({ headers }) => headers.get('x-a'))).toEqual(['1', '1', '1', '1']);
});

test('what the environment gave stays when the environment has changed', async () => {
  const environment = {
    REGION: 'eu',
    TOKEN,
    BASE_URL_EU: 'http://fake',
    ALLOW_INSECURE_BASE_URL: 'true',
    LOG: 'info',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(`AGENT_PLATFORM_${name}`, value);
  const logger = new RecordingLogger();
  const fetch = vi.fn(async () => Response.json(success({ id: 't1' })));
  const platform = new AgentPlatform({ logger, fetch });
  for (const name of Object.keys(environment)) vi.stubEnv(`AGENT_PLATFORM_${name}`, undefined);
  await platform.withOptions({ timeout: 5_000 }).tools.get('t1');
  const headers = expect.objectContaining({ authorization: `Bearer ${TOKEN}` }) as object;
  expect(fetch).toHaveBeenCalledWith('http://fake/v3/tools/t1', expect.objectContaining({ headers }));
  expect(logger.lines).toHaveLength(1);
});

test('options are copied: a later change of the object has no effect', async () => {
  const options = { headers: { 'x-a': '1' } };
  const platform = createClient().withOptions(options);
  options.headers['x-a'] = 'changed';
  await platform.withOptions({}).tools.get(seed.toolId);
  expect(requests[0]?.headers.get('x-a')).toBe('1');
});

test('hooks are replaced, and not merged', async () => {
  const called: string[] = [];
  const platform = createClient({ hooks: { onRequest: () => called.push('before') } });
  await platform.withOptions({ hooks: { onEnd: () => called.push('now') } }).tools.get(seed.toolId);
  expect(called).toEqual(['now']);
});

test('the fetchOptions of a call are added to those of the client, which withOptions replaces', async () => {
  const fetch = vi.fn<typeof globalThis.fetch>(async () => Response.json(success({ id: 't1' })));
  vi.stubGlobal('fetch', fetch);
  const platform = createClient({ fetchOptions: { cache: 'no-store', keepalive: true } });
  await platform.tools.get('t1', { fetchOptions: { cache: 'reload' } });
  await platform.withOptions({ fetchOptions: { keepalive: false } }).tools.get('t1');
  const [first, second] = fetch.mock.calls.map(([, init]) => init);
  expect(first).toMatchObject({ method: 'GET', redirect: 'manual', cache: 'reload', keepalive: true });
  expect(second).toMatchObject({ method: 'GET', redirect: 'manual', keepalive: false });
  expect(second).not.toHaveProperty('cache');
});

test.each([
  [null, 'withOptions: options must be of type object, got null.'],
  [{ tokens: 'x' }, 'withOptions: tokens is not a known option. Did you mean `token`?'],
  [{ fetch, fetchOptions: {} }, 'fetchOptions cannot be combined with `fetch`'],
])('withOptions(%j) is refused', (options, message) => {
  expect(() => createClient().withOptions(options as never)).toThrow(message);
});

test('a secret cannot cross regions: another region needs a token', async () => {
  const platform = createClient();
  for (const options of [{ region: 'na' }, { region: 'na', token: undefined }] as const) {
    expect(() => platform.withOptions(options)).toThrow(
      "token is missing: the region changes to 'na', and a token is not sent to another region.",
    );
  }
  const other = platform.withOptions({ region: 'na', token: 'secret-of-na' });
  await other.tools.get(seed.toolId).catch(() => undefined);
  expect(requests[0]?.url).toContain(baseUrls.na);
  expect(requests[0]?.headers.get('authorization')).toBe('Bearer secret-of-na');
});

// sanity#12526
test('clients with one logger log a place of drift once, together', async () => {
  respond(response(200, success({ id: 7 })));
  const logger = new RecordingLogger();
  // One that logs no warnings leaves them to the others.
  await createClient({ logger, logLevel: 'error' }).tools.get('t1');
  const platform = createClient({ logger, logLevel: 'warn' });
  await platform.tools.get('t1');
  for (const token of ['one', 'two']) await platform.withOptions({ token }).withOptions({}).tools.get('t1');
  expect(logger.lines).toHaveLength(1);
});

// openai-ruby#438
test('withOptions of a subclass returns one of the subclass', () => {
  class MyPlatform extends AgentPlatform {
    readonly name = 'mine';
  }
  const derived = new MyPlatform({ region: 'eu', token: 'a-token', baseUrls }).withOptions({
    timeout: 5_000,
  });
  expectTypeOf(derived).toEqualTypeOf<MyPlatform>();
  expect(derived).toBeInstanceOf(MyPlatform);
  expect(derived.name).toBe('mine');
});

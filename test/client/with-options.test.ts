import { AgentPlatform } from 'agent-platform-sdk';
import { afterEach, expect, test, vi } from 'vitest';
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

afterEach(() => vi.unstubAllEnvs());

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
  const platform = createClient({ maxRetries: 1 }).withOptions({
    maxRetries: undefined,
    baseUrls: { eu: undefined },
  });
  await expect(platform.tools.get(seed.toolId)).rejects.toThrow('503');
  expect(requests).toHaveLength(2);
});

test('what the environment gave stays when the environment has changed', async () => {
  const environment = { REGION: 'eu', TOKEN, BASE_URL_EU: baseUrls.eu, LOG: 'info' };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(`AGENT_PLATFORM_${name}`, value);
  const logger = new RecordingLogger();
  const platform = new AgentPlatform({ logger });
  for (const name of Object.keys(environment)) vi.stubEnv(`AGENT_PLATFORM_${name}`, undefined);
  await platform.withOptions({ timeout: 5_000 }).tools.get(seed.toolId);
  expect(requests[0]?.headers.get('authorization')).toBe(`Bearer ${TOKEN}`);
  expect(logger.lines).toHaveLength(1);
});

test('plain http that the environment allowed stays allowed', () => {
  vi.stubEnv('AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL', 'true');
  const platform = createClient({ baseUrls: { eu: 'http://fake:8787' } });
  vi.stubEnv('AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL', undefined);
  expect(platform.withOptions({ timeout: 1_000 }).baseUrl).toBe('http://fake:8787/v3');
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

test.each([
  [null, 'withOptions: options must be of type object, got null.'],
  [{ tokens: 'x' }, 'withOptions: tokens is not a known option. Did you mean `token`?'],
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

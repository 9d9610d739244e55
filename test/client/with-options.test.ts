import { AgentPlatform, type AgentPlatformOptions, ConfigurationError } from 'agent-platform-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { success } from '../support/client.js';
import { answerWith, connectTo } from '../support/msw.js';

const options: AgentPlatformOptions = {
  region: 'eu',
  token: 'token-of-the-client',
  baseUrls: { eu: 'https://eu.example.com', na: 'https://na.example.com' },
};

describe('the environment fills in only what is left out', () => {
  beforeEach(() => {
    vi.stubEnv('AGENT_PLATFORM_TOKEN', 'token-of-the-environment');
    vi.stubEnv('AGENT_PLATFORM_REGION', 'na');
    vi.stubEnv('AGENT_PLATFORM_BASE_URL_EU', 'https://environment.example.com');
  });
  afterEach(() => vi.unstubAllEnvs());

  test.each<[string, object, string]>([
    ['a token', { token: null }, 'token'],
    ['a region', { region: null }, 'region'],
    ['an address', { baseUrls: { eu: null } }, 'baseUrls.eu'],
    ['a log level', { logLevel: null }, 'logLevel'],
    ['hooks', { hooks: null }, 'hooks'],
    ['a hook', { hooks: { onEnd: null } }, 'hooks.onEnd'],
    ['a logger', { logger: null }, 'logger.error'],
    ['a fetch', { fetch: null }, 'fetch'],
    ['headers', { headers: null }, 'headers'],
    ['the addresses', { baseUrls: null }, 'baseUrls'],
    ['a timeout', { timeout: null }, 'timeout'],
    ['a limit of bytes', { maxResponseBytes: null }, 'maxResponseBytes'],
    ['a number of retries', { maxRetries: null }, 'maxRetries'],
    ['a mode', { validation: null }, 'validation'],
  ])('%s that is null is refused', (_, changes, option) => {
    const wrong = expect.objectContaining({ option }) as Error;
    expect(() => new AgentPlatform({ ...options, ...changes })).toThrow(wrong);
    expect(() => new AgentPlatform(options).withOptions(changes)).toThrow(wrong);
  });

  test('an address that is undefined stays as it was', () => {
    const changed = new AgentPlatform(options).withOptions({ baseUrls: { eu: undefined } });
    expect(changed.baseUrl).toBe('https://eu.example.com/v3');
  });

  test('what the environment gave stays, when the environment has changed', async () => {
    vi.stubEnv('AGENT_PLATFORM_BASE_URL_NA', 'https://na.environment.example.com');
    vi.stubEnv('AGENT_PLATFORM_LOG', 'info');
    const seen: [url: string, token: string | null][] = [];
    const lines: string[] = [];
    const platform = new AgentPlatform({
      fetch: (url, init) => {
        seen.push([url, new Headers(init?.headers).get('authorization')]);
        return Promise.resolve(Response.json(success({ id: 't1' })));
      },
      logger: { error: () => {}, warn: () => {}, info: (line: string) => lines.push(line), debug: () => {} },
    });
    for (const name of ['TOKEN', 'REGION', 'BASE_URL_NA', 'LOG'])
      vi.stubEnv(`AGENT_PLATFORM_${name}`, undefined);
    await platform.withOptions({ timeout: 1_000 }).tools.get('t1');
    expect(seen).toEqual([
      ['https://na.environment.example.com/v3/tools/t1', 'Bearer token-of-the-environment'],
    ]);
    expect(lines).toHaveLength(1);
  });

  test('plain http that the environment allowed stays allowed, when the environment has changed', () => {
    vi.stubEnv('AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL', 'true');
    const platform = new AgentPlatform({ ...options, baseUrls: { eu: 'http://fake:8787' } });
    vi.stubEnv('AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL', undefined);
    expect(platform.withOptions({ timeout: 1_000 }).baseUrl).toBe('http://fake:8787/v3');
  });
});

test('an option that is undefined stays as it was', async () => {
  const { platform, requests } = connectTo(answerWith(503, '', { 'retry-after': '0' }), { maxRetries: 1 });
  await expect(platform.withOptions({ maxRetries: undefined }).tools.get('t1')).rejects.toThrow('503');
  expect(requests).toHaveLength(2);
});

test('hooks are replaced, and not merged', async () => {
  const told: string[] = [];
  const { platform } = connectTo(answerWith(200, success({ id: 't1' })), {
    hooks: { onRequest: () => told.push('before'), onEnd: () => told.push('before') },
  });
  await platform.withOptions({ hooks: { onEnd: () => told.push('now') } }).tools.get('t1');
  expect(told).toEqual(['now']);
});

test('headers of the class Headers are refused, as everywhere', () => {
  const headers = new Headers({ 'x-name': 'one' }) as unknown as Record<string, string>;
  expect(() => new AgentPlatform(options).withOptions({ headers })).toThrow(ConfigurationError);
});

test('a header is replaced, however its name is spelt', async () => {
  const { platform, requests } = connectTo(answerWith(200, success({ id: 't1' })), {
    headers: { 'x-name': 'one' },
  });
  await platform
    .withOptions({ headers: { 'X-Name': 'two' } })
    .withOptions({ headers: { 'x-name': 'three' } })
    .tools.get('t1');
  expect(requests[0]?.headers['x-name']).toBe('three');
});

import { AgentPlatform, type AgentPlatformOptions, type ApiPromise, type Tool } from 'agent-platform-sdk';
import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import { createClient, rejectionOf, requests, respond, response, seed, success } from '../support/client.js';
import { RecordingLogger } from '../support/recording-logger.js';

// stripe-node#273
test('all methods can be taken off their objects', async () => {
  const { request, send, withOptions, tools, conversations } = createClient();
  const { get, listDefaults } = tools;
  const { get: getConversation } = conversations;
  expect(send).toBeTypeOf('function');
  expect(await request('GET', '/tools/defaults')).toMatchObject({ success: true });
  expect(await get(seed.toolId)).toMatchObject({ id: seed.toolId });
  expect(await withOptions({ timeout: 5_000 }).tools.get(seed.toolId)).toMatchObject({ id: seed.toolId });
  expect(await Promise.all([listDefaults(), getConversation(seed)])).toHaveLength(2);
});

describe.each<[what: string, wrap: (platform: AgentPlatform) => AgentPlatform]>([
  // langchainjs#8537
  [
    'a lazy singleton',
    (platform) =>
      new Proxy({} as AgentPlatform, { get: (_, name) => Reflect.get(platform, name) as unknown }),
  ],
  // vuejs/core#8245: Vue wraps what it returns too.
  ['a deep proxy', deepProxy],
])('behind %s', (_, wrap) => {
  test('every method works', async () => {
    const platform = wrap(createClient());
    expect(await platform.tools.get(seed.toolId)).toMatchObject({ id: seed.toolId });
    expect(await platform.request('GET', '/tools/defaults')).toMatchObject({ success: true });
    expect(await platform.withOptions({ timeout: 5_000 }).tools.listDefaults()).not.toHaveLength(0);
  });
});

function deepProxy<Value extends object>(value: Value): Value {
  return new Proxy(value, {
    get: (target, name, receiver) => {
      const field: unknown = Reflect.get(target, name, receiver);
      return typeof field === 'object' && field !== null ? deepProxy(field) : field;
    },
  });
}

test('a method can be overridden by a subclass, and mocked', async () => {
  class MyPlatform extends AgentPlatform {
    override request(...args: Parameters<AgentPlatform['request']>): ApiPromise<unknown> {
      const [method, path, options] = args;
      return super.request(method, `/my${path}`, options);
    }
  }
  respond(response(200, success({})));
  const { baseUrl, ...settings } = {
    baseUrl: 'https://eu.service.test',
    token: 'a-token',
    region: 'eu' as const,
  };
  const platform = new MyPlatform({ ...settings, baseUrls: { eu: baseUrl } });
  await platform.request('GET', '/a');
  expect(requests[0]?.path).toBe('/v3/my/a');

  // openai-node#638: a plain promise with a `withResponse` fits.
  const tool = { id: 'mine' } as Tool;
  const get = vi.spyOn(platform.tools, 'get').mockImplementation(() =>
    Object.assign(Promise.resolve(tool), {
      withResponse: () => rejectionOf(Promise.reject(new Error('none'))) as never,
    }),
  );
  expect(await platform.tools.get('x')).toBe(tool);
  expect(get).toHaveBeenCalledWith('x');
});

// openai-ruby#438
test('withOptions of a subclass returns one of the subclass', async () => {
  class MyPlatform extends AgentPlatform {
    readonly name = 'mine';
    hello(): string {
      return `hello from ${this.region}`;
    }
  }
  const options: AgentPlatformOptions = {
    region: 'eu',
    token: 'a-token',
    baseUrls: { eu: 'https://eu.service.test', na: 'https://na.service.test' },
  };
  const derived = new MyPlatform(options).withOptions({ region: 'na', token: 'another' });
  expectTypeOf(derived).toEqualTypeOf<MyPlatform>();
  expect(derived).toBeInstanceOf(MyPlatform);
  expect([derived.name, derived.hello()]).toEqual(['mine', 'hello from na']);
});

// sanity-io/client#12526
test('derived clients do not repeat a warning', async () => {
  const logger = new RecordingLogger();
  respond(response(200, success({ id: 't1', name: null })));
  const base = createClient({ logger, logLevel: 'warn' });
  for (let count = 0; count < 3; count += 1)
    await base.withOptions({ token: `token-${count}` }).tools.get('t1');
  expect(logger.lines).toEqual([
    expect.stringContaining('GET /tools/{toolId} does not match the API specification'),
  ]);
});

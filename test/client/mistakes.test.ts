import { runInNewContext } from 'node:vm';
import { AgentPlatform, type AgentPlatformOptions } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serve } from '../support/loopback.js';
import { connect, rejectionOf } from '../support/server.js';

// Common mistakes, and the messages that name them.

const fake = createFakePlatform();
const setUp = (options: AgentPlatformOptions = {}) =>
  new AgentPlatform({
    region: 'eu',
    token: fake.seed.eu.workspaceSecret,
    baseUrls: fake.baseUrls,
    fetch: fake.fetch,
    maxRetries: 0,
    logLevel: 'off',
    ...options,
  });
const messageOf = async (promise: Promise<unknown>) => ((await rejectionOf(promise)) as Error).message;

describe('a token', () => {
  test.each([
    '"secret"',
    "'secret'",
    'Bearer secret',
    'undefined',
    'null',
    '<token>',
    '{{token}}',
    '$' + '{T}',
    '$TOKEN',
    '[object Object]',
  ])('%s is refused at creation', (token) => {
    expect(() => setUp({ token })).toThrow(
      'AgentPlatform: token is not the bare value: remove quotes and `Bearer `, and replace a placeholder ' +
        'such as `$TOKEN`. Set the option `token` or AGENT_PLATFORM_TOKEN.',
    );
  });

  test('that a function returns in quotes is refused before it is sent', async () => {
    expect(await messageOf(setUp({ token: () => '"secret"' }).tools.listDefaults())).toMatch(
      /`token` function returned string: token is not the bare value/,
    );
  });
});

describe('arguments', () => {
  const ids = { agentId: fake.seed.eu.agentId, convoId: fake.seed.eu.convoId };

  test('options beside ids are refused by name', async () => {
    const given = { ...ids, timeout: 5, signal: AbortSignal.timeout(1) };
    const message = await messageOf(setUp().conversations.get(given));
    expect(message).toContain('timeout: is an option: pass it after the ids');
    expect(message).toContain('signal: is an option: pass it after the ids');
  });

  test('a whole record with the ids is accepted', async () => {
    const payload = { ...ids, createdAt: 1, operation: 'updated' };
    expect(await setUp().conversations.get(payload)).toBeDefined();
  });

  test('a promise as an id asks for await', async () => {
    expect(await messageOf(setUp().tools.get(Promise.resolve('tool_1') as never))).toContain(
      'toolId: expected a non-empty string, received a promise (is `await` missing?)',
    );
  });

  test('a circular body is named with its path', async () => {
    const value: Record<string, unknown> = { name: 'a' };
    value.list = [value];
    expect(await messageOf(setUp().request('POST', '/anything', { body: { value } }))).toContain(
      'value.list[0]: expected a value that JSON can hold, received a circular reference',
    );
    // The same object twice is no circle.
    const twice = { one: { a: 1 } };
    const body = { ...twice, other: twice.one };
    expect(await messageOf(setUp().request('POST', '/anything', { body }))).toContain('responded with 404');
  });

  test.each<[what: string, value: unknown, received: string]>([
    // eris#1197
    ['a toJSON that returns nothing', { toJSON: () => undefined }, 'a `toJSON()` that returns nothing'],
    // jest#2549
    ['an invalid date of another realm', runInNewContext('new Date(NaN)'), 'Invalid Date'],
    ['a promise of another realm', runInNewContext('Promise.resolve()'), 'Promise'],
  ])('%s in a body is named with its path', async (_, value, received) => {
    for (const [body, place] of [
      [value, '(root)'],
      [{ at: value }, 'at'],
    ] as const) {
      expect(await messageOf(setUp().request('POST', '/anything', { body }))).toContain(
        `${place}: expected a value that JSON can hold, received ${received}`,
      );
    }
  });

  test('a body that is JSON text already is refused', async () => {
    expect(
      await messageOf(setUp().request('POST', '/anything', { body: JSON.stringify({ a: 1 }) })),
    ).toContain('body: expected the value, received it as JSON text');
  });
});

describe('the option fetch', () => {
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['JSON', { data: [] }],
  ])('that resolves to %s is named', async (_, value) => {
    expect(await messageOf(setUp({ fetch: async () => value as Response }).tools.listDefaults())).toMatch(
      /failed: `fetch` must resolve to a Response \(attempt 1\)$/,
    );
  });

  test('that rejects without an error says so', async () => {
    // oxlint-disable-next-line prefer-promise-reject-errors
    const fetch = () => Promise.reject(undefined);
    expect(await messageOf(setUp({ fetch }).tools.listDefaults())).toContain(
      'GET /tools/defaults failed: `fetch` rejected with nothing (attempt 1)',
    );
  });

  test('that is missing beside the address of a fake is asked for', async () => {
    expect(await messageOf(setUp({ fetch: undefined }).tools.listDefaults())).toContain(
      '\n  The address of a fake needs `fetch: fake.fetch`.',
    );
  });
});

describe('an address', () => {
  test('of http names the variable that allows it, with its value', () => {
    expect(() => setUp({ baseUrls: { eu: 'http://a.test' } })).toThrow(
      'To use http: beyond loopback, set `allowInsecureBaseUrl` or AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL=true',
    );
  });

  test('of https for a service that speaks http is questioned', async () => {
    const url = await serve((_, response) => void response.end());
    expect(await messageOf(connect(url.replace('http:', 'https:')).tools.listDefaults())).toContain(
      '\n  Does the server speak http: instead of https:?',
    );
  });

  test('is in the hint for a token that was refused, because regions are easily swapped', async () => {
    expect(await messageOf(setUp({ token: 'unknown' }).tools.listDefaults())).toContain(
      "The region is 'eu': check that the token, the ids and https://eu.agent-platform.test/v3 belong to it.",
    );
  });
});

test('an environment that may not be read is named', () => {
  const { env } = process;
  onTestFinished(() => {
    process.env = env;
  });
  // As in Deno without permission.
  process.env = new Proxy(env, {
    get() {
      throw new Error('Requires env access');
    },
  });
  expect(() => new AgentPlatform()).toThrow(
    /region is missing\. Set the option `region` or AGENT_PLATFORM_REGION\. It could not be read: Deno needs --allow-env\./,
  );
});

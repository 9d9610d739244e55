import { runInNewContext } from 'node:vm';
import {
  AgentPlatform,
  type AgentPlatformOptions,
  ConfigurationError,
  createWebhookReceiver,
  parseWebhook,
} from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serve } from '../support/loopback.js';
import { connect, rejectionOf } from '../support/server.js';

// Common mistakes, and the messages that name them.

function thrownBy(make: () => unknown): ConfigurationError {
  try {
    make();
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
  }
  throw new Error('expected a ConfigurationError');
}

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

const WORD = 'hunter2-hunter2';
const PASTED = [
  [`"${WORD}"`, `'${WORD}'`, `"${WORD}`, `${WORD}'`, `"${WORD}",`, `${WORD};`, `\u201c${WORD}\u201d`],
  [`Bearer ${WORD}`, `authorization: Bearer ${WORD}`, `${WORD} # prod`, `a ${WORD}`],
  [
    `TOKEN=${WORD}`,
    `token=${WORD}`,
    `apiKey=${WORD}`,
    `export TOKEN=${WORD}`,
    `$env:TOKEN="${WORD}"`,
    `TOKEN: ${WORD}`,
  ],
  ['undefined', 'null', '[object Object]', '<token>', '{{token}}', '$' + '{TOKEN}', '$TOKEN', '%TOKEN%'],
  [`["${WORD}"]`, `{"acme":"${WORD}"}`],
  ['\u200b', '\u2060', '\u00ad', '\u202e', '\u0001', '\n', '\ud800'].map((one) => `hunter2${one}hunter2`),
].flat();

describe('a secret', () => {
  test.each(PASTED)('%j is refused as pasted, wherever a secret is set', async (given) => {
    const refusals = [
      () => setUp({ token: given }),
      () => createWebhookReceiver({ secret: given }),
      () => createWebhookReceiver({ secret: { acme: [given] } }),
      () => parseWebhook('{}', { secret: given }),
    ].map((make) => {
      const { message, option } = thrownBy(make);
      expect(message).toContain('is not the bare value: remove quotes');
      expect(message).not.toContain('hunter2');
      return option;
    });
    expect(refusals).toEqual(['token', 'secret', 'secret.acme[0]', 'secret']);
    expect(await messageOf(setUp({ token: () => given }).tools.listDefaults())).toMatch(
      /`token` function returned string: token is not the bare value/,
    );
  });

  // Of the characters that a bearer token may have (RFC 6750, 2.1), and what other services put into theirs.
  test.each([
    'MFRGGZDF====',
    'abc=def',
    'pass#word',
    'a+b/c==',
    '1|a:b',
    '$2b$10$x',
    '50%',
    'it"s',
    'x-._~y',
  ])('%s may be one', (given) => {
    expect(setUp({ token: given }).region).toBe('eu');
    expect(createWebhookReceiver({ secret: given })).toBeDefined();
  });
});

describe('arguments', () => {
  const ids = { agentId: fake.seed.eu.agentId, convoId: fake.seed.eu.convoId };

  test('options beside ids are refused by name', async () => {
    const given = { ...ids, timeout: 5, signal: AbortSignal.timeout(1) };
    const message = await messageOf(setUp().conversations.get(given));
    expect(message).toContain('timeout: is an option: pass it after the input');
    expect(message).toContain('signal: is an option: pass it after the input');
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

import { ConfigurationError } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { closestName } from '../../src/utils/suggest.js';
import {
  checkOptions,
  func,
  methods,
  milliseconds,
  oneOf,
  wholeNumber,
} from '../../src/validation/options.js';

const schema = z.strictObject({
  region: oneOf(['eu', 'na']),
  token: z.union([z.string(), func], 'must be a string or a function'),
  baseUrls: z.optional(z.strictObject({ eu: z.optional(z.string()), na: z.optional(z.string()) })),
  timeout: z.optional(milliseconds()),
  maxRetries: z.optional(wholeNumber(0)),
  logger: z.optional(methods('error', 'warn')),
  dedupe: z.optional(z.union([z.literal(false), z.strictObject({ lease: z.optional(milliseconds(100)) })])),
});
const variables = { region: 'AGENT_PLATFORM_REGION', token: 'AGENT_PLATFORM_TOKEN' };
const complete = { region: 'eu', token: 'token' };

function refusal(given: unknown): ConfigurationError {
  try {
    checkOptions(schema, given, { of: 'AgentPlatform', variables });
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('expected a ConfigurationError');
}

test('one error names everything that is missing, unknown or wrong', () => {
  const { message, option } = refusal({ retries: 2, timeout: '5s' });
  expect(message.split('\n')).toEqual([
    'AgentPlatform: 4 options are missing or wrong',
    '  - region is missing. Set the option `region` or AGENT_PLATFORM_REGION.',
    '  - token is missing. Set the option `token` or AGENT_PLATFORM_TOKEN.',
    '  - timeout must be a number of milliseconds above 0 and at most 2147483647, got string.',
    '  - retries is not a known option. Did you mean `maxRetries`?',
  ]);
  expect(option).toBe('region');
});

test.each([
  ['an unknown option', { x: 1 }, 'x is not a known option. Known: region, token, baseUrls, timeout,'],
  [
    'an unknown option inside another',
    { baseUrls: { us: '' } },
    'baseUrls.us is not a known option. Known: eu',
  ],
  ['a wrong choice', { region: 'ue' }, "region must be one of 'eu', 'na', got 'ue'."],
  ['a number out of range', { maxRetries: -1 }, 'maxRetries must be a whole number, 0 or more, got -1.'],
  ['a wrong variant', { token: 4 }, 'token must be a string or a function, got 4.'],
  ['a missing method', { logger: { error() {} } }, 'logger must be an object with the methods error, warn,'],
  ['an unknown option inside a variant', { dedupe: { leas: 1 } }, 'Did you mean `lease`?'],
  ['a wrong option inside a variant', { dedupe: { lease: 0 } }, 'dedupe.lease must be a number of milli'],
])('the message names %s', (_, given, expected) => {
  expect(refusal({ ...complete, ...given }).message).toContain(expected);
});

test('a message shows no text that may be a secret', () => {
  const secret = 'a-secret-that-is-long-enough';
  expect(refusal({ region: secret, token: 'token', maxRetries: secret }).message).not.toContain(secret);
});

test('complete options pass', () => {
  expect(() => checkOptions(schema, complete, { of: 'AgentPlatform' })).not.toThrow();
});

test.each([
  ['retries', 'maxRetries'],
  ['baseUrl', 'baseUrls'],
  ['default_value', 'defaultValue'],
  ['lead_capture', 'lead_captured'],
  ['copys', 'copies'],
  ['fetcher', 'fetch'],
  ['apiKey', undefined],
  ['us', undefined],
])('for %s it suggests %s', (word, meant) => {
  const known = [
    'region',
    'eu',
    'maxRetries',
    'baseUrls',
    'defaultValue',
    'lead_captured',
    'copies',
    'fetch',
    'token',
  ];
  expect(closestName(word, known)).toBe(meant);
});

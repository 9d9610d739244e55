import { ConfigurationError } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import * as z from 'zod/v4/mini';
import {
  checkOptions,
  func,
  methods,
  milliseconds,
  numberBetween,
  oneOf,
  wholeNumber,
} from '../../src/validation/check-options.js';

// How options are checked, once. Elsewhere, a row for each object of options says that it is checked.

const schema = z.strictObject({
  token: z.optional(z.string()),
  mode: z.optional(oneOf(['strict', 'tolerant'])),
  retries: z.optional(wholeNumber(0, 10)),
  attempts: z.optional(wholeNumber(1)),
  timeout: z.optional(milliseconds()),
  jitter: z.optional(numberBetween(0, 1)),
  hooks: z.optional(z.strictObject({ onEnd: z.optional(func), onRetry: z.optional(func) })),
  logger: z.optional(methods('error', 'warn')),
  rules: z.optional(z.array(z.strictObject({ field: z.string() }))),
});
const about = { of: 'createShop', variables: { token: 'SHOP_TOKEN' } };
const check = (given: unknown) => () => checkOptions(schema, given, about);

test.each<[given: unknown, option: string, words: string]>([
  [undefined, 'options', 'is missing.'],
  [null, 'options', 'must be of type object, got null.'],
  [{ token: 5 }, 'token', 'must be of type string, got 5. Set the option `token` or SHOP_TOKEN.'],
  [{ tokn: 'hunter2' }, 'tokn', 'is not a known option. Did you mean `token`?'],
  [{ timeOutMs: 1 }, 'timeOutMs', 'Did you mean `timeout`?'],
  [{ colour: 'hunter2' }, 'colour', 'is not a known option. Known: token, mode, retries, attempts, timeout'],
  [{ constructor: 1 }, 'constructor', 'is not a known option.'],
  [{ mode: 'strikt' }, 'mode', "must be one of 'strict', 'tolerant', got 'strikt'. Did you mean `strict`?"],
  [{ mode: 'hunter2'.repeat(3) }, 'mode', 'got string.'],
  [{ mode: '"strict"' }, 'mode', 'is not the bare value: remove quotes'],
  [{ retries: -1 }, 'retries', 'must be a whole number from 0 to 10, got -1.'],
  [{ retries: 11 }, 'retries', 'got 11.'],
  [{ retries: 0.5 }, 'retries', 'got 0.5.'],
  [{ retries: 'hunter2' }, 'retries', 'got string.'],
  [{ attempts: 0 }, 'attempts', 'must be a whole number, 1 or more, got 0.'],
  [{ timeout: 0 }, 'timeout', 'must be a number of milliseconds above 0 and at most 2147483647, got 0.'],
  [{ timeout: 2 ** 31 }, 'timeout', 'got 2147483648.'],
  [{ jitter: -0.1 }, 'jitter', 'must be a number from 0 to 1, got -0.1.'],
  [{ jitter: 1.1 }, 'jitter', 'got 1.1.'],
  [{ jitter: Number.NaN }, 'jitter', 'got NaN.'],
  [{ hooks: { onEnd: 1 } }, 'hooks.onEnd', 'must be a function, got 1.'],
  [{ hooks: { onSend() {} } }, 'hooks.onSend', 'is not a known option. Did you mean `onEnd`?'],
  [{ logger: { error() {} } }, 'logger', 'must be an object with the methods error, warn, got object.'],
  [{ logger: null }, 'logger', 'got null.'],
  [{ rules: [{ field: 'a' }, { field: 'b', feld: 1 }] }, 'rules[1].feld', 'Did you mean `field`?'],
])('the options %j are refused by name, without a text that may be a secret', (given, option, words) => {
  expect(check(given)).toThrow(ConfigurationError);
  expect(check(given)).toThrow(expect.objectContaining({ option }));
  expect(check(given)).toThrow(words);
  expect(check(given)).not.toThrow(/hunter2/);
});

test.each([
  { retries: 0, attempts: 1, timeout: 0.001, jitter: 0 },
  { retries: 10, attempts: 2 ** 40, timeout: 2 ** 31 - 1, jitter: 1 },
  { token: undefined, logger: { error() {}, warn() {}, more: 1 }, hooks: {} },
])('the options %j are taken', (given) => {
  expect(check(given)).not.toThrow();
});

test('all that is wrong is one error, with a line each, and with what the caller checks', () => {
  const further = () => [{ option: 'keyPrefix', text: 'is empty.' }];
  const refused = (given: unknown) => () => checkOptions(schema, given, { of: 'x', path: 'shop' }, further);
  expect(refused({ retries: -1, colour: 1 })).toThrow(
    /^x: 3 options are missing or wrong\n {2}- shop\.retries .*\n {2}- shop\.colour .*\n {2}- keyPrefix is empty\.$/,
  );
  expect(refused({})).toThrow(/^x: keyPrefix is empty\.$/);
  expect(refused(null)).toThrow(/^x: shop must be of type object, got null\.$/);
});

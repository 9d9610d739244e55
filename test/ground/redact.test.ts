import { redact } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { formsOf, withoutSecrets } from '../../src/ground/echoes.js';
import {
  hiddenTexts,
  isSensitiveHeader,
  masked,
  maskInside,
  redactHeaders,
  redactText,
} from '../../src/ground/redact.js';

test('a marked field without a value has nothing to mask', () => {
  expect(redact({ magicCode: undefined, usedSecret: null })).toEqual({
    magicCode: undefined,
    usedSecret: '[redacted]',
  });
});

test('what comes back is an object like any other', () => {
  const copy = redact({ name: 'crm', kept: 1 }) as { name?: string; kept: number };
  copy.kept = 2;
  delete copy.name;
  expect(copy).toEqual({ kept: 2 });
});

test.each<[string, () => unknown]>([
  [
    'a getter that throws',
    () => ({
      get broken(): unknown {
        throw new Error('no');
      },
    }),
  ],
  [
    'an isEnv that throws',
    () => ({
      value: 's',
      get isEnv(): unknown {
        throw new Error('no');
      },
    }),
  ],
  ['a revoked proxy', revoked],
  ['one in a list', () => [1, revoked()]],
  ['a name without a prototype', () => Object.create(null, { [Symbol.toStringTag]: { value: 'Foo' } })],
  ['what describes itself by throwing', () => ({ url: new Unprintable(), name: 'crm' })],
])('%s is no reason to throw', (_, value) => {
  expect(redact(value())).toBe('[unreadable]');
});

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

class Unprintable extends Map {
  override toString(): string {
    throw new Error('no');
  }
}

test('a short secret is taken out of texts, and not out of names', () => {
  expect(masked({ abc: 'abc' }, ['abc'])).toEqual({ abc: '[redacted]' });
  expect(masked({ 'the abc of it': 1 }, ['abc'])).toEqual({ 'the abc of it': 1 });
  expect(redactHeaders(new Headers({ abc: 'x' }), ['abc'])).toEqual({ abc: 'x' });
});

test('the values of marked fields are told, down to 64 levels', () => {
  const record = (levels: number): unknown =>
    levels === 0 ? { magicCode: 'm' } : [null, record(levels - 1)];
  expect(hiddenTexts({ isEnv: true, name: 'n', value: [null, true, 's', 5] })).toEqual(['s', '5']);
  expect(hiddenTexts(record(64))).toEqual(['m']);
  expect(hiddenTexts(record(65))).toEqual([]);
});

test('the values of marked fields are not told of more than there is room for, a character counting as 16 parts', () => {
  expect(hiddenTexts([1, { b: 2 }], 4)).toEqual([]);
  expect(hiddenTexts([1, { b: 2 }], 3)).toBeUndefined();
  expect(hiddenTexts({ magicCode: 's' }, 18)).toEqual(['s']);
  expect(hiddenTexts({ magicCode: 's' }, 17)).toBeUndefined();
});

test('the values of an object are told where it stands under a marked name, though it stands elsewhere too', () => {
  const parts = { part: 's' };
  expect(hiddenTexts({ parts, magicCode: parts, again: parts })).toEqual(['s']);
});

test('a text that is too long for the pattern is masked whole', () => {
  const masked = redact({ text: `a magicCode="${'s'.repeat(40_000_000)}`, name: 'crm' });
  expect(masked).toEqual({ text: expect.stringMatching(/^.{0,40}$/), name: 'crm' });
});

test('a million values are copied, and what follows is cut', () => {
  const list = redact(Array.from({ length: 1_200_000 }, () => 1)) as unknown[];
  expect([list.length, list.at(-2), list.at(-1)]).toEqual([1_000_000, 1, '[…]']);
  expect(redact([[1], 2])).toEqual([[1], 2]);
});

test.each<[string, () => unknown]>([
  ['an empty list of any length', () => Object.assign([], { length: 4_294_967_295 })],
  [
    'a list whose iterator has no end',
    () =>
      Object.assign([1], {
        *[Symbol.iterator]() {
          for (;;) yield 1;
        },
      }),
  ],
  [
    'getters that make new objects without end',
    () => {
      const grow = (): object =>
        Object.defineProperties(
          {},
          { left: { enumerable: true, get: grow }, right: { enumerable: true, get: grow } },
        );
      return grow();
    },
  ],
])('%s comes to an end', (_, make) => {
  expect(JSON.stringify(redact({ from: make(), magicCode: 'm' }))).toContain('"magicCode":"[redacted]"');
});

test('64 levels are copied, and what is deeper is cut', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 'end' : [deep(levels - 1)]);
  expect(redact(deep(64))).toEqual(deep(64));
  expect(JSON.stringify(redact(deep(65)))).toBe(`${'['.repeat(64)}"[…]"${']'.repeat(64)}`);
});

test.each([
  ['a note', 'value: 5', 'value: 5'],
  ['a note with brackets further on', 'see [1], value: 5', 'see [1], value: 5'],
  ['a word that ends in a bracket', 'a[ value: 5', 'a[ value: 5'],
  [
    'a value that ends',
    'magicCode=m magicCode=m, magicCode=m;b=1 magicCode=m&c-d=1 magicCode=m}d magicCode=m]e magicCode=m<f magicCode=m>g',
    'magicCode=* magicCode=*, magicCode=*;b=1 magicCode=*&c-d=1 magicCode=*}d magicCode=*]e magicCode=*<f magicCode=*>g'.replaceAll(
      '*',
      '[redacted]',
    ),
  ],
  [
    'a value that holds what separates others',
    'magicCode=m,s magicCode=m;s magicCode=m&s magicCode=m&amp;s magicCode=m&#x2F;s= magicCode=m[s[t',
    'magicCode=* magicCode=* magicCode=* magicCode=* magicCode=* magicCode=*'.replaceAll('*', '[redacted]'),
  ],
  [
    'an address',
    'no listenUrl: wss://h.example/l?a=1&token=s, "listenUrl=wss://h/l?a=s" more',
    'no listenUrl: [redacted] "listenUrl=[redacted]" more',
  ],
  [
    'what is masked in part',
    'magicCode=[redacted]s a[redacted]s magicCode=a[redacted]s',
    'magicCode=[redacted] a[redacted]s magicCode=[redacted]',
  ],
  ['JSON that is cut off', '{"value":"s3cret', '{"value":[redacted]'],
  ['JSON behind a space', ' [{"magicCode":"m"}', ' [{"magicCode":[redacted]}'],
  [
    'whole JSON',
    '{"isEnv":false,"value":5,"magicCode":"m"}',
    '{"isEnv":false,"value":5,"magicCode":"[redacted]"}',
  ],
])('%s inside of a record is masked by what it is', (_, text, masked) => {
  expect(maskInside(text)).toBe(masked);
});

test.each([
  ['null', 'null'],
  ['5', '5'],
  ['"value: 5"', '"value: [redacted]'],
  ['', ''],
])('the text %j, which is no record, is masked as text', (text, masked) => {
  expect(redactText(text)).toBe(masked);
});

test.each(['\ud800', ''])(
  'a secret that has no form in UTF-8, or no letter, garbles no text: %j',
  (secret) => {
    expect(withoutSecrets('a -- b', [secret])).toBe('a -- b');
  },
);

test.each(['', '.', '..'])(
  'a secret whose Base64 has few letters of its own is found, behind %j',
  (before) => {
    const secret = 'ten-letter';
    const text = `x ${btoa(`${before}${secret}...`)} x`;
    expect(withoutSecrets(text, [secret])).toMatch(/^x .{0,3}\[redacted\].{0,7} x$/);
  },
);

test('a secret that is encoded over and over is looked for as it is, and as often read as a text is', () => {
  expect(formsOf([`%${'25'.repeat(1_000)}41`]).length).toBeLessThan(50);
});

test('a short secret is not looked for in Base64, where it would be found by chance', () => {
  expect(withoutSecrets(`${btoa('abc')} abc`, ['abc'])).toBe(`${btoa('abc')} [redacted]`);
});

test.each([
  'authorization',
  'Cookie',
  'x-api-key',
  'x-auth',
  'session-id',
  'x-jwt',
  'proxy-authorization',
  'x-passwd',
  'x-credential',
  'x-signature',
  'x-token',
  'x-client-secret',
])('the header %s carries a credential', (name) => {
  expect(isSensitiveHeader(name)).toBe(true);
});

test.each(['www-authenticate', 'content-type', 'retry-after'])('the header %s carries none', (name) => {
  expect(isSensitiveHeader(name)).toBe(false);
});

test('headers are masked by name, by what they say, and by known secrets', () => {
  const headers = new Headers({ 'x-key': 'k', location: '/?magicCode=m', 'x-echo': 'of s3cret-s3cret' });
  expect(redactHeaders(headers)).toEqual({
    'x-key': '[redacted]',
    location: '/?magicCode=[redacted]',
    'x-echo': 'of s3cret-s3cret',
  });
  expect(redactHeaders(headers, ['s3cret-s3cret'])['x-echo']).toBe('[redacted]');
});

test.each([true, 'true', 'false', 1, {}])('the value of a variable is masked where isEnv is %j', (isEnv) => {
  expect(redact({ isEnv, value: 'canary', defaultValue: 'canary' })).toEqual({
    isEnv,
    value: '[redacted]',
    defaultValue: '[redacted]',
  });
});

test('each object is copied once, however many refer to it', () => {
  const shared = { magicCode: 'canary' };
  const copy = redact({ one: shared, other: [shared] }) as { one: object; other: object[] };
  expect(copy.one).toBe(copy.other[0]);
  expect(copy.one).toEqual({ magicCode: '[redacted]' });
});

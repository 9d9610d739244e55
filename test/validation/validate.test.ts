import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { closedObject, expected, openObject } from '../../src/schemas/object.js';
import { formatPath } from '../../src/utils/issues.js';
import { type ValidationMode, validate, validateOwn } from '../../src/validation/validate.js';

test.each([
  [[], '(root)'],
  [['data', 'channels', 0], 'data.channels[0]'],
  [['a-b', '1c', ''], '["a-b"]["1c"][""]'],
])('the path %j reads %s', (path, text) => {
  expect(formatPath(path)).toBe(text);
});

const schema = openObject(() => ({
  anything: z.unknown(),
  id: expected(z.string()),
  count: z.optional(z.number()),
  kind: z.optional(z.enum(['a', 'b'])),
  fixed: z.optional(z.literal('x')),
  parts: z.optional(z.array(closedObject(() => ({ name: z.string() })))),
  tags: z.optional(z.array(z.string())),
}));
const complete = { anything: 0, id: '' };

const forgiven: readonly [what: string, value: object, path: unknown[], message: RegExp][] = [
  ['a missing expected field', { id: undefined }, ['id'], /required.*string/],
  ['null in an expected field', { id: null }, ['id'], /expected string, received null/],
  ['null in an optional field', { count: null }, ['count'], /expected number, received null/],
  ['a new value of a list', { kind: 'c' }, ['kind'], /expected one of "a", "b", received another string/],
  ['a new value of a literal', { fixed: 'y' }, ['fixed'], /expected one of "x", received another string/],
  ['a new field of a closed object', { parts: [{ name: '', x: 1 }] }, ['parts', 0, 'x'], /unknown field/],
];
const wrong: readonly [what: string, value: object, path: unknown[], message: RegExp][] = [
  ['a missing field of any value', { anything: undefined }, ['anything'], /required.*a value/],
  ['a wrong type', { count: '1' }, ['count'], /expected number, received string/],
  ['a number for one of a list', { kind: 7 }, ['kind'], /expected one of "a", "b", received number/],
  ['a missing required field', { parts: [{}] }, ['parts', 0, 'name'], /required.*string/],
  ['null in a list', { tags: [null] }, ['tags', 0], /expected string, received null/],
  ['a list for an object', { parts: [[]] }, ['parts', 0], /expected object, received array/],
  ['an object for a list', { parts: {} }, ['parts'], /expected array, received object/],
];

/** Without the fields that are undefined, as JSON has it. */
const sent = (fields: object): unknown => JSON.parse(JSON.stringify({ ...complete, ...fields }));

test.each(forgiven)('%s is drift in tolerant, and an issue in strict', (_, fields, path, message) => {
  const value = sent(fields);
  const issues = [
    { path, code: expect.any(String) as string, message: expect.stringMatching(message) as string },
  ];
  expect(validateOwn(schema, value, 'strict')).toEqual({ ok: false, issues });
  expect(validateOwn(schema, value, 'tolerant')).toEqual({ ok: true, value, drift: issues });
});

test.each(wrong)('%s is an issue in tolerant, and drift in report', (_, fields, path, message) => {
  const value = sent(fields);
  const issues = [
    { path, code: expect.any(String) as string, message: expect.stringMatching(message) as string },
  ];
  expect(validateOwn(schema, value, 'tolerant')).toEqual({ ok: false, issues });
  expect(validateOwn(schema, value, 'report')).toEqual({ ok: true, value, drift: issues });
  expect(validateOwn(schema, value, 'off')).toEqual({ ok: true, value, drift: [] });
});

test('a value is returned as it was sent, not a copy', () => {
  const value = sent({ kind: 'new', added: { list: [1] } });
  const verdict = validateOwn(schema, value, 'tolerant');
  expect(verdict.ok && verdict.value).toBe(value);
});

test.each([
  [100_000, 'tolerant', { ok: true }],
  [400_000, 'report', { ok: true, drift: [{ code: 'too_many_issues' }] }],
  [400_000, 'tolerant', { ok: false, issues: [{ code: 'too_many_issues' }] }],
] as const)('%i new fields end in one verdict in %s', (count, mode, verdict) => {
  const parts = Array.from({ length: count }, () => ({ name: '', x: 1 }));
  expect(validateOwn(schema, { ...complete, parts }, mode)).toMatchObject(verdict);
});

test('of 250 issues, 100 are listed and the rest is counted', () => {
  const verdict = validateOwn(schema, { ...complete, tags: Array(250).fill(1) }, 'strict');
  const issues = verdict.ok ? [] : verdict.issues;
  expect(issues).toHaveLength(101);
  expect(issues.at(-1)).toEqual({ path: [], code: 'more_issues', message: 'and 150 more issue(s)' });
});

test('the words of issues are our own, whatever the configuration of Zod', () => {
  const before = z.config();
  z.config({ customError: () => 'changed' });
  try {
    const verdict = validateOwn(schema, { ...complete, count: '1' }, 'strict');
    expect(verdict).toMatchObject({ issues: [{ message: 'expected number, received string' }] });
  } finally {
    z.config({ ...before, customError: undefined });
  }
});

const custom = z.object({ id: z.pipe(z.string(), z.transform(Number)) });

test.each<[ValidationMode, unknown, unknown]>([
  ['tolerant', { id: '7', x: 1 }, { ok: true, value: { id: 7 }, drift: [] }],
  ['off', { id: 7 }, { ok: true, value: { id: 7 }, drift: [] }],
  ['report', { id: 7 }, { ok: true, value: { id: 7 }, drift: [expect.objectContaining({ path: ['id'] })] }],
  ['tolerant', { id: 7 }, { ok: false, issues: [expect.objectContaining({ path: ['id'] })] }],
])('a custom schema decides alone, in %s', async (mode, value, verdict) => {
  expect(await validate(custom, value, mode)).toEqual(verdict);
});

test.each([
  [undefined, []],
  [
    [{ key: 'a' }, 1],
    ['a', 1],
  ],
  [[Symbol('s')], ['Symbol(s)']],
])('the path %j of another library becomes %j', async (path, expectedPath) => {
  const standard = {
    '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'm', path }] }) },
  } as const;
  expect(await validate(standard as never, 5, 'strict')).toEqual({
    ok: false,
    issues: [{ path: expectedPath, code: 'invalid', message: 'm' }],
  });
});

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { closedObject, openObject } from '../../src/schemas/object.js';
import { fits } from '../../src/validation/fits.js';
import { validateOwn } from '../../src/validation/validate.js';
import { type RecordName, recordNames } from '../schemas/document-table.js';
import { rows, schemaOf } from '../schemas/records.js';
import { complete, wrongValuesOf } from '../schemas/samples.js';

/** Zod's verdict, which must be that of `fits` too. */
const accepts = (schema: z.core.$ZodType, value: unknown) => z.safeParse(schema, value).success;

/** A property for fast-check: `fits` says what Zod says. */
const agrees = (record: RecordName) => (value: unknown) =>
  fits(schemaOf(record), value) === accepts(schemaOf(record), value);

/** Records as a service might send them: fields are absent, one may be wrong, one may be new. */
function sentRecord(record: RecordName): fc.Arbitrary<unknown> {
  const wrong = rows
    .filter((row) => row.record === record)
    .flatMap(({ field, type }) => wrongValuesOf(type).map(({ value }) => ({ [field]: value })));
  const newName = fc.constantFrom('aNewField', 'constructor', '0');
  return fc
    .tuple(
      fc.subarray(Object.entries(complete(record))),
      fc.option(fc.constantFrom(...wrong)),
      fc.option(fc.tuple(newName, fc.jsonValue())),
    )
    .map(([sent, fault, added]) => withField({ ...Object.fromEntries(sent), ...fault }, added));
}

/** As `JSON.parse` does it: a field may be named `__proto__`. */
function withField(value: object, added: readonly [name: string, value: unknown] | null): object {
  if (added === null) return value;
  const [name, field] = added;
  return Object.defineProperty(value, name, {
    value: field,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

test.each(recordNames)('%s fits as sent exactly where Zod accepts it', (record) => {
  expect(() => fc.assert(fc.property(sentRecord(record), agrees(record)))).not.toThrow();
});

// Save for a field named `__proto__`, which Zod passes over: see below.
const json = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('"__proto__":'));

test.each(recordNames)('any JSON fits %s exactly where Zod accepts it', (record) => {
  expect(() => fc.assert(fc.property(json, agrees(record)))).not.toThrow();
});

test.each(recordNames)('a whole %s fits', (record) => {
  expect(fits(schemaOf(record), complete(record))).toBe(true);
});

const anything = z.optional(z.unknown());

test.each<[what: string, schema: z.core.$ZodType, value: unknown]>([
  ['an open object, a field named __proto__', openObject(() => ({})), JSON.parse('{"__proto__":1}')],
  ['an object, a field named as one of every object', openObject(() => ({ toString: z.string() })), {}],
  [
    'a listed field that fits after a number for a name',
    openObject(() => ({ key: z.string() })),
    { 0: 1, key: '' },
  ],
  ['a listed field that does not fit after one', openObject(() => ({ key: z.string() })), { 0: 1, key: 1 }],
  ['a number for a name in a closed object', closedObject(() => ({})), { 0: 1 }],
  [
    'an object without a prototype',
    openObject(() => ({ key: z.string() })),
    Object.assign(Object.create(null), { key: '' }),
  ],
  ['a required field that is undefined', openObject(() => ({ key: z.string() })), { key: undefined }],
  ['a required field of any value, absent', openObject(() => ({ data: z.unknown() })), {}],
  ['an optional field that is undefined', openObject(() => ({ key: anything })), { key: undefined }],
  [
    'an optional text that is undefined',
    openObject(() => ({ key: z.optional(z.string()) })),
    { key: undefined },
  ],
  ['what nothing may be', z.never(), 'a'],
  ['a sparse list', z.array(z.string()), Array(1)],
  ['a number that is not one', z.number(), Number.NaN],
  ['a number that stands for no', z.boolean(), 0],
  ['an infinite number', z.number(), Number.POSITIVE_INFINITY],
  ['a literal', z.literal('deleted'), 'deleted'],
  ['another literal', z.literal('deleted'), 'created'],
  ['an enum', z.enum(['online', 'offline']), 'online'],
  ['another value than those of an enum', z.enum(['online', 'offline']), 'away'],
  ['a record', z.record(z.string(), z.number()), { a: 1 }],
  ['a record with a wrong value', z.record(z.string(), z.number()), { a: '1' }],
  ['a record with a key outside its list', z.record(z.enum(['a']), z.number()), { b: 1 }],
  ['a record with a key of a wrong form', z.record(z.string().check(z.minLength(2)), z.number()), { a: 1 }],
  ['a refined string', z.string().check(z.minLength(2)), 'a'],
  ['a string of a format', z.email(), 'nobody'],
  ['a coerced number', z.coerce.number(), '1'],
  ['a refined object', z.object({}).check(z.refine(() => false)), {}],
  ['a union', z.union([z.string(), z.number()]), 1],
])('fits agrees with Zod on %s', (_, schema, value) => {
  expect(fits(schema, value)).toBe(accepts(schema, value));
});

test.each(['1', '[]', '{}'])(
  'a field named __proto__ with %s is a new field of a closed object, although Zod passes over it; it is kept as sent',
  (field) => {
    const value: unknown = JSON.parse(`{"__proto__":${field}}`);
    const issues = [{ path: ['__proto__'], code: 'unrecognized_key', message: 'unknown field' }];
    expect(
      fits(
        closedObject(() => ({})),
        value,
      ),
    ).toBe(false);
    expect(
      validateOwn(
        closedObject(() => ({})),
        value,
        'strict',
      ),
    ).toStrictEqual({ ok: false, issues });
    expect(
      validateOwn(
        closedObject(() => ({})),
        value,
        'tolerant',
      ),
    ).toStrictEqual({
      ok: true,
      value,
      drift: issues,
    });
    expect(Object.hasOwn(value as object, '__proto__')).toBe(true);
  },
);

test('a record that did not fit is read anew when it has changed', () => {
  const part = closedObject(() => ({ id: z.optional(z.string()) }));
  const whole = openObject(() => ({ first: z.string(), part }));
  const record: Record<string, unknown> = { 0: 1 };
  expect(fits(part, record)).toBe(false);
  delete record[0];
  record.note = 2;
  // The first field alone is why it does not fit: the record was not looked at again by then.
  const verdict = validateOwn(whole, { first: 1, part: record }, 'strict');
  expect(verdict).toMatchObject({ ok: false, issues: [{ path: ['first'] }, { path: ['part', 'note'] }] });
});

class Plan {
  readonly key = 'plan';
}

test.each<[what: string, schema: z.core.$ZodType, value: unknown]>([
  ['an instance of a class', openObject(() => ({ key: z.string() })), new Plan()],
  ['a field with a default', openObject(() => ({ key: z._default(z.string(), 'plan') })), {}],
])('%s is left to Zod', (_, schema, value) => {
  expect(fits(schema, value)).toBe(false);
  expect(validateOwn(schema, value, 'strict')).toMatchObject({ ok: true, drift: [] });
});

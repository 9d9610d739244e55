import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod/v4/mini';
import { closedObject, openObject } from '../../src/schemas/object.js';
import { fits } from '../../src/validation/fits.js';
import { type RecordName, recordNames } from '../schemas/document-table.js';
import { complete, schemaOf } from '../schemas/records.js';

/** Records as a service might send them: fields are absent, one may be wrong, one may be new. */
function sentRecord(record: RecordName): fc.Arbitrary<unknown> {
  const wrong = fc
    .tuple(fc.constantFrom(...Object.entries(complete(record))), fc.jsonValue(), fc.boolean())
    .map(([[name, sample], value, isElement]) => ({
      [name]: isElement && Array.isArray(sample) ? [...sample, value] : value,
    }));
  const added = fc.record({ name: fc.constantFrom('aNewField', 'constructor', '0'), value: fc.jsonValue() });
  return fc
    .tuple(fc.subarray(Object.entries(complete(record))), fc.option(wrong), fc.option(added))
    .map(([sent, fault, field]) => ({
      ...Object.fromEntries(sent),
      ...fault,
      ...(field && { [field.name]: field.value }),
    }));
}

test.each(recordNames)('Zod accepts what fits %s, and a whole one fits without Zod', (record) => {
  const schema = schemaOf(record);
  const isSound = (value: unknown) => !fits(schema, value) || z.safeParse(schema, value).success;
  expect(() => fc.assert(fc.property(sentRecord(record), isSound))).not.toThrow();
  expect(fits(schema, complete(record))).toBe(true);
});

const plan = openObject(() => ({ key: z.string(), more: z.optional(z.string()) }));

test.each<[what: string, schema: z.core.$ZodType, value: unknown, accepted: boolean]>([
  ['a field named as one of every object', openObject(() => ({ toString: z.string() })), {}, false],
  ['a number for a name in an open object', openObject(() => ({})), { 0: 1 }, true],
  ['a number for a name in a closed object', closedObject(() => ({})), { 0: 1 }, false],
  ['a required field of any value that is absent', openObject(() => ({ data: z.unknown() })), {}, false],
  ['an optional field that is undefined', plan, { more: undefined, key: 'plan' }, true],
  ['a sparse list', z.array(z.string()), Array(1), false],
  ['infinity', z.number(), Number.POSITIVE_INFINITY, false],
  ['another value than a literal', z.literal('deleted'), 'created', false],
  ['a value of an enum', z.enum(['online', 'offline']), 'online', true],
  ['a string that is too short', z.string().check(z.minLength(2)), 'a', false],
  ['a string of a format', z.email(), 'nobody', false],
  ['a refined object', z.object({}).check(z.refine(() => false)), {}, false],
  ['a union', z.union([z.string(), z.number()]), 1, true],
])('%s', (_, schema, value, accepted) => {
  expect(fits(schema, value)).toBe(accepted);
  expect(z.safeParse(schema, value).success).toBe(accepted);
});

class Plan {
  readonly key = 'plan';
}

test('an instance of a class is left to Zod', () => {
  expect(fits(plan, new Plan())).toBe(false);
});

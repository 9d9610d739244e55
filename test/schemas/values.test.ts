import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { type ValidationMode, validateOwn } from '../../src/validation/validate.js';
import { type RecordName, recordNames } from './document-table.js';
import { rows, schemaOf } from './records.js';
import { complete, minimal, sampleOf, wrongValuesOf } from './samples.js';

const wrong = rows.flatMap((row) =>
  wrongValuesOf(row.type).map((wrongValue) => ({
    ...row,
    ...wrongValue,
    shown: JSON.stringify(wrongValue.value),
  })),
);

/** The paths at which a value does not fit the schema of a record. */
function issuePaths(record: RecordName, value: unknown): PropertyKey[][] {
  return z.safeParse(schemaOf(record), value).error?.issues.map((issue) => issue.path) ?? [];
}

test.each(recordNames)('%s with every field is accepted and returned unchanged', (record) => {
  const value = complete(record);
  expect(z.parse(schemaOf(record), value)).toEqual(value);
});

test.each(recordNames)('%s without its optional fields is accepted', (record) => {
  expect(issuePaths(record, minimal(record))).toEqual([]);
});

test.each(rows)('$name accepts a value of its type', ({ record, field, type }) => {
  expect(issuePaths(record, { ...minimal(record), [field]: sampleOf(type) })).toEqual([]);
});

test.each(wrong)('$name rejects $shown', ({ record, field, value, path }) => {
  expect(issuePaths(record, { ...minimal(record), [field]: value })).toEqual([[field, ...path]]);
});

/** Validates a record without one of its fields. */
function without(record: RecordName, field: string, mode: ValidationMode) {
  const { [field]: _, ...rest } = complete(record);
  return validateOwn(schemaOf(record), rest, mode);
}
const missing = (field: string) => [{ path: [field] }];

test.each(rows.filter(({ presence }) => presence === 'required'))(
  '$name is required: without it, an error in strict and tolerant, drift in report',
  ({ record, field }) => {
    expect(without(record, field, 'strict')).toMatchObject({ ok: false, issues: missing(field) });
    expect(without(record, field, 'tolerant')).toMatchObject({ ok: false, issues: missing(field) });
    expect(without(record, field, 'report')).toMatchObject({ ok: true, drift: missing(field) });
  },
);

test.each(rows.filter(({ presence }) => presence === 'expected'))(
  '$name is expected: without it, or null, an error in strict, drift in tolerant and report',
  ({ record, field }) => {
    expect(without(record, field, 'strict')).toMatchObject({ ok: false, issues: missing(field) });
    expect(without(record, field, 'tolerant')).toMatchObject({ ok: true, drift: missing(field) });
    expect(without(record, field, 'report')).toMatchObject({ ok: true, drift: missing(field) });
    const sent = { ...complete(record), [field]: null };
    expect(validateOwn(schemaOf(record), sent, 'strict')).toMatchObject({ ok: false });
    expect(validateOwn(schemaOf(record), sent, 'tolerant')).toMatchObject({
      ok: true,
      value: sent,
      drift: [{ path: [field] }],
    });
  },
);

test.each(rows.filter(({ presence }) => presence === 'optional'))(
  '$name is optional: accepted without it',
  ({ record, field }) => {
    expect(without(record, field, 'strict')).toMatchObject({ ok: true, drift: [] });
  },
);

test.each(rows.filter(({ type }) => type === 'any'))('$name may be null', ({ record, field }) => {
  expect(issuePaths(record, { ...minimal(record), [field]: null })).toEqual([]);
});

test.each(recordNames)('%s must be an object', (record) => {
  for (const value of [null, undefined, 'text', 1, []]) expect(issuePaths(record, value)).toEqual([[]]);
});

import { expect, test } from 'vitest';
import * as z from 'zod/mini';
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

/** Where a value does not fit the schema of a record. */
function issuePaths(record: RecordName, value: unknown): PropertyKey[][] {
  return z.safeParse(schemaOf(record), value).error?.issues.map((issue) => issue.path) ?? [];
}

test.each(recordNames)('%s with every field is accepted and given back as it was', (record) => {
  const value = complete(record);
  expect(z.parse(schemaOf(record), value)).toEqual(value);
});

test.each(recordNames)('%s with its required fields alone is accepted', (record) => {
  expect(issuePaths(record, minimal(record))).toEqual([]);
});

test.each(rows)('$name accepts a value of its type', ({ record, field, type }) => {
  expect(issuePaths(record, { ...minimal(record), [field]: sampleOf(type) })).toEqual([]);
});

test.each(wrong)('$name rejects $shown', ({ record, field, value, path }) => {
  expect(issuePaths(record, { ...minimal(record), [field]: value })).toEqual([[field, ...path]]);
});

test.each(rows.filter(({ required }) => required))('$name cannot be missing', ({ record, field }) => {
  const { [field]: _, ...rest } = minimal(record);
  expect(issuePaths(record, rest)).toEqual([[field]]);
});

test.each(rows.filter(({ type }) => type === 'any'))('$name may be null', ({ record, field }) => {
  expect(issuePaths(record, { ...minimal(record), [field]: null })).toEqual([]);
});

test.each(recordNames)('%s must be an object', (record) => {
  for (const value of [null, undefined, 'text', 1, []]) expect(issuePaths(record, value)).toEqual([[]]);
});

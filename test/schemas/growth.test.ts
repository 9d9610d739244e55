import { EventChannelSchema, MessageChannelSchema, VariableSchema } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { documentTable, recordNames } from './document-table.js';
import { referredBy, rows, schemaOf } from './records.js';
import { complete, minimal, sampleOf } from './samples.js';

const closed = recordNames.filter((record) => documentTable[record].closed);
const open = recordNames.filter((record) => !documentTable[record].closed);
const nested = rows.flatMap((row) => {
  const inner = referredBy(row.type);
  return inner === undefined ? [] : [{ ...row, inner }];
});
const openEnums = rows.filter(({ type }) => typeof type === 'object' && 'shown' in type);

test.each(open)('%s keeps a field it does not list', (record) => {
  const value = { ...complete(record), aNewField: { deep: [1] } };
  expect(z.parse(schemaOf(record), value)).toEqual(value);
});

test.each(closed)('%s rejects a field it does not list', (record) => {
  const result = z.safeParse(schemaOf(record), { ...complete(record), aNewField: 1 });
  expect(result.error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['aNewField'] }]);
});

test.each(nested)('$name is as open or closed as $inner by itself', ({ record, field, inner }) => {
  const value = { ...minimal(record), [field]: { ...minimal(inner), aNewField: 1 } };
  const paths = z.safeParse(schemaOf(record), value).error?.issues.map(({ path }) => path) ?? [];
  expect(paths).toEqual(documentTable[inner].closed ? [[field]] : []);
});

test.each(openEnums)('$name accepts a value that is not shown', ({ record, field, type }) => {
  const isList = Array.isArray(sampleOf(type));
  const value = { ...minimal(record), [field]: isList ? ['a new value', ''] : 'a new value' };
  expect(z.parse(schemaOf(record), value)).toEqual(value);
});

test.each([0, '', false, null, [1], { a: 1 }])('a variable may have the value %j', (value) => {
  const variable = { ...minimal('Variable'), value, defaultValue: value };
  expect(z.parse(VariableSchema, variable)).toEqual(variable);
});

test.each([
  ['Set A', MessageChannelSchema, 'discord'],
  ['Set B', EventChannelSchema, 'facebook'],
])('a channel outside %s is rejected', (_, schema, channel) => {
  expect(z.safeParse(schema, channel).success).toBe(false);
});

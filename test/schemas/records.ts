import * as sdk from 'agent-platform-sdk';
import * as z from 'zod/mini';
import { knownValues } from '../../src/schemas/open-list.js';
import {
  type DocumentRecord,
  type DocumentType,
  documentTable,
  type RecordName,
  recordNames,
} from './document-table.js';

// The compiler finds a record of the table whose schema is not exported.
const schemas: Readonly<Record<`${RecordName}Schema`, z.ZodMiniObject>> = sdk;

/** The package's schema of a record of the document: `Tool` is described by `ToolSchema`. */
export function schemaOf(record: RecordName): z.ZodMiniObject {
  return schemas[`${record}Schema`];
}

const nameOf = new Map<z.core.$ZodType, RecordName>(recordNames.map((record) => [schemaOf(record), record]));

/** Reads a schema back into the table's own words, so that the two can be compared. */
export function readBack(schema: z.ZodMiniObject): Omit<DocumentRecord, 'section'> {
  const fields = Object.entries(schema.shape);
  return {
    closed: schema.def.catchall instanceof z.ZodMiniNever,
    required: fields.filter(([, field]) => !(field instanceof z.ZodMiniOptional)).map(([name]) => name),
    fields: Object.fromEntries(fields.map(([name, field]) => [name, typeOf(field)])),
  };
}

function typeOf(field: z.core.$ZodType): DocumentType {
  if (field instanceof z.ZodMiniOptional) return typeOf(field.def.innerType);
  if (field instanceof z.ZodMiniEnum) return { oneOf: field.options as string[] };
  if (field instanceof z.ZodMiniArray) return listOf(typeOf(field.def.element));
  if (field instanceof z.ZodMiniObject)
    return `{${nameOf.get(field) ?? 'a record that is not in the table'}}`;
  if (field instanceof z.ZodMiniRecord) return 'object';
  if (field instanceof z.ZodMiniUnknown) return 'any';
  if (field instanceof z.ZodMiniNumber) return 'number';
  if (field instanceof z.ZodMiniBoolean) return 'boolean';
  if (!(field instanceof z.ZodMiniString)) throw new Error(`unexpected schema: ${field._zod.def.type}`);
  const shown = knownValues(field);
  return shown === undefined ? 'string' : { type: 'string', shown };
}

function listOf(element: DocumentType): DocumentType {
  if (typeof element === 'string') return `array of ${element}` as DocumentType;
  if ('shown' in element) return { type: 'array of string', shown: element.shown };
  throw new Error('the document has no list of closed values');
}

export interface Row {
  readonly record: RecordName;
  readonly field: string;
  readonly type: DocumentType;
  readonly required: boolean;
}

/** Every field of every record, one row each. */
export const rows: readonly Row[] = recordNames.flatMap((record) => {
  const { fields, required } = documentTable[record];
  return Object.entries(fields).map(([field, type]) => ({
    record,
    field,
    type,
    required: required.includes(field),
  }));
});

/** The record that a type in braces refers to; undefined for other types. */
export function referredBy(type: DocumentType): RecordName | undefined {
  return recordNames.find((record) => type === `{${record}}`);
}

const VALUES = { string: 'text', number: 1.5, boolean: true, any: { deep: [null] }, object: { any: 1 } };

/** A value of a type of the document; of a record, one with its required fields alone. */
export function sampleOf(type: DocumentType): unknown {
  if (typeof type === 'object') return 'oneOf' in type ? type.oneOf[0] : sampleOf(type.type);
  const element = elementOf(type);
  if (element !== undefined) return [sampleOf(element)];
  const record = referredBy(type);
  return record === undefined ? VALUES[type as keyof typeof VALUES] : minimal(record);
}

function elementOf(type: string): DocumentType | undefined {
  // What follows "array of" is a type of the document too.
  return type.startsWith('array of ') ? (type.slice('array of '.length) as DocumentType) : undefined;
}

/** A record with its required fields alone. */
export function minimal(record: RecordName): Record<string, unknown> {
  return valuesOf(rows.filter((row) => row.record === record && row.required));
}

/** A record with every field. */
export function complete(record: RecordName): Record<string, unknown> {
  return valuesOf(rows.filter((row) => row.record === record));
}

function valuesOf(fields: readonly Row[]): Record<string, unknown> {
  return Object.fromEntries(fields.map(({ field, type }) => [field, sampleOf(type)]));
}

/** A value of a wrong type, and where it is wrong, below the field. */
export interface WrongValue {
  readonly value: unknown;
  readonly path: readonly (string | number)[];
}

/** Values that are not of a type of the document. */
export function wrongValuesOf(type: DocumentType): readonly WrongValue[] {
  if (type === 'any') return [];
  const word = typeof type === 'string' ? type : 'oneOf' in type ? 'one of' : type.type;
  const element = elementOf(word);
  const whole = [null, ...(WRONG[element === undefined ? word : 'array'] ?? WRONG.object)];
  const inside = element === undefined ? [] : wrongElementsOf(element);
  return [...whole.map((value) => ({ value, path: [] })), ...inside];
}

/** Lists that are wrong in their second element. */
function wrongElementsOf(element: DocumentType): readonly WrongValue[] {
  return wrongValuesOf(element).map(({ value, path }) => ({
    value: [sampleOf(element), value],
    path: [1, ...path],
  }));
}

const WRONG: Readonly<Record<string, readonly unknown[]>> & { readonly object: readonly unknown[] } = {
  string: [1, ['text']],
  'one of': [1, 'not a listed value', ''],
  number: ['1', true],
  boolean: ['true', 1],
  array: ['text', {}],
  object: ['text', []],
};

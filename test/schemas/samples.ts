import type { DocumentType, RecordName } from './document-table.js';
import { type Row, referredBy, rows } from './records.js';

const VALUES = {
  nothing: undefined,
  string: 'text',
  number: 1.5,
  boolean: true,
  any: { deep: [null] },
  object: { any: 1 },
};

/** A value of a type of the document; of a record, one without its optional fields. */
export function sampleOf(type: DocumentType): unknown {
  if (typeof type === 'object') return 'oneOf' in type ? type.oneOf[0] : sampleOf(type.type);
  const element = elementOf(type);
  if (element !== undefined) return [sampleOf(element)];
  const record = referredBy(type);
  return record === undefined ? VALUES[type as keyof typeof VALUES] : minimal(record);
}

function elementOf(type: string): DocumentType | undefined {
  // A type of the document follows "array of" too.
  return type.startsWith('array of ') ? (type.slice('array of '.length) as DocumentType) : undefined;
}

/** A record without its optional fields. */
export function minimal(record: RecordName): Record<string, unknown> {
  return valuesOf(rows.filter((row) => row.record === record && row.presence !== 'optional'));
}

/** A record with every field. */
export function complete(record: RecordName): Record<string, unknown> {
  return valuesOf(rows.filter((row) => row.record === record));
}

function valuesOf(fields: readonly Row[]): Record<string, unknown> {
  const sent = fields.filter(({ type }) => type !== 'nothing');
  return Object.fromEntries(sent.map(({ field, type }) => [field, sampleOf(type)]));
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
  nothing: ['text', 1],
  string: [1, ['text']],
  'one of': [1, 'not a listed value', ''],
  number: ['1', '', true],
  boolean: ['true', 1, 0],
  array: ['text', {}],
  object: ['text', []],
};

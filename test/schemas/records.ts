import * as sdk from 'agent-platform-sdk';
import type * as z from 'zod/v4/mini';
import {
  type DocumentRecord,
  type DocumentType,
  documentTable,
  type RecordName,
  recordNames,
} from './document-table.js';

// A record of the table whose schema is not exported does not compile.
const schemas: Readonly<Record<`${RecordName}Schema`, z.ZodMiniObject>> = sdk;

/** The package's schema of a record of the document: `Tool` is described by `ToolSchema`. */
export function schemaOf(record: RecordName): z.ZodMiniObject {
  return schemas[`${record}Schema`];
}

/** Values that a field takes, and others that it refuses. Whether it takes `undefined` is not said here. */
interface Values {
  readonly taken: readonly unknown[];
  readonly refused: readonly unknown[];
}

const VALUES: Readonly<Record<string, Values>> = {
  string: { taken: ['text', ''], refused: [null, 1, ['text']] },
  number: { taken: [1.5, 0, -1, 2 ** 53 - 1], refused: [null, '1', true, 2 ** 53, -1e300] },
  boolean: { taken: [true, false], refused: [null, 'true', 0] },
  any: { taken: [{ deep: [null] }, null, '', 0, false, [1]], refused: [] },
  object: { taken: [{ any: 1 }, {}], refused: [null, 'text', []] },
  nothing: { taken: [], refused: [null, 'text', 1] },
};

/** The values of a type in the words of the document. */
export function valuesOf(type: DocumentType): Values {
  if (typeof type === 'object') {
    if ('oneOf' in type) return { taken: type.oneOf, refused: [null, 'another', '', 1] };
    // The values that are shown are examples.
    return valuesOf(type.type);
  }
  if (type.startsWith('array of ')) {
    // A type of the document follows "array of" too.
    const { taken, refused } = valuesOf(type.slice('array of '.length) as DocumentType);
    const lists = refused.map((element) => [taken[0], element]);
    return { taken: [taken.slice(0, 1), [], taken], refused: [null, 'text', {}, ...lists] };
  }
  const record = recordNames.find((name) => type === `{${name}}`);
  return record === undefined ? (VALUES[type] as Values) : valuesOfRecord(record);
}

function valuesOfRecord(record: RecordName): Values {
  const fields = Object.entries<DocumentType>(documentTable[record].fields);
  const wrong = fields.flatMap(([name, type]) => valuesOf(type).refused.map((value) => ({ [name]: value })));
  const refused = [null, 'text', [], { ...minimal(record), ...wrong[0] }];
  return { taken: [minimal(record), complete(record)], refused };
}

/** A record without its optional fields. */
export function minimal(record: RecordName): Record<string, unknown> {
  const { required, chosen } = documentTable[record];
  return withFields(record, [...required, ...chosen]);
}

/** A record with every field. */
export function complete(record: RecordName): Record<string, unknown> {
  return withFields(record, Object.keys(documentTable[record].fields));
}

function withFields(record: RecordName, names: readonly string[]): Record<string, unknown> {
  const { fields }: DocumentRecord = documentTable[record];
  const sent = Object.entries(fields).filter(([name, type]) => names.includes(name) && type !== 'nothing');
  return Object.fromEntries(sent.map(([name, type]) => [name, valuesOf(type).taken[0]]));
}

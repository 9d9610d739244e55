import { readFileSync } from 'node:fs';
import * as sdk from 'agent-platform-sdk';
import * as z from 'zod/v4/mini';
import { requiredNumber } from '../../src/schemas/fields.js';
import { type DocumentRecord, type DocumentType, type RecordName, recordNames } from './document-table.js';

// A record of the table whose schema is not exported does not compile.
const schemas: Readonly<Record<`${RecordName}Schema`, z.ZodMiniObject>> = sdk;

/** The package's schema of a record of the document: `Tool` is described by `ToolSchema`. */
export function schemaOf(record: RecordName): z.ZodMiniObject {
  return schemas[`${record}Schema`];
}

const nameOf = new Map<z.core.$ZodType, RecordName>(recordNames.map((record) => [schemaOf(record), record]));

interface Component {
  readonly properties: Readonly<Record<string, { readonly items?: object } | undefined>>;
}
const { components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  readonly components: { readonly schemas: Readonly<Record<string, Component | undefined>> };
};

/** The values that an open enum completes. They are not in the schema, but in the OpenAPI document. */
function shownValues(schema: z.ZodMiniObject, field: string): readonly string[] | undefined {
  const type = components.schemas[nameOf.get(schema) ?? '']?.properties[field];
  return ((type?.items ?? type) as { readonly examples?: readonly string[] } | undefined)?.examples;
}

/** Translates a schema back into the words of the table. */
export function readBack(schema: z.ZodMiniObject): Omit<DocumentRecord, 'section' | 'chosen'> {
  const fields = Object.entries(schema.shape);
  return {
    closed: isClosed(schema),
    required: fields.filter(([, field]) => !(field instanceof z.ZodMiniOptional)).map(([name]) => name),
    fields: Object.fromEntries(
      fields.map(([name, field]) => [name, typeOf(field, shownValues(schema, name))]),
    ),
  };
}

function isClosed({ def: { catchall } }: z.ZodMiniObject): boolean {
  if (catchall instanceof z.ZodMiniNever || catchall instanceof z.ZodMiniUnknown) {
    return catchall instanceof z.ZodMiniNever;
  }
  throw new Error('neither an openObject nor a closedObject');
}

function typeOf(field: z.core.$ZodType, shown?: readonly string[]): DocumentType {
  if (field === requiredNumber) return 'number';
  if (field._zod.def.checks?.length) throw new Error('the document has no rule for the value of a field');
  if (field instanceof z.ZodMiniOptional) return typeOf(field.def.innerType, shown);
  if (field instanceof z.ZodMiniEnum) return { oneOf: field.options as string[] };
  if (field instanceof z.ZodMiniArray) return listOf(typeOf(field.def.element, shown));
  if (field instanceof z.ZodMiniObject) {
    // An open object without fields is the bare "object" of the document.
    if (Object.keys(field.shape).length === 0 && !isClosed(field)) return 'object';
    return `{${nameOf.get(field) ?? 'a record that is not in the table'}}`;
  }
  if (field instanceof z.ZodMiniNever) return 'nothing';
  if (field instanceof z.ZodMiniUnknown) return 'any';
  if (field instanceof z.ZodMiniBoolean) return 'boolean';
  if (!(field instanceof z.ZodMiniString)) throw new Error(`unexpected schema: ${field._zod.def.type}`);
  return shown === undefined ? 'string' : { type: 'string', shown };
}

function listOf(element: DocumentType): DocumentType {
  if (typeof element === 'string') return `array of ${element}` as DocumentType;
  if ('shown' in element) return { type: 'array of string', shown: element.shown };
  throw new Error('the document has no list of closed values');
}

/** The record that a type in braces refers to; undefined for other types. */
export function recordNamed(type: DocumentType): RecordName | undefined {
  return recordNames.find((record) => type === `{${record}}`);
}

import * as z from 'zod/v4/mini';
import * as sdk from '../../src/index.js';
import { openObject } from '../../src/schemas/object.js';
import type { RecordWords, Words } from './words.js';

/** Any JSON object of the document. */
export interface JsonObject {
  [key: string]: unknown;
}

/** The name of the body of an operation among the components. */
export function bodyName(operation: string, kind: 'Request' | 'Response'): string {
  return `${operation.charAt(0).toUpperCase()}${operation.slice(1)}${kind}`;
}

/** The name of the interface that describes an exported schema. Undefined for other schemas. */
export function recordName(schema: unknown): string | undefined {
  return exported.get(schema as z.core.$ZodType);
}

/**
 * The exported schemas of records, with their names. Lists of values are written out wherever they are used.
 */
const exported = new Map<z.core.$ZodType, string>(
  Object.entries(sdk).flatMap(([name, schema]) =>
    name.endsWith('Schema') && schema instanceof z.ZodMiniObject ? [[schema, name.slice(0, -6)]] : [],
  ),
);

/** The `components.schemas` that the operations and webhooks refer to, directly or not. */
export function components(operations: JsonObject, words: Words): Record<string, JsonObject> {
  const named = namedSchemas();
  const schemas = toJsonSchemas(named);
  for (const [schema, name] of named) {
    schemas[name] = withWords(recordName(schema) ?? 'Envelope', schemas[name] ?? {}, words);
  }
  const used = new Set(referencesIn(operations));
  // A set's iterator goes on to the names that are added on the way.
  for (const name of used) {
    if (schemas[name] === undefined) throw new Error(`src/index.ts does not export ${name}Schema`);
    for (const inner of referencesIn(schemas[name])) used.add(inner);
  }
  // Sorted: the order of a module's exports differs from one loader to another.
  const entries = Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.filter(([name]) => used.has(name)));
}

/** Bodies of operations are named after the operation, all other records after their interface. */
function namedSchemas(): Map<z.core.$ZodType, string> {
  const names = new Map(exported);
  for (const [operation, { body, response }] of Object.entries(sdk.endpoints)) {
    // The documented endpoints are declared with Zod schemas, whose type there is that of a Standard Schema.
    if (body !== undefined) names.set(body as object as z.core.$ZodType, bodyName(operation, 'Request'));
    names.set(wholeBody(response), bodyName(operation, 'Response'));
  }
  return names;
}

/** The schema of a whole response: the one of `data` is put in its envelope. */
function wholeBody({ kind, schema, fields }: sdk.ResponseShape<unknown>): z.core.$ZodType {
  // The one with fields of its own is exported as a whole (4.1).
  if (kind === 'fields') return sdk.MembersAndTeamsResponseSchema;
  // See `namedSchemas`.
  if (kind !== 'data') return schema as object as z.core.$ZodType;
  const data = fields?.data as object as z.core.$ZodType;
  return openObject(() => ({ ...sdk.EnvelopeSchema.shape, data }));
}

function toJsonSchemas(names: ReadonlyMap<z.core.$ZodType, string>): Record<string, JsonObject> {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of names) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => {
      leaveOutReturnedOnly(jsonSchema);
      // An open object: JSON Schema allows other properties by default.
      if (typeof jsonSchema.additionalProperties === 'object' && jsonSchema.properties !== undefined) {
        delete jsonSchema.additionalProperties;
      }
    },
  });
  // In an OpenAPI document, the key of a schema names it.
  const named = Object.entries(schemas).map(([name, { $id, $schema, id, ...schema }]) => [name, schema]);
  return Object.fromEntries(named) as Record<string, JsonObject>;
}

/** Leaves out fields that are only returned: the specification does not list them in a request (4.2). */
function leaveOutReturnedOnly(json: z.core.JSONSchema.BaseSchema): void {
  for (const [name, field] of Object.entries(json.properties ?? {})) {
    if (typeof field === 'object' && field.not !== undefined) delete json.properties?.[name];
  }
}

/** Words of the one field that no interface has: the envelope's `data`, which each operation has its own of. */
const DATA: RecordWords = { description: 'What the operation returns (2.7).', 'x-choice': true };

/** Adds the words of an interface to the JSON schema that it describes. */
function withWords(record: string, schema: JsonObject, words: Words): JsonObject {
  const isData = (field: string) => record === 'Envelope' && field === 'data';
  const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>).map(
    ([field, type]) => {
      const { examples, ...about } = isData(field) ? DATA : words.record(record, field);
      return [field, { ...about, ...withExamples(type, examples) }];
    },
  );
  const properties = fields.length > 0 && { properties: Object.fromEntries(fields) as JsonObject };
  return { ...words.record(record), ...schema, ...properties };
}

/** Adds the values that the specification shows by example beside the type of one value. */
function withExamples(type: JsonObject, examples: readonly string[] | undefined): JsonObject {
  if (examples === undefined) return type;
  return type.items === undefined ? { ...type, examples } : { ...type, items: { ...type.items, examples } };
}

function referencesIn(json: unknown): string[] {
  const references = JSON.stringify(json).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  return Array.from(references, ([, name]) => String(name));
}

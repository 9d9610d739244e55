import * as z from 'zod/v4/mini';
import * as sdk from '../../src/index.js';
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
export function components(
  operations: JsonObject,
  words: Words,
  endpoints: Endpoints = sdk.endpoints,
): Record<string, JsonObject> {
  const named = new Map(exported);
  const parts = new Map<string, Record<string, RecordWords>>();
  for (const [operation, { body, response }] of Object.entries(endpoints)) {
    if (body !== undefined) named.set(zodOf(body), bodyName(operation, 'Request'));
    named.set(wholeBody(response), bodyName(operation, 'Response'));
    parts.set(bodyName(operation, 'Response'), wordsOfParts(response));
  }
  const schemas = toJsonSchemas(named);
  for (const [schema, name] of named) {
    const record = recordName(schema) ?? 'Envelope';
    const wordsOf = (field: string) => parts.get(name)?.[field] ?? words.record(record, field);
    schemas[name] = withWords(words.record(record), schemas[name] ?? {}, wordsOf);
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

/** Operations by name. */
export type Endpoints = Readonly<Record<string, sdk.Endpoint>>;

/** The documented endpoints are declared with Zod schemas, whose type there is that of a Standard Schema. */
const zodOf = (schema: sdk.StandardSchemaV1): z.core.$ZodType => schema as object as z.core.$ZodType;

/** The schema of a whole response: that of `data`, or of a page, is put in its envelope. */
function wholeBody({ schema, fields, whole }: sdk.ResponseShape<unknown>): z.core.$ZodType {
  if (whole !== undefined || fields === undefined) return zodOf(whole ?? schema);
  return z.extend(sdk.EnvelopeSchema, fields as object as z.core.$ZodShape);
}

/** Words of the fields that no interface has, because each operation has its own. */
function wordsOfParts({ kind, whole, page }: Partial<sdk.PageShape<unknown, unknown, string>>) {
  const parts: Record<string, RecordWords> = {};
  if (kind === 'data') parts.data = { description: 'What the operation returns (2.7).', 'x-choice': true };
  if (page !== undefined) {
    parts[page.data] = { description: 'The rows of the page.', 'x-choice': true };
    parts[page.nextCursor] = {
      description: 'The cursor of the next page: null, empty or absent on the last one.',
    };
    parts[page.hasMore] = { description: 'Whether more pages follow.' };
  } else if (kind === 'fields' && whole === undefined) {
    throw new Error('The response has fields of its own: give its shape `whole`, an exported schema.');
  }
  return parts;
}

/** The query parameters of an operation, from the exported schema of its query. */
export function queryParameters(query: sdk.StandardSchemaV1 | undefined, words: Words): JsonObject[] {
  if (query === undefined) return [];
  const record = recordName(query);
  if (record === undefined) throw new Error('src/index.ts does not export the schema of a query');
  const { properties = {}, required = [] } = z.toJSONSchema(zodOf(query));
  return Object.entries(properties).map(([name, schema]) => {
    const { examples, ...about } = words.record(record, name);
    return {
      name,
      in: 'query',
      required: required.includes(name),
      ...about,
      schema: withExamples(schema as JsonObject, examples),
    };
  });
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

/** Adds the words of an interface to the JSON schema that it describes. */
function withWords(
  about: RecordWords,
  schema: JsonObject,
  wordsOf: (field: string) => RecordWords,
): JsonObject {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>).map(
    ([field, type]) => {
      const { examples, ...words } = wordsOf(field);
      return [field, { ...words, ...withExamples(type, examples) }];
    },
  );
  const properties = fields.length > 0 && { properties: Object.fromEntries(fields) as JsonObject };
  return { ...about, ...schema, ...properties };
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

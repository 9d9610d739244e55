import * as z from 'zod/mini';
import * as sdk from '../../src/index.js';
import { isExpected, openObject } from '../../src/schemas/object.js';
import type { Words } from './words.js';

/** Any JSON object of the document. */
export interface JsonObject {
  [key: string]: unknown;
}

/** The name of the body of an operation among the components. */
export function bodyName(operation: string, kind: 'Request' | 'Response'): string {
  return `${operation.charAt(0).toUpperCase()}${operation.slice(1)}${kind}`;
}

/** The name of an exported schema among the components: that of its interface. Undefined for other schemas. */
export function recordName(schema: unknown): string | undefined {
  return exported.get(schema as z.core.$ZodType);
}

/**
 * Every exported schema of a record, with its name. Lists of values, such as the channels, are written out at each
 * use.
 */
const exported = new Map<z.core.$ZodType, string>(
  Object.entries(sdk).flatMap(([name, schema]) =>
    name.endsWith('Schema') && schema instanceof z.ZodMiniObject ? [[schema, name.slice(0, -6)]] : [],
  ),
);

/** The `components.schemas` that the operations and webhooks refer to, directly or not. */
export function components(operations: JsonObject, words: Words): Record<string, JsonObject> {
  const schemas = toJsonSchemas(namedSchemas());
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = withWords(name, schema, words);
  const used = new Set(referencesIn(operations));
  // A set goes on to what is added to it on the way.
  for (const name of used) {
    if (schemas[name] === undefined) throw new Error(`src/index.ts does not export ${name}Schema`);
    for (const inner of referencesIn(schemas[name])) used.add(inner);
  }
  // In an order of their own: that of a module's exports differs from one loader to another.
  const entries = Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.filter(([name]) => used.has(name)));
}

/** The bodies of operations are named by the operation, all other records as they are exported. */
function namedSchemas(): Map<z.core.$ZodType, string> {
  const names = new Map(exported);
  for (const [operation, { body, response }] of Object.entries(sdk.endpoints)) {
    // The documented endpoints are declared with Zod schemas, seen through the Standard Schema interface.
    if (body !== undefined) names.set(body as object as z.core.$ZodType, bodyName(operation, 'Request'));
    names.set(wholeBody(response), bodyName(operation, 'Response'));
  }
  return names;
}

/** The schema of a whole response: that of `data` gets its envelope. */
function wholeBody({ kind, schema }: sdk.ResponseShape<unknown>): z.core.$ZodType {
  // As above.
  const zodSchema = schema as object as z.core.$ZodType;
  if (kind !== 'data') return zodSchema;
  return openObject(() => ({ ...sdk.EnvelopeSchema.shape, data: zodSchema }));
}

function toJsonSchemas(names: ReadonlyMap<z.core.$ZodType, string>): Record<string, JsonObject> {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of names) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ zodSchema, jsonSchema }) => {
      sayExpected(zodSchema, jsonSchema);
      leaveOutReturnedOnly(jsonSchema);
      // An open object: JSON Schema allows other properties by default.
      if (typeof jsonSchema.additionalProperties === 'object' && jsonSchema.properties !== undefined) {
        delete jsonSchema.additionalProperties;
      }
    },
  });
  // In an OpenAPI document a schema is named by its place.
  const named = Object.entries(schemas).map(([name, { $id, $schema, id, ...schema }]) => [name, schema]);
  return Object.fromEntries(named) as Record<string, JsonObject>;
}

/** A field that is only expected is not promised: it is marked, and a response without it is valid. */
function sayExpected(schema: z.core.$ZodType, json: z.core.JSONSchema.BaseSchema): void {
  if (!(schema instanceof z.ZodMiniObject)) return;
  const isOnlyExpected = (name: string) => isExpected(schema.shape[name] as z.core.$ZodType);
  for (const [name, field] of Object.entries(json.properties ?? {})) {
    if (isOnlyExpected(name)) Object.assign(field, { 'x-expected': true });
  }
  const required = json.required?.filter((name) => !isOnlyExpected(name)) ?? [];
  if (required.length > 0) json.required = required;
  else delete json.required;
}

/** Leaves out the fields that are returned only: the specification does not list them in a request (4.2). */
function leaveOutReturnedOnly(json: z.core.JSONSchema.BaseSchema): void {
  for (const [name, field] of Object.entries(json.properties ?? {})) {
    if (typeof field === 'object' && field.not !== undefined) delete json.properties?.[name];
  }
}

function withWords(name: string, schema: JsonObject, words: Words): JsonObject {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>).map(
    ([field, type]) => {
      const { examples, ...about } = words.record(name, field);
      return [field, { ...about, ...withExamples(type, examples) }];
    },
  );
  const properties = fields.length > 0 && { properties: Object.fromEntries(fields) as JsonObject };
  return { ...words.record(name), ...schema, ...properties };
}

/** Adds the values that are shown for an open list beside the type of one. */
function withExamples(type: JsonObject, examples: readonly string[] | undefined): JsonObject {
  if (examples === undefined) return type;
  return type.items === undefined ? { ...type, examples } : { ...type, items: { ...type.items, examples } };
}

function referencesIn(json: unknown): string[] {
  const references = JSON.stringify(json).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  return Array.from(references, ([, name]) => String(name));
}

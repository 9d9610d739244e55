import * as z from 'zod/mini';
import { knownValues } from '../../src/schemas/known-values.js';

/** Any JSON object of the document. */
export interface JsonObject {
  [key: string]: unknown;
}

/** Turns named schemas into the document's `components.schemas`, which refer to one another by name. */
export function toComponents(schemas: ReadonlyMap<string, z.core.$ZodType>): Record<string, JsonObject> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of schemas) registry.add(schema, { id });
  const { schemas: converted } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ zodSchema, jsonSchema }) => adapt(zodSchema, jsonSchema),
  });
  const entries = Object.entries(converted).map(([id, schema]) => [
    id,
    withoutIdentity(schema as JsonObject),
  ]);
  return Object.fromEntries(entries) as Record<string, JsonObject>;
}

function adapt(schema: z.core.$ZodType, json: JsonObject): void {
  const known = knownValues(schema);
  if (known !== undefined) json.examples = [...known];
  // An open object: JSON Schema allows other properties unless told not to.
  if (typeof json.additionalProperties === 'object' && json.properties !== undefined) {
    delete json.additionalProperties;
  }
}

/** In an OpenAPI document a schema is named by its place. */
function withoutIdentity({ $id, $schema, id, ...schema }: JsonObject): JsonObject {
  return schema;
}

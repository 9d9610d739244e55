import { EnvelopeSchema } from '../schemas/envelope.js';
import { isStandardSchema, type SchemaOutput, type StandardSchemaV1 } from '../utils/standard-schema.js';

/** How a response is read. Made by {@link withData}, {@link withFields} and {@link withoutData}. */
export interface ResponseShape<Result> {
  /**
   * The part of the body that the caller gets: `data` of the envelope, its fields beside `success` and
   * `message`, nothing, or the whole body.
   */
  readonly kind: 'data' | 'fields' | 'none' | 'body';
  /** The schema of the whole body, or of the envelope around `fields`. */
  readonly schema: StandardSchemaV1;
  /** The schemas of fields of the envelope, each of which is validated for itself. */
  readonly fields?: EnvelopeFields | undefined;
  /** For the compiler alone: what the caller gets. Not there at run time. */
  readonly result?: Result;
}

/** Schemas of fields of an envelope, by name. */
export interface EnvelopeFields {
  readonly [name: string]: StandardSchemaV1;
}

/**
 * Reads the envelope `{ success, message, data }`, and returns its `data` (specification, 2.7).
 *
 * Of an envelope with more fields, such as the cursor of a list, {@link withFields} gives all.
 *
 * @param schema - Any Standard Schema of `data`; its output is returned. What departs from a schema of this
 *   package, or from an array of one, is drift in `tolerant` mode. Any other schema decides alone.
 * @throws {TypeError} If it is not a Standard Schema.
 *
 * @example
 * ```ts
 * import { endpoint, withData } from 'agent-platform-sdk';
 * import * as z from 'zod';
 *
 * // Named in 4.4; the rest of the shape is made up.
 * const assignTools = endpoint({
 *   method: 'PATCH',
 *   path: '/agents/{id}',
 *   body: z.object({ nodes: z.array(z.object({ toolsIds: z.array(z.string()) })) }),
 *   response: withData(z.object({ id: z.string() })),
 * });
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function withData<Schema extends StandardSchemaV1>(
  schema: Schema,
): ResponseShape<SchemaOutput<Schema>> {
  if (!isStandardSchema(schema)) throw new TypeError("withData: takes a Standard Schema, such as Zod's");
  return { kind: 'data', schema: EnvelopeSchema, fields: { data: schema } };
}

/**
 * Reads an envelope with more fields than `success` and `message`, such as a page's cursor.
 *
 * The caller gets all fields but these two; those without a schema as they were sent, although the type lacks
 * them.
 *
 * @param fields - A Standard Schema for each field, as for {@link withData}. Each decides for its field alone.
 * @throws {TypeError} If one is not a Standard Schema.
 *
 * @example
 * ```ts
 * import { ConversationSchema, endpoint, withFields } from 'agent-platform-sdk';
 * import * as z from 'zod';
 *
 * // Made up: the specification does not show an operation that lists conversations.
 * const listConvos = endpoint({
 *   method: 'GET',
 *   path: '/agents/{agentId}/convos',
 *   query: z.object({ cursor: z.string().optional() }),
 *   response: withFields({ data: z.array(ConversationSchema), nextCursor: z.string().nullish() }),
 * });
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function withFields<Fields extends EnvelopeFields>(
  fields: Fields,
): ResponseShape<{ [Name in keyof Fields]: SchemaOutput<Fields[Name]> }> {
  // From JavaScript it may be anything.
  const schemas: unknown[] = Object.values((fields as Fields | null | undefined) ?? { '': undefined });
  if (!schemas.every(isStandardSchema)) {
    throw new TypeError("withFields: takes an object of Standard Schemas, such as Zod's");
  }
  return { kind: 'fields', schema: EnvelopeSchema, fields };
}

/**
 * Reads the envelope `{ success, message }` of an operation without data (specification, 2.7).
 *
 * A 2xx with an empty body is a success too, in every validation mode: a choice of this package.
 *
 * @example
 * ```ts
 * import { endpoint, withoutData } from 'agent-platform-sdk';
 *
 * // Made up: the specification shows no deletion but that of a workspace.
 * const deleteAgent = endpoint({ method: 'DELETE', path: '/agents/{agentId}', response: withoutData() });
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function withoutData(): ResponseShape<void> {
  return { kind: 'none', schema: EnvelopeSchema };
}

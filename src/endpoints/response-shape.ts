import { EnvelopeSchema } from '../schemas/envelope.js';
import { isStandardSchema, type SchemaOutput, type StandardSchemaV1 } from '../utils/standard-schema.js';

/** How a response is read. Made by {@link withData} and {@link withoutData}. */
export interface ResponseShape<Result> {
  /**
   * The part of the body that the caller gets: `data` of the envelope, nothing, the fields beside `success`
   * and `message`, or all of it.
   */
  readonly kind: 'data' | 'none' | 'fields' | 'body';
  /** The schema of `data`, of the envelope for `none`, or of the whole body. */
  readonly schema: StandardSchemaV1;
  /** For the compiler alone: what the caller gets. Not there at run time. */
  readonly result?: Result;
}

/**
 * The envelope `{ success, message, data }` (specification, 2.7) around a schema. The caller gets `data`.
 *
 * `success` and `data` are required, and `message` is expected: choices, because 2.7 does not say.
 *
 * @param schema - Any Standard Schema of `data`; its output is returned.
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
  return { kind: 'data', schema };
}

/**
 * The envelope `{ success, message }` (specification, 2.7) of an operation without data, such as a deletion.
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

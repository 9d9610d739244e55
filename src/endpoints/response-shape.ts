import type * as z from 'zod/mini';
import {
  isStandardSchema,
  type SchemaOutput,
  type StandardIssue,
  type StandardSchemaV1,
} from '../ground/standard-schema.js';
import { dataEnvelopeSchema, EnvelopeSchema } from '../schemas/envelope.js';
import { isOwnSchema } from '../schemas/object.js';
import { validateOwn } from '../validation/validate.js';

/** The way an answer is read: the schema of the whole body, and the part of it that the caller gets. */
export interface ResponseShape<Result> {
  /** Schema of the whole body. */
  readonly schema: StandardSchemaV1;
  /** Takes the caller's part out of a body that fits the schema. The body is not used afterwards, and may be changed. */
  readonly unwrap: (body: unknown) => Result;
  /** True where a 2xx with an empty body is a success too: only where the operation answers without data. */
  readonly allowEmpty: boolean;
}

/**
 * The envelope `{ success, message, data }` (specification, 2.7) around a schema: the caller gets `data`. `success` is
 * required; `message` is only expected.
 *
 * @param schema - Any Standard Schema of `data`; its output is returned.
 * @throws {TypeError} When it is no Standard Schema.
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
  return envelopeShape(isOwnSchema(schema) ? ownEnvelope(schema) : foreignEnvelope(schema));
}

/**
 * {@link withData} for schemas of this package. The documented operations call it directly, so that bundles leave out the
 * code for other libraries' schemas.
 */
/* @__NO_SIDE_EFFECTS__ */
export function withRecord<Result>(schema: StandardSchemaV1<unknown, Result>): ResponseShape<Result> {
  return envelopeShape(ownEnvelope(schema));
}

function envelopeShape<Result>(schema: StandardSchemaV1): ResponseShape<Result> {
  return {
    schema,
    // The schema has checked that this is an envelope, unless validation is off or only reports: then it may be null.
    unwrap: (body) => (body as { data: Result } | null)?.data as Result,
    allowEmpty: false,
  };
}

/**
 * The envelope `{ success, message }` (specification, 2.7) of an operation without data, such as a deletion. An empty body is a
 * success too, in every validation mode: a choice of this package, because what was asked for has happened.
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
  return { schema: EnvelopeSchema, unwrap: () => undefined, allowEmpty: true };
}

/** An envelope whose `data` is validated by a schema of this package. These are Zod's. */
function ownEnvelope(schema: StandardSchemaV1): StandardSchemaV1 {
  return dataEnvelopeSchema(schema as unknown as z.core.$ZodType);
}

/** An envelope whose `data` is validated by a schema of any library. */
function foreignEnvelope(schema: StandardSchemaV1): StandardSchemaV1 {
  return {
    '~standard': {
      version: 1,
      vendor: 'agent-platform-sdk',
      validate: async (body) => {
        // It cannot report drift: what `tolerant` forgives of the envelope passes in every mode.
        const envelope = validateOwn(EnvelopeSchema, body, 'tolerant');
        if (!envelope.ok) return { issues: envelope.issues };
        const sent = body as { readonly data?: unknown };
        const data = await schema['~standard'].validate(sent.data);
        return data.issues === undefined
          ? { value: { ...sent, data: data.value } }
          : { issues: data.issues.map(insideData) };
      },
    },
  };
}

const insideData = (issue: StandardIssue): StandardIssue => ({
  message: issue.message,
  path: ['data', ...(issue.path ?? [])],
});

import { EnvelopeSchema } from '../schemas/envelope.js';
import type { Issue } from '../utils/issues.js';
import { isObject } from '../utils/json.js';
import { isStandardSchema, type SchemaOutput, type StandardSchemaV1 } from '../utils/standard-schema.js';
import { type ValidationMode, type Verdict, validate, validateOwn } from '../validation/validate.js';

/** How a response is read. Made by {@link withData} and {@link withoutData}. */
export interface ResponseShape<Result> {
  /**
   * The part that the caller gets: `data` of the envelope, nothing, the fields of the body beside `success` and `message`, or
   * the whole body.
   */
  readonly kind: 'data' | 'none' | 'fields' | 'body';
  /** Schema of `data`, of the envelope for `none`, or of the whole body. */
  readonly schema: StandardSchemaV1;
  /** For the compiler alone: what the caller gets. Not there at run time. */
  readonly result?: Result;
}

/**
 * The envelope `{ success, message, data }` (specification, 2.7) around a schema: the caller gets `data`. `success` is
 * required; `message` is only expected.
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
 * The envelope `{ success, message }` (specification, 2.7) of an operation without data, such as a deletion. A 2xx with an
 * empty body is a success too, in every validation mode: a choice of this package.
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

/**
 * Validates a response, and takes the caller's part out of it.
 *
 * @param body - The parsed body; undefined if it was empty.
 * @returns The verdict, whose value is that part. Rejects with what a custom schema throws.
 */
export async function validateResponse(
  shape: ResponseShape<unknown>,
  body: unknown,
  mode: ValidationMode,
): Promise<Verdict> {
  const { kind, schema } = shape;
  if (body === undefined) return validateEmpty(shape, mode);
  if (kind === 'data') return validateEnvelope(schema, body, mode);
  const verdict = await validate(schema, body, mode);
  return verdict.ok ? { ...verdict, value: partOf(kind, verdict.value) } : verdict;
}

/** An empty body holds no data, in every mode; a custom schema of the whole body may accept it. */
async function validateEmpty(
  { kind, schema }: ResponseShape<unknown>,
  mode: ValidationMode,
): Promise<Verdict> {
  const issues = [{ path: [], code: 'empty_body', message: 'expected JSON, received an empty body' }];
  if (kind === 'none') return { ok: true, value: undefined, drift: mode === 'off' ? [] : issues };
  const verdict = kind === 'body' ? await validate(schema, undefined, 'strict') : undefined;
  return verdict?.ok ? verdict : { ok: false, issues };
}

/** Validates the envelope, and `data` by its own schema. */
async function validateEnvelope(
  schema: StandardSchemaV1,
  body: unknown,
  mode: ValidationMode,
): Promise<Verdict> {
  const envelope = validateOwn(EnvelopeSchema, body, mode);
  if (!isObject(body)) return envelope.ok ? { ...envelope, value: undefined } : envelope;
  const data = await validate(schema, body.data, mode);
  if (envelope.ok && data.ok) {
    return { ok: true, value: data.value, drift: [...envelope.drift, ...data.drift.map(insideData)] };
  }
  const ofEnvelope = envelope.ok ? [] : envelope.issues;
  const ofData = data.ok ? [] : data.issues.map(insideData);
  return { ok: false, issues: [...ofEnvelope, ...ofData] };
}

function insideData(issue: Issue): Issue {
  return { ...issue, path: ['data', ...issue.path] };
}

/** The caller's part of a whole body. */
function partOf(kind: 'none' | 'fields' | 'body', body: unknown): unknown {
  if (kind === 'none') return undefined;
  if (kind === 'body' || !isObject(body)) return body;
  const { success, message, ...fields } = body;
  return fields;
}

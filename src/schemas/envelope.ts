import * as z from 'zod/mini';
import { expectedText, requiredText } from './leaf.js';
import { closedObject, isOwnSchema, openObject, openObjectAround } from './object.js';

/** The part of an answer beside its data; the whole body of an answer without data (specification, 2.7). */
export interface Envelope {
  /** The operation succeeded. */
  success: boolean;
  /** Says what happened. Expected, not required. */
  message: string;
}

/** Schema of {@link Envelope}. */
export const EnvelopeSchema = /* @__PURE__ */ openObject(() => ({
  success: z.boolean(),
  message: expectedText,
}));

/** The whole body of an answer with data (specification, 2.7). */
export interface DataEnvelope<Data> extends Envelope {
  /** The record, or the list of records. */
  data: Data;
}

/** The schema that {@link dataEnvelopeSchema} makes. */
export type DataEnvelopeSchema<Data extends z.core.$ZodType> = z.ZodMiniObject<
  {
    /** True where the operation succeeded. */
    success: z.ZodMiniBoolean;
    /** A message for people. */
    message: z.ZodMiniString;
    /** The record, or the list of them. */
    data: Data;
  },
  z.core.$strip
>;

/**
 * Makes the schema of a whole answer `{ success, message, data }` (specification, 2.7) from that of its data. For programs that
 * hold whole answers, such as a recorder or a proxy; the methods of the client return `data` alone.
 *
 * @param data - A schema of this package, a list of one, or one of your own, of Zod 4 or `zod/mini`.
 *
 * @example
 * ```ts
 * import { dataEnvelopeSchema, ToolSchema } from 'agent-platform-sdk';
 * import * as z from 'zod';
 *
 * const ToolAnswer = dataEnvelopeSchema(ToolSchema);
 * const CatalogueAnswer = dataEnvelopeSchema(z.array(ToolSchema));
 *
 * const answer = ToolAnswer.parse({ success: true, message: 'OK', data: { id: 'tool_1' } });
 * console.log(answer.data.id, CatalogueAnswer.shape.data);
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function dataEnvelopeSchema<Data extends z.core.$ZodType>(data: Data): DataEnvelopeSchema<Data> {
  const make = isOwnSchema(data) ? openObject : openObjectAround;
  return make(() => ({ ...EnvelopeSchema.shape, data }));
}

/** One entry of `issues` in an error body (specification, section 7). */
export interface ErrorIssue {
  /** Says what is wrong. */
  message: string;
}

/** Schema of {@link ErrorIssue}. */
export const ErrorIssueSchema = /* @__PURE__ */ openObject(() => ({ message: requiredText }));

/** The body of every error answer (specification, section 7; closed). */
export interface ErrorBody {
  /** Says what went wrong. */
  message: string;
  /** The kind of the error. The specification does not list the values. */
  code: string;
  /** Details, where the service gives any. */
  issues?: ErrorIssue[] | undefined;
}

/** Schema of {@link ErrorBody}. */
export const ErrorBodySchema = /* @__PURE__ */ closedObject(() => ({
  message: requiredText,
  code: requiredText,
  issues: z.optional(z.array(ErrorIssueSchema)),
}));

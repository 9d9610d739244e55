import * as z from 'zod/v4/mini';
import { requiredText } from './fields.js';
import { closedObject, openObject } from './object.js';

// The specification gives names and types (2.7, 7); meanings are read from the names. The doc comments are
// the words of openapi.json, up to their first tag.

/** The envelope of a response; what an operation returns, if anything, is its `data` (specification, 2.7). */
export interface Envelope {
  /**
   * Whether the operation succeeded.
   *
   * @choice Required; the specification requires it of members and teams alone (4.1).
   */
  success: boolean;
  /**
   * Message about the operation.
   *
   * @choice Required; the specification shows it, and does not say whether it is required.
   */
  message: string;
}

/** Schema of {@link Envelope}. */
export const EnvelopeSchema = /* @__PURE__ */ openObject(() => ({
  success: z.boolean(),
  message: requiredText,
}));

/** An entry of `issues` in an error body (specification, section 7). */
export interface ErrorIssue {
  /**
   * Description of the issue.
   *
   * @choice Required; the specification gives only its type.
   */
  message: string;
}

/** Schema of {@link ErrorIssue}. */
export const ErrorIssueSchema = /* @__PURE__ */ openObject(() => ({ message: requiredText }));

/** The error body that every operation can return (specification, section 7; closed). */
export interface ErrorBody {
  /** Description of the failure (5.2). */
  message: string;
  /** Code of the failure (5.2). The API specification doesn't describe its values. */
  code: string;
  /** Issues of the request. */
  issues?: ErrorIssue[] | undefined;
}

/** Schema of {@link ErrorBody}. */
export const ErrorBodySchema = /* @__PURE__ */ closedObject(() => ({
  message: requiredText,
  code: requiredText,
  issues: z.optional(z.array(ErrorIssueSchema)),
}));

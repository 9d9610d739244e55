import * as z from 'zod/mini';
import { expectedText, requiredText } from './fields.js';
import { closedObject, openObject } from './object.js';

/** The part of a response beside its data; the whole body of a response without data (specification, 2.7). */
export interface Envelope {
  /** By its name, the operation succeeded; not described further. */
  success: boolean;
  /** A message; not described further. Expected, not required. */
  message: string;
}

/** Schema of {@link Envelope}. */
export const EnvelopeSchema = /* @__PURE__ */ openObject(() => ({
  success: z.boolean(),
  message: expectedText,
}));

/** One entry of `issues` in an error body (specification, section 7). */
export interface ErrorIssue {
  /** Message of the issue; not described further. */
  message: string;
}

/** Schema of {@link ErrorIssue}. */
export const ErrorIssueSchema = /* @__PURE__ */ openObject(() => ({ message: requiredText }));

/** The error body that every operation can return (specification, section 7; closed). */
export interface ErrorBody {
  /** Describes the failure (5.2). */
  message: string;
  /** Describes the failure as a code (5.2). The values are not shown. */
  code: string;
  /** Issues; not described further. */
  issues?: ErrorIssue[] | undefined;
}

/** Schema of {@link ErrorBody}. */
export const ErrorBodySchema = /* @__PURE__ */ closedObject(() => ({
  message: requiredText,
  code: requiredText,
  issues: z.optional(z.array(ErrorIssueSchema)),
}));

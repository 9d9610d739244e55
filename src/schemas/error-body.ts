import * as z from 'zod/mini';
import { requiredText } from './leaf.js';
import { closedObject } from './object.js';

/** One entry of `issues` in an error body (document, section 7; closed as the body is). */
export interface ErrorIssue {
  /** What is wrong, in words. */
  message: string;
}

/** Schema of {@link ErrorIssue}. */
export const ErrorIssueSchema = /* @__PURE__ */ closedObject(() => ({ message: requiredText }));

/** The body of every error answer (document, section 7; closed). */
export interface ErrorBody {
  /** What went wrong, in words. */
  message: string;
  /** The kind of the error. The document does not list the values. */
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

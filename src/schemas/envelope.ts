import * as z from 'zod/mini';
import { expectedText, requiredText } from './leaf.js';
import { closedObject, openObject } from './object.js';

/** The part of a response beside its data; the whole body of a response without data (specification, 2.7). */
export interface Envelope {
  /** The operation succeeded. */
  success: boolean;
  /** What happened, in words. Expected, not required. */
  message: string;
}

/** Schema of {@link Envelope}. */
export const EnvelopeSchema = /* @__PURE__ */ openObject(() => ({
  success: z.boolean(),
  message: expectedText,
}));

/** One entry of `issues` in an error body (specification, section 7). */
export interface ErrorIssue {
  /** What is wrong, in words. */
  message: string;
}

/** Schema of {@link ErrorIssue}. */
export const ErrorIssueSchema = /* @__PURE__ */ openObject(() => ({ message: requiredText }));

/** The body of every error response (specification, section 7; closed). */
export interface ErrorBody {
  /** What went wrong, in words. */
  message: string;
  /** The kind of the error. The specification does not list the values. */
  code: string;
  /** Details, if the service gives any. */
  issues?: ErrorIssue[] | undefined;
}

/** Schema of {@link ErrorBody}. */
export const ErrorBodySchema = /* @__PURE__ */ closedObject(() => ({
  message: requiredText,
  code: requiredText,
  issues: z.optional(z.array(ErrorIssueSchema)),
}));

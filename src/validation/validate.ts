import type * as z from 'zod/mini';
import { type Issue, IssueList } from '../ground/issues.js';
import { isMarked } from '../ground/redact.js';
import type { StandardIssue, StandardResult, StandardSchemaV1 } from '../ground/standard-schema.js';
import { isOwnSchema } from '../schemas/object.js';
import { findIssues } from './find-issues.js';
import { fits } from './fits.js';

/**
 * The strictness with which data from the service is held against the specification, from exact to trusting:
 *
 * - `strict`: every issue is an error.
 * - `tolerant` (default): what grows or is only expected is forgiven and reported as drift: a new field in a closed object,
 *   a new value in a closed list, `null` in a field that is not required, a missing field that is expected and not
 *   required. A missing required field or a wrongly typed one is an error.
 * - `report`: every issue is reported as drift, and the value is passed on as sent.
 * - `off`: no check and no cost.
 */
export type ValidationMode = 'strict' | 'tolerant' | 'report' | 'off';

export const VALIDATION_MODES: readonly ValidationMode[] = ['strict', 'tolerant', 'report', 'off'];
export const DEFAULT_VALIDATION: ValidationMode = 'tolerant';

/**
 * The outcome of a validation: a value with the drift that was forgiven, or the issues that were not.
 * `value` is the one that was given whenever the schema is this package's own.
 */
export type Verdict =
  | { readonly ok: true; readonly value: unknown; readonly drift: readonly Issue[] }
  | { readonly ok: false; readonly issues: readonly Issue[] };

const NO_DRIFT: readonly Issue[] = [];

/** Validates with one of this package's schemas. Synchronous; the value is passed on as it was sent. */
export function validateOwn(schema: z.core.$ZodType, value: unknown, mode: ValidationMode): Verdict {
  if (mode === 'off' || fits(schema, value)) return { ok: true, value, drift: NO_DRIFT };
  const forgiven = new IssueList();
  const unforgiven = new IssueList();
  findIssues(schema, value, {
    forgivable: mode === 'strict' ? unforgiven : forgiven,
    unforgivable: mode === 'report' ? forgiven : unforgiven,
  });
  const issues = unforgiven.all();
  return issues.length > 0 ? { ok: false, issues } : { ok: true, value, drift: forgiven.all() };
}

/**
 * Validates with any Standard Schema. A schema of the user's own decides alone what it accepts: its output is
 * returned, and `tolerant` forgives nothing, because only this package's schemas say what may grow.
 */
export async function validate(
  schema: StandardSchemaV1,
  value: unknown,
  mode: ValidationMode,
): Promise<Verdict> {
  if (isOwnSchema(schema)) return validateOwn(schema as unknown as z.core.$ZodType, value, mode);
  if (mode === 'off') return { ok: true, value, drift: NO_DRIFT };
  return verdictOf(await schema['~standard'].validate(value), value, mode);
}

/** Judges by a mode what a user's own schema has answered. */
export function verdictOf(result: StandardResult<unknown>, value: unknown, mode: ValidationMode): Verdict {
  if (result.issues === undefined) return { ok: true, value: result.value, drift: NO_DRIFT };
  const found = new IssueList();
  for (const issue of result.issues) found.add(() => fromStandardIssue(issue));
  const issues = found.all();
  return mode === 'report' ? { ok: true, value, drift: issues } : { ok: false, issues };
}

/** Takes over another library's issue. Some libraries repeat the value in the message, so that of a marked field is replaced. */
function fromStandardIssue(issue: StandardIssue): Issue {
  const path = (issue.path ?? []).map((segment) => {
    const key = typeof segment === 'object' ? segment.key : segment;
    return typeof key === 'symbol' ? String(key) : key;
  });
  // From JavaScript it may be no text.
  const message: unknown = path.some(isMarked) ? 'invalid value' : issue.message;
  return { path, code: 'invalid', message: String(message) };
}

import * as z from 'zod/v4/mini';
import { isOwnSchema } from '../schemas/object.js';
import { type Issue, MAX_ISSUES, notListed, typeName, wrongType } from '../utils/issues.js';
import { isObject } from '../utils/json.js';
import type { StandardIssue, StandardSchemaV1 } from '../utils/standard-schema.js';
import { fits } from './fits.js';

/**
 * Sets how strictly data from the service is validated against the API specification:
 *
 * - `tolerant` (default): a field that does not match (wrong type, `null`, missing, unlisted value) is passed on as it
 *   was sent, and reported as drift.
 * - `strict`: everything that does not match is an error.
 * - `off`: passed on without a check and without a report.
 *
 * In every mode, it is an error if the service sends anything but an object for a record, or a list for a list.
 */
export type ValidationMode = 'tolerant' | 'strict' | 'off';

export const VALIDATION_MODES = ['tolerant', 'strict', 'off'] as const;
export const DEFAULT_VALIDATION: ValidationMode = 'tolerant';

/** The outcome of a validation: a value with the drift that was accepted, or the issues that were not. */
export type Verdict =
  | { readonly ok: true; readonly value: unknown; readonly drift: readonly Issue[] }
  | { readonly ok: false; readonly issues: readonly Issue[] };

const NO_DRIFT: readonly Issue[] = [];

/**
 * Validates with any Standard Schema.
 *
 * A custom schema decides alone: its output is returned, and `tolerant` accepts none of its issues.
 */
export async function validate(
  schema: StandardSchemaV1,
  value: unknown,
  mode: ValidationMode,
): Promise<Verdict> {
  // This package's schemas are Zod's, seen through the Standard Schema interface.
  if (isOwnSchema(schema)) return validateOwn(schema as unknown as z.core.$ZodType, value, mode);
  // Even in `off`, the schema says whether there may be nothing.
  if (mode === 'off' && value !== undefined && value !== null) return accepted(value);
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return accepted(mode === 'off' ? value : result.value);
  return { ok: false, issues: limited(result.issues.map(fromStandardIssue)) };
}

/** Validates with one of this package's schemas. The value is returned as it was sent. */
export function validateOwn(schema: z.core.$ZodType, value: unknown, mode: ValidationMode): Verdict {
  const problem = shapeProblem(schema, value);
  if (problem !== undefined) return { ok: false, issues: [problem] };
  if (mode === 'off' || fits(schema, value)) return accepted(value);
  const issues = limited(findIssues(schema, value));
  return mode === 'strict' && issues.length > 0 ? { ok: false, issues } : accepted(value, issues);
}

function accepted(value: unknown, drift = NO_DRIFT): Verdict {
  return { ok: true, value, drift };
}

function fromStandardIssue({ path = [], message }: StandardIssue): Issue {
  const keys = path.map((segment) => (typeof segment === 'object' ? segment.key : segment));
  return { path: keys.map(jsonKey), code: 'invalid', message: String(message) };
}

/** Finds a record that is no object, or a list that is no list: nothing of it can be used. */
function shapeProblem(schema: z.core.$ZodType, value: unknown): Issue | undefined {
  const expected = schema._zod.def.type;
  if (expected === 'object' ? isObject(value) : expected !== 'array' || Array.isArray(value))
    return undefined;
  return { path: [], code: 'invalid_type', message: wrongType(expected, value) };
}

function findIssues(schema: z.core.$ZodType, value: unknown): Issue[] {
  try {
    const { error } = z.safeParse(schema, value, { reportInput: true });
    return error?.issues.flatMap(fromZodIssue) ?? [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Zod (4.6.7, v4/core/schemas.js:905) spreads issues into `push`: some 100,000 overflow the stack.
    const message = 'does not match the schema in more places than can be listed';
    return [{ path: [], code: 'too_many_issues', message }];
  }
}

function fromZodIssue(issue: z.core.$ZodIssue): Issue[] {
  const path = issue.path.map(jsonKey);
  if (issue.code !== 'unrecognized_keys') return [{ path, code: issue.code, message: explainIssue(issue) }];
  return issue.keys.map((key) => ({
    path: [...path, key.slice(0, MAX_NAME)],
    code: 'unrecognized_key',
    message: 'unknown field',
  }));
}

/** The most characters of an unknown field's name in a path. */
const MAX_NAME = 1_000;

/** Describes an issue in this package's words, whatever `z.config()` sets as locale or `customError`. */
function explainIssue(issue: z.core.$ZodIssue): string {
  const { input } = issue;
  switch (issue.code) {
    case 'invalid_type':
      if (issue.expected === 'never')
        return `expected nothing (the service sets it), received ${typeName(input)}`;
      // A field that may be anything, and is missing.
      return wrongType(issue.expected === 'nonoptional' ? 'a value' : issue.expected, input);
    case 'invalid_value':
      return notListed(issue.values, input);
    default:
      return issue.message;
  }
}

function jsonKey(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? String(key) : key;
}

/** Returns the first issues and a count of the rest. */
function limited(issues: readonly Issue[]): readonly Issue[] {
  const left = issues.length - MAX_ISSUES;
  if (left <= 0) return issues;
  return [
    ...issues.slice(0, MAX_ISSUES),
    { path: [], code: 'more_issues', message: `and ${left} more issue(s)` },
  ];
}

import * as z from 'zod/mini';
import { isExpected, isOwnSchema } from '../schemas/object.js';
import { type Issue, MAX_ISSUES, notListed, typeName, wrongType } from '../utils/issues.js';
import type { StandardIssue, StandardSchemaV1 } from '../utils/standard-schema.js';
import { fits } from './fits.js';

/**
 * How strictly data from the service is validated against the API specification:
 *
 * - `strict`: every issue is an error.
 * - `tolerant` (default): accepts what grows or is only expected, and reports it as drift: a new field in a
 *   closed object, a new value in a closed list, `null` in a field that is not required, a missing field that
 *   is expected but not required. A missing required field or a wrong type is an error.
 * - `report`: every issue is reported as drift, and the value is returned as it was sent.
 * - `off`: no check and no cost.
 */
export type ValidationMode = 'strict' | 'tolerant' | 'report' | 'off';

export const VALIDATION_MODES = ['strict', 'tolerant', 'report', 'off'] as const;
export const DEFAULT_VALIDATION: ValidationMode = 'tolerant';

/** The outcome of a validation: a value with the drift that was accepted, or the issues that were not. */
export type Verdict =
  | { readonly ok: true; readonly value: unknown; readonly drift: readonly Issue[] }
  | { readonly ok: false; readonly issues: readonly Issue[] };

const NO_DRIFT: readonly Issue[] = [];

/**
 * Validates with any Standard Schema.
 *
 * A custom schema decides alone: its output is returned, and `tolerant` accepts no issue, because only this
 * package's schemas say what may grow.
 */
export async function validate(
  schema: StandardSchemaV1,
  value: unknown,
  mode: ValidationMode,
): Promise<Verdict> {
  // This package's schemas are Zod's, seen through the Standard Schema interface.
  if (isOwnSchema(schema)) return validateOwn(schema as unknown as z.core.$ZodType, value, mode);
  if (mode === 'off') return { ok: true, value, drift: NO_DRIFT };
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return { ok: true, value: result.value, drift: NO_DRIFT };
  const issues = limited(result.issues.map(fromStandardIssue));
  return mode === 'report' ? { ok: true, value, drift: issues } : { ok: false, issues };
}

function fromStandardIssue({ path = [], message }: StandardIssue): Issue {
  const keys = path.map((segment) => (typeof segment === 'object' ? segment.key : segment));
  return { path: keys.map(jsonKey), code: 'invalid', message: String(message) };
}

/** Validates with one of this package's schemas. The value is returned as it was sent. */
export function validateOwn(schema: z.core.$ZodType, value: unknown, mode: ValidationMode): Verdict {
  if (mode === 'off' || fits(schema, value)) return { ok: true, value, drift: NO_DRIFT };
  const found = findIssues(schema, value);
  const fatal = found.filter(({ grows }) => mode === 'strict' || (mode === 'tolerant' && !grows));
  if (fatal.length > 0) return { ok: false, issues: limited(fatal.map(({ issue }) => issue)) };
  return { ok: true, value, drift: limited(found.map(({ issue }) => issue)) };
}

interface Found {
  readonly issue: Issue;
  /** Whether `tolerant` accepts it: the service has grown, or left out what is only expected. */
  readonly grows: boolean;
}

function findIssues(schema: z.core.$ZodType, value: unknown): Found[] {
  try {
    const { error } = z.safeParse(schema, value, { reportInput: true });
    return error?.issues.flatMap((issue) => fromZodIssue(issue, schema)) ?? [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Zod (4.6.7, v4/core/schemas.js:905) spreads issues into `push`: some 100,000 overflow the stack.
    const message = 'does not match the schema in more places than can be listed';
    return [{ issue: { path: [], code: 'too_many_issues', message }, grows: false }];
  }
}

function fromZodIssue(issue: z.core.$ZodIssue, schema: z.core.$ZodType): Found[] {
  const path = issue.path.map(jsonKey);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      issue: { path: [...path, key.slice(0, MAX_NAME)], code: 'unrecognized_key', message: 'unknown field' },
      grows: true,
    }));
  }
  const { code, input } = issue;
  const isAbsent = input === null || input === undefined;
  const isNewValue = code === 'invalid_value' && typeof input === 'string';
  const grows = isNewValue || (isAbsent && mayBeAbsent(schema, path));
  return [{ issue: { path, code, message: describe(issue) }, grows }];
}

/** The most characters of an unknown field's name in a path. */
const MAX_NAME = 1_000;

/** Describes an issue in this package's words, whatever `z.config()` sets as locale or `customError`. */
function describe(issue: z.core.$ZodIssue): string {
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

/** Whether the field at a path is optional or only expected. */
function mayBeAbsent(schema: z.core.$ZodType, path: readonly (string | number)[]): boolean {
  let at: z.core.$ZodType | undefined = schema;
  for (const key of path) {
    // `$ZodTypes` is Zod's own union of its schemas, discriminated by `type`.
    const { def }: z.core.$ZodTypes['_zod'] = (withoutOptional(at) as z.core.$ZodTypes)._zod;
    if (def.type === 'array') at = def.element;
    else at = def.type === 'object' ? def.shape[key] : undefined;
    if (at === undefined) return false;
  }
  return at._zod.def.type === 'optional' || isExpected(at);
}

function withoutOptional(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === 'optional' ? def.innerType : schema;
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

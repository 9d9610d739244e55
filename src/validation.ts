import * as z from 'zod/mini';
import { capped, describeIssue, fromZodIssues, type Issue } from './issues.js';
import { isMarked } from './redact.js';
import { fits } from './schemas/fits.js';
import { isOwnSchema } from './schemas/object.js';
import type { StandardIssue, StandardSchemaV1 } from './standard-schema.js';

/**
 * How strictly what the service sends is held against the document, from exact to trusting:
 *
 * - `strict`: every departure is an error.
 * - `tolerant` (default): what grows is forgiven and reported as drift: a new field in a closed object, a new
 *   value in a closed list, `null` in an optional field. A missing or wrongly typed field is an error.
 * - `report`: every departure is reported as drift, and the value is passed on as sent.
 * - `off`: no check and no cost.
 */
export type ValidationMode = 'strict' | 'tolerant' | 'report' | 'off';

export const VALIDATION_MODES: readonly ValidationMode[] = ['strict', 'tolerant', 'report', 'off'];

/**
 * What a validation came to: a value with the drift that was forgiven, or the issues that were not.
 * `value` is the one that was given whenever the schema is this package's own.
 */
export type Verdict =
  | { readonly ok: true; readonly value: unknown; readonly drift: readonly Issue[] }
  | { readonly ok: false; readonly issues: readonly Issue[] };

const NO_DRIFT: readonly Issue[] = [];

/** Validates with one of this package's schemas. Synchronous; the value is passed on as it was sent. */
export function validateOwn(schema: z.core.$ZodType, value: unknown, mode: ValidationMode): Verdict {
  if (mode === 'off' || fits(schema, value)) return { ok: true, value, drift: NO_DRIFT };
  const result = z.safeParse(schema, value, { error: describeIssue });
  if (result.success) return { ok: true, value, drift: NO_DRIFT };
  const found = result.error.issues;
  if (mode === 'report') return { ok: true, value, drift: fromZodIssues(found) };
  if (mode === 'strict') return { ok: false, issues: fromZodIssues(found) };
  const unforgiven = found.filter((issue) => !isGrowth(schema, value, issue));
  return unforgiven.length > 0
    ? { ok: false, issues: fromZodIssues(unforgiven) }
    : { ok: true, value, drift: fromZodIssues(found) };
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
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return { ok: true, value: result.value, drift: NO_DRIFT };
  const issues = capped(result.issues.map(fromStandardIssue));
  return mode === 'report' ? { ok: true, value, drift: issues } : { ok: false, issues };
}

/** Its message is in the words of another library, some of which repeat the value: not that of a marked field. */
function fromStandardIssue(issue: StandardIssue): Issue {
  const path = (issue.path ?? []).map((segment) => {
    const key = typeof segment === 'object' ? segment.key : segment;
    return typeof key === 'symbol' ? String(key) : key;
  });
  return { path, code: 'invalid', message: path.some(isMarked) ? 'invalid value' : issue.message };
}

/** What a service that grows may send without breaking its contract. */
function isGrowth(schema: z.core.$ZodType, value: unknown, issue: z.core.$ZodIssue): boolean {
  if (issue.code === 'unrecognized_keys') return true;
  if (issue.code !== 'invalid_value' && issue.code !== 'invalid_type') return false;
  const received = valueAt(value, issue.path);
  if (received === null) return isOptionalAt(schema, issue.path);
  return issue.code === 'invalid_value' && typeof received === 'string';
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  // Safe to index: every path leads through objects and arrays that the schema has just walked.
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)[key], value);
}

function isOptionalAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): boolean {
  let at: z.core.$ZodType | undefined = schema;
  for (const key of path) at = at && childOf(unwrapped(at), key);
  return at !== undefined && definition(at).type === 'optional';
}

function childOf(schema: z.core.$ZodType, key: PropertyKey): z.core.$ZodType | undefined {
  const def = definition(schema);
  if (def.type === 'object') return def.shape[key as string];
  if (def.type === 'array') return def.element;
  return undefined;
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const def = definition(schema);
  return def.type === 'optional' ? unwrapped(def.innerType) : schema;
}

type KnownDefinition = z.core.$ZodObjectDef | z.core.$ZodArrayDef | z.core.$ZodOptionalDef;

function definition(schema: z.core.$ZodType): KnownDefinition {
  // `$ZodTypes` is Zod's own union of definitions; ours are made of these three and of leaves, which no path enters.
  return schema._zod.def as KnownDefinition;
}

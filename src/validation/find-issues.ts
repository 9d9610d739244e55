import type * as z from 'zod/mini';
import { type Issue, notListed, typeName, wrongType } from '../ground/issues.js';
import { isObject } from '../ground/json.js';
import { isExpected } from '../schemas/expected.js';
import { fits } from './fits.js';

/** An issue that was found, and is not described yet. */
export interface FoundIssue {
  /** True for what `tolerant` forgives: what a service that grows may send, and a missing field that is only expected. */
  readonly isForgivable: boolean;
  /** Describes it. Asked only for those that are listed: a hostile answer can hold millions. */
  readonly describe: () => Issue;
}

type Path = readonly (string | number)[];

/**
 * Finds the places where a value does not fit one of this package's schemas, one by one, so that few are in memory at a
 * time. Zod collects all of them, and overflows the stack at some hundred thousand: one new field in each of so many
 * clients would end the call.
 */
export function* findIssues(
  schema: z.core.$ZodType,
  value: unknown,
  path: Path = [],
  mayBeAbsent = false,
): Generator<FoundIssue, void, undefined> {
  if (fits(schema, value)) return;
  // `$ZodTypes` is Zod's own union of its schemas, told apart by `type`.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional') {
    yield* findIssues(def.innerType, value, path, true);
  } else if (def.type === 'array' && Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* findIssues(def.element, item, [...path, index]);
  } else if (def.type === 'object' && isObject(value)) {
    yield* inObject(def, value, path);
  } else {
    const isList = def.type === 'enum' || def.type === 'literal';
    const isAbsent = value === null || value === undefined;
    const isForgivable = (isAbsent && mayBeAbsent) || (isList && typeof value === 'string');
    yield { isForgivable, describe: () => wrongValue(schema, value, path) };
  }
}

function* inObject(
  { shape, catchall }: z.core.$ZodObjectDef,
  value: Readonly<Record<string, unknown>>,
  path: Path,
): Generator<FoundIssue, void, undefined> {
  for (const name in shape) {
    // `name` is one of its names.
    const field = shape[name] as z.core.$ZodType;
    const at = [...path, name];
    const isSent = name in value;
    // Asked here too: a generator for each field that fits would cost more than all else.
    // `optin` says in which way a field may be absent, and is undefined where it must not be.
    if (isSent ? fits(field, value[name]) : field._zod.optin !== undefined) continue;
    if (!isSent && fits(field, undefined)) yield missing(at);
    else yield* findIssues(field, value[name], at, isExpected(field));
  }
  if (catchall?._zod.def.type !== 'never') return;
  for (const name in value) if (!Object.hasOwn(shape, name)) yield unknownField([...path, name]);
}

/** A value that is required and may be anything: such a schema accepts `undefined` too, and only the absence is wrong. */
const missing = (path: Path): FoundIssue => ({
  isForgivable: false,
  describe: () => ({ path, code: 'invalid_type', message: wrongType('a value', undefined) }),
});

const unknownField = (path: Path): FoundIssue => ({
  isForgivable: true,
  describe: () => ({ path, code: 'unrecognized_key', message: 'unknown field' }),
});

/** In words of our own: neither a locale nor a `z.config({ customError })` of the user's program changes them. */
function wrongValue({ _zod: { def, values } }: z.core.$ZodType, value: unknown, path: Path): Issue {
  if (values !== undefined) return { path, code: 'invalid_value', message: notListed(values, value) };
  if (def.type === 'never') {
    const message = `expected nothing (the service sets it), received ${typeName(value)}`;
    return { path, code: 'invalid_type', message };
  }
  // The only refinement of these schemas.
  if (value === '') return { path, code: 'too_small', message: 'expected a non-empty string' };
  return { path, code: 'invalid_type', message: wrongType(def.type, value) };
}

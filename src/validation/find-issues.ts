import type * as z from 'zod/mini';
import { type Issue, notListed, typeName, wrongType } from '../ground/issues.js';
import { isObject } from '../ground/json.js';
import { isExpected } from '../schemas/expected.js';
import { type Check, checkFor } from './fits.js';

/**
 * Takes an issue that was found. `isForgivable` is true for what `tolerant` forgives: what a service that grows may send, and a
 * missing field that is only expected. Describes it only if it is to be listed: a hostile answer can hold millions.
 */
export type IssueSink = (isForgivable: boolean, describe: () => Issue) => void;

type Path = readonly (string | number)[];

/**
 * Finds the places where a value does not fit one of this package's schemas, and tells of them one by one, so that few are in
 * memory at a time. Zod collects all of them, and overflows the stack at some hundred thousand: one new field in each of so many
 * clients would end the call.
 *
 * It takes at most about as long as to parse the value: what fits is passed over, and the way to a place is one list for all.
 */
export function findIssues(schema: z.core.$ZodType, value: unknown, found: IssueSink): void {
  if (!checkFor(schema)(value)) inValue(schema, value, [], found, false);
}

function inValue(
  schema: z.core.$ZodType,
  value: unknown,
  path: (string | number)[],
  found: IssueSink,
  mayBeAbsent: boolean,
): void {
  // `$ZodTypes` is Zod's own union of its schemas, told apart by `type`.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional') {
    inValue(def.innerType, value, path, found, true);
  } else if (def.type === 'array' && Array.isArray(value)) {
    inArray(def, value, path, found);
  } else if (def.type === 'object' && isObject(value)) {
    inObject(def, value, path, found);
  } else {
    const isList = def.type === 'enum' || def.type === 'literal';
    const isAbsent = value === null || value === undefined;
    const isForgivable = (isAbsent && mayBeAbsent) || (isList && typeof value === 'string');
    found(isForgivable, () => wrongValue(schema, value, [...path]));
  }
}

function inArray(
  { element }: z.core.$ZodArrayDef,
  value: readonly unknown[],
  path: (string | number)[],
  found: IssueSink,
): void {
  const fitsElement = checkFor(element);
  for (let index = 0; index < value.length; index += 1) {
    if (fitsElement(value[index])) continue;
    path.push(index);
    inValue(element, value[index], path, found, false);
    path.pop();
  }
}

/** What is missing, and then what was sent, in its order. Not each field that a record may have: most are seldom sent. */
function inObject(
  def: z.core.$ZodObjectDef,
  value: Readonly<Record<string, unknown>>,
  path: (string | number)[],
  found: IssueSink,
): void {
  const { known, required } = fieldsOf(def);
  for (const name of required) {
    if (name in value) continue;
    // It is one of its names.
    const field = known.get(name) as Field;
    if (field.fitsField(undefined)) found(false, () => missing([...path, name]));
    else inField(name, field, undefined, path, found);
  }
  const isClosed = def.catchall?._zod.def.type === 'never';
  for (const name in value) {
    const field = known.get(name);
    if (field === undefined) {
      if (isClosed) found(true, () => unknownField(path, name));
    } else if (!field.fitsField(value[name])) inField(name, field, value[name], path, found);
  }
}

function inField(
  name: string,
  { schema }: Field,
  value: unknown,
  path: (string | number)[],
  found: IssueSink,
): void {
  path.push(name);
  inValue(schema, value, path, found, isExpected(schema));
  path.pop();
}

interface Field {
  readonly schema: z.core.$ZodType;
  readonly fitsField: Check;
}

interface Fields {
  readonly known: ReadonlyMap<string, Field>;
  readonly required: readonly string[];
}

const fieldsOfRecords = /* @__PURE__ */ new WeakMap<z.core.$ZodObjectDef, Fields>();

/** The fields of a record, which Zod would list anew each time that it is asked. */
function fieldsOf(def: z.core.$ZodObjectDef): Fields {
  const found = fieldsOfRecords.get(def);
  if (found !== undefined) return found;
  const entries = Object.entries(def.shape);
  const fields = {
    known: new Map(entries.map(([name, schema]) => [name, { schema, fitsField: checkFor(schema) }])),
    // `optin` says in which way a field may be absent.
    required: entries.flatMap(([name, { _zod }]) => (_zod.optin === undefined ? name : [])),
  };
  fieldsOfRecords.set(def, fields);
  return fields;
}

/** A value that is required and may be anything: such a schema accepts `undefined` too, and only the absence is wrong. */
const missing = (path: Path): Issue => ({
  path,
  code: 'invalid_type',
  message: wrongType('a value', undefined),
});

const unknownField = (path: Path, name: string): Issue => ({
  // A hostile name may be as long as the whole answer.
  path: [...path, name.slice(0, MAX_NAME)],
  code: 'unrecognized_key',
  message: 'unknown field',
});

/** Characters of a name that the specification does not list. */
const MAX_NAME = 1_000;

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

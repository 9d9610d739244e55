import * as z from 'zod/mini';

export type Check = (value: unknown) => boolean;

type JsonObject = Readonly<Record<string, unknown>>;

const checks = /* @__PURE__ */ new WeakMap<z.core.$ZodType, Check>();

/**
 * Tells quickly whether a JSON value fits a schema. True is certain. After false, `findIssues` finds what is wrong: nothing,
 * for some values that no JSON parser makes, such as instances of classes.
 *
 * Zod visits every field a schema lists and copies the value. This visits the fields that were sent, of a
 * conversation mostly a few of 117, and copies nothing.
 */
export function fits(schema: z.core.$ZodType, value: unknown): boolean {
  unfit = undefined;
  return checkFor(schema)(value);
}

/** The closed record in which `fits` has just come upon a field that is not listed, and the names of all its fields. */
let unfit: { readonly record: JsonObject; readonly names: readonly string[] } | undefined;

/** The names of a record's fields. Those that `fits` has just listed are not listed again: they may be a million. */
export function namesOf(record: JsonObject): readonly string[] {
  if (unfit?.record !== record) return Object.keys(record);
  const { names } = unfit;
  unfit = undefined;
  return names;
}

/** {@link fits} for one schema, to be asked of many values. */
export function checkFor(schema: z.core.$ZodType): Check {
  const made = checks.get(schema) ?? checkOf(schema);
  checks.set(schema, made);
  return made;
}

function checkOf(schema: z.core.$ZodType): Check {
  // `$ZodTypes` is Zod's own union of its schemas, told apart by `type`.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (isRefined(def)) return askZod(schema);
  switch (def.type) {
    case 'unknown':
      return acceptsAll;
    case 'never':
      // Not by Zod, which makes an error of it each time.
      return () => false;
    case 'string':
      return (value) => typeof value === 'string';
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'number':
      return Number.isFinite;
    case 'optional':
      return optionalCheck(def);
    case 'array':
      return arrayCheck(def);
    case 'object':
      return objectCheck(def);
    case 'enum':
    case 'literal':
      return isOneOf(schema._zod.values);
    default:
      return askZod(schema);
  }
}

function isOneOf(values: ReadonlySet<unknown> = new Set()): Check {
  return (value) => values.has(value);
}

function askZod(schema: z.core.$ZodType): Check {
  return (value) => z.safeParse(schema, value).success;
}

/** Tells whether a schema asks for more than its type says: a refinement, a format, a coercion. */
function isRefined(def: z.core.$ZodTypeDef): boolean {
  return (def.checks?.length ?? 0) > 0 || 'format' in def || 'coerce' in def;
}

function optionalCheck({ innerType }: z.core.$ZodOptionalDef): Check {
  const check = checkFor(innerType);
  return (value) => value === undefined || check(value);
}

function arrayCheck({ element }: z.core.$ZodArrayDef): Check {
  const check = checkFor(element);
  // Not `every`, which skips the holes of a sparse array.
  return (value) => Array.isArray(value) && value.findIndex((item) => !check(item)) < 0;
}

function objectCheck({ shape, catchall }: z.core.$ZodObjectDef): Check {
  const isClosed = catchall?._zod.def.type === 'never';
  const listed = Object.keys(shape);
  const names = new Set(listed);
  const required = listed.filter((name) => shape[name]?._zod.def.type !== 'optional');
  // Made when a field is first sent: a program that starts does not pay for those that never are.
  const known = new Map<string, Check>();
  const learn = (name: string): Check => {
    // One of its names.
    const check = checkFor(shape[name] as z.core.$ZodType);
    known.set(name, check);
    return check;
  };
  const fitsOpen = (record: JsonObject): boolean => {
    for (const name in record) {
      const check = known.get(name) ?? (names.has(name) ? learn(name) : acceptsAll);
      if (check !== acceptsAll && !check(record[name])) return false;
    }
    return true;
  };
  const fitsClosed = (record: JsonObject): boolean => {
    const sent = Object.keys(record);
    for (const name of sent) {
      const check = known.get(name) ?? (names.has(name) ? learn(name) : undefined);
      if (check === undefined) {
        unfit = { record, names: sent };
        return false;
      }
      if (!check(record[name])) return false;
    }
    return true;
  };
  return (value) => {
    if (!isPlain(value)) return false;
    for (const name of required) if (!Object.hasOwn(value, name)) return false;
    return isClosed ? fitsClosed(value) : fitsOpen(value);
  };
}

const acceptsAll: Check = () => true;

/** Tells whether a value is an object as `JSON.parse` makes it, whose fields are all its own and enumerable. */
function isPlain(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

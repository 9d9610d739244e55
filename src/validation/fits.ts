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
  return checkFor(schema)(value);
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
      return acceptsNothing;
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
  const unlisted = catchall?._zod.def.type === 'never' ? acceptsNothing : acceptsAll;
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
  return (value) => {
    if (!isPlain(value)) return false;
    for (const name of required) if (!Object.hasOwn(value, name)) return false;
    for (const name in value) {
      const check = known.get(name) ?? (names.has(name) ? learn(name) : unlisted);
      if (check !== acceptsAll && !check(value[name])) return false;
    }
    return true;
  };
}

const acceptsAll: Check = () => true;
const acceptsNothing: Check = () => false;

/** Tells whether a value is an object as `JSON.parse` makes it, whose fields are all its own and enumerable. */
function isPlain(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

import * as z from 'zod/mini';

type Check = (value: unknown) => boolean;

const checks = new WeakMap<z.core.$ZodType, Check>();

/**
 * Tells quickly whether a JSON value fits a schema. True is certain; false means that Zod has to be asked, which
 * also says what is wrong.
 *
 * Zod visits every field a schema lists and copies the value. This visits the fields that were sent, of a
 * conversation mostly a few of 117, copies nothing, and generates no code, which some runtimes forbid.
 */
export function fits(schema: z.core.$ZodType, value: unknown): boolean {
  return checkOf(schema)(value);
}

function checkOf(schema: z.core.$ZodType): Check {
  let check = checks.get(schema);
  if (check === undefined) {
    check = buildCheck(schema);
    checks.set(schema, check);
  }
  return check;
}

function buildCheck(schema: z.core.$ZodType): Check {
  // `$ZodTypes` is Zod's own union of its schemas, told apart by `type`.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (isRefined(def)) return askZod(schema);
  switch (def.type) {
    case 'unknown':
      return () => true;
    case 'never':
      return () => false;
    case 'string':
      return (value) => typeof value === 'string';
    case 'number':
      return (value) => Number.isFinite(value);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'enum':
    case 'literal':
      return listCheck(schema);
    case 'optional':
      return optionalCheck(checkOf(def.innerType));
    case 'array':
      return arrayCheck(checkOf(def.element));
    case 'object':
      return objectCheck(def);
    default:
      return askZod(schema);
  }
}

/** Whether a schema asks for more than its type says: a refinement, a format, a coercion. */
function isRefined(def: z.core.$ZodTypeDef): boolean {
  return (def.checks?.length ?? 0) > 0 || 'format' in def || 'coerce' in def;
}

function askZod(schema: z.core.$ZodType): Check {
  return (value) => z.safeParse(schema, value).success;
}

function listCheck(schema: z.core.$ZodType): Check {
  const { values } = schema._zod;
  return (value) => values?.has(value as z.core.util.Primitive) === true;
}

function optionalCheck(inner: Check): Check {
  return (value) => value === undefined || inner(value);
}

function arrayCheck(element: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return false;
    // By index: `every` would skip the holes of a sparse array.
    for (let index = 0; index < value.length; index += 1) if (!element(value[index])) return false;
    return true;
  };
}

function objectCheck({ shape, catchall }: z.core.$ZodObjectDef): Check {
  const required = Object.keys(shape).filter((name) => shape[name]?._zod.def.type !== 'optional');
  const unlisted = catchall === undefined ? () => true : checkOf(catchall);
  const fields = new Map<string, Check>();
  // Built when a field is first sent: a program that starts does not pay for those that never come.
  const checkOfField = (name: string): Check => {
    if (!Object.hasOwn(shape, name)) return unlisted;
    const check = checkOf(shape[name] as z.core.$ZodType);
    fields.set(name, check);
    return check;
  };
  return (value) => {
    if (!isPlain(value)) return false;
    for (const name in value) if (!(fields.get(name) ?? checkOfField(name))(value[name])) return false;
    return required.every((name) => Object.hasOwn(value, name));
  };
}

/** Whether a value is an object as `JSON.parse` makes it, whose fields are all its own and enumerable. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

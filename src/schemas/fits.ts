import * as z from 'zod/mini';

type Check = (value: unknown) => boolean;

const checks = new WeakMap<z.core.$ZodType, Check>();

/**
 * Tells quickly whether a JSON value fits a schema. True is certain; false means that Zod has to be asked, which
 * also says what is wrong.
 *
 * Zod visits every field a schema lists and copies the value. This visits the fields that were sent, of a
 * conversation mostly a few of 117, and copies nothing.
 */
export function fits(schema: z.core.$ZodType, value: unknown): boolean {
  let check = checks.get(schema);
  if (check === undefined) {
    // Built when it is first needed: a program that starts does not pay for fields that are never sent.
    check = checkOf(schema);
    checks.set(schema, check);
  }
  return check(value);
}

function checkOf(schema: z.core.$ZodType): Check {
  // `$ZodTypes` is Zod's own union of its schemas, told apart by `type`.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (isRefined(def)) return askZod(schema);
  switch (def.type) {
    case 'unknown':
      return () => true;
    case 'string':
      return (value) => typeof value === 'string';
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'number':
      return Number.isFinite;
    case 'optional':
      return (value) => value === undefined || fits(def.innerType, value);
    case 'array':
      // Not `every`, which skips the holes of a sparse array.
      return (value) => Array.isArray(value) && value.findIndex((item) => !fits(def.element, item)) < 0;
    case 'object':
      return objectCheck(def);
    default:
      return askZod(schema);
  }
}

function askZod(schema: z.core.$ZodType): Check {
  return (value) => z.safeParse(schema, value).success;
}

/** Whether a schema asks for more than its type says: a refinement, a format, a coercion. */
function isRefined(def: z.core.$ZodTypeDef): boolean {
  return (def.checks?.length ?? 0) > 0 || 'format' in def || 'coerce' in def;
}

function objectCheck({ shape, catchall }: z.core.$ZodObjectDef): Check {
  const fields = new Map(Object.entries(shape));
  const required = Object.keys(shape).filter((name) => shape[name]?._zod.def.type !== 'optional');
  return (value) => {
    if (!isPlain(value)) return false;
    for (const name in value) {
      const field = fields.get(name) ?? catchall;
      if (field !== undefined && !fits(field, value[name])) return false;
    }
    return required.every((name) => Object.hasOwn(value, name));
  };
}

/** Whether a value is an object as `JSON.parse` makes it, whose fields are all its own and enumerable. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

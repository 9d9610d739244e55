import * as z from 'zod/v4/mini';
import { isUnrounded, requiredNumber } from '../schemas/fields.js';

type Check = (value: unknown) => boolean;

const checks = /* @__PURE__ */ new WeakMap<z.core.$ZodType, Check>();

/**
 * Whether a JSON value certainly matches a schema. If not, Zod decides.
 *
 * Zod visits every field that a schema lists, and copies the value. This visits the fields that were sent,
 * for a conversation mostly a few of 117, and copies nothing.
 */
export function fits(schema: z.core.$ZodType, value: unknown): boolean {
  return checkFor(schema)(value);
}

function checkFor(schema: z.core.$ZodType): Check {
  let check = checks.get(schema);
  if (check === undefined) {
    check = createCheck(schema);
    checks.set(schema, check);
  }
  return check;
}

function createCheck(schema: z.core.$ZodType): Check {
  if (schema === requiredNumber) return isUnrounded;
  // `$ZodTypes` is Zod's own union of its schemas, discriminated by `type`.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  // A refinement, a format or a coercion requires more than the type says.
  if (def.checks?.length || 'format' in def || 'coerce' in def) return askZod(schema);
  switch (def.type) {
    case 'unknown':
      return acceptAll;
    case 'never':
      return refuseAll;
    case 'string':
      return (value) => typeof value === 'string';
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'number':
      return Number.isFinite;
    case 'optional': {
      const check = checkFor(def.innerType);
      return (value) => value === undefined || check(value);
    }
    case 'array': {
      const check = checkFor(def.element);
      // Not `every`, which skips the holes of a sparse array.
      return (value) => Array.isArray(value) && value.findIndex((item) => !check(item)) < 0;
    }
    case 'object':
      return createObjectCheck(def);
    case 'enum':
    case 'literal': {
      const { values } = schema._zod;
      return (value) => values?.has(value as z.core.util.Primitive) === true;
    }
    default:
      return askZod(schema);
  }
}

function createObjectCheck({ shape, catchall }: z.core.$ZodObjectDef): Check {
  const unlisted = catchall?._zod.def.type === 'never' ? refuseAll : acceptAll;
  const required = Object.keys(shape).filter((name) => shape[name]?._zod.def.type !== 'optional');
  // Filled when a field first arrives: a starting program does not pay for those that never do.
  const listed = new Map<string, Check>();
  const checkOf = (name: string): Check => {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field === undefined) return unlisted;
    const check = checkFor(field);
    listed.set(name, check);
    return check;
  };
  return (value) => {
    if (!isParsed(value)) return false;
    for (const name of required) if (!Object.hasOwn(value, name)) return false;
    for (const name in value) {
      const check = listed.get(name) ?? checkOf(name);
      if (!check(value[name])) return false;
    }
    return true;
  };
}

function askZod(schema: z.core.$ZodType): Check {
  return (value) => z.safeParse(schema, value).success;
}

const acceptAll: Check = () => true;
const refuseAll: Check = () => false;

/** Whether a value is an object as made by `JSON.parse`, whose fields are all its own and enumerable. */
function isParsed(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

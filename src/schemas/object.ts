import * as z from 'zod/mini';

/** The schemas this package made. Only these take part in the `tolerant` mode and pass values on as sent. */
const own = /* @__PURE__ */ new WeakSet<object>();

// The rules for a field that is not listed. Shared: Zod's own `looseObject` and `strictObject` make one each time, and
// a program that starts pays for every schema that is made.
const kept = /* @__PURE__ */ z.unknown();
const refused = /* @__PURE__ */ z.never();

/**
 * An object that keeps fields it does not list, at run time, while its type stays exact. Its fields are made when
 * they are first looked at: a program that starts pays for the records it uses.
 *
 * Zod's `looseObject` would add an index signature to the inferred type, and every misspelt field of a
 * record would then compile.
 */
/* @__NO_SIDE_EFFECTS__ */
export function openObject<Shape extends z.core.$ZodShape>(
  fields: () => Shape,
): z.ZodMiniObject<Shape, z.core.$strip> {
  return owned(object(fields, kept));
}

/** An object the specification marks closed: a field it does not list is an issue (forgiven in `tolerant` mode). */
/* @__NO_SIDE_EFFECTS__ */
export function closedObject<Shape extends z.core.$ZodShape>(
  fields: () => Shape,
): z.ZodMiniObject<Shape, z.core.$strict> {
  return owned(object(fields, refused));
}

/* @__NO_SIDE_EFFECTS__ */
function object<Shape extends z.core.$ZodShape, Config extends z.core.$ZodObjectConfig>(
  fields: () => Shape,
  catchall: z.core.$ZodType,
): z.ZodMiniObject<Shape, Config> {
  let shape: Shape | undefined;
  const schema = new z.ZodMiniObject({
    type: 'object',
    get shape() {
      shape ??= fields();
      return shape;
    },
    catchall,
  });
  // Zod's class is not generic, and what it makes has the type that its own factories give it by a cast.
  return schema as z.ZodMiniObject<Shape, Config>;
}

function owned<Schema extends object>(schema: Schema): Schema {
  own.add(schema);
  return schema;
}

/** Whether a schema is one of this package's, or an array of one: such a schema never rewrites a value. */
export function isOwnSchema(schema: object): boolean {
  if (own.has(schema)) return true;
  const def = (schema as Partial<z.core.$ZodType>)._zod?.def as Partial<z.core.$ZodArrayDef> | undefined;
  // A refined array (`.check(z.minLength(1))`) asks for more than its records do.
  return def?.type === 'array' && !def.checks?.length && own.has(def.element ?? def);
}

/** The fields that are only expected. */
const marked = /* @__PURE__ */ new WeakSet<z.core.$ZodType>();

/**
 * Marks a field that the specification shows as part of this very response, or without which the record is useless,
 * but does not require. Its type says that it is there. If it is missing or `null`, that is an issue in `strict`,
 * and drift in `tolerant`. Zod knows nothing of the mark: `ToolSchema.parse(…)` requires the field.
 *
 * The schema becomes that of expected fields alone: give it one that no other field shares.
 */
/* @__NO_SIDE_EFFECTS__ */
export function expected<Schema extends z.core.$ZodType>(schema: Schema): Schema {
  marked.add(schema);
  return schema;
}

/** Whether a field is only expected. */
export function isExpected(field: z.core.$ZodType): boolean {
  return marked.has(field);
}

import * as z from 'zod/mini';

/** The schemas of this package. Only these take part in `tolerant` mode and pass values on as sent. */
const own = /* @__PURE__ */ new WeakSet<object>();

// The rules for an unlisted field, shared: `z.looseObject` and `z.strictObject` make one for each object, and
// each schema takes time when a program starts.
const kept = /* @__PURE__ */ z.unknown();
const refused = /* @__PURE__ */ z.never();

/**
 * An object that keeps unlisted fields, while its type stays exact. Its fields are made when they are first
 * read, so that a program pays at start for the records it uses.
 *
 * Zod's `looseObject` infers an index signature, with which every misspelt field of a record compiles:
 * `$loose` in v4/core/schemas.d.ts (zod 4.6).
 */
/* @__NO_SIDE_EFFECTS__ */
export function openObject<Shape extends z.core.$ZodShape>(
  fields: () => Shape,
): z.ZodMiniObject<Shape, z.core.$strip> {
  return owned(object(fields, kept));
}

/**
 * An object the specification marks as closed: an unlisted field is an issue, which `tolerant` mode forgives.
 */
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
  // `ZodMiniObject` is a `$constructor` without type parameters (zod 4.6, v4/mini/schemas.d.ts); `z.object`
  // casts too.
  return schema as z.ZodMiniObject<Shape, Config>;
}

function owned<Schema extends object>(schema: Schema): Schema {
  own.add(schema);
  return schema;
}

/** Whether a schema is one of this package, or an array of one: such a schema never rewrites a value. */
export function isOwnSchema(schema: object): boolean {
  if (own.has(schema)) return true;
  const def = (schema as Partial<z.core.$ZodType>)._zod?.def as Partial<z.core.$ZodArrayDef> | undefined;
  // An array with checks (`.check(z.minLength(1))`) demands more than its records do.
  return def?.type === 'array' && !def.checks?.length && own.has(def.element ?? def);
}

/** The fields that are only expected. */
const marked = /* @__PURE__ */ new WeakSet<z.core.$ZodType>();

/**
 * Marks a field as expected: the specification shows it in this very response, or the record is useless
 * without it, but it is not required. Its type says that it is present. If it is missing or `null`, that is
 * an issue in `strict` mode, and drift in `tolerant` mode. Zod does not know the mark: `ToolSchema.parse(…)`
 * requires the field.
 *
 * The schema itself is marked: pass one that only expected fields share.
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

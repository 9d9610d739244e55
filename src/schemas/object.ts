import * as z from 'zod/v4/mini';

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
 * An object the specification marks as closed: an unlisted field is drift.
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

/**
 * The mark of this package's schemas. By `Symbol.for`, because two copies of the package may be loaded, as ESM
 * and as CommonJS (zod#5452).
 */
const OWN = /* @__PURE__ */ Symbol.for('agent-platform-sdk.schema');

/** Marks a schema as one of this package: a value that does not match it is drift in `tolerant` mode. */
/* @__NO_SIDE_EFFECTS__ */
export function owned<Schema extends object>(schema: Schema): Schema {
  return Object.defineProperty(schema, OWN, { value: true });
}

/**
 * Whether a schema is one of this package, or an array of one: such a schema never rewrites a value. A schema
 * that was derived from one (`.extend`, `.check`) has no mark.
 */
export function isOwnSchema(schema: object): boolean {
  if (OWN in schema) return true;
  const def = (schema as Partial<z.core.$ZodType>)._zod?.def as Partial<z.core.$ZodArrayDef> | undefined;
  // An array with checks (`.check(z.minLength(1))`) demands more than its records do.
  return def?.type === 'array' && !def.checks?.length && OWN in (def.element ?? {});
}

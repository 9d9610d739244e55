import * as z from 'zod/mini';

/** The schemas this package made. Only these take part in the `tolerant` mode and pass values on as sent. */
const own = new WeakSet<object>();

/**
 * An object that keeps fields it does not list, at run time, while its type stays exact.
 *
 * `z.looseObject` alone would add an index signature to the inferred type, and every misspelt field of a
 * record would then compile.
 */
/* @__NO_SIDE_EFFECTS__ */
export function openObject<Shape extends z.core.$ZodShape>(
  shape: Shape,
): z.ZodMiniObject<Shape, z.core.$strip> {
  const schema = z.looseObject(shape);
  own.add(schema);
  // The return type drops only the index signature; the schema keeps unknown fields all the same.
  return schema;
}

/** An object the document marks closed: a field it does not list is an issue (forgiven in `tolerant` mode). */
/* @__NO_SIDE_EFFECTS__ */
export function closedObject<Shape extends z.core.$ZodShape>(
  shape: Shape,
): z.ZodMiniObject<Shape, z.core.$strict> {
  const schema = z.strictObject(shape);
  own.add(schema);
  return schema;
}

/** Tells whether a schema is one of this package's, or an array of one: such a schema never rewrites a value. */
export function isOwnSchema(schema: object): boolean {
  if (own.has(schema)) return true;
  const def = (schema as Partial<z.core.$ZodType>)._zod?.def as Partial<z.core.$ZodArrayDef> | undefined;
  return def?.type === 'array' && def.element !== undefined && own.has(def.element);
}

import * as z from 'zod/mini';

/**
 * A value list that the document gives by example ("`new` shown"): any string is valid, and the type still
 * completes the values that are known.
 */
export type OpenList<Known extends string> = Known | (string & {});

const knownValuesOf = new WeakMap<object, readonly string[]>();

/* @__NO_SIDE_EFFECTS__ */
export function openList<const Known extends string>(
  ...known: readonly Known[]
): z.ZodMiniType<OpenList<Known>, OpenList<Known>> {
  // The cast narrows the type for completion only: every string is valid at run time.
  const schema = z.string() as unknown as z.ZodMiniType<OpenList<Known>, OpenList<Known>>;
  knownValuesOf.set(schema, known);
  return schema;
}

/** The values the document shows for an open list, for generated documentation; undefined for other schemas. */
export function knownValues(schema: object): readonly string[] | undefined {
  return knownValuesOf.get(schema);
}

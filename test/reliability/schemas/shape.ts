import type * as z from 'zod/mini';

/** The schemas that the document's records and payloads are made of. */
type Definition =
  | z.core.$ZodStringDef
  | z.core.$ZodNumberDef
  | z.core.$ZodBooleanDef
  | z.core.$ZodUnknownDef
  | z.core.$ZodNeverDef
  | z.core.$ZodOptionalDef
  | z.core.$ZodArrayDef
  | z.core.$ZodEnumDef
  | z.core.$ZodLiteralDef<string>
  | z.core.$ZodObjectDef;

export function definitionOf(schema: z.core.$ZodType): Definition {
  // Zod's own union of definitions; a test that meets another kind fails by its `type`.
  return schema._zod.def as Definition;
}

/** The schema inside an optional one; undefined where it is required. */
export function optionalInside(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const def = definitionOf(schema);
  return def.type === 'optional' ? def.innerType : undefined;
}

/** The fields of an object schema; none of another. */
export function childrenOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> {
  const def = definitionOf(schema);
  return def.type === 'object' ? def.shape : {};
}

/** True where an object schema accepts no field but its own. */
export function isClosed(schema: z.core.$ZodType): boolean {
  const def = definitionOf(schema);
  return def.type === 'object' && def.catchall?._zod.def.type === 'never';
}

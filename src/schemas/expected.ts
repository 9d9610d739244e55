import type * as z from 'zod/mini';

const marked = /* @__PURE__ */ new WeakSet<z.core.$ZodType>();

/**
 * Marks a field that the specification shows as part of this very answer, or without which the record is useless, but does not
 * require. Its type says that it is there. Where it is missing or `null`, that is an issue in `strict`, and drift in
 * `tolerant`. Zod knows nothing of the mark: `ToolSchema.parse(…)` requires the field.
 *
 * The schema becomes that of expected fields alone: give it one that no other field shares.
 */
/* @__NO_SIDE_EFFECTS__ */
export function expected<Schema extends z.core.$ZodType>(schema: Schema): Schema {
  marked.add(schema);
  return schema;
}

/** Tells whether a field is only expected. */
export function isExpected(field: z.core.$ZodType): boolean {
  return marked.has(field);
}

import * as z from 'zod/mini';

/**
 * A set of values that the document gives by example ("`new` shown"): any string is valid, and the known values
 * autocomplete.
 */
export type OpenEnum<Known extends string> = Known | (string & {});

/** A string. Its type alone holds the known values: openapi.json and editors read them from there. */
/* @__NO_SIDE_EFFECTS__ */
export function openEnum<Known extends string>(): z.ZodMiniType<OpenEnum<Known>, OpenEnum<Known>> {
  // The type is narrower for completion only: every string is valid at run time.
  return z.string();
}

import * as z from 'zod/mini';

/**
 * A value list that the document gives by example ("`new` shown"): any string is valid, and the type still
 * completes the values that are known.
 */
export type OpenList<Known extends string> = Known | (string & {});

/** Each call makes a schema of its own, by which `knownValues` tells the lists apart. */
/* @__NO_SIDE_EFFECTS__ */
export function openList<Known extends string>(): z.ZodMiniType<OpenList<Known>, OpenList<Known>> {
  // The type is narrower for completion only: every string is valid at run time.
  return z.string();
}

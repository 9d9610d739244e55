import * as z from 'zod/mini';
import { expected, openObject } from './object.js';

// The schemas that most fields are made of, shared: a record of 150 fields builds a dozen schemas, not 150.

/** A string that must be there. */
export const requiredText = /* @__PURE__ */ z.string();
/** A string that is expected: shown, and not required. */
export const expectedText = /* @__PURE__ */ expected(/* @__PURE__ */ z.string());
/** An optional string. */
export const text = /* @__PURE__ */ z.optional(requiredText);
/** An optional number. */
export const number = /* @__PURE__ */ z.optional(/* @__PURE__ */ z.number());
/** An optional boolean. */
export const flag = /* @__PURE__ */ z.optional(/* @__PURE__ */ z.boolean());
/** An optional value of any JSON type: the specification's `any`. */
export const anything = /* @__PURE__ */ z.optional(/* @__PURE__ */ z.unknown());
/**
 * An object whose fields the specification does not list. Not `z.record`, which would bring a kilobyte of key
 * checks into every bundle for the same meaning.
 */
export const requiredDictionary: z.ZodMiniType<
  Record<string, unknown>,
  Record<string, unknown>
> = /* @__PURE__ */ openObject(() => ({}));
/** The same, optional. */
export const dictionary = /* @__PURE__ */ z.optional(requiredDictionary);
/** An optional list of strings. */
export const texts = /* @__PURE__ */ z.optional(/* @__PURE__ */ z.array(requiredText));
/** An optional list of numbers. */
export const numbers = /* @__PURE__ */ z.optional(/* @__PURE__ */ z.array(/* @__PURE__ */ z.number()));
/** An optional list of any JSON values. */
export const anythings = /* @__PURE__ */ z.optional(/* @__PURE__ */ z.array(/* @__PURE__ */ z.unknown()));

/**
 * A set of values that the specification gives by example ("`new` shown"): any string is valid, and the known values
 * autocomplete.
 */
export type OpenEnum<Known extends string> = Known | (string & {});

/** A string. Its type alone holds the known values: openapi.json and editors read them from there. */
/* @__NO_SIDE_EFFECTS__ */
export function openEnum<Known extends string>(): z.ZodMiniType<OpenEnum<Known>, OpenEnum<Known>> {
  // The type is narrower for completion only: every string is valid at run time.
  return z.string();
}

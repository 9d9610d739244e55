import * as z from 'zod/mini';

// The leaves that most fields are made of, shared: a record of 150 fields builds a dozen schemas, not 150.

/** An optional string. */
export const text = z.optional(z.string());
/** An optional number. */
export const number = z.optional(z.number());
/** An optional boolean. */
export const flag = z.optional(z.boolean());
/** An optional value of any JSON type: the document's `any`. */
export const anything = z.optional(z.unknown());
/** An optional object whose fields the document does not list. */
export const dictionary = z.optional(z.record(z.string(), z.unknown()));
/** An optional list of strings. */
export const texts = z.optional(z.array(z.string()));
/** An optional list of numbers. */
export const numbers = z.optional(z.array(z.number()));
/** An optional list of any JSON values. */
export const anythings = z.optional(z.array(z.unknown()));

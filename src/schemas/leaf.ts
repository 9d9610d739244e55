import * as z from 'zod/mini';
import { openObject } from './object.js';

// The leaves that most fields are made of, shared: a record of 150 fields builds a dozen schemas, not 150.

/** A string that must be there. */
export const requiredText = z.string();
/** An optional string. */
export const text = z.optional(requiredText);
/** An optional number. */
export const number = z.optional(z.number());
/** An optional boolean. */
export const flag = z.optional(z.boolean());
/** An optional value of any JSON type: the document's `any`. */
export const anything = z.optional(z.unknown());
/**
 * An object whose fields the document does not list. Not `z.record`, which would bring a kilobyte of key checks into
 * every bundle for the same meaning.
 */
export const requiredDictionary: z.ZodMiniType<Record<string, unknown>, Record<string, unknown>> = openObject(
  {},
);
/** The same, optional. */
export const dictionary = z.optional(requiredDictionary);
/** An optional list of strings. */
export const texts = z.optional(z.array(requiredText));
/** An optional list of numbers. */
export const numbers = z.optional(z.array(z.number()));
/** An optional list of any JSON values. */
export const anythings = z.optional(z.array(z.unknown()));

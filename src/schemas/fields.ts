import * as z from 'zod/v4/mini';
import { openObject } from './object.js';

// The schemas of most fields, shared: a record of 117 fields builds a dozen schemas, not 117.

/** A string that the type says is present. */
export const requiredText = /* @__PURE__ */ z.string();
/** An optional string. */
export const text = /* @__PURE__ */ z.optional(requiredText);
/** A number that the type says is present. JSON has rounded an integer above 2^53: it is drift (basecamp-sdk#533). */
export const requiredNumber = /* @__PURE__ */ z.number().check(({ value, issues }) => {
  if (isUnrounded(value)) return;
  const message = 'expected a number that JSON does not round, received an integer above 2^53';
  const maximum = Number.MAX_SAFE_INTEGER;
  issues.push({ code: 'too_big', origin: 'number', maximum, input: value, message });
});
/** An optional number. */
export const number = /* @__PURE__ */ z.optional(requiredNumber);
/** An optional boolean. */
export const flag = /* @__PURE__ */ z.optional(/* @__PURE__ */ z.boolean());
/** An optional value of any JSON type: the specification's `any`. */
export const anything = /* @__PURE__ */ z.optional(/* @__PURE__ */ z.unknown());
/**
 * An object whose fields the specification does not list. `z.record` would add a kilobyte to every bundle.
 */
export const requiredDictionary: z.ZodMiniType<
  Record<string, unknown>,
  Record<string, unknown>
> = /* @__PURE__ */ openObject(() => ({}));
/** An optional object whose fields the specification does not list. */
export const dictionary = /* @__PURE__ */ z.optional(requiredDictionary);
/** An optional list of strings. */
export const texts = /* @__PURE__ */ z.optional(/* @__PURE__ */ z.array(requiredText));
/** An optional list of numbers. */
export const numbers = /* @__PURE__ */ z.optional(/* @__PURE__ */ z.array(requiredNumber));
/** An optional list of any JSON values. */
export const anythings = /* @__PURE__ */ z.optional(/* @__PURE__ */ z.array(/* @__PURE__ */ z.unknown()));

/**
 * A value of a list that the specification gives by example. Any string is valid; the known values
 * autocomplete. `string & {}` keeps them apart from `string`
 * (https://github.com/microsoft/TypeScript/issues/29729).
 */
export type OpenEnum<Known extends string> = Known | (string & {});

type OpenText<Known extends string> = z.ZodMiniType<OpenEnum<Known>, OpenEnum<Known>>;

/**
 * Gives a schema of strings the type {@link OpenEnum}. Only the type has the known values: openapi.json and
 * editors read them there. At run time every string is valid.
 */
/* @__NO_SIDE_EFFECTS__ */
export function known<Known extends string>(schema: typeof requiredText): OpenText<Known>;
export function known<Known extends string>(schema: typeof text): z.ZodMiniOptional<OpenText<Known>>;
export function known<Known extends string>(
  schema: typeof texts,
): z.ZodMiniOptional<z.ZodMiniArray<OpenText<Known>>>;
export function known(schema: z.core.$ZodType): z.core.$ZodType {
  return schema;
}

/** Whether a value is a finite number, and no integer that JSON has rounded. */
export function isUnrounded(value: unknown): boolean {
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
}

import type * as z from 'zod/mini';
import { isExpected } from '../../../src/schemas/object.js';
import { childrenOf, definitionOf, isClosed, optionalInside } from './shape.js';

type Path = readonly (string | number)[];

/** One change of a valid value. */
export interface Mutation {
  /** The change in words, for the message of a failing test. */
  readonly what: string;
  /** The value after the change; the one before is left as it was. */
  readonly value: unknown;
  /** The path that the issue is to name. */
  readonly path: Path;
  readonly code: 'invalid_type' | 'invalid_value' | 'unrecognized_key';
  /** True where `tolerant` forgives it: a growing service may send it, or a field that is only expected is missing. */
  readonly grows: boolean;
}

/** A change of the part of a value that a schema describes; the path is seen from there. */
type Change = Mutation;

const NEW_FIELD = 'aNewField';

/** One value of each JSON type. */
const VALUES = { string: 'text', number: 7, boolean: true, array: [], object: {} } as const;

/** Every single change of a valid value that the document forbids, at any depth. */
export function forbiddenChanges(schema: z.core.$ZodType, value: unknown): readonly Mutation[] {
  const inside = optionalInside(schema) ?? schema;
  return [...wrongTypes(inside, inside !== schema), ...changesInside(inside, value)];
}

/** Every single addition of a field that an open object does not list: the document forbids none of them. */
export function permittedChanges(schema: z.core.$ZodType, value: unknown): readonly Mutation[] {
  return additions(optionalInside(schema) ?? schema, value, false);
}

function changesInside(schema: z.core.$ZodType, value: unknown): readonly Change[] {
  return [...additionHere(schema, value, true), ...removals(schema, value), ...changesBelow(schema, value)];
}

function wrongTypes(schema: z.core.$ZodType, isOptional: boolean): readonly Change[] {
  const { type } = definitionOf(schema);
  if (type === 'unknown') return [];
  const isList = type === 'enum' || type === 'literal';
  const code = isList ? 'invalid_value' : 'invalid_type';
  const replaced = (what: string, value: unknown, grows: boolean): Change => ({
    what: `${what} in its place`,
    value,
    path: [],
    code,
    grows,
  });
  const others = Object.entries(VALUES).filter(([name]) => name !== (isList ? 'string' : type));
  return [
    ...others.map(([name, other]) => replaced(name, other, false)),
    replaced('null', null, isOptional || isExpected(schema)),
    ...(isList ? [replaced('an unlisted text', 'not-listed', true), replaced('no text', '', true)] : []),
  ];
}

function removals(schema: z.core.$ZodType, value: unknown): readonly Change[] {
  const required = Object.entries(childrenOf(schema)).filter(
    ([, field]) => !optionalInside(field) && definitionOf(field).type !== 'unknown',
  );
  return required.map(([name, field]) => {
    const { [name]: _, ...rest } = value as Record<string, unknown>;
    const { type } = definitionOf(field);
    const code = type === 'enum' || type === 'literal' ? 'invalid_value' : 'invalid_type';
    return { what: `${name} removed`, value: rest, path: [name], code, grows: isExpected(field) };
  });
}

function changesBelow(schema: z.core.$ZodType, value: unknown): readonly Change[] {
  return below(schema, value).flatMap(({ key, field, part }) =>
    forbiddenChanges(field, part).map((change) => lifted(change, key, value)),
  );
}

function additions(schema: z.core.$ZodType, value: unknown, closed: boolean): readonly Change[] {
  return [
    ...additionHere(schema, value, closed),
    ...below(schema, value).flatMap(({ key, field, part }) =>
      additions(optionalInside(field) ?? field, part, closed).map((change) => lifted(change, key, value)),
    ),
  ];
}

function additionHere(schema: z.core.$ZodType, value: unknown, closed: boolean): readonly Change[] {
  if (definitionOf(schema).type !== 'object' || isClosed(schema) !== closed) return [];
  const grown = { ...(value as object), [NEW_FIELD]: { deep: [null] } };
  return [{ what: 'a new field', value: grown, path: [NEW_FIELD], code: 'unrecognized_key', grows: true }];
}

interface Part {
  readonly key: string | number;
  readonly field: z.core.$ZodType;
  readonly part: unknown;
}

/** The fields and elements that were sent, with their schemas. */
function below(schema: z.core.$ZodType, value: unknown): readonly Part[] {
  const def = definitionOf(schema);
  if (def.type === 'array') {
    return (value as unknown[]).map((part, key) => ({ key, field: def.element, part }));
  }
  return Object.entries(childrenOf(schema)).flatMap(([key, field]) =>
    Object.hasOwn(value as object, key)
      ? [{ key, field, part: (value as Record<string, unknown>)[key] }]
      : [],
  );
}

function lifted(change: Change, key: string | number, whole: unknown): Change {
  const copy = Array.isArray(whole) ? [...(whole as unknown[])] : { ...(whole as object) };
  Object.assign(copy, { [key]: change.value });
  return { ...change, value: copy, path: [key, ...change.path] };
}

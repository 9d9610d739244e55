import type * as z from 'zod/mini';
import { type Issue, type IssueList, notListed, typeName, wrongType } from '../ground/issues.js';
import { isObject } from '../ground/json.js';
import { isExpected } from '../schemas/object.js';
import { checkFor, namesOf } from './fits.js';

/** The lists that issues go to: those that `tolerant` forgives, and those that it does not. Both may be the same list. */
export interface FoundIssues {
  /** Departures that a growing service may bring, and a missing field that is only expected. */
  readonly forgivable: IssueList;
  readonly unforgivable: IssueList;
}

/**
 * Finds the places where a value does not fit one of this package's schemas. Zod collects all of them, and overflows the stack at
 * some hundred thousand: one new field in each of 100,000 clients would end the call.
 *
 * A hostile answer can hold millions. So each value is visited once, and an issue that is counted and not listed costs nothing
 * but its count: no path, no text, no closure.
 */
export function findIssues(schema: z.core.$ZodType, value: unknown, found: FoundIssues): void {
  finderFor(schema, false)(value, 0, { ...found, path: [] });
}

interface Search extends FoundIssues {
  /** The way to the value that is looked at: its first `depth` keys. What lies behind is left over. */
  readonly path: Key[];
}

type Key = string | number;
type Finder = (value: unknown, depth: number, search: Search) => void;

/** Makes the finder of a schema. In a field that `mayBeAbsent`, `null` is forgivable. */
function finderFor(schema: z.core.$ZodType, mayBeAbsent: boolean): Finder {
  // `$ZodTypes` is Zod's own union of its schemas, told apart by `type`.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional') {
    const find = finderFor(def.innerType, true);
    return (value, depth, search) => {
      if (value !== undefined) find(value, depth, search);
    };
  }
  const isList = def.type === 'enum' || def.type === 'literal';
  const refuse: Finder = (value, depth, search) => {
    const isAbsent = value === null || value === undefined;
    const isForgivable = (isAbsent && mayBeAbsent) || (isList && typeof value === 'string');
    const issues = isForgivable ? search.forgivable : search.unforgivable;
    if (issues.count()) issues.list(wrongValue(schema, value, search.path.slice(0, depth)));
  };
  if (def.type === 'array') return arrayFinder(def, refuse);
  if (def.type === 'object') return objectFinder(def, refuse);
  const fits = checkFor(schema);
  return (value, depth, search) => {
    if (!fits(value)) refuse(value, depth, search);
  };
}

function arrayFinder({ element }: z.core.$ZodArrayDef, refuse: Finder): Finder {
  const find = finderFor(element, false);
  return (value, depth, search) => {
    if (!Array.isArray(value)) return refuse(value, depth, search);
    for (let index = 0; index < value.length; index += 1) {
      search.path[depth] = index;
      find(value[index], depth + 1, search);
    }
  };
}

/** The fields that are missing, and then those that were sent. */
function objectFinder(def: z.core.$ZodObjectDef, refuse: Finder): Finder {
  const isClosed = def.catchall?._zod.def.type === 'never';
  return (value, depth, search) => {
    if (!isObject(value)) return refuse(value, depth, search);
    const { known, required } = fieldsOf(def);
    for (const name of required) {
      if (name in value) continue;
      search.path[depth] = name;
      // It is one of its names.
      (known.get(name) as Field).miss(undefined, depth + 1, search);
    }
    // Of an open object the listed ones alone: the others may be many, and each is accepted.
    for (const name of isClosed ? namesOf(value) : known.keys()) {
      const field = known.get(name);
      if (field === undefined) {
        if (search.forgivable.count())
          search.forgivable.list(unknownField(search.path.slice(0, depth), name));
      } else if (name in value) {
        search.path[depth] = name;
        field.find(value[name], depth + 1, search);
      }
    }
  };
}

interface Field {
  /** Looks at what was sent. */
  readonly find: Finder;
  /** Tells that nothing was sent. */
  readonly miss: Finder;
}

interface Fields {
  readonly known: ReadonlyMap<string, Field>;
  readonly required: readonly string[];
}

const fieldsOfRecords = /* @__PURE__ */ new WeakMap<z.core.$ZodObjectDef, Fields>();

/** The fields of a record, made when one is first looked at, and once. */
function fieldsOf(def: z.core.$ZodObjectDef): Fields {
  const found = fieldsOfRecords.get(def);
  if (found !== undefined) return found;
  const entries = Object.entries(def.shape);
  const fields = {
    known: new Map(entries.map(([name, schema]) => [name, fieldOf(schema)])),
    // `optin` says in which way a field may be absent.
    required: entries.flatMap(([name, { _zod }]) => (_zod.optin === undefined ? name : [])),
  };
  fieldsOfRecords.set(def, fields);
  return fields;
}

function fieldOf(schema: z.core.$ZodType): Field {
  const find = finderFor(schema, isExpected(schema));
  return { find, miss: checkFor(schema)(undefined) ? missValue : find };
}

/** A value that is required and may be anything: such a schema accepts `undefined` too, and only the absence is wrong. */
const missValue: Finder = (_, depth, { path, unforgivable }) => {
  if (unforgivable.count()) unforgivable.list(missing(path.slice(0, depth)));
};

const missing = (path: Key[]): Issue => ({
  path,
  code: 'invalid_type',
  message: wrongType('a value', undefined),
});

const unknownField = (path: Key[], name: string): Issue => ({
  // A hostile name may be as long as the whole answer.
  path: [...path, name.slice(0, MAX_NAME)],
  code: 'unrecognized_key',
  message: 'unknown field',
});

/** Characters of a name that the specification does not list. */
const MAX_NAME = 1_000;

/** In words of our own: neither a locale nor a `z.config({ customError })` of the user's program changes them. */
function wrongValue({ _zod: { def, values } }: z.core.$ZodType, value: unknown, path: Key[]): Issue {
  if (values !== undefined) return { path, code: 'invalid_value', message: notListed(values, value) };
  if (def.type === 'never') {
    const message = `expected nothing (the service sets it), received ${typeName(value)}`;
    return { path, code: 'invalid_type', message };
  }
  // The only refinement of these schemas.
  if (value === '') return { path, code: 'too_small', message: 'expected a non-empty string' };
  return { path, code: 'invalid_type', message: wrongType(def.type, value) };
}

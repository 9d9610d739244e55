import { type Issue, kindOf } from './issues.js';

/** Finds a value that JSON would silently drop or change, so that nothing that a caller passes is lost. */
export function findNonJson(
  value: unknown,
  path: Issue['path'] = [],
  parents: readonly unknown[] = [],
): Issue | undefined {
  // An undefined field is omitted, as everywhere in JavaScript; in a list it would become null.
  if (value === undefined && typeof path.at(-1) === 'string') return undefined;
  const json: unknown = hasToJson(value) ? value.toJSON() : value;
  const problem = parents.includes(json) ? 'a circular reference' : nonJsonKind(value, json);
  if (problem !== undefined) {
    return { path, code: 'not_json', message: `expected a value that JSON can hold, received ${problem}` };
  }
  if (typeof json !== 'object' || json === null) return undefined;
  for (const [key, field] of Array.isArray(json) ? json.entries() : Object.entries(json)) {
    const issue = findNonJson(field, [...path, key], [...parents, json]);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

/** @param json - What its `toJSON` returns, if it has one. */
function nonJsonKind(value: unknown, json: unknown): string | undefined {
  // JSON leaves out what a `toJSON` returns nothing for (eris#1197).
  if (json === undefined && value !== undefined) return 'a `toJSON()` that returns nothing';
  const kind = kindOf(json);
  // The JSON form of an invalid date is null.
  if (kindOf(value) === 'Date' && json === null) return String(value);
  if (kind === 'Number' && !Number.isFinite(Number(json))) return String(json);
  // Others, such as a map, a promise or bytes, would become an empty or a different object.
  return /^(Null|Boolean|String|Number|Object|Array)$/.test(kind) ? undefined : kind;
}

function hasToJson(value: unknown): value is { toJSON(): unknown } {
  return typeof (value as { toJSON?: unknown } | null | undefined)?.toJSON === 'function';
}

/** Parses text. Returns undefined if it is not JSON. */
export function parseJson(text: string, reviver?: (key: string, value: unknown) => unknown): unknown {
  try {
    // node-fetch 2 leaves a byte order mark in the text of a body (node-fetch#541).
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text, reviver) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a JSON value is an object, neither a list nor null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is an object of named fields, such as options, and no error, signal or promise. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return /^(Object|Module)$/.test(kindOf(value));
}

/** Whether an object has no fields of its own to read: a promise, a Map, a URL, or methods of a class. */
export function isOpaque(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return Object.keys(value).length === 0 && prototype !== null && Object.getPrototypeOf(prototype) !== null;
}

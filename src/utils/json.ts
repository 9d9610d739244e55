import { type Issue, kindOf } from './issues.js';

/** Finds a value that JSON would silently drop or change, so that nothing that a caller passes is lost. */
export function findNonJson(
  value: unknown,
  path: Issue['path'] = [],
  parents: readonly unknown[] = [],
): Issue | undefined {
  // An undefined field is omitted, as everywhere in JavaScript; in a list it would become null.
  if (value === undefined && typeof path.at(-1) === 'string') return undefined;
  const problem = parents.includes(value) ? 'a circular reference' : nonJsonKind(value);
  if (problem !== undefined) {
    return { path, code: 'not_json', message: `expected a value that JSON can hold, received ${problem}` };
  }
  if (typeof value !== 'object' || value === null || hasToJson(value)) return undefined;
  for (const [key, field] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const issue = findNonJson(field, [...path, key], [...parents, value]);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

function nonJsonKind(value: unknown): string | undefined {
  const kind = kindOf(value);
  if ((kind === 'Number' || kind === 'Date') && !Number.isFinite(Number(value))) return String(value);
  // JSON leaves out what a `toJSON` returns nothing for (eris#1197).
  if (hasToJson(value)) return value.toJSON() === undefined ? 'a `toJSON()` that returns nothing' : undefined;
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

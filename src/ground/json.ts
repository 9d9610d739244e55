import type { Issue } from './issues.js';

/** Finds a value that JSON would silently drop or change, so that nothing a caller passes is lost on the way. */
export function findNonJson(
  value: unknown,
  // One list and one set for all levels: with copies, each level would cost as much as all above it.
  path: (string | number)[] = [],
  ancestors = new Set<unknown>(),
): Issue | undefined {
  const problem = problemOf(value, path, ancestors);
  if (problem !== undefined) {
    return { path, code: 'not_json', message: `expected a value that JSON can hold, received ${problem}` };
  }
  if (typeof value !== 'object' || value === null || hasToJson(value)) return undefined;
  ancestors.add(value);
  for (const [key, field] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    path.push(key);
    const issue = findNonJson(field, path, ancestors);
    if (issue !== undefined) return issue;
    path.pop();
  }
  ancestors.delete(value);
  return undefined;
}

function problemOf(
  value: unknown,
  path: readonly (string | number)[],
  ancestors: ReadonlySet<unknown>,
): string | undefined {
  const isNumber = typeof value === 'number' || value instanceof Date;
  if (isNumber && !Number.isFinite(Number(value))) return String(value);
  if (typeof value === 'object' && ancestors.has(value)) return 'an object that holds itself';
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  // A field that is undefined is left out, as everywhere in JavaScript; in a list it would become null.
  const isLeftOut = value === undefined && typeof path.at(-1) !== 'number';
  // Others, such as a map, a promise, bytes, would become an empty or another object.
  return isLeftOut || /^(Null|Boolean|String|Number|Object|Array)$/.test(kind) || hasToJson(value)
    ? undefined
    : kind;
}

function hasToJson(value: unknown): boolean {
  return typeof (value as { toJSON?: unknown } | null | undefined)?.toJSON === 'function';
}

/** Parses text; `undefined` where it is not JSON (which JSON itself can never be). */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Tells whether a JSON value is an object: neither a list nor null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

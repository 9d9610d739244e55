import type { Issue } from './issues.js';
import { typeName } from './issues.js';

/** What JSON would silently drop or change: found here, so that nothing a caller passes is lost on the way. */
export function findNonJson(
  value: unknown,
  path: readonly (string | number)[] = [],
  ancestors: readonly unknown[] = [],
): Issue | undefined {
  if (value === null) return undefined;
  // A field that is undefined is left out, as everywhere in JavaScript; in a list it would become null.
  if (value === undefined) return typeof path.at(-1) === 'number' ? notJson(path, 'undefined') : undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : notJson(path, typeName(value));
  if (typeof value !== 'object') {
    return typeof value === 'string' || typeof value === 'boolean' ? undefined : notJson(path, typeof value);
  }
  if (ancestors.includes(value)) return notJson(path, 'an object that holds itself');
  if (value instanceof Date && Number.isNaN(value.getTime())) return notJson(path, 'an invalid date');
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return undefined;
  // Maps, promises, bytes … would become an empty or another object.
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (kind !== 'Object' && kind !== 'Array') return notJson(path, kind);
  const within = [...ancestors, value];
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [key, field] of entries) {
    const issue = findNonJson(field, [...path, key], within);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

const notJson = (path: readonly (string | number)[], what: string): Issue => ({
  path,
  code: 'not_json',
  message: `expected a value that JSON can hold, received ${what}`,
});

/** Parses text; `undefined` where it is not JSON (which JSON itself can never be). */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

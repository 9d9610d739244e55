import type { Issue } from './issues.js';
import { typeName } from './issues.js';

/** What JSON would silently drop or change: found here, so that nothing a caller passes is lost on the way. */
export function findNonJson(
  value: unknown,
  path: readonly (string | number)[] = [],
  ancestors: readonly unknown[] = [],
): Issue | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : notJson(path, typeName(value));
  if (typeof value !== 'object') {
    return typeof value === 'string' || typeof value === 'boolean' ? undefined : notJson(path, typeof value);
  }
  if (ancestors.includes(value)) return notJson(path, 'an object that holds itself');
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return undefined;
  if (value instanceof Map || value instanceof Set) return notJson(path, value.constructor.name);
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [key, field] of entries) {
    const issue = findNonJson(field, [...path, key], [...ancestors, value]);
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

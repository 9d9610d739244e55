import { onOneLine } from './printable.js';

/** One place where a value does not match its schema: an issue of an error, or drift. */
export interface Issue {
  /** The place, from the top of the value: `['data', 'channels', 0]`. Empty for the value itself. */
  readonly path: readonly (string | number)[];
  /** The kind of the issue, stable: `invalid_type`, `invalid_value`, `unrecognized_key`, … */
  readonly code: string;
  /** What was expected and received: types and names, no values. A custom schema has its own words. */
  readonly message: string;
}

/** The most issues that are listed. The rest is counted: a huge body must not make a huge error. */
export const MAX_ISSUES = 100;

/** Returns a path as developers write it: `clients[0].status`, or `(root)` for the value itself. */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const key of path) {
    const name = String(key).slice(0, 100);
    if (typeof key === 'number') text += `[${name}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(name)) text += text === '' ? name : `.${name}`;
    else text += `[${JSON.stringify(name)}]`;
  }
  return text === '' ? '(root)' : text;
}

/** Returns the kind of a value, such as `Date`, also of one of another realm, for which `instanceof` fails (jest#2549). */
export function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

/** Returns the JSON type of a value for messages, and its class if that is not an object's. */
export function typeName(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  const kind = kindOf(value);
  if (kind === 'Promise') return 'a promise (is `await` missing?)';
  return typeof value === 'object' && kind !== 'Object' ? kind : typeof value;
}

/** Returns the message for a value of another type, or a missing one. */
export function wrongType(expected: string, value: unknown): string {
  if (value === undefined) return `required: expected ${expected}`;
  return `expected ${expected}, received ${typeName(value)}`;
}

/** Returns the message for a value outside a list. */
export function notListed(values: Iterable<unknown>, value: unknown): string {
  const known = Array.from(values, (one) => JSON.stringify(one)).join(', ');
  return `expected one of ${known}, received ${typeof value === 'string' ? 'another string' : typeName(value)}`;
}

/** The issue of a value that is unreadable: a getter or a custom schema threw, or it is nested too deeply. */
export const threwIssue: Issue = {
  path: [],
  code: 'unreadable',
  message: 'could not be read (see `error.cause`)',
};

/** Returns an indented line for each issue: `  - data.status: expected …`. */
export function formatIssues(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => `\n  - ${formatPath(path)}: ${onOneLine(message)}`).join('');
}

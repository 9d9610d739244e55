import type * as z from 'zod/mini';

/** One place where a value departs from what the document says. */
export interface Issue {
  /** Where, from the top of the value: `['data', 'channels', 0]`. Empty for the value itself. */
  readonly path: readonly (string | number)[];
  /** What kind of departure, stable: `invalid_type`, `invalid_value`, `unrecognized_key`, … */
  readonly code: string;
  /** What was expected and what came, in English. Holds no value of the data, only types and field names. */
  readonly message: string;
}

/** More issues than this are counted, not listed: a hostile body must not grow an error without bound. */
export const MAX_ISSUES = 100;

/** `clients[0].status`, the way a developer writes it; `(root)` for the value itself. */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(String(key))) text += text === '' ? String(key) : `.${String(key)}`;
    else text += `[${JSON.stringify(String(key).slice(0, 100))}]`;
  }
  return text === '' ? '(root)' : text;
}

/** Names the JSON type of a value, for messages. */
export function typeName(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return typeof value;
}

const list = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(', ');

/**
 * The English text of one Zod issue, built from its code. It is passed with every parse, so neither a locale
 * nor a `z.config({ customError })` of the user's program changes our messages.
 */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `required: expected ${issue.expected === 'nonoptional' ? 'a value' : issue.expected}`
        : `expected ${issue.expected}, received ${typeName(issue.input)}`;
    case 'invalid_value':
      return typeof issue.input === 'string'
        ? `expected one of ${list(issue.values)}, received another string`
        : `expected one of ${list(issue.values)}, received ${typeName(issue.input)}`;
    case 'unrecognized_keys':
      return `unknown field`;
    case 'too_small':
      return `expected at least ${issue.minimum} ${issue.origin === 'string' ? 'character(s)' : ''}`.trim();
    case 'too_big':
      return `expected at most ${issue.maximum} ${issue.origin === 'string' ? 'character(s)' : ''}`.trim();
    case 'invalid_format':
      return `expected the format ${issue.format}`;
    default:
      return 'invalid value';
  }
}

/** Turns what Zod reports into our issues: one per unknown field, at most {@link MAX_ISSUES} and a count. */
export function fromZodIssues(issues: readonly z.core.$ZodIssue[]): Issue[] {
  const result: Issue[] = [];
  let left = 0;
  for (const issue of issues) {
    const path = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
    const keys: readonly (string | undefined)[] =
      issue.code === 'unrecognized_keys' ? issue.keys : [undefined];
    for (const key of keys) {
      if (result.length >= MAX_ISSUES) left += 1;
      else if (key === undefined) result.push({ path, code: issue.code, message: issue.message });
      else result.push({ path: [...path, key], code: 'unrecognized_key', message: issue.message });
    }
  }
  if (left > 0) result.push({ path: [], code: 'more_issues', message: `and ${left} more issue(s)` });
  return result;
}

/** One line per issue, indented: `  at data.status: expected …`. */
export function formatIssues(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => `\n  at ${formatPath(path)}: ${message}`).join('');
}

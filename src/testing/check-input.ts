import * as z from 'zod/mini';
import { formatIssues, type Issue, IssueList, notListed, wrongType } from '../ground/issues.js';

/** A value that fits its schema, or what is wrong with it. */
type Checked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Input of a person that is wrong: the message and the issues name the fields. */
export class InputError extends TypeError {
  readonly issues: readonly Issue[];

  constructor(what: string, issues: readonly Issue[]) {
    super(`${what}${formatIssues(issues)}`);
    this.issues = issues;
  }
}

/** Checks what a person wrote: a fault, a control request, a file with records. */
export function checkInput<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): Checked<z.output<Schema>> {
  const result = z.safeParse(schema, value, { error: describeIssue });
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, issues: fromZodIssues(result.error.issues) };
}

/**
 * Writes the English text of one Zod issue from its code. It is passed with every parse, so neither a locale nor a
 * `z.config({ customError })` of the user's program changes our messages.
 */
function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue.expected, issue.input);
    case 'invalid_value':
      return notListed(issue.values, issue.input);
    case 'unrecognized_keys':
      return `unknown field; there are ${knownFields(issue.inst).join(', ')}`;
    case 'too_small':
      return `expected at least ${issue.minimum}`;
    case 'too_big':
      return `expected at most ${issue.maximum}`;
    default:
      // The schemas that check more bring a text of their own.
      return undefined;
  }
}

/** The fields of the object schema in which an unknown one was found. */
function knownFields(schema: unknown): readonly string[] {
  const { shape } = (schema as z.core.$ZodObject)._zod.def;
  return Object.keys(shape);
}

/** Turns Zod's issues into ours: one for each unknown field. */
function fromZodIssues(issues: readonly z.core.$ZodIssue[]): Issue[] {
  const found = new IssueList();
  for (const issue of issues) {
    const { code, message } = issue;
    const path = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
    const keys = code === 'unrecognized_keys' ? issue.keys : [];
    for (const key of keys) found.add(() => ({ path: [...path, key], code: 'unrecognized_key', message }));
    if (keys.length === 0) found.add(() => ({ path, code, message }));
  }
  return found.all();
}

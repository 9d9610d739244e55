/** A new file, or text put before or after text that the file has once. */
export type Edit =
  | { readonly file: string; readonly text: string }
  | { readonly file: string; readonly before: string; readonly insert: string }
  | { readonly file: string; readonly after: string; readonly insert: string };

/** A change as a maintainer makes it: the edits by hand, in the order of the steps of CONTRIBUTING.md. */
export interface Change {
  /** The heading of its steps. */
  readonly heading: string;
  readonly edits: readonly Edit[];
  /** The files that the compiler asks for, once the first of the edits stand. */
  readonly demanded: readonly string[];
  /** What the tests have to say of it. */
  readonly tests: readonly string[];
}

/** The text of the file with the edit made. */
export function edited(edit: Edit, text: string | undefined): string {
  if ('text' in edit) return edit.text;
  const place = 'before' in edit ? edit.before : edit.after;
  const [head, ...rest] = (text ?? '').split(place);
  if (rest.length !== 1) throw new Error(`${edit.file} has "${place}" ${rest.length} times, not once`);
  const middle = 'before' in edit ? edit.insert + place : place + edit.insert;
  return `${head}${middle}${rest[0]}`;
}

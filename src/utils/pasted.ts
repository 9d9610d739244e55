/**
 * Quotes of any language, `Bearer `, JSON, `$TOKEN` and other placeholders, or what JavaScript makes of a variable that
 * is not set. No more: the specification does not say what a secret looks like.
 */
const PASTED =
  /^((authorization:\s*)?bearer[\s:].*|(["'`]).*\3[,;]?|[\p{Pi}\p{Pf}„‚].*[\p{Pi}\p{Pf}]|\$(\{.*|[a-z_]\w*)|<.*>|\{\{.*|[[{]\s*".*|\[object .*|undefined|null)$/isu;
/**
 * A line of a `.env` file, of a shell, PowerShell, Docker or YAML: the name before the value, or a comment after it.
 * `ABC=` may be base32.
 */
const LINE = /^((export|set|ENV|-)\s+|\$env:)?[A-Z][A-Z\d_]*(\s*=(?!=*$)|:\s)|\s#/;
/** Characters that only format text, such as a zero-width blank: chats and documents add them. */
const INVISIBLE = /\p{Cf}/u;

/** Describes what came along with a setting when it was pasted; undefined if nothing did. */
export function pastedProblem(text: string): string | undefined {
  if (LINE.test(text)) return 'is not the bare value: remove `NAME=` before it and a comment after it';
  if (PASTED.test(text)) {
    return 'is not the bare value: remove quotes and `Bearer `, and replace a placeholder such as `$TOKEN`';
  }
  return INVISIBLE.test(text) ? 'contains an invisible character: copy it again' : undefined;
}

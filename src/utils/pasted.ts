/**
 * Quotes, `Bearer `, JSON, `$TOKEN` and other placeholders, or what JavaScript makes of a variable that is not set.
 * No more: the specification does not say what a secret looks like.
 */
const PASTED =
  /^(bearer\s.*|(["'`]).*\2|\$(\{.*|[a-z_]\w*)|<.*>|\{\{.*|[[{]\s*".*|\[object .*|undefined|null)$/i;

/** Describes what came along with a secret or a token when it was set; undefined if nothing did. */
export function pastedProblem(text: string): string | undefined {
  return PASTED.test(text)
    ? 'is not the bare value: remove quotes and `Bearer `, and replace a placeholder such as `$TOKEN`'
    : undefined;
}

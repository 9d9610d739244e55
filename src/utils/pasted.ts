/**
 * What no bare value has: white space or `;` inside, as in `Bearer secret`; a bracket in front; quotes; a
 * placeholder, such as `$TOKEN` or `<token>`; or what JavaScript makes of a variable that is not set.
 */
const PASTED = /[\s;]|^[[{]|^((["'`]).*\2|\$(\{.*|[a-z_]\w*)|<.*>|undefined|null)$/i;

/** Describes what came along with a secret or a token when it was set; undefined if nothing did. */
export function pastedProblem(text: string): string | undefined {
  return PASTED.test(text)
    ? 'is not the bare value: remove quotes and `Bearer `, white space and `;`, and set what a placeholder such as ' +
        '`$TOKEN` or `undefined` stands for'
    : undefined;
}

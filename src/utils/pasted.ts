/** Quotes, `Bearer `, `${TOKEN}`, `<token>`, `{{token}}`, or what JavaScript makes of a variable that is not set. */
const PASTED = /^(bearer\s.*|(["'`]).*\2|\$\{.*|<.*>|\{\{.*|undefined|null)$/i;

/** Describes what came along with a secret or a token when it was set; undefined if nothing did. */
export function pastedProblem(text: string): string | undefined {
  return PASTED.test(text)
    ? 'is not the bare value: remove quotes and `Bearer `, and set what a placeholder such as `undefined` stands for'
    : undefined;
}

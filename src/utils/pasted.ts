/** Describes what came along with a secret or a token when it was set; undefined if nothing did. */
export function pastedProblem(text: string): string | undefined {
  if (/^bearer\s/i.test(text)) return 'is given with `Bearer `: give only what follows';
  if (/^(["'`]).*\1$/.test(text)) return 'is given in quotes, which would be part of it: remove them';
  // `${TOKEN}`, `<your token>`, `{{ token }}`, or what JavaScript makes of a variable that is not set.
  return /^(undefined|null|\$\{.*\}|<.*>|\{\{.*\}\})$/.test(text)
    ? 'is a placeholder: is the environment variable set?'
    : undefined;
}

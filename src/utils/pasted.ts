/**
 * Matches what no secret, address or region has: blanks, characters beyond ASCII, and quotes, brackets or `;` around it. A workspace
 * secret is a bearer token (specification, 5.2), which has not even these in the middle (RFC 6750, 2.1).
 */
const FOREIGN = /[^!-~]|^["'`<{[]|["'`>};]$/;
/** The name before a value: `TOKEN=` or `api_token=`. `abc=` may be base32. */
const NAMED = /^([A-Z][A-Z\d_]*|\w*([Tt]oken|[Ss]ecret|[Kk]ey|url|region))=(?!=*$)/;
/** A placeholder, or what JavaScript makes of a variable that is not set. */
const PLACEHOLDER = /^(\$[a-z_]\w*|%\w+%|undefined|null)$/i;

/** Describes what came along with a setting when it was pasted, without its value; undefined if nothing did. */
export function pastedProblem(text: string): string | undefined {
  return [FOREIGN, NAMED, PLACEHOLDER].some((pattern) => pattern.test(text))
    ? 'is not the bare value: remove quotes, blanks, `NAME=`, `Bearer ` and invisible characters, and replace a ' +
        'placeholder such as `$TOKEN`'
    : undefined;
}

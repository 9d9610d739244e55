import { formsOf, isSensitiveHeader } from '../../ground/redact.js';

/** Shorter ones are words of everyday text, and masking them would garble a message. */
export const MIN_SECRET_LENGTH = 8;

/** More marked values than anyone sends: to look for each of a million would take hours. */
const MAX_SENT = 100;

/**
 * What must not show in an error or a log line, in every form: the token, headers that carry credentials, whole and in parts
 * (`Basic …`, `session=…`), and the marked values that were sent.
 */
export function secretsOf(
  headers: Readonly<Record<string, string>>,
  token: string | undefined,
  sent: readonly string[],
): readonly string[] {
  const secrets = token === undefined ? [] : [`Bearer ${token}`, token];
  for (const name of Object.keys(headers).filter(isSensitiveHeader)) {
    const value = headers[name] ?? '';
    secrets.push(value, ...value.split(/[\s;,=]+/));
  }
  secrets.push(...sent.filter(isLong).slice(0, MAX_SENT));
  const known = secrets.filter(isLong);
  const key = JSON.stringify(known);
  if (latest?.key !== key) latest = { key, forms: formsOf(known) };
  return latest.forms;
}

/** The last ones: where each call is logged, they are asked for with each call, and seldom change. */
let latest: { readonly key: string; readonly forms: readonly string[] } | undefined;

const isLong = (text: string): boolean => text.length >= MIN_SECRET_LENGTH;

import { isSensitiveHeader } from '../redact.js';

/** Shorter ones are words of everyday text, and masking them would garble a message. */
const MIN_SECRET_LENGTH = 8;

/**
 * What must not show in an error or a log line: the token, and headers that carry credentials, whole and in parts
 * (`Basic …`, `session=…`).
 */
export function secretsOf(headers: Readonly<Record<string, string>>, token?: string): string[] {
  const secrets = token === undefined ? [] : [`Bearer ${token}`, token];
  for (const name of Object.keys(headers).filter(isSensitiveHeader)) {
    const value = headers[name] ?? '';
    secrets.push(value, ...value.split(/[\s;,=]+/));
  }
  const long = secrets.filter((one) => one.length >= MIN_SECRET_LENGTH);
  // The longest first: one that holds another is masked whole. Of a token alone, they are in that order.
  return long.length > 2 ? long.sort((one, other) => other.length - one.length) : long;
}

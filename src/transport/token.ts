import { refuseOption, usableToken } from '../option-checks.js';
import { isSensitiveHeader } from '../redact.js';
import type { AttemptContext } from './attempt-context.js';
import type { Deadline } from './deadline.js';

/** The token of this attempt: asked for each time, so that a rotated one is used at once. */
export async function readToken(
  { call, endpoint }: AttemptContext,
  deadline: Deadline,
): Promise<string | undefined> {
  if (endpoint.auth === 'none') return undefined;
  if (typeof call.token !== 'function') return usableToken(call.token);
  let token: string;
  try {
    token = await deadline.race(Promise.resolve(call.token()));
  } catch (cause) {
    if (deadline.expiry !== undefined) throw cause;
    refuseOption('token', 'is a function that failed, so nothing was sent', cause);
  }
  return usableToken(token);
}

/** Shorter ones are words of everyday text, and masking them would garble a message. */
const MIN_SECRET_LENGTH = 8;

/**
 * What must not show in an error or a log line: the token, and headers that carry credentials, whole and in parts
 * (`Basic …`, `session=…`).
 */
export function secretsOf(headers: Readonly<Record<string, string>>, token?: string): string[] {
  const secrets = token === undefined ? [] : [token, `Bearer ${token}`];
  for (const [name, value] of Object.entries(headers)) {
    if (isSensitiveHeader(name)) secrets.push(value, ...value.split(/[\s;,=]+/));
  }
  // The longest first: one that holds another is masked whole.
  return secrets
    .filter((one) => one.length >= MIN_SECRET_LENGTH)
    .sort((one, other) => other.length - one.length);
}

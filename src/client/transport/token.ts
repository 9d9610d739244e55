import { refuseOption, usableToken } from '../../validation/option-checks.js';
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

import { AbortError, ConnectionError, TimeoutError } from '../errors.js';
import { type AttemptContext, type Progress, shownCall } from './attempt-context.js';
import { readFailure } from './cause.js';
import type { Expiry } from './deadline.js';

export const OUTCOME_UNKNOWN_HINT =
  'The service may have acted all the same: look before you try again (`error.outcomeUnknown`).';

/** Turns an attempt that was not answered into a typed error. */
export function connectionFailure(
  context: AttemptContext,
  expiry: Expiry | undefined,
  progress: Progress,
  thrown: unknown,
): ConnectionError {
  const { settings, call, request, number } = context;
  // What ended the wait from this side tells nothing of the connection.
  const failure = expiry === undefined ? readFailure(thrown, progress.secrets) : undefined;
  const outcomeUnknown = request.method !== 'GET' && progress.sent && failure?.neverConnected !== true;
  const shown = shownCall(context, progress.secrets);
  const at = { ...shown, outcomeUnknown };
  const say = (what: string, hint = outcomeUnknown ? OUTCOME_UNKNOWN_HINT : ''): string =>
    `${shown.method} ${shown.path} ${what} (attempt ${number})${hint && `\n  ${hint}`}`;

  if (failure !== undefined) {
    const hint = failure.neverConnected
      ? `No connection was made: check \`baseUrls.${settings.region}\` and the network.`
      : undefined;
    const what = `failed without an answer: ${failure.reason}`;
    return new ConnectionError(say(what, hint), { ...at, cause: failure.cause });
  }
  if (expiry === 'abort') {
    return new AbortError(say('was aborted by its signal'), { ...at, cause: call.signal?.reason });
  }
  const ms = expiry === 'timeout' ? call.timeout : call.totalTimeout;
  return new TimeoutError(say(`did not end within ${ms} ms (the option \`${expiry}\`)`), at);
}

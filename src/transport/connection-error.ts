import { AbortError, ConnectionError, TimeoutError } from '../errors.js';
import { type AttemptContext, type Progress, shownCall } from './attempt-context.js';
import type { Expiry } from './deadline.js';
import { readFailure } from './failure.js';

export const OUTCOME_UNKNOWN_HINT =
  'The service may have acted all the same: look before you try again (`error.outcomeUnknown`).';

/** Turns an attempt that was not answered into a typed error. */
export function toConnectionError(
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
  const fail = (
    ErrorClass: typeof ConnectionError,
    what: string,
    cause?: unknown,
    hint = outcomeUnknown ? `\n  ${OUTCOME_UNKNOWN_HINT}` : '',
  ): ConnectionError => {
    const message = `${shown.method} ${shown.path} ${what} (attempt ${number})${hint}`;
    return new ErrorClass(message, { ...shown, outcomeUnknown, cause });
  };

  if (failure !== undefined) {
    const hint = failure.neverConnected
      ? `\n  Check \`baseUrls.${settings.region}\` and the network.`
      : undefined;
    return fail(ConnectionError, `failed without an answer: ${failure.reason}`, failure.cause, hint);
  }
  if (expiry === 'abort') return fail(AbortError, 'was aborted by its signal', call.signal?.reason);
  const ms = expiry === 'timeout' ? call.timeout : call.totalTimeout;
  return fail(TimeoutError, `did not end within ${ms} ms (the option \`${expiry}\`)`);
}

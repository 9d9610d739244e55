import { AbortError, type CallContext, ConnectionError, TimeoutError } from '../../errors/index.js';
import type { CallSettings } from '../settings.js';
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
  const { settings, call, request } = context;
  const shown = shownCall(context, progress.secrets);
  const mayHaveActed = request.method !== 'GET' && progress.sent;
  const where = `attempt ${context.number}`;
  // What ended the wait from this side tells nothing of the connection.
  if (expiry !== undefined) return toExpiryError(expiry, call, shown, where, mayHaveActed);
  const { neverConnected, reason, cause } = readFailure(thrown, progress.secrets);
  const outcomeUnknown = mayHaveActed && !neverConnected;
  const check = `\n  Check \`baseUrls.${settings.region}\` and the network.`;
  const hint = neverConnected ? check : hintFor(outcomeUnknown);
  const message = `${headline(shown)} failed without an answer: ${reason} (${where})${hint}`;
  return new ConnectionError(message, { ...shown, outcomeUnknown, cause });
}

/** What was ended from this side: by its time, or by the caller. `where` tells what was going on. */
export function toExpiryError(
  expiry: Expiry,
  call: CallSettings,
  shown: CallContext,
  where: string,
  outcomeUnknown: boolean,
): ConnectionError {
  const rest = `(${where})${hintFor(outcomeUnknown)}`;
  if (expiry === 'abort') {
    const message = `${headline(shown)} was aborted by its signal ${rest}`;
    return new AbortError(message, { ...shown, outcomeUnknown, cause: call.signal?.reason });
  }
  const ms = expiry === 'timeout' ? call.timeout : call.totalTimeout;
  const message = `${headline(shown)} did not end within ${ms} ms (the option \`${expiry}\`) ${rest}`;
  return new TimeoutError(message, { ...shown, outcomeUnknown });
}

const headline = ({ method, path }: CallContext): string => `${method} ${path}`;

const hintFor = (outcomeUnknown: boolean): string => (outcomeUnknown ? `\n  ${OUTCOME_UNKNOWN_HINT}` : '');

import { AbortError, type CallContext, ConnectionError, TimeoutError } from '../../errors/index.js';
import type { CallSettings } from '../settings.js';
import type { Attempt } from './attempt.js';
import type { Expiry } from './deadline.js';
import { chainOf, connectionCode, MAX_DEPTH, readThrown } from './thrown.js';

export const OUTCOME_UNKNOWN_HINT =
  'The service may have acted all the same: look before you try again (`error.outcomeUnknown`).';

/** Turns an attempt that was not answered into a typed error, whatever `fetch` threw. */
export function toConnectionError(attempt: Attempt, thrown: unknown): ConnectionError {
  const { shown, masker, deadline, isSent, isAnswered } = attempt;
  const { settings, options, request } = attempt.call;
  const mayHaveActed = request.method !== 'GET' && isSent;
  const where = `attempt ${attempt.number}`;
  // A wait that this side ended tells nothing of the connection.
  if (deadline.expiry !== undefined) {
    return toExpiryError(deadline.expiry, options, attempt, where, mayHaveActed);
  }
  const { reason, cause, isExplained } = readThrown(thrown, masker);
  // A `fetch` of the user's may report anything, such as a second request of its own.
  const neverConnected = settings.fetch === undefined && !isAnswered && wasNeverConnected(thrown);
  const outcomeUnknown = mayHaveActed && !neverConnected;
  const check = `\n  Check \`baseUrls.${settings.region}\` and the network.`;
  const own = settings.fetch === undefined ? ' In a browser, see CORS too.' : ' See the option `fetch` too.';
  const unexplained = isExplained || isAnswered ? '' : check + own;
  const isCertificate = neverConnected && CERTIFICATE.test(connectionCode(thrown) ?? '');
  const trust = isCertificate ? '\n  A certificate of your own is trusted by NODE_EXTRA_CA_CERTS.' : '';
  const hint = neverConnected ? check + trust : unexplained + hintFor(outcomeUnknown);
  const message = `${headline(shown)} failed without an answer: ${reason} (${where})${hint}`;
  return new ConnectionError(message, { ...shown, outcomeUnknown, cause });
}

/** Makes the error of what was ended from this side: by its time, or by the caller. `where` tells what was going on. */
export function toExpiryError(
  expiry: Expiry,
  { signal, timeout, totalTimeout }: CallSettings,
  { shown, masker }: Pick<Attempt, 'shown' | 'masker'>,
  where: string,
  outcomeUnknown: boolean,
): ConnectionError {
  const rest = `(${where})${hintFor(outcomeUnknown)}`;
  if (expiry === 'abort') {
    const message = `${headline(shown)} was aborted by its signal ${rest}`;
    return new AbortError(message, {
      ...shown,
      outcomeUnknown,
      cause: readThrown(signal?.reason, masker).cause,
    });
  }
  const ms = expiry === 'timeout' ? timeout : totalTimeout;
  const message = `${headline(shown)} did not end within ${ms} ms (the option \`${expiry}\`) ${rest}`;
  return new TimeoutError(message, { ...shown, outcomeUnknown });
}

const headline = ({ method, path }: CallContext): string => `${method} ${path}`;

const hintFor = (outcomeUnknown: boolean): string => (outcomeUnknown ? `\n  ${OUTCOME_UNKNOWN_HINT}` : '');

const CERTIFICATE = /(^|_)CERT(_|$)|^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/;

/**
 * Codes of connections that were never made, per runtime: the service cannot have seen the request. Any other
 * code may stand for a connection that was cut after the request had arrived.
 */
const NEVER_CONNECTED = [
  // Node (undici reports them on the cause of its TypeError)
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/,
  // A certificate that is not accepted ends the connection before the request is written
  CERTIFICATE,
  // Bun
  /^(ConnectionRefused|FailedToOpenSocket|DNSResolveFailed)$/,
];

/** Deno gives no code, only a text; elsewhere a text may be anyone's, such as that of a proxy's page. */
const NEVER_CONNECTED_TEXT = /\b(connection refused|dns error|failed to lookup address|tcp connect error)\b/i;

/** Node's system calls that come before anything is written. */
const BEFORE_CONNECTION: readonly unknown[] = ['connect', 'getaddrinfo'];

/** Tells whether the request cannot have reached the service. An unknown failure is taken as one that may have. */
function wasNeverConnected(error: unknown, depth = 0): boolean {
  try {
    // Of several attempts, such as over two gateways, one may have got through.
    const several = chainOf(error).find(({ errors }) => Array.isArray(errors) && errors.length > 0)?.errors;
    if (several !== undefined) {
      return depth < MAX_DEPTH && several.every((one) => wasNeverConnected(one, depth + 1));
    }
    const code = connectionCode(error);
    if (code === undefined) {
      return 'Deno' in globalThis && error instanceof Error && NEVER_CONNECTED_TEXT.test(error.message);
    }
    return (
      NEVER_CONNECTED.some((codes) => codes.test(code)) ||
      chainOf(error).some(({ syscall }) => BEFORE_CONNECTION.includes(syscall))
    );
  } catch {
    // A getter that throws, a proxy that was revoked.
    return false;
  }
}

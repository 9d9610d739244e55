import {
  AbortError,
  AgentPlatformError,
  type CallContext,
  ConnectionError,
  TimeoutError,
} from '../../errors/index.js';
import { isHidden } from '../../ground/redact.js';
import type { CallSettings } from '../settings.js';
import type { Attempt } from './attempt.js';
import type { Expiry } from './deadline.js';
import type { Masker } from './masker.js';

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
    return toExpiryError(deadline.expiry, options, shown, where, mayHaveActed);
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
  shown: CallContext,
  where: string,
  outcomeUnknown: boolean,
): ConnectionError {
  const rest = `(${where})${hintFor(outcomeUnknown)}`;
  if (expiry === 'abort') {
    const message = `${headline(shown)} was aborted by its signal ${rest}`;
    return new AbortError(message, { ...shown, outcomeUnknown, cause: signal?.reason });
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

/** Deeper than errors are: what is nested further is not read. */
const MAX_DEPTH = 6;

interface Link {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly syscall?: unknown;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[] | undefined;
}

/** An error and its causes; of several errors, the first. */
function chainOf(error: unknown): Link[] {
  const chain: Link[] = [];
  for (let at = error; typeof at === 'object' && at !== null && chain.length < MAX_DEPTH; ) {
    const link: Link = at;
    chain.push(link);
    at = link.cause ?? link.errors?.[0];
  }
  return chain;
}

/** The code that a runtime gives a failed connection, wherever it put it. */
function connectionCode(error: unknown): string | undefined {
  const codes = chainOf(error).map(({ code }) => code);
  return codes.filter((code) => typeof code === 'string').at(-1);
}

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

/** A thrown value of a `fetch` or a schema, as it may be shown. */
interface ReadThrown {
  readonly reason: string;
  readonly cause: unknown;
  /** The reason says more than a runtime's `fetch failed`. */
  readonly isExplained: boolean;
}

/** Reads what a `fetch` or a schema threw: a few words, and a cause that shows no secret. Never throws. */
export function readThrown(thrown: unknown, masker: Masker): ReadThrown {
  try {
    const cause = showsSecret(thrown, masker) ? maskedCopy(thrown, masker) : thrown;
    const text = cause instanceof Error ? cause.message : String(cause);
    // Node's `fetch failed` for a port that browsers block, say, has a cause with words alone.
    const detail = connectionCode(thrown) ?? innermostMessage(cause) ?? text;
    const reason = detail === text ? text : `${text} (${detail})`;
    return { reason: masker.quote(reason), cause, isExplained: !FETCH_FAILED.test(detail) };
  } catch {
    return { reason: 'unreadable', cause: undefined, isExplained: false };
  }
}

/** All that Node, Chromium, Firefox and Safari may say of a failure. */
const FETCH_FAILED = /^(fetch failed|Failed to fetch|NetworkError\b.*|Load failed)?$/;

function innermostMessage(error: unknown): string | undefined {
  const messages = chainOf(error).map(({ message }) => message);
  return messages.filter((message) => typeof message === 'string' && message !== '').at(-1) as
    | string
    | undefined;
}

/** More than errors are made of: what holds more objects is not searched, and counts as showing one. */
const MAX_OBJECTS = 1_000;

/** Methods by which an object prints itself: they may show what its fields do not. */
const PRINTERS = /* @__PURE__ */ ['toJSON', Symbol.for('nodejs.util.inspect.custom')];

/** Looks through all that printing an error shows: a custom `fetch` may attach its whole request, as text or parsed. */
function showsSecret(value: unknown, masker: Masker, seen = new Set<unknown>()): boolean {
  // Digits, and the description of a symbol, may be a secret too.
  if (Object(value) !== value) return masker.text(String(value)) !== String(value);
  // Each object once: a request and its response refer to each other in many ways.
  if (seen.has(value)) return false;
  // Headers, maps, buffers … hold more than their fields.
  const isReadable = /(Object|Array|Error|Exception|Function)\]$/.test(Object.prototype.toString.call(value));
  if (!isReadable || seen.add(value).size > MAX_OBJECTS) return true;
  // Not a primitive.
  const holder = value as object;
  const printer = PRINTERS.find((name) => typeof Reflect.get(holder, name) === 'function');
  return (
    (printer !== undefined && !(value instanceof AgentPlatformError)) ||
    (value instanceof Error && showsSecret(String(value), masker)) ||
    Reflect.ownKeys(holder).some(
      (key) =>
        isHidden(holder, key) ||
        [String(key), Reflect.get(holder, key)].some((part) => showsSecret(part, masker, seen)),
    )
  );
}

/** Copies what tells an error, masked: its message and its code, and its causes likewise. */
function maskedCopy(thrown: unknown, masker: Masker, depth = 0): unknown {
  if (typeof thrown === 'string') return masker.text(thrown);
  if (!(thrown instanceof Error) || depth > MAX_DEPTH) return undefined;
  const { message, cause, code } = thrown as Error & { readonly code?: unknown };
  const copy = new Error(masker.text(message));
  return Object.assign(copy, { code: masker.value(code), cause: maskedCopy(cause, masker, depth + 1) });
}

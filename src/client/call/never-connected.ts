/** The fields of a runtime's connection error that are read here. */
interface ErrorLink {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly syscall?: unknown;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[] | undefined;
}

/**
 * Codes of connections that were never made. Any other code may be that of one that was cut later.
 *
 * - libuv's, in Node 20 to 26 on the cause of undici's TypeError, in Bun 1.4 on the error itself;
 * - undici's (6 and 7, lib/core/connect.js);
 * - Bun's before 1.4 (FetchTasklet.zig, https://github.com/oven-sh/bun/pull/32990);
 * - of refused certificates, which end the connection before the request is written: OpenSSL's (Node, doc/api/tls.md,
 *   "X509 certificate error codes") and Node's `ERR_TLS_CERT_ALTNAME_INVALID`.
 */
const NEVER_CONNECTED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket|DNSResolveFailed|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$|(^|_)CERT(_|$)/;

/** System calls of Node's errors that precede any write: `dns.lookup` and `net.connect`. */
const SYSCALLS_BEFORE_CONNECTION: readonly unknown[] = ['connect', 'getaddrinfo'];

/**
 * The reasons of requests that were refused before a socket was written: by a proxy that opens no tunnel (undici 7,
 * lib/dispatcher/proxy-agent.js, undici#5441; Bun 1.4; Deno 2.9), by a dispatcher of another undici, and because
 * `fetch` blocks the port (nodejs#6886).
 */
const REFUSED =
  /^(UND_ERR_ABORTED: Proxy response|UND_ERR_PRX_|ERR_PROXY_TUNNEL|UND_ERR_INVALID_ARG|bad port$|Fetch failed: Requests to port)|client error \(Connect\): proxy auth/;
/** Of these, the one that may pass: a proxy's 5xx. */
const PASSING = /^(UND_ERR_ABORTED|ERR_PROXY_TUNNEL): .*\b5\d\d\b/;

/**
 * The text of hyper's errors before a connection was made (https://github.com/denoland/deno/issues/24922): in
 * Deno 2.9 on the cause of the TypeError, before it on the error itself.
 */
const DENO_NEVER_CONNECTED_TEXT = 'client error (Connect)';

/** A code of the operating system, which says all. Of other codes, the message says more. */
const SYSTEM_CODE = /^E(?!RR_)[A-Z\d_]+$/;

/** Whether the request cannot have reached the service. An unknown failure counts as one that may have. */
export function wasNeverConnected(error: unknown): boolean {
  const chain = chainOf(error);
  const several = chain.find(({ errors }) => Array.isArray(errors) && errors.length > 0)?.errors;
  // Of several connections, such as to an IPv4 and an IPv6 address, one may have got through.
  if (several !== undefined) return several.every((one) => wasNeverConnected(one));
  const reason = reasonOf(error) ?? '';
  if (REFUSED.test(reason)) return true;
  const code = codeOf(error);
  // Deno gives only a text. In other runtimes such a text can come from anyone, such as a proxy's page.
  if (code === undefined) return 'Deno' in globalThis && reason.includes(DENO_NEVER_CONNECTED_TEXT);
  return (
    NEVER_CONNECTED.test(code) || chain.some(({ syscall }) => SYSCALLS_BEFORE_CONNECTION.includes(syscall))
  );
}

/** Whether another attempt would be refused too, before it is sent. */
export function isRefusedForGood(error: unknown): boolean {
  const reason = reasonOf(error) ?? '';
  return REFUSED.test(reason) && !PASSING.test(reason);
}

/** Returns the code or the message that a runtime gives a failed connection, wherever it put it; or both. */
export function reasonOf(error: unknown): string | undefined {
  const [code, message] = [codeOf(error), innermost('message', error)];
  return code === undefined || SYSTEM_CODE.test(code) || message === undefined
    ? (code ?? message)
    : `${code}: ${message}`;
}

/** Returns the code that a runtime gives a failed connection. */
export function codeOf(error: unknown): string | undefined {
  return innermost('code', error);
}

function innermost(field: 'code' | 'message', error: unknown): string | undefined {
  const texts = chainOf(error).map((link) => link[field]);
  return texts.filter((text): text is string => typeof text === 'string' && text !== '').at(-1);
}

/** An error and its causes; of several errors, the first. */
function chainOf(error: unknown): ErrorLink[] {
  const chain: ErrorLink[] = [];
  for (let at = error; typeof at === 'object' && at !== null && chain.length < 6; ) {
    const link: ErrorLink = at;
    chain.push(link);
    at = link.cause ?? link.errors?.[0];
  }
  return chain;
}

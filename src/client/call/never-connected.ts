/** The fields of a runtime's connection error that are read here. */
interface ErrorLink {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly syscall?: unknown;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[] | undefined;
}

/** Codes of connections that were never made. Any other code may be that of one that was cut later. */
const NEVER_CONNECTED_CODES: ReadonlySet<string> = /* @__PURE__ */ new Set([
  // libuv, in Node 20 to 26 on the cause of undici's TypeError, in Bun 1.4 on the error itself.
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  // undici 6 and 7, lib/core/connect.js.
  'UND_ERR_CONNECT_TIMEOUT',
  // Bun before 1.4, FetchTasklet.zig and https://github.com/oven-sh/bun/pull/32990.
  'ConnectionRefused',
  'FailedToOpenSocket',
  'DNSResolveFailed',
]);

/** System calls of Node's errors that precede any write: `dns.lookup` and `net.connect`. */
const SYSCALLS_BEFORE_CONNECTION: readonly unknown[] = ['connect', 'getaddrinfo'];

/**
 * Codes of refused certificates, which end the connection before the request is written: OpenSSL's (Node,
 * doc/api/tls.md, "X509 certificate error codes") and Node's `ERR_TLS_CERT_ALTNAME_INVALID`.
 */
const CERTIFICATE_CODE = /(^|_)CERT(_|$)|^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/;

/**
 * The text of hyper's errors before a connection was made (https://github.com/denoland/deno/issues/24922): in
 * Deno 2.9 on the cause of the TypeError, before it on the error itself.
 */
const DENO_NEVER_CONNECTED_TEXT = 'client error (Connect)';

/** Whether the request cannot have reached the service. An unknown failure counts as one that may have. */
export function wasNeverConnected(error: unknown): boolean {
  const chain = chainOf(error);
  const several = chain.find(({ errors }) => Array.isArray(errors) && errors.length > 0)?.errors;
  // Of several connections, such as to an IPv4 and an IPv6 address, one may have got through.
  if (several !== undefined) return several.every((one) => wasNeverConnected(one));
  const code = innermost('code', error);
  if (code === undefined) {
    // Deno gives only a text. In other runtimes such a text can come from anyone, such as a proxy's page.
    return 'Deno' in globalThis && innermost('message', error)?.includes(DENO_NEVER_CONNECTED_TEXT) === true;
  }
  return (
    NEVER_CONNECTED_CODES.has(code) ||
    CERTIFICATE_CODE.test(code) ||
    chain.some(({ syscall }) => SYSCALLS_BEFORE_CONNECTION.includes(syscall))
  );
}

/** Whether the certificate of the service was not accepted. */
export function isCertificateError(error: unknown): boolean {
  return CERTIFICATE_CODE.test(innermost('code', error) ?? '');
}

/** The code or the message that a runtime gives a failed connection, wherever it put it. */
export function innermost(field: 'code' | 'message', error: unknown): string | undefined {
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

/**
 * Codes of connections that were never made, per runtime: the service cannot have seen the request. Any other
 * code may stand for a connection that was cut after the request had arrived.
 */
const NEVER_CONNECTED: ReadonlySet<string> = /* @__PURE__ */ new Set([
  // Node (undici reports them on the cause of its TypeError)
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  // A certificate that is not accepted ends the connection before the request is written
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  // Bun
  'ConnectionRefused',
  'FailedToOpenSocket',
  'DNSResolveFailed',
]);

/** Deno gives no code, only a text. */
const NEVER_CONNECTED_TEXT = /\b(connection refused|dns error|failed to lookup address|tcp connect error)\b/i;

/** The code a runtime gives a failed connection, wherever it put it. */
export function connectionCode(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > 4) return undefined;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return connectionCode(cause, depth + 1) ?? (typeof code === 'string' ? code : undefined);
}

/** Node's system calls that come before anything is written. */
const BEFORE_CONNECTION: readonly unknown[] = ['connect', 'getaddrinfo'];

function failedBeforeConnection(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 4) return false;
  const { syscall, cause, errors } = error as { syscall?: unknown; cause?: unknown; errors?: unknown };
  if (BEFORE_CONNECTION.includes(syscall) || failedBeforeConnection(cause, depth + 1)) return true;
  // Node tries each address of a host, and reports all the failures together.
  return (
    Array.isArray(errors) &&
    errors.length > 0 &&
    errors.every((one) => failedBeforeConnection(one, depth + 1))
  );
}

/** Whether the request cannot have reached the service. An unknown failure is taken as one that may have. */
export function wasNeverConnected(error: unknown): boolean {
  const code = connectionCode(error);
  if (code !== undefined) return NEVER_CONNECTED.has(code) || failedBeforeConnection(error);
  return error instanceof Error && NEVER_CONNECTED_TEXT.test(error.message);
}

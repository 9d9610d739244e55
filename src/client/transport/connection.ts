/**
 * Codes of connections that were never made, per runtime: the service cannot have seen the request. Any other
 * code may stand for a connection that was cut after the request had arrived.
 */
const NEVER_CONNECTED = [
  // Node (undici reports them on the cause of its TypeError)
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/,
  // A certificate that is not accepted ends the connection before the request is written
  /(^|_)CERT(_|$)|^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/,
  // Bun
  /^(ConnectionRefused|FailedToOpenSocket|DNSResolveFailed)$/,
];

/** Deno gives no code, only a text. */
const NEVER_CONNECTED_TEXT = /\b(connection refused|dns error|failed to lookup address|tcp connect error)\b/i;

/** Node's system calls that come before anything is written. */
const BEFORE_CONNECTION: readonly unknown[] = ['connect', 'getaddrinfo'];

interface Link {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[] | undefined;
}

/** An error and its causes; of several errors, the first. */
function chainOf(error: unknown): Link[] {
  const chain: Link[] = [];
  for (let at = error; typeof at === 'object' && at !== null && chain.length < 6; ) {
    const link: Link = at;
    chain.push(link);
    at = link.cause ?? link.errors?.[0];
  }
  return chain;
}

/** The code a runtime gives a failed connection, wherever it put it. */
export function connectionCode(error: unknown): string | undefined {
  const codes = chainOf(error).map(({ code }) => code);
  return codes.filter((code) => typeof code === 'string').at(-1);
}

/** Whether the request cannot have reached the service. An unknown failure is taken as one that may have. */
export function wasNeverConnected(error: unknown, depth = 0): boolean {
  // Of several attempts, such as over two gateways, one may have got through.
  const several = chainOf(error).find(({ errors }) => Array.isArray(errors) && errors.length > 0)?.errors;
  if (several !== undefined) return depth < 6 && several.every((one) => wasNeverConnected(one, depth + 1));
  const code = connectionCode(error);
  if (code === undefined) return error instanceof Error && NEVER_CONNECTED_TEXT.test(error.message);
  return (
    NEVER_CONNECTED.some((codes) => codes.test(code)) ||
    chainOf(error).some(({ syscall }) => BEFORE_CONNECTION.includes(syscall))
  );
}

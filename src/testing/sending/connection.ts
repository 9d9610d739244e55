import { safely } from '../../utils/thrown.js';

/** What to do about a connection that failed, by the code of its error. */
const ADVICE: readonly (readonly [codes: RegExp, advice: string])[] = [
  [/^ERR_SSL_WRONG_VERSION_NUMBER$/, 'Does the server speak http: instead of https:?'],
  // OpenSSL's codes (Node, doc/api/tls.md, "X509 certificate error codes"), and Node's own of a wrong name.
  [
    /(^|_)CERT(_|$)|^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/,
    'Is the certificate valid, and for this address? To trust your own, set NODE_EXTRA_CA_CERTS.',
  ],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'Is the name of the host right?'],
  [/^HPE_/, 'Is there a server for HTTP at this address? Does it speak https: instead of http:?'],
  [/^(E[A-Z]+|UND_ERR_CONNECT_TIMEOUT)$/, 'Is the receiver running at this address?'],
];

/** Describes what was thrown, with its cause, and what to do if a connection failed. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return safely(() => String(error));
  // Of a name with several addresses, `fetch` throws an error without a message around one for each
  // (nodejs/undici#1602).
  const cause: unknown = error.cause instanceof AggregateError ? error.cause.errors[0] : error.cause;
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  const advice = ADVICE.find(([codes]) => codes.test(code ?? ''))?.[1];
  // OpenSSL's words for it are a line of its source.
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return `${code}. ${advice}`;
  const words = cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
  return advice === undefined ? words : `${words}. ${advice}`;
}

import { AbortError, ConnectionError, TimeoutError } from '../errors.js';
import { withoutSecrets } from '../redact.js';
import { OUTCOME_UNKNOWN_HINT } from './api-error.js';
import type { AttemptContext, Progress } from './attempt-context.js';
import { connectionCode, wasNeverConnected } from './connection.js';
import type { Expiry } from './deadline.js';

/** Turns an attempt that was not answered into a typed error. */
export function connectionFailure(
  context: AttemptContext,
  expiry: Expiry | undefined,
  progress: Progress,
  thrown: unknown,
): ConnectionError {
  const { settings, call, request, number } = context;
  const { method, path } = request;
  const mayHaveArrived = progress.sent && (expiry !== undefined || !wasNeverConnected(thrown));
  const outcomeUnknown = method !== 'GET' && mayHaveArrived;
  const at = { method, path, region: settings.region, outcomeUnknown };
  const say = (what: string): string =>
    `${method} ${path} ${what} (attempt ${number})${outcomeUnknown ? `\n  ${OUTCOME_UNKNOWN_HINT}` : ''}`;

  if (expiry === 'abort') {
    return new AbortError(say('was aborted by its signal'), { ...at, cause: call.signal?.reason });
  }
  if (expiry !== undefined) {
    const ms = expiry === 'timeout' ? call.timeout : call.totalTimeout;
    return new TimeoutError(say(`did not end within ${ms} ms (the option \`${expiry}\`)`), at);
  }
  const cause = maskedCause(thrown, progress.secrets);
  return new ConnectionError(say(`failed without an answer: ${reasonOf(cause)}`), { ...at, cause });
}

function reasonOf(cause: unknown): string {
  const code = connectionCode(cause);
  const text = cause instanceof Error ? cause.message : typeof cause;
  return code === undefined ? text : `${text} (${code})`;
}

/** What `fetch` threw. A custom `fetch` may repeat the token in its message: then a masked copy stands in. */
function maskedCause(thrown: unknown, secrets: readonly string[]): unknown {
  if (!(thrown instanceof Error))
    return typeof thrown === 'string' ? withoutSecrets(thrown, secrets) : thrown;
  const text = `${thrown.message}\n${thrown.stack ?? ''}`;
  if (!secrets.some((secret) => text.includes(secret))) return thrown;
  const copy = new Error(withoutSecrets(thrown.message, secrets));
  copy.name = thrown.name;
  copy.stack = withoutSecrets(thrown.stack ?? '', secrets);
  return copy;
}

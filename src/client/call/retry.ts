import { ApiError, ConnectionError } from '../../errors/index.js';

/** The longest `Retry-After` that is waited for, in seconds. A longer one ends the call. */
export const MAX_RETRY_AFTER = 60;
/** The longest first delay without `Retry-After`, in milliseconds. It doubles with each attempt, up to the limit. */
const BACKOFF_START = 500;
const BACKOFF_LIMIT = 8_000;

const RETRYABLE_STATUS: ReadonlySet<number> = /* @__PURE__ */ new Set([408, 429, 500, 502, 503, 504]);

/**
 * Milliseconds until the next attempt; undefined if none may follow.
 *
 * GET is retried freely. Anything else only if the service cannot have acted, because the specification shows no
 * idempotency key, and a deletion or a release cannot be undone.
 *
 * @param attempts - The number that were made: 1 after the first.
 */
export function delayBeforeRetry(error: unknown, method: string, attempts: number): number | undefined {
  if (!isRetryable(method, error)) return undefined;
  const seconds = error instanceof ApiError ? retryAfter(error.headers) : undefined;
  if (seconds !== undefined) return seconds > MAX_RETRY_AFTER ? undefined : seconds * 1000;
  return Math.random() * Math.min(BACKOFF_LIMIT, BACKOFF_START * 2 ** (attempts - 1));
}

function isRetryable(method: string, error: unknown): boolean {
  if (error instanceof ApiError) {
    return error.status === 429 || (method === 'GET' && RETRYABLE_STATUS.has(error.status));
  }
  // Of a GET, `outcomeUnknown` is never true; of the others it is, unless no connection was made.
  return error instanceof ConnectionError && error.type !== 'abort_error' && !error.outcomeUnknown;
}

/** Seconds from a `Retry-After` header, which holds seconds or a date; undefined if it holds neither. */
export function retryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  // `Date.parse` takes almost anything with a number in it; an HTTP date ends in GMT.
  const date = value.endsWith('GMT') ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}

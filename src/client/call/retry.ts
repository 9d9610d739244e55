import { ApiError, ConnectionError } from '../../errors/index.js';
import type { Call } from './call.js';

/** The longest delay before a retry. A longer `Retry-After` ends the call. */
const MAX_RETRY_DELAY_MS = 60_000;
/** The longest first delay without `Retry-After`. It doubles with each attempt, up to the limit. */
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8_000;

const RETRYABLE_STATUSES: ReadonlySet<number> = /* @__PURE__ */ new Set([408, 429, 500, 502, 503, 504]);

/**
 * Milliseconds until the next attempt; undefined if none may follow.
 *
 * GET is retried freely. Anything else only if the service cannot have acted, because the specification shows
 * no idempotency key, and a deletion, or the release of a rented number, cannot be undone.
 */
export function delayBeforeRetry(call: Call, failure: unknown): number | undefined {
  if (!isRetryable(call.request.method, failure)) return undefined;
  const seconds = failure instanceof ApiError ? retryAfter(failure.headers) : undefined;
  const backoff = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (call.attempt.number - 1));
  const delayMs = seconds === undefined ? Math.random() * backoff : seconds * 1000;
  return isTooLong(call, delayMs) ? undefined : delayMs;
}

function isRetryable(method: string, failure: unknown): boolean {
  if (failure instanceof ApiError) {
    return failure.status === 429 || (method === 'GET' && RETRYABLE_STATUSES.has(failure.status));
  }
  // For a GET, `outcomeUnknown` is always false; otherwise it is true, unless no connection was made.
  return failure instanceof ConnectionError && failure.type !== 'abort_error' && !failure.outcomeUnknown;
}

/**
 * Whether a delay is not waited for: `totalTimeout` would end it, or it is over the limit.
 *
 * ky would first wait until `totalTimeout` ends (2.1.0, core/Ky.js, `#retryFromError`).
 */
export function isTooLong({ endsAt }: Call, delayMs: number): boolean {
  return delayMs > MAX_RETRY_DELAY_MS || performance.now() + delayMs >= endsAt;
}

/** Seconds from a `Retry-After` header, which holds seconds or a date; undefined if it holds neither. */
export function retryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  // `Date.parse` takes almost anything with a number in it; an HTTP date ends in GMT.
  const date = value.endsWith('GMT') ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}

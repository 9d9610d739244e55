import { ApiError, ConnectionError } from '../../errors/index.js';
import type { Attempt } from './attempt.js';

/** A `Retry-After` above this ends the call instead of holding it: 60 seconds. */
export const MAX_RETRY_AFTER = 60;
/** The first wait without `Retry-After` is at most this long; it doubles with each attempt. */
const BACKOFF_START = 500;
const BACKOFF_LIMIT = 8_000;

const RETRYABLE_STATUS: ReadonlySet<number> = /* @__PURE__ */ new Set([408, 429, 500, 502, 503, 504]);

/** Milliseconds to wait before the next attempt; `undefined` where none may follow. ky counts how many have been made. */
export function delayBeforeNext(error: unknown, { call, number }: Attempt): number | undefined {
  if (!isRetryable(call.request.method, error)) return undefined;
  const delay = retryDelay(error, number);
  return delay === undefined || performance.now() + delay >= call.endsAt ? undefined : delay;
}

/**
 * Tells whether a failed attempt may be repeated: GET freely, anything else only where the service cannot have acted,
 * because the specification shows no idempotency key and a deletion or a release cannot be undone.
 */
function isRetryable(method: string, error: unknown): boolean {
  if (error instanceof ApiError) {
    return error.status === 429 || (method === 'GET' && RETRYABLE_STATUS.has(error.status));
  }
  // For GET, `outcomeUnknown` is never true; for the others it is, unless no connection was made.
  return error instanceof ConnectionError && error.type !== 'abort_error' && !error.outcomeUnknown;
}

/**
 * Milliseconds until the next attempt; `undefined` where the service asks for more than {@link MAX_RETRY_AFTER}.
 *
 * @param attempt - 1 after the first attempt.
 */
export function retryDelay(error: unknown, attempt: number): number | undefined {
  const seconds = error instanceof ApiError ? retryAfter(error.headers) : undefined;
  if (seconds !== undefined) return seconds > MAX_RETRY_AFTER ? undefined : seconds * 1000;
  return Math.random() * Math.min(BACKOFF_LIMIT, BACKOFF_START * 2 ** (attempt - 1));
}

/** Seconds from a `Retry-After` header, which holds seconds or a date; `undefined` where it holds neither. */
export function retryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  // `Date.parse` takes almost anything with a number in it; an HTTP date ends in GMT.
  const date = value.endsWith('GMT') ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}

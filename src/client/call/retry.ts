import { ApiError, ConnectionError } from '../../errors/index.js';
import type { Call } from './call.js';

/** The longest delay before a retry. A longer `Retry-After` ends the call. */
const MAX_RETRY_DELAY_MS = 60_000;
/** The longest first delay without `Retry-After`. It doubles with each attempt, up to the limit. */
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8_000;
/** The most that is added to `Retry-After`, as a part of it: calls that were refused together return one by one. */
const JITTER = 0.1;

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
  const backoff = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (call.attempts.length - 1));
  const delayMs = seconds === undefined ? Math.random() * backoff : seconds * 1000;
  if (isTooLong(call, delayMs)) return undefined;
  const later = seconds === undefined ? delayMs : delayMs * (1 + Math.random() * JITTER);
  // `totalTimeout` may leave no time for the jitter.
  return later < msLeft(call) ? later : delayMs;
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
export function isTooLong(call: Call, delayMs: number): boolean {
  return delayMs > MAX_RETRY_DELAY_MS || delayMs >= msLeft(call);
}

function msLeft({ endsAt }: Call): number {
  return endsAt - performance.now();
}

/** The third form of dates in HTTP, asctime's, which names no zone (RFC 9110, 5.6.7). */
const ASCTIME = /[a-z]{3} [a-z]{3} [ \d]\d [\d:]{8} \d{4}/gi;
/** A date of the other two forms, which have a comma, or anything else between commas. */
const VALUES = /[a-z]+, [^,]+ GMT|[^\s,][^,]*/gi;

/**
 * The most seconds that a `Retry-After` header asks for; undefined if it has no value that HTTP allows. Proxies repeat
 * the header, which makes a list of it (openai-node#1841).
 */
export function retryAfter(headers: Headers): number | undefined {
  const values = headers.get('retry-after')?.replace(ASCTIME, '$& GMT').match(VALUES) ?? [];
  const seconds = values.map(secondsOf).filter((one) => one >= 0);
  return seconds.length === 0 ? undefined : Math.max(...seconds);
}

/** Returns the seconds of one value, which holds them or a date; NaN if it holds neither. */
function secondsOf(value: string): number {
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  // `Date.parse` takes almost anything with a number in it; the dates now end in GMT.
  return text.endsWith('GMT') ? Math.max(0, (Date.parse(text) - Date.now()) / 1000) : Number.NaN;
}

import { ApiError, ConnectionError, ResponseValidationError } from '../../errors/index.js';
import type { Call } from './call.js';
import { isRefusedForGood } from './never-connected.js';

/** The longest delay before a retry. A longer `Retry-After` ends the call. */
const MAX_RETRY_DELAY_MS = 60_000;
/** The longest first delay without `Retry-After`. It doubles with each attempt, up to the limit. */
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8_000;
/** The most that is added to `Retry-After`, as a part of it: calls that were refused together return one by one. */
const JITTER = 0.1;

/** The 4xx that may pass, and the 5xx that stay: what is not supported, a loop, a login, a certificate. */
const PASSING_4XX: readonly number[] = [408, 425, 429];
const LASTING_5XX: readonly number[] = [501, 505, 506, 508, 510, 511, 526];

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
    const { status } = failure;
    const mayPass = status >= 500 ? !LASTING_5XX.includes(status) : PASSING_4XX.includes(status);
    return status === 429 || (method === 'GET' && mayPass);
  }
  // HTML is not retried: it mostly comes from a wrong address.
  if (failure instanceof ResponseValidationError) return method === 'GET' && isBrokenJson(failure);
  if (!(failure instanceof ConnectionError) || failure.type === 'abort_error') return false;
  // For a GET, `outcomeUnknown` is always false; otherwise it is true, unless no connection was made.
  return !failure.outcomeUnknown && !isRefusedForGood(failure.cause);
}

/** Whether a body was declared as JSON, and is none: it was cut off on the way. */
function isBrokenJson({ headers, issues }: ResponseValidationError): boolean {
  const isJson = /[/+]json\b/i.test(headers.get('content-type') ?? '');
  return isJson && ['not_json', 'empty_body'].includes(issues[0]?.code ?? '');
}

/**
 * Whether to give up instead of waiting: `totalTimeout` would end the delay, or it is over the limit.
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
  // By the clock of the service, which may not be ours (rx-player#1864).
  const now = dateOf(valuesOf(headers, 'date')[0] ?? '') || Date.now();
  const seconds = valuesOf(headers, 'retry-after')
    .map((value) => secondsOf(value, now))
    .filter((one) => one >= 0);
  return seconds.length === 0 ? undefined : Math.max(...seconds);
}

/** Returns the values of a header that a proxy may have repeated, each date with its zone. */
function valuesOf(headers: Headers, name: string): readonly string[] {
  return headers.get(name)?.replace(ASCTIME, '$& GMT').match(VALUES) ?? [];
}

/** Returns the seconds of one value, which holds them or a date; NaN if it holds neither. */
function secondsOf(value: string, now: number): number {
  const text = value.trim();
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : Math.max(0, (dateOf(text) - now) / 1000);
}

/** Returns the milliseconds of a date; NaN if it is none. */
function dateOf(text: string): number {
  // `Date.parse` takes almost anything with a number in it; the dates now end in GMT.
  return text.endsWith('GMT') ? Date.parse(text) : Number.NaN;
}

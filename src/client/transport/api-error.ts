import { ApiError, type ApiErrorIssue, type ApiErrorOptions, RateLimitError } from '../../errors/index.js';
import { type Issue, MAX_ISSUES } from '../../ground/issues.js';
import { ErrorBodySchema } from '../../schemas/envelope.js';
import { validateOwn } from '../../validation/validate.js';
import type { Answer, Attempt, Call } from './attempt.js';
import { OUTCOME_UNKNOWN_HINT } from './connection-error.js';
import type { Masker } from './masker.js';
import { describeBody, notJsonIssue } from './response-body.js';
import { MAX_RETRY_AFTER, retryAfter } from './retry.js';

/**
 * Turns any answer that is not 2xx into a typed error. The status decides the class; no body makes it throw. `parsed` is the body,
 * undefined where it is not JSON: {@link errorBodyDrift} asks for it too, and it may take long to parse.
 */
export function toApiError(answer: Answer, parsed: unknown): ApiError {
  const { attempt, response } = answer;
  const { text, tooLarge } = answer.body;
  const { masker, shown } = attempt;
  const body = readErrorBody(parsed, masker);
  const options: ApiErrorOptions = {
    ...shown,
    status: response.status,
    code: body.code,
    issues: body.issues,
    headers: new Headers(masker.headers(response.headers)),
    rawBody: masker.body(text),
    outcomeUnknown: shown.method !== 'GET' && mayHaveActed(response.status, body.isReadable),
  };
  const what = tooLarge ? 'a body that is too large' : describeBody(text);
  return errorOf(messageOf(what, body, options, attempt), options);
}

function errorOf(message: string, options: ApiErrorOptions): ApiError {
  const { status, headers } = options;
  if (status === 429) return new RateLimitError(message, { ...options, retryAfter: retryAfter(headers) });
  const ErrorClass = ApiError.classOf(status);
  return new ErrorClass(message, options);
}

/**
 * The issues of an error body, which are reported as drift: the error itself is the same. A body that was cut off tells nothing
 * of the service, nor does that of a redirect.
 */
export function errorBodyDrift({ attempt, response, body }: Answer, parsed: unknown): readonly Issue[] {
  const isWhole = !body.tooLarge && !('failure' in body);
  if (attempt.call.options.validation === 'off' || response.status < 400 || !isWhole) return [];
  const verdict = validateOwn(ErrorBodySchema, parsed, 'report');
  const issues = parsed === undefined ? [notJsonIssue(body.text)] : verdict.ok ? verdict.drift : [];
  return issues.length === 0 ? issues : attempt.masker.issues(issues);
}

interface ErrorBodyParts {
  readonly message: string | undefined;
  readonly code: string | undefined;
  /** At most {@link MAX_ISSUES}. */
  readonly issues: readonly ApiErrorIssue[];
  /** Number of further issues. */
  readonly left: number;
  /** True for the specification's error body: the service itself has said what happened. */
  readonly isReadable: boolean;
}

/** Takes what it can from any body: fields the specification does not list are kept, wrong ones are left out. */
function readErrorBody(parsed: unknown, masker: Masker): ErrorBodyParts {
  const body = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as Record<string, unknown>;
  const text_ = (value: unknown) => (typeof value === 'string' ? masker.quote(value) : undefined);
  const message = text_(body.message);
  const code = text_(body.code);
  const sent = Array.isArray(body.issues) ? body.issues.filter(hasMessage) : [];
  const issues = withinBounds(sent.slice(0, MAX_ISSUES));
  return {
    message,
    code,
    issues: issues.map((issue) => ({
      // An object stays one.
      ...(masker.value(issue) as ApiErrorIssue),
      message: masker.quote(issue.message),
    })),
    left: sent.length - issues.length,
    isReadable: message !== undefined && code !== undefined,
  };
}

function hasMessage(issue: unknown): issue is ApiErrorIssue {
  return typeof (issue as ApiErrorIssue | null)?.message === 'string';
}

/** Characters of an issue, as JSON, with further fields: of a larger one, only the message is kept. */
const MAX_ISSUE = 4_000;

/** Characters of all issues with further fields: to mask a million small parts takes many times as long as to parse them. */
const MAX_ALL_ISSUES = 20_000;

function withinBounds(issues: readonly ApiErrorIssue[]): ApiErrorIssue[] {
  let left = MAX_ALL_ISSUES;
  return issues.map((issue) => {
    const size = sizeOf(issue);
    if (size > Math.min(left, MAX_ISSUE)) return { message: issue.message };
    left -= size;
    return issue;
  });
}

function sizeOf(issue: ApiErrorIssue): number {
  try {
    return JSON.stringify(issue).length;
  } catch {
    // Nested so deeply that the stack has run out.
    return Number.POSITIVE_INFINITY;
  }
}

/** 408, 502 and 504, and what Cloudflare and other proxies say of a server that did not answer. */
const TIMED_OUT: readonly number[] = [408, 502, 504, 520, 522, 524, 598, 599];

/** Tells whether a request that is not a GET may have had its effect although the answer does not tell so. */
function mayHaveActed(status: number, isReadable: boolean): boolean {
  // A time-out or a cut connection somewhere on the way says nothing about the service behind it, whoever wrote the body.
  if (TIMED_OUT.includes(status)) return true;
  // 307 and 308 ask to send the same request elsewhere: this server has not acted on it. Another redirect may show what it has done.
  if (status < 400) return ![307, 308].includes(status);
  return !isReadable && status >= 500;
}

function messageOf(what: string, body: ErrorBodyParts, options: ApiErrorOptions, attempt: Attempt): string {
  const code = body.code === undefined ? '' : ` (code: ${body.code})`;
  const said = body.message === undefined ? ` with ${what}` : `: ${body.message}`;
  const issues = body.issues.slice(0, MAX_LINES).map((issue) => `\n  - ${issue.message}`);
  const left = body.left + body.issues.length - issues.length;
  if (left > 0) issues.push(`\n  - and ${left} more issue(s)`);
  const hints = hintsFor(options, attempt).map((hint) => `\n  ${hint}`);
  return `${options.method} ${options.path} answered ${options.status}${said}${code}${issues.join('')}${hints.join('')}`;
}

/** Issues that the message of an error names, one a line. */
const MAX_LINES = 20;

function hintsFor(options: ApiErrorOptions, { call, number }: Attempt): string[] {
  const { region, status, headers, outcomeUnknown } = options;
  const hints: string[] = [];
  if ([401, 403, 404].includes(status)) {
    hints.push(
      `The call went to region '${region}'. A token or an id of the other region may fail the same way.`,
    );
  }
  if (status < 400) hints.push('Redirects are not followed: check the base address.');
  if (number > 1) hints.push(`This was attempt ${number}.`);
  const seconds = retryAfter(headers) ?? 0;
  if (seconds > 0) {
    const hindrance = hindranceOf(seconds, call);
    hints.push(`The service asks to wait ${Math.ceil(seconds)} s${hindrance}.`);
  }
  if (outcomeUnknown) hints.push(OUTCOME_UNKNOWN_HINT);
  return hints;
}

/** Says why a call does not wait as long as the service asks, where it would not. */
function hindranceOf(seconds: number, { endsAt }: Call): string {
  if (seconds > MAX_RETRY_AFTER) return `; a call waits ${MAX_RETRY_AFTER} s at most`;
  return performance.now() + seconds * 1000 < endsAt ? '' : '; `totalTimeout` leaves less';
}

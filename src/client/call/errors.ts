import { TimeoutError as KyTimeoutError } from 'ky';
import {
  AbortError,
  type ApiError,
  type ApiErrorIssue,
  ConfigurationError,
  ConnectionError,
  TimeoutError,
} from '../../errors/index.js';
import { classOfStatus } from '../../errors/status.js';
import { type ErrorBody, ErrorBodySchema } from '../../schemas/envelope.js';
import { MAX_ISSUES, typeName } from '../../utils/issues.js';
import { isObject, parseJson } from '../../utils/json.js';
import { validateOwn } from '../../validation/validate.js';
import { type Call, latestAttempt, type ReceivedResponse } from './call.js';
import { codeOf, reasonOf, wasNeverConnected } from './never-connected.js';
import { isTooLong, retryAfter } from './retry.js';
import { describeBody, findWords, pathOf, serviceWords } from './words.js';

/** The most characters of a body that an error keeps as text. */
const MAX_RAW_BODY_CHARACTERS = 16_384;
/** The most characters of the service's words that a message repeats. */
const MAX_WORDS_CHARACTERS = 1_000;
/** The most issues that a message lists, one a line. */
const MAX_ISSUE_LINES = 20;
/** The statuses that lead elsewhere; 0 is that of one that a browser hides. A 304 leads nowhere (octokit.js#673). */
const REDIRECTS: readonly number[] = [0, 301, 302, 303, 307, 308];

/** What to look at, by the reason of a connection that failed. */
const HINTS: readonly (readonly [reasons: RegExp, hint: string])[] = [
  [/^ERR_SSL_WRONG_VERSION/, 'Does the server speak http: instead of https:?'],
  [/SELF_SIGNED|^UNABLE_TO/, 'To trust your own certificate, set NODE_EXTRA_CA_CERTS.'],
  [/ALTNAME/, 'The certificate is for another host. Check the address.'],
  [/HAS_EXPIRED/, 'The certificate of the server has expired.'],
  [/^UND_ERR_INVALID_ARG/, 'Is `fetchOptions.dispatcher` of another undici than this Node?'],
];

/**
 * Turns what ended an attempt from outside, or the delay after it, into an error.
 *
 * @param isWaiting - Whether it ended the delay. A retry follows only an attempt that had no effect.
 */
export function toTimeoutOrAbort(call: Call, thrown: unknown, isWaiting: boolean): ConnectionError {
  const { options, endsAt } = call;
  const { startedAt } = latestAttempt(call) ?? call;
  const outcomeUnknown = !isWaiting && mayHaveActed(call);
  if (options.signal?.aborted) {
    const event = `was aborted by its signal (${atAttempt(call)})`;
    const { message, parts } = describeCall(call, event, outcomeUnknown);
    return new AbortError(message, { ...parts, cause: options.signal.reason });
  }
  if (!(thrown instanceof KyTimeoutError)) return toConnectionError(call, thrown);
  const limit = endsAt - startedAt < options.timeout ? 'totalTimeout' : 'timeout';
  const event = `timed out after ${options[limit]} ms (\`${limit}\`, ${atAttempt(call)})`;
  const { message, parts } = describeCall(call, event, outcomeUnknown);
  // Without a cause: ky's error holds the request with its headers.
  return new TimeoutError(message, parts);
}

/** Turns what `fetch` or the stream of a body threw into an error. */
export function toConnectionError(call: Call, cause: unknown): ConnectionError {
  const { settings } = call;
  // A user-supplied `fetch` may report anything, such as the failure of a second request.
  const neverConnected =
    settings.fetch === undefined && latestAttempt(call)?.status === undefined && wasNeverConnected(cause);
  const thrown = typeof cause === 'string' ? cause : `\`fetch\` rejected with ${typeName(cause)}`;
  const reason = reasonOf(cause) ?? thrown;
  const hints: string[] = [];
  if (neverConnected || codeOf(cause) === undefined) {
    const own = settings.fetch === undefined ? '' : ', the option `fetch`';
    hints.push(`Check \`baseUrls.${settings.region}\`${own} and the network.`);
  }
  // The hosts of a fake (`src/testing/fake/places.ts`), to which nothing resolves.
  if (neverConnected && settings.baseUrl.includes('.test/')) {
    hints.push('The address of a fake needs `fetch: fake.fetch`.');
  }
  hints.push(...HINTS.filter(([reasons]) => reasons.test(reason)).map(([, hint]) => hint));
  const what = serviceWords(call, reason).slice(0, MAX_WORDS_CHARACTERS);
  const event = `failed: ${what} (${atAttempt(call)})`;
  const { message, parts } = describeCall(call, event, mayHaveActed(call) && !neverConnected, hints);
  return new ConnectionError(message, { ...parts, cause });
}

/** Makes the error of a `fetch` that gives no response: a wrong option, so nothing is retried (jest-fetch-mock#24). */
export function toWrongFetch(call: Call): ConfigurationError {
  const event = `failed: \`fetch\` must resolve to a Response (${atAttempt(call)})`;
  const { message, parts } = describeCall(call, event, mayHaveActed(call));
  return new ConfigurationError(message, { option: 'fetch', outcomeUnknown: parts.outcomeUnknown });
}

/** Turns a response that is not 2xx into an error. The status decides the class; any body will do. */
export function toApiError(call: Call, received: ReceivedResponse): ApiError {
  const { response, text, isCut } = received;
  const { status, headers } = response;
  const parsed = parseJson(text);
  const found = isCut ? undefined : findWords(parsed === undefined ? text : parsed);
  const code = typeof found?.code === 'string' ? serviceWords(call, found.code) : undefined;
  const issues = issuesOf(call, parsed);
  const said = found && serviceWords(call, found.words);
  // Not one that only repeats the first line.
  const listed = issues.filter(({ message, path }) => path !== undefined || message !== said);
  const lines = listed.slice(0, MAX_ISSUE_LINES).map((one) => `\n  - ${describeIssue(one)}`);
  if (listed.length > lines.length) lines.push(`\n  - and ${listed.length - lines.length} more issue(s)`);
  const what = said?.slice(0, MAX_WORDS_CHARACTERS) ?? describeBody(text, isCut);
  const problem = `: ${what}${code === undefined ? '' : ` (code: ${code})`}${lines.join('')}`;
  const { message, parts } = describeResponse(call, received, parsed, problem, hintsFor(call, response));
  return new (classOfStatus(status))(message, {
    ...parts,
    // Valid by its schema.
    errorBody: validateOwn(ErrorBodySchema, parsed, 'strict').ok ? (parsed as ErrorBody) : undefined,
    code,
    issues: issues.slice(0, MAX_ISSUES),
    retryAfter: retryAfter(headers),
  });
}

/**
 * Returns the issues of a body, of each its message and its path. Any other field may hold anything, such as the token
 * or a value of the request.
 */
function issuesOf(call: Call, body: unknown): ApiErrorIssue[] {
  const sent: unknown = isObject(body) ? (body.issues ?? body.errors) : undefined;
  if (!Array.isArray(sent)) return [];
  return (sent as readonly unknown[]).flatMap((issue): ApiErrorIssue[] => {
    if (!isObject(issue) || typeof issue.message !== 'string') return [];
    const message = serviceWords(call, issue.message);
    const { path } = issue;
    if (!isPath(path) || path.length === 0) return [{ message }];
    const names = path.map((name) => (typeof name === 'string' ? serviceWords(call, name) : name));
    return [{ message, path: names }];
  });
}

/** Whether an issue says its place: by names of fields and positions in lists. */
function isPath(path: unknown): path is readonly (string | number)[] {
  return Array.isArray(path) && path.every((name) => typeof name === 'string' || typeof name === 'number');
}

function describeIssue({ message, path }: ApiErrorIssue): string {
  const place = path === undefined ? '' : `${path.join('.')}: `;
  return `${place}${message}`.slice(0, MAX_WORDS_CHARACTERS);
}

/** Lines that say what to try after an error status. */
function hintsFor(call: Call, { status, headers }: Response): string[] {
  const { settings, endpoint, attempts } = call;
  const hints: string[] = [];
  if (status === 401 || status === 404) {
    // For an unknown id, the live service responds with 401.
    const item = status === 401 && endpoint.path.includes('{') ? ', and that the id exists' : '';
    hints.push(
      `The region is '${settings.region}': check that the token, the ids and ${settings.baseUrl} belong to it${item}.`,
    );
  }
  if (status === 403) hints.push("Check the workspace's plan and add-ons, and the permissions of the token.");
  if (REDIRECTS.includes(status)) hints.push('The client does not follow redirects. Check the base address.');
  if (attempts.length > 1) hints.push(`This was attempt ${attempts.length}.`);
  const seconds = retryAfter(headers) ?? 0;
  const ending = isTooLong(call, seconds * 1000) ? ', too long to wait' : '';
  if (seconds > 0) hints.push(`Retry-After is ${Math.ceil(seconds)} s${ending}.`);
  return hints;
}

/**
 * Returns the message of an error about a response, and the parts that all of its classes have.
 *
 * @param problem - What is wrong, as the end of a sentence: `: No such tool`.
 */
export function describeResponse(
  call: Call,
  { response, text }: ReceivedResponse,
  body: unknown,
  problem: string,
  hints: readonly string[] = [],
) {
  const { status, headers } = response;
  // A 4xx says that the service refused the request; 408 says nothing about what happened before.
  const isRefused = status >= 400 && status < 500 && status !== 408;
  const event = `responded with ${status}${problem}`;
  const { message, parts } = describeCall(call, event, mayHaveActed(call) && !isRefused, hints);
  return {
    message,
    parts: { ...parts, status, headers, body, rawBody: text.slice(0, MAX_RAW_BODY_CHARACTERS) },
  };
}

/** Returns the message of an error about a call, and the parts that all of its classes have. */
function describeCall(call: Call, event: string, outcomeUnknown: boolean, hints: readonly string[] = []) {
  const { method, path: sent } = call.request;
  const path = pathOf(call);
  const lines = [`${method} ${path} ${event}`, ...hints];
  if (outcomeUnknown) {
    lines.push('The request may have taken effect. Check before retrying (`error.outcomeUnknown`).');
  }
  const { region } = call.settings;
  const [, query] = sent.split(/\?(.*)/s);
  return { message: lines.join('\n  '), parts: { method, path, query, region, outcomeUnknown } };
}

/** Says which attempt failed, if one was started. */
function atAttempt({ attempts }: Call): string {
  return attempts.length === 0 ? 'before the first attempt' : `attempt ${attempts.length}`;
}

/** Whether the latest attempt may have had an effect. Those before it had none, or no retry would have followed. */
function mayHaveActed(call: Call): boolean {
  return call.request.method !== 'GET' && latestAttempt(call)?.isSent === true;
}

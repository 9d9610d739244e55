import { TimeoutError as KyTimeoutError } from 'ky';
import {
  AbortError,
  type ApiError,
  ConfigurationError,
  ConnectionError,
  TimeoutError,
} from '../../errors/index.js';
import { classOfStatus } from '../../errors/response.js';
import { type ErrorBody, ErrorBodySchema, type ErrorIssue } from '../../schemas/envelope.js';
import { MAX_ISSUES, typeName } from '../../utils/issues.js';
import { isObject, parseJson } from '../../utils/json.js';
import { printable } from '../../utils/printable.js';
import { MASK } from '../../utils/redact.js';
import { validateOwn } from '../../validation/validate.js';
import type { Call, ReceivedResponse } from './call.js';
import { innermost, isCertificateError, wasNeverConnected } from './never-connected.js';
import { isTooLong, retryAfter } from './retry.js';

/** The most characters of a body that an error keeps as text. */
const MAX_RAW_BODY_CHARACTERS = 16_384;
/** The most characters of the service's words that a message repeats. */
const MAX_WORDS_CHARACTERS = 1_000;
/** The most issues that a message lists, one a line. */
const MAX_ISSUE_LINES = 20;
/** The shortest token that is masked. Shorter ones may be parts of everyday words. */
const MIN_TOKEN_CHARACTERS = 8;

/** Turns what ended an attempt from outside, or the delay after it, into an error. */
export function toTimeoutOrAbort(call: Call, thrown: unknown): ConnectionError {
  const { options, attempt, endsAt } = call;
  const outcomeUnknown = mayHaveActed(call);
  if (options.signal?.aborted) {
    const event = `was aborted by its signal (attempt ${attempt.number})`;
    const { message, parts } = describe(call, event, outcomeUnknown);
    return new AbortError(message, { ...parts, cause: options.signal.reason });
  }
  if (!(thrown instanceof KyTimeoutError)) return toConnectionError(call, thrown);
  const limit = endsAt - attempt.startedAt < options.timeout ? 'totalTimeout' : 'timeout';
  const event = `timed out after ${options[limit]} ms (\`${limit}\`, attempt ${attempt.number})`;
  const { message, parts } = describe(call, event, outcomeUnknown);
  // Without a cause: ky's error holds the request with its headers.
  return new TimeoutError(message, parts);
}

/** Turns what `fetch` or the stream of a body threw into an error. */
export function toConnectionError(call: Call, cause: unknown): ConnectionError {
  const { settings, attempt } = call;
  const code = innermost('code', cause);
  // A user-supplied `fetch` may report anything, such as the failure of a second request.
  const neverConnected =
    settings.fetch === undefined && attempt.status === undefined && wasNeverConnected(cause);
  const hints: string[] = [];
  if (neverConnected || (code === undefined && !(cause instanceof ConfigurationError))) {
    const own = settings.fetch === undefined ? '' : ', the option `fetch`';
    hints.push(`Check \`baseUrls.${settings.region}\`${own} and the network.`);
  }
  // The hosts of a fake (`src/testing/fake/base-urls.ts`), to which nothing resolves.
  if (neverConnected && settings.baseUrl.includes('.test/')) {
    hints.push('The address of a fake needs `fetch: fake.fetch`.');
  }
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') hints.push('Does it speak http: and not https:?');
  if (neverConnected && isCertificateError(cause)) {
    hints.push('To trust your own certificate, set NODE_EXTRA_CA_CERTS.');
  }
  const thrown = typeof cause === 'string' ? cause : `\`fetch\` rejected with ${typeName(cause)}`;
  const reason = serviceWords(call, code ?? innermost('message', cause) ?? thrown);
  const event = `failed: ${reason} (attempt ${attempt.number})`;
  const { message, parts } = describe(call, event, mayHaveActed(call) && !neverConnected, hints);
  return new ConnectionError(message, { ...parts, cause });
}

/** Turns a response that is not 2xx into an error. The status decides the class; any body will do. */
export function toApiError(call: Call, received: ReceivedResponse): ApiError {
  const { response, text, isCut } = received;
  const { status, headers } = response;
  const parsed = parseJson(text);
  const fields = isObject(parsed) ? parsed : {};
  const shown = (words: unknown) => (typeof words === 'string' ? serviceWords(call, words) : undefined);
  const said = shown(fields.message);
  // Alone, a `code` may be anyone's.
  const code = said === undefined ? undefined : shown(fields.code);
  const sent: readonly (Partial<ErrorIssue> | null)[] = Array.isArray(fields.issues) ? fields.issues : [];
  const texts = sent.flatMap((issue) => shown(issue?.message) ?? []);
  // The specification lists no other field (7), so any other may hold anything, such as the token.
  const issues = texts.slice(0, MAX_ISSUES).map((message) => ({ message }));
  const lines = texts.slice(0, MAX_ISSUE_LINES).map((one) => `\n  - ${one.slice(0, MAX_WORDS_CHARACTERS)}`);
  if (texts.length > lines.length) lines.push(`\n  - and ${texts.length - lines.length} more issue(s)`);
  const what = said?.slice(0, MAX_WORDS_CHARACTERS) ?? describeBody(text, isCut);
  const problem = `: ${what}${code === undefined ? '' : ` (code: ${code})`}${lines.join('')}`;
  const { message, parts } = describeResponse(call, received, parsed, problem, hintsFor(call, response));
  return new (classOfStatus(status))(message, {
    ...parts,
    // Valid by its schema.
    errorBody: validateOwn(ErrorBodySchema, parsed, 'strict').ok ? (parsed as ErrorBody) : undefined,
    code,
    issues,
    retryAfter: retryAfter(headers),
  });
}

/** Lines that say what to try after an error status. */
function hintsFor(call: Call, { status, headers }: Response): string[] {
  const { settings, attempt } = call;
  const hints: string[] = [];
  if ([401, 403, 404].includes(status)) {
    hints.push(
      `The region is '${settings.region}': check that the token, the ids and ${settings.baseUrl} belong to it.`,
    );
  }
  if (status < 400) hints.push('Redirects are not followed: check the base address.');
  if (attempt.number > 1) hints.push(`This was attempt ${attempt.number}.`);
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
  const { message, parts } = describe(call, event, mayHaveActed(call) && !isRefused, hints);
  return {
    message,
    parts: { ...parts, status, headers, body, rawBody: text.slice(0, MAX_RAW_BODY_CHARACTERS) },
  };
}

/** Returns the message of an error about a call, and the parts that all of its classes have. */
function describe(call: Call, event: string, outcomeUnknown: boolean, hints: readonly string[] = []) {
  const { method, path } = call.request;
  const lines = [`${method} ${path} ${event}`, ...hints];
  if (outcomeUnknown) {
    lines.push('The request may have taken effect. Check before retrying (`error.outcomeUnknown`).');
  }
  const { region } = call.settings;
  return { message: lines.join('\n  '), parts: { method, path, region, outcomeUnknown } };
}

/** Whether the request may have had an effect. If a retry follows, the attempt before it had none. */
function mayHaveActed({ request, attempt }: Call): boolean {
  return request.method !== 'GET' && attempt.isSent && attempt.retryDelayMs === undefined;
}

/** Returns the service's words as an error shows them: on one line, with the token masked. */
export function serviceWords(call: Call, words: string): string {
  return printable(maskToken(call, words).replace(/\s+/g, ' ').trim());
}

/** Masks the token in a text. A text that is cut must be masked before: a part of the token would stay. */
export function maskToken({ attempt }: Call, text: string): string {
  const token = attempt.token ?? '';
  return token.length < MIN_TOKEN_CHARACTERS ? text : text.replaceAll(token, MASK);
}

/** Describes a body that is not what was expected: `HTML, 1234 characters`. */
export function describeBody(text: string, isCut = false): string {
  const start = text.trimStart().slice(0, 20);
  if (start === '') return 'an empty body';
  let kind = 'text that is not JSON';
  if (/^<(!doctype )?html/i.test(start)) kind = 'HTML';
  else if (/^[[{]/.test(start)) kind = 'broken or unexpected JSON';
  return `${kind}, ${isCut ? 'cut off after ' : ''}${text.length} characters`;
}

import { TimeoutError as KyTimeoutError } from 'ky';
import {
  AbortError,
  AgentPlatformError,
  type ApiError,
  ConnectionError,
  RateLimitError,
  TimeoutError,
} from '../../errors/index.js';
import { classOfStatus } from '../../errors/response.js';
import type { ErrorIssue } from '../../schemas/envelope.js';
import { MAX_ISSUES } from '../../utils/issues.js';
import { isObject, parseJson } from '../../utils/json.js';
import { printable } from '../../utils/printable.js';
import { MASK, redact } from '../../utils/redact.js';
import type { Answer } from './response.js';
import { MAX_RETRY_AFTER, retryAfter } from './retry.js';
import type { Call } from './send.js';

/** The most characters of a body that an error keeps as text. */
const MAX_RAW_BODY = 16 * 1024;
/** The most characters of the service's words that a message repeats. */
const MAX_WORDS = 1_000;
/** The most issues that a message lists, one a line. */
const MAX_LINES = 20;
/** The least length of a token that is masked. Shorter ones may be parts of everyday words. */
const MIN_MASKED = 8;

/** Turns whatever ended a call or an attempt into one of the package's errors. */
export function toError(call: Call, thrown: unknown): AgentPlatformError {
  const { options, progress } = call;
  if (thrown instanceof AgentPlatformError) return thrown;
  const attempt = `attempt ${progress.attempts}`;
  if (options.signal?.aborted) {
    const cause: unknown = options.signal.reason;
    return noResponse(AbortError, call, { event: `was aborted by its signal (${attempt})`, cause });
  }
  if (thrown instanceof KyTimeoutError) {
    // Not as a cause: it holds the request with its headers.
    const { limit } = progress;
    const event = `timed out after ${options[limit]} ms (\`${limit}\`, ${attempt})`;
    return noResponse(TimeoutError, call, { event });
  }
  return toConnectionError(call, thrown);
}

/** Turns what `fetch` threw, or the stream of its body, into a typed error. */
export function toConnectionError(call: Call, cause: unknown): ConnectionError {
  const { settings, progress } = call;
  const code = innermost('code', cause);
  // A user-supplied `fetch` may report anything, such as a failure of a second request.
  const neverConnected =
    settings.fetch === undefined && progress.status === undefined && wasNeverConnected(cause);
  const hints: string[] = [];
  if (neverConnected || code === undefined) {
    const own = settings.fetch === undefined ? '' : ', the option `fetch`';
    hints.push(`Check \`baseUrls.${settings.region}\`${own} and the network.`);
  }
  if (neverConnected && CERTIFICATE.test(code ?? '')) {
    hints.push('A certificate of your own is trusted by NODE_EXTRA_CA_CERTS.');
  }
  const reason = serviceWords(call, code ?? innermost('message', cause) ?? String(cause));
  const event = `failed: ${reason} (attempt ${progress.attempts})`;
  return noResponse(ConnectionError, call, { event, hints, cause, neverConnected });
}

/** What the error of an attempt without a response is made of. */
interface NoResponse {
  /** What happened, as the end of a sentence about the call. */
  readonly event: string;
  readonly hints?: readonly string[];
  readonly cause?: unknown;
  /** Whether the request cannot have reached the service. */
  readonly neverConnected?: boolean;
}

function noResponse(
  errorClass: typeof ConnectionError,
  call: Call,
  { event, hints = [], cause, neverConnected = false }: NoResponse,
): ConnectionError {
  const { method, path } = call.request;
  const outcomeUnknown = mayHaveActed(call) && !neverConnected;
  return new errorClass(`${method} ${path} ${event}${hintLines(outcomeUnknown, hints)}`, {
    method,
    path,
    region: call.settings.region,
    outcomeUnknown,
    cause,
  });
}

/** Turns a response that is not 2xx into a typed error. The status decides the class; any body will do. */
export function toApiError(call: Call, answer: Answer): ApiError {
  const { response, body } = answer;
  const { status, headers } = response;
  const parsed = parseJson(body.text);
  const fields = isObject(parsed) ? parsed : {};
  const said = typeof fields.message === 'string' ? serviceWords(call, fields.message) : undefined;
  const code = typeof fields.code === 'string' ? serviceWords(call, fields.code) : undefined;
  const sent = Array.isArray(fields.issues) ? fields.issues.filter(hasMessage) : [];
  const issues = sent.slice(0, MAX_ISSUES).map((issue) => ({
    // An object stays one.
    ...(redact(issue) as ErrorIssue),
    message: serviceWords(call, issue.message),
  }));
  const lines = issues.slice(0, MAX_LINES).map(({ message }) => `\n  - ${message.slice(0, MAX_WORDS)}`);
  if (sent.length > lines.length) lines.push(`\n  - and ${sent.length - lines.length} more issue(s)`);
  const what = said?.slice(0, MAX_WORDS) ?? describeBody(body.text, body.isCut);
  const problem = `: ${what}${code === undefined ? '' : ` (code: ${code})`}${lines.join('')}`;
  const { message, parts } = describeAnswer(call, answer, parsed, problem, hintsFor(call, response));
  if (status === 429) {
    return new RateLimitError(message, { ...parts, code, issues, retryAfter: retryAfter(headers) });
  }
  return new (classOfStatus(status))(message, { ...parts, code, issues });
}

function hasMessage(issue: unknown): issue is ErrorIssue {
  return typeof (issue as ErrorIssue | null)?.message === 'string';
}

/** Lines that say what to try after an error status. */
function hintsFor({ settings, endsAt, progress }: Call, { status, headers }: Response): string[] {
  const hints: string[] = [];
  if ([401, 403, 404].includes(status)) {
    hints.push(`The region is '${settings.region}': check that the token and the ids belong to it.`);
  }
  if (status < 400) hints.push('Redirects are not followed: check the base address.');
  if (progress.attempts > 1) hints.push(`This was attempt ${progress.attempts}.`);
  const seconds = Math.ceil(retryAfter(headers) ?? 0);
  const isTooLong = seconds > MAX_RETRY_AFTER || performance.now() + seconds * 1000 >= endsAt;
  if (seconds > 0) hints.push(`Retry-After is ${seconds} s${isTooLong ? ', too long to wait' : ''}.`);
  return hints;
}

/**
 * Returns the message of an error of a response, and the parts that all of its classes have.
 *
 * @param problem - What is wrong, as the end of a sentence: `: No such tool`.
 */
export function describeAnswer(
  call: Call,
  { response, body }: Answer,
  parsed: unknown,
  problem: string,
  hints: readonly string[] = [],
) {
  const { status, headers } = response;
  const { method, path } = call.request;
  // By a 4xx, the service says that it has refused the request; 408 says nothing of what happened before.
  const isRefused = status >= 400 && status < 500 && status !== 408;
  const outcomeUnknown = mayHaveActed(call) && !isRefused;
  const rawBody = body.text.slice(0, MAX_RAW_BODY);
  const { region } = call.settings;
  return {
    message: `${method} ${path} responded with ${status}${problem}${hintLines(outcomeUnknown, hints)}`,
    parts: { method, path, region, outcomeUnknown, status, headers, body: parsed, rawBody },
  };
}

/** Whether the request may have had an effect: not a GET, and handed to `fetch`. */
function mayHaveActed({ request, progress }: Call): boolean {
  return request.method !== 'GET' && progress.isSent;
}

function hintLines(outcomeUnknown: boolean, hints: readonly string[]): string {
  const unknown = 'The request may have taken effect. Check before retrying (`error.outcomeUnknown`).';
  const all = outcomeUnknown ? [...hints, unknown] : hints;
  return all.map((hint) => `\n  ${hint}`).join('');
}

/** Words of the service as an error shows them: on one line, without the token. */
export function serviceWords({ progress }: Pick<Call, 'progress'>, words: string): string {
  const token = progress.token ?? '';
  const shown = token.length < MIN_MASKED ? words : words.replaceAll(token, MASK);
  return printable(shown.replace(/\s+/g, ' ').trim());
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

/** What runtimes say of a failed connection, as far as it is read here. */
interface Link {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly syscall?: unknown;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[] | undefined;
}

/** An error and its causes; of several errors, the first. */
function chainOf(error: unknown): Link[] {
  const chain: Link[] = [];
  for (let at = error; typeof at === 'object' && at !== null && chain.length < 6; ) {
    const link: Link = at;
    chain.push(link);
    at = link.cause ?? link.errors?.[0];
  }
  return chain;
}

/** The code or the message that a runtime gives a failed connection, wherever it put it. */
function innermost(field: 'code' | 'message', error: unknown): string | undefined {
  const texts = chainOf(error).map((link) => link[field]);
  return texts.filter((text): text is string => typeof text === 'string' && text !== '').at(-1);
}

/** A certificate that is not accepted ends the connection before the request is written. */
const CERTIFICATE = /(^|_)CERT(_|$)|^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/;

/**
 * Codes of connections that were never made: the service cannot have received the request. Any other code may be that
 * of a connection that was cut after the request had arrived.
 */
const NEVER_CONNECTED: ReadonlySet<string> = /* @__PURE__ */ new Set([
  // Node: undici reports them on the cause of its TypeError.
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  // Bun
  'ConnectionRefused',
  'FailedToOpenSocket',
  'DNSResolveFailed',
]);

/** Deno gives no code, only a text; elsewhere a text may be anyone's, such as that of a proxy's page. */
const NEVER_CONNECTED_TEXT = /\b(connection refused|dns error|failed to lookup address|tcp connect error)\b/i;

/** Node's system calls that come before anything is written. */
const BEFORE_CONNECTION: readonly unknown[] = ['connect', 'getaddrinfo'];

/** Whether the request cannot have reached the service. An unknown failure counts as one that may have. */
function wasNeverConnected(error: unknown): boolean {
  const chain = chainOf(error);
  const several = chain.find(({ errors }) => Array.isArray(errors) && errors.length > 0)?.errors;
  // Of several connections, such as to an IPv4 and an IPv6 address, one may have got through.
  if (several !== undefined) return several.every((one) => wasNeverConnected(one));
  const code = innermost('code', error);
  if (code === undefined) {
    return 'Deno' in globalThis && error instanceof Error && NEVER_CONNECTED_TEXT.test(error.message);
  }
  return (
    NEVER_CONNECTED.has(code) ||
    CERTIFICATE.test(code) ||
    chain.some(({ syscall }) => BEFORE_CONNECTION.includes(syscall))
  );
}

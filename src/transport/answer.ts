import { OperationFailedError, ResponseValidationError } from '../errors.js';
import { formatIssues, type Issue, threwIssue } from '../issues.js';
import { parseJson } from '../json.js';
import { redact, withoutSecrets } from '../redact.js';
import { validate } from '../validation.js';
import type { Attempt } from './attempt.js';
import { shownCall } from './attempt-context.js';
import { OUTCOME_UNKNOWN_HINT } from './connection-error.js';
import { describeBody, excerpt, quote } from './excerpt.js';
import { readFailure } from './failure.js';

/** What an answer comes to. */
export interface AnswerResult {
  readonly data: unknown;
  readonly message: string | undefined;
  readonly drift: readonly Issue[];
}

/** Turns a 2xx answer into what the caller wants, or into a typed error. */
export async function readAnswer(answer: Attempt): Promise<AnswerResult> {
  const { context, body: received } = answer;
  const { text, tooLarge } = received;
  const { response } = context.endpoint;
  if (tooLarge) throw invalid(answer, undefined, [tooLargeIssue(context.settings.maxResponseBytes)]);
  if (response.allowEmpty && text.trim() === '') {
    // A deletion that was answered 204 has happened.
    const drift = context.call.validation === 'off' ? [] : [emptyIssue];
    return { data: response.unwrap({}), message: undefined, drift };
  }
  const body = parseJson(text);
  if (body === undefined) throw invalid(answer, undefined, [notJsonIssue(text)]);
  throwIfFailed(answer, body);
  return { message: messageOf(body), ...(await readData(answer, body)) };
}

/** Validates a body and takes the caller's part out. A schema of the user's own may throw, and so may its `unwrap`. */
async function readData(answer: Attempt, body: unknown): Promise<Omit<AnswerResult, 'message'>> {
  const { endpoint, call } = answer.context;
  const { schema, unwrap } = endpoint.response;
  try {
    const verdict = await validate(schema, body, call.validation);
    if (!verdict.ok) throw invalid(answer, body, verdict.issues);
    const drift =
      verdict.drift.length === 0 ? verdict.drift : maskedIssues(verdict.drift, answer.progress.secrets);
    return { data: unwrap(verdict.value), drift };
  } catch (error) {
    if (error instanceof ResponseValidationError) throw error;
    throw invalid(answer, body, [threwIssue], readFailure(error, answer.progress.secrets).cause);
  }
}

const emptyIssue: Issue = {
  path: [],
  code: 'empty_body',
  message: 'expected an envelope, received an empty body',
};

const notJsonIssue = (text: string): Issue => ({
  path: [],
  code: 'not_json',
  message: `expected JSON, received ${describeBody(text)}`,
});

const tooLargeIssue = (maxBytes: number): Issue => ({
  path: [],
  code: 'too_large',
  message: `expected at most ${maxBytes} bytes (the option \`maxResponseBytes\`)`,
});

function messageOf(body: unknown): string | undefined {
  const message = (body as { message?: unknown } | null)?.message;
  return typeof message === 'string' ? message : undefined;
}

/** `success: false`, or `isGood: false` (4.3), in a 2xx. The document does not say what it means: read as a failure. */
function throwIfFailed(answer: Attempt, body: unknown): void {
  const { success, isGood, errors } = (body ?? {}) as {
    success?: unknown;
    isGood?: unknown;
    errors?: unknown;
  };
  if (success !== false && isGood !== false) return;
  const said = messageOf(body) ?? (typeof errors === 'string' ? errors : undefined);
  const words = said === undefined || said === '' ? 'without a reason' : quote(said, answer.progress.secrets);
  const field = success === false ? 'success: false' : 'isGood: false';
  const parts = errorParts(answer, body);
  throw new OperationFailedError(`${headline(parts)}, but failed (${field}): ${words}`, parts);
}

function invalid(
  answer: Attempt,
  body: unknown,
  found: readonly Issue[],
  cause?: unknown,
): ResponseValidationError {
  const outcomeUnknown = answer.context.request.method !== 'GET';
  const hint = outcomeUnknown ? `\n  ${OUTCOME_UNKNOWN_HINT}` : '';
  // What is no JSON, or cannot be read, no mode passes on.
  const forgiveness =
    body === undefined || cause !== undefined
      ? ''
      : "\n  With `validation: 'report'` it is passed on as it is.";
  const parts = errorParts(answer, body);
  const issues = maskedIssues(found, answer.progress.secrets);
  return new ResponseValidationError(
    `${headline(parts)} with a body that does not fit the document${formatIssues(issues)}${forgiveness}${hint}`,
    { ...parts, issues, outcomeUnknown, cause },
  );
}

function errorParts({ context, response, body: { text }, progress }: Attempt, body: unknown) {
  const { secrets } = progress;
  const rawBody = excerpt(text, secrets);
  return { ...shownCall(context, secrets), status: response.status, rawBody, body: masked(body, secrets) };
}

const headline = ({ method, path, status }: ReturnType<typeof errorParts>): string =>
  `${method} ${path} answered ${status}`;

/** The parsed body with marked fields masked, and any echo of the token with them. */
function masked(body: unknown, secrets: readonly string[]): unknown {
  if (body === undefined) return undefined;
  return parseJson(withoutSecrets(JSON.stringify(redact(body)), secrets));
}

/** The name of an unknown field, and the words of a user's own schema, may hold anything that the body holds. */
function maskedIssues(issues: readonly Issue[], secrets: readonly string[]): Issue[] {
  // Masking keeps the shape of what it masks.
  return masked(issues, secrets) as Issue[];
}

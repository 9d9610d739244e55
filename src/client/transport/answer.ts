import { type ResponseVerdict, validateResponse } from '../../endpoints/response-shape.js';
import { OperationFailedError, ResponseValidationError } from '../../errors/index.js';
import { formatIssues, type Issue, threwIssue } from '../../ground/issues.js';
import { parseJson } from '../../ground/json.js';
import type { Answer } from './attempt.js';
import { OUTCOME_UNKNOWN_HINT } from './connection-error.js';
import { notJsonIssue } from './response-body.js';

/** The outcome of a 2xx answer. */
export interface CallResult {
  readonly data: unknown;
  readonly message: string | undefined;
  readonly drift: readonly Issue[];
}

/** Turns a 2xx answer into what the caller wants, or into a typed error. */
export async function readAnswer(answer: Answer): Promise<CallResult> {
  const { text, tooLarge } = answer.body;
  const { settings } = answer.attempt.call;
  if (tooLarge) throw invalid(answer, undefined, [tooLargeIssue(settings.maxResponseBytes)]);
  const body = text.trim() === '' ? undefined : parseJson(text);
  if (body === undefined && text.trim() !== '') throw invalid(answer, undefined, [notJsonIssue(text)]);
  throwIfFailed(answer, body);
  return readData(answer, body);
}

/** Takes the caller's part out of a body. A custom schema may throw. */
async function readData(answer: Answer, body: unknown): Promise<CallResult> {
  const { endpoint, options } = answer.attempt.call;
  let verdict: ResponseVerdict;
  try {
    verdict = await validateResponse(endpoint.response, body, options.validation);
  } catch (error) {
    throw invalid(answer, body, [threwIssue], error);
  }
  if (!verdict.ok) throw invalid(answer, body, verdict.issues);
  return { data: verdict.data, message: messageOf(body), drift: verdict.drift };
}

const tooLargeIssue = (maxBytes: number): Issue => ({
  path: [],
  code: 'too_large',
  message: `expected at most ${maxBytes} bytes (the option \`maxResponseBytes\`)`,
});

function messageOf(body: unknown): string | undefined {
  const message = (body as { message?: unknown } | null)?.message;
  return typeof message === 'string' ? message : undefined;
}

/** `success: false`, or `isGood: false` (4.3), in a 2xx. The specification does not say what it means: read as a failure. */
function throwIfFailed(answer: Answer, body: unknown): void {
  const { success, isGood, errors } = (body ?? {}) as {
    success?: unknown;
    isGood?: unknown;
    errors?: unknown;
  };
  if (success !== false && isGood !== false) return;
  const said = messageOf(body) ?? (typeof errors === 'string' ? errors : undefined);
  const words = said === undefined || said === '' ? 'without a reason' : answer.attempt.masker.quote(said);
  const field = success === false ? 'success: false' : 'isGood: false';
  const parts = errorParts(answer, body);
  throw new OperationFailedError(`${headline(parts)}, but failed (${field}): ${words}`, parts);
}

function invalid(
  answer: Answer,
  body: unknown,
  found: readonly Issue[],
  cause?: unknown,
): ResponseValidationError {
  const outcomeUnknown = answer.attempt.call.request.method !== 'GET';
  const hint = outcomeUnknown ? `\n  ${OUTCOME_UNKNOWN_HINT}` : '';
  const parts = errorParts(answer, body);
  const issues = answer.attempt.masker.issues(found);
  return new ResponseValidationError(
    `${headline(parts)} with a body that does not fit the specification${formatIssues(issues)}${hint}`,
    { ...parts, issues, outcomeUnknown, cause },
  );
}

/** Characters of the longest answer that an error holds parsed: a copy of more would take longer than to parse it. */
const MAX_BODY = 64 * 1024;

function errorParts({ attempt, response, body: { text } }: Answer, body: unknown) {
  const { shown, masker } = attempt;
  return {
    ...shown,
    status: response.status,
    rawBody: masker.body(text),
    body: text.length > MAX_BODY ? undefined : masker.value(body),
  };
}

const headline = ({ method, path, status }: ReturnType<typeof errorParts>): string =>
  `${method} ${path} answered ${status}`;

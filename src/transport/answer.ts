import type { Endpoint } from '../endpoint.js';
import { type CallContext, OperationFailedError, ResponseValidationError } from '../errors.js';
import { formatIssues, type Issue } from '../issues.js';
import { parseJson } from '../json.js';
import { redact, withoutSecrets } from '../redact.js';
import { type ValidationMode, validate } from '../validation.js';
import { OUTCOME_UNKNOWN_HINT } from './api-error.js';
import { describeBody, excerpt, quote } from './excerpt.js';
import type { BodyText } from './response-body.js';

/** A 2xx answer, read. */
export interface Answer extends CallContext {
  readonly status: number;
  readonly body: BodyText;
  readonly secrets: readonly string[];
  readonly maxBytes: number;
}

/** What an answer comes to. */
export interface AnswerResult<Result> {
  readonly data: Result;
  readonly message: string | undefined;
  readonly drift: readonly Issue[];
}

/** Turns a 2xx answer into what the caller wants, or into a typed error. */
export async function readAnswer<Result>(
  endpoint: Endpoint<string, unknown, unknown, Result>,
  answer: Answer,
  mode: ValidationMode,
): Promise<AnswerResult<Result>> {
  const { text, tooLarge } = answer.body;
  const { response } = endpoint;
  if (tooLarge) throw invalid(answer, undefined, [tooLargeIssue(answer.maxBytes)]);
  if (response.allowEmpty && text.trim() === '') {
    // A deletion that was answered 204 has happened.
    return { data: response.unwrap({}), message: undefined, drift: mode === 'off' ? [] : [emptyIssue] };
  }
  const body = parseJson(text);
  if (body === undefined) throw invalid(answer, undefined, [notJsonIssue(text)]);
  throwIfFailed(answer, body);
  const verdict = await validate(response.schema, body, mode);
  if (!verdict.ok) throw invalid(answer, body, verdict.issues);
  return { data: response.unwrap(verdict.value), message: messageOf(body), drift: verdict.drift };
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
function throwIfFailed(answer: Answer, body: unknown): void {
  const { success, isGood, errors } = (body ?? {}) as {
    success?: unknown;
    isGood?: unknown;
    errors?: unknown;
  };
  if (success !== false && isGood !== false) return;
  const said = messageOf(body) ?? (typeof errors === 'string' ? errors : undefined);
  const words = said === undefined || said === '' ? 'without a reason' : quote(said, answer.secrets);
  const field = success === false ? 'success: false' : 'isGood: false';
  throw new OperationFailedError(
    `${answer.method} ${answer.path} answered ${answer.status}, but failed (${field}): ${words}`,
    errorParts(answer, body),
  );
}

function invalid(answer: Answer, body: unknown, issues: readonly Issue[]): ResponseValidationError {
  const outcomeUnknown = answer.method !== 'GET';
  const hint = outcomeUnknown ? `\n  ${OUTCOME_UNKNOWN_HINT}` : '';
  return new ResponseValidationError(
    `${answer.method} ${answer.path} answered ${answer.status} with a body that does not fit the document` +
      `${formatIssues(issues)}${hint}`,
    { ...errorParts(answer, body), issues, outcomeUnknown },
  );
}

function errorParts(answer: Answer, body: unknown) {
  const { method, path, region, status, secrets } = answer;
  const rawBody = excerpt(answer.body.text, secrets);
  return { method, path, region, status, rawBody, body: masked(body, secrets) };
}

/** The parsed body with marked fields masked, and any echo of the token with them. */
function masked(body: unknown, secrets: readonly string[]): unknown {
  if (body === undefined) return undefined;
  return parseJson(withoutSecrets(JSON.stringify(redact(body)), secrets));
}

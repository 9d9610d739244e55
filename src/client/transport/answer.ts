import type { Endpoint } from '../../endpoints/endpoint.js';
import { OperationFailedError, ResponseValidationError } from '../../errors/index.js';
import { formatIssues, type Issue, threwIssue } from '../../ground/issues.js';
import { parseJson } from '../../ground/json.js';
import { isOwnSchema } from '../../schemas/object.js';
import { type Verdict, validate } from '../../validation/validate.js';
import type { Answer } from './attempt.js';
import { OUTCOME_UNKNOWN_HINT } from './connection-error.js';
import { hasTooManyNumbered, tooManyNumberedIssue } from './numbered-fields.js';
import { notJsonIssue } from './response-body.js';
import { readThrown } from './thrown.js';

/** The outcome of a 2xx answer. */
export interface CallResult {
  readonly data: unknown;
  readonly message: string | undefined;
  readonly drift: readonly Issue[];
}

/** Turns a 2xx answer into what the caller wants, or into a typed error. */
export async function readAnswer(answer: Answer): Promise<CallResult> {
  const { text, tooLarge } = answer.body;
  const { settings, options, endpoint } = answer.attempt.call;
  const { response } = endpoint;
  if (tooLarge) throw invalid(answer, undefined, [tooLargeIssue(settings.maxResponseBytes)]);
  if (response.allowEmpty && text.trim() === '') {
    // A deletion that was answered 204 has happened.
    const drift = options.validation === 'off' ? [] : [emptyIssue];
    return readData(answer, undefined, { ok: true, value: {}, drift });
  }
  const body = parseJson(text);
  if (body === undefined) throw invalid(answer, undefined, [notJsonIssue(text)]);
  throwIfFailed(answer, body);
  return readData(answer, body, check(answer, body));
}

/** Holds a body against the schema of its endpoint. */
function check({ attempt, body: { text } }: Answer, body: unknown): Verdict | Promise<Verdict> {
  const { endpoint, options } = attempt.call;
  const { schema } = endpoint.response;
  const { validation } = options;
  if (validation === 'off' || !isOwnSchema(schema) || !hasTooManyNumbered(text)) {
    return validate(schema, body, validation);
  }
  if (validation === 'report') return { ok: true, value: body, drift: [tooManyNumberedIssue] };
  return { ok: false, issues: [tooManyNumberedIssue] };
}

/** Takes the caller's part out of a body. A schema of the user's own may throw, and so may its `unwrap`; both may tell what they read. */
async function readData(
  answer: Answer,
  body: unknown,
  found: Verdict | Promise<Verdict>,
): Promise<CallResult> {
  const { attempt } = answer;
  const { response } = attempt.call.endpoint;
  let issues: readonly Issue[] = [threwIssue];
  let cause: unknown;
  try {
    const verdict = await found;
    const said = verdict.ok ? verdict.drift : verdict.issues;
    // Before anything is masked.
    const mayBeTold = isOwnSchema(response.schema) || said.length === 0 || attempt.noteReceived(body);
    const told = mayBeTold ? said : said.map(withoutWords);
    if (verdict.ok) {
      const drift = told.length === 0 ? told : attempt.masker.issues(told);
      const message = messageOf(body);
      return { data: response.unwrap(verdict.value), message, drift };
    }
    issues = told;
  } catch (error) {
    cause = attempt.noteReceived(body) ? readThrown(error, attempt.masker).cause : TOO_LARGE_TO_TELL;
  }
  throw invalid(answer, body, issues, cause);
}

/** The words of a user's schema may quote what was read: of an answer in which there is too much to look for, they are not told. */
const withoutWords = ({ path, code }: Issue): Issue => ({ path, code, message: 'invalid value' });

/** Stands in place of what a function of the user's threw about such an answer. */
const TOO_LARGE_TO_TELL = 'not told: the answer holds too much in marked fields, or too many fields';

const emptyIssue: Issue = {
  path: [],
  code: 'empty_body',
  message: 'expected an envelope, received an empty body',
};

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
  // After the parts, because it may change the body.
  const isForgiven = cause === undefined && leavesResult(answer.attempt.call.endpoint, body);
  const forgiveness = isForgiven ? "\n  With `validation: 'report'` it is passed on as it is." : '';
  return new ResponseValidationError(
    `${headline(parts)} with a body that does not fit the specification${formatIssues(issues)}${forgiveness}${hint}`,
    { ...parts, issues, outcomeUnknown, cause },
  );
}

/** Tells whether mode `report` would return anything of a body: not of one that is no JSON, or without the `data` that is asked for. */
function leavesResult({ response }: Endpoint, body: unknown): boolean {
  try {
    return body !== undefined && (response.allowEmpty || response.unwrap(body) !== undefined);
  } catch {
    // An `unwrap` of the user's, of a body that does not fit.
    return false;
  }
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

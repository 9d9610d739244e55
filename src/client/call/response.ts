import type { ResponseShape } from '../../endpoints/response-shape.js';
import { OperationFailedError, ResponseValidationError } from '../../errors/index.js';
import { isOwnSchema } from '../../schemas/object.js';
import { formatIssues, type Issue, threwIssue, wrongType } from '../../utils/issues.js';
import { isObject, parseJson } from '../../utils/json.js';
import { type ValidationMode, type Verdict, validate } from '../../validation/validate.js';
import type { ApiResponse } from '../api-promise.js';
import type { Settings } from '../settings.js';
import type { BodyText, Call, ReceivedResponse } from './call.js';
import { describeResponse } from './errors.js';
import { describeBody, findWords, serviceWords } from './words.js';

/** The most bytes of the body of an error status that are read, unless `maxResponseBytes` is less: 1 MiB. */
const MAX_ERROR_BODY_BYTES = 1_048_576;

/**
 * Reads a body as text, up to a number of bytes after decompression.
 *
 * For an error status, a truncated body is returned as far as it was read. For a 2xx, it rejects.
 */
export async function readText(
  response: Response,
  { maxResponseBytes, fetch }: Pick<Settings, 'maxResponseBytes' | 'fetch'>,
  signal: AbortSignal,
): Promise<BodyText> {
  const { ok, body, headers } = response;
  const maxBytes = ok ? maxResponseBytes : Math.min(maxResponseBytes, MAX_ERROR_BODY_BYTES);
  // HTTP itself enforces a declared length, unless the body is compressed.
  const length = headers.get('content-encoding') === null ? headers.get('content-length') : null;
  const isBounded = ok && fetch === undefined && length !== null && Number(length) <= maxBytes;
  // Not every user-supplied `fetch` gives a web stream: the body of node-fetch (docs/v3-LIMITS.md) is one of
  // Node, that of React Native is undefined (https://github.com/facebook/react-native/issues/27741).
  // `text()` rejects for a body that was read before.
  if (isBounded || response.bodyUsed || typeof body?.getReader !== 'function') {
    const text = await response.text();
    return { text: text.slice(0, maxBytes), isCut: text.length > maxBytes };
  }
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  // A user-supplied `fetch` may ignore its signal.
  signal.addEventListener('abort', cancel);
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const left = maxBytes - size;
      size += next.value.byteLength;
      text += decoder.decode(size > maxBytes ? next.value.subarray(0, left) : next.value, { stream: true });
      if (size > maxBytes) return { text, isCut: true };
    }
    return { text: text + decoder.decode(), isCut: false };
  } catch (error) {
    if (ok) throw error;
    return { text, isCut: true };
  } finally {
    signal.removeEventListener('abort', cancel);
    // Ends the connection if the body was left unread.
    cancel();
  }
}

/** Turns a 2xx response into what the caller asked for, or rejects with a typed error. */
export async function toResult(
  call: Call,
  received: ReceivedResponse,
  findIssues: (data: unknown) => readonly Issue[] = () => [],
): Promise<ApiResponse<unknown>> {
  const body = parseBody(call, received);
  throwIfFailed(call, received, body);
  let verdict: Verdict;
  try {
    verdict = await validateResponse(call.endpoint.response, body, call.options.validation);
  } catch (cause) {
    // A custom schema threw.
    throw mismatch(call, received, body, [threwIssue], cause);
  }
  const issues = verdict.ok ? findIssues(verdict.value) : verdict.issues;
  if (!verdict.ok || issues.length > 0) throw mismatch(call, received, body, issues);
  const message = isObject(body) && typeof body.message === 'string' ? body.message : undefined;
  return { data: verdict.value, message, drift: verdict.drift, response: received.response };
}

/** Parses the body of a 2xx; undefined if it is empty. */
function parseBody(call: Call, received: ReceivedResponse): unknown {
  const { text, isCut } = received;
  const unusable = (code: string, message: string) =>
    mismatch(call, received, undefined, [{ path: [], code, message }]);
  if (isCut) {
    const limit = `${call.settings.maxResponseBytes} bytes (the option \`maxResponseBytes\`)`;
    throw unusable('too_large', `expected at most ${limit}`);
  }
  if (text.trim() === '') {
    const { kind } = call.endpoint.response;
    // A custom schema of the whole body may accept it.
    if (kind === 'none' || kind === 'body') return undefined;
    throw unusable('empty_body', EMPTY);
  }
  const body = parseJson(text);
  if (body === undefined) throw unusable('not_json', `expected JSON, received ${describeBody(text)}`);
  return body;
}

/** Throws for `success: false` (2.7) or `isGood: false` (4.3) in a 2xx: a choice of this package. */
function throwIfFailed(call: Call, received: ReceivedResponse, body: unknown): void {
  const fields = isObject(body) ? body : {};
  if (fields.success !== false && fields.isGood !== false) return;
  const field = fields.success === false ? 'success: false' : 'isGood: false';
  const said = findWords(body)?.words;
  const reason = said === undefined ? 'without a reason' : serviceWords(call, said);
  const { message, parts } = describeResponse(call, received, body, `, but failed (${field}): ${reason}`);
  throw new OperationFailedError(message, parts);
}

/** Makes the error of a 2xx whose body does not match its schema. */
function mismatch(
  call: Call,
  received: ReceivedResponse,
  body: unknown,
  issues: readonly Issue[],
  cause?: unknown,
): ResponseValidationError {
  const problem = `, but the body does not match the API specification${formatIssues(issues)}`;
  const { message, parts } = describeResponse(call, received, body, problem);
  return new ResponseValidationError(message, { ...parts, issues, cause });
}

/**
 * Validates a body. The value of the verdict is the caller's part of it.
 *
 * @param body - The parsed body; undefined if it was empty.
 * @returns Rejects with what a custom schema throws.
 */
async function validateResponse(
  shape: ResponseShape<unknown>,
  body: unknown,
  mode: ValidationMode,
): Promise<Verdict> {
  if (body === undefined) return validateEmpty(shape, mode);
  const { schema, fields = {} } = shape;
  const whole = await validate(schema, body, mode);
  // An envelope is an object in every mode.
  if (!isObject(body)) return whole;
  const isOwn = isOwnSchema(schema);
  const undecided = whole.ok && isOwn && mode !== 'off' ? undecidedIssues(body) : [];
  const issues = whole.ok ? [...undecided] : [...whole.issues];
  const drift = whole.ok ? [...whole.drift] : [];
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const inside = (issue: Issue): Issue => ({ ...issue, path: [name, ...issue.path] });
    const verdict = await validate(field, body[name], mode);
    if (!verdict.ok) issues.push(...verdict.issues.map(inside));
    else {
      drift.push(...verdict.drift.map(inside));
      if (name in body || verdict.value !== undefined) values[name] = verdict.value;
    }
  }
  if (issues.length > 0 || !whole.ok) return { ok: false, issues };
  const { success, message, ...others } = body;
  const parts = { none: undefined, body: whole.value, data: values.data, fields: { ...others, ...values } };
  return { ok: true, value: parts[shape.kind], drift };
}

/** The fields that say whether an operation succeeded (2.7, 4.3). */
const DECIDING = ['success', 'isGood'] as const;

/** Finds a success flag with an unusable value: the caller must not take it for a success. */
function undecidedIssues(body: Readonly<Record<string, unknown>>): Issue[] {
  const undecided = DECIDING.filter((name) => Object.hasOwn(body, name) && typeof body[name] !== 'boolean');
  return undecided.map((name) => {
    return { path: [name], code: 'invalid_type', message: wrongType('boolean', body[name]) };
  });
}

const EMPTY = 'expected JSON, received an empty body';

/** An empty body of an operation without data, or of one whose schema may accept it. */
async function validateEmpty(
  { kind, schema }: ResponseShape<unknown>,
  mode: ValidationMode,
): Promise<Verdict> {
  const issues = [{ path: [], code: 'empty_body', message: EMPTY }];
  if (kind === 'none') return { ok: true, value: undefined, drift: mode === 'off' ? [] : issues };
  const verdict = await validate(schema, undefined, 'strict');
  return verdict.ok ? verdict : { ok: false, issues };
}

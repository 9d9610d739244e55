import type { ResponseShape } from '../../endpoints/response-shape.js';
import { OperationFailedError, ResponseValidationError } from '../../errors/index.js';
import { EnvelopeSchema } from '../../schemas/envelope.js';
import { formatIssues, type Issue, threwIssue } from '../../utils/issues.js';
import { isObject, parseJson } from '../../utils/json.js';
import type { StandardSchemaV1 } from '../../utils/standard-schema.js';
import { type ValidationMode, type Verdict, validate, validateOwn } from '../../validation/validate.js';
import type { Settings } from '../settings.js';
import type { BodyText, Call, ReceivedResponse } from './call.js';
import { describeResponse } from './errors.js';
import { describeBody, serviceWords } from './words.js';

/** What a 2xx response gives the caller, and the drift that its validation forgave. */
export interface CallResult {
  readonly data: unknown;
  readonly message: string | undefined;
  readonly drift: readonly Issue[];
}

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
export async function toResult(call: Call, received: ReceivedResponse): Promise<CallResult> {
  const body = parseBody(call, received);
  throwIfFailed(call, received, body);
  let verdict: Verdict;
  try {
    verdict = await validateResponse(call.endpoint.response, body, call.options.validation);
  } catch (cause) {
    // A custom schema threw.
    throw mismatch(call, received, body, [threwIssue], cause);
  }
  if (!verdict.ok) throw mismatch(call, received, body, verdict.issues);
  return { data: verdict.value, message: messageOf(body), drift: verdict.drift };
}

/** Parses the body of a 2xx; undefined if it is empty. */
function parseBody(call: Call, received: ReceivedResponse): unknown {
  const { text, isCut } = received;
  const refuse = (code: string, message: string) =>
    mismatch(call, received, undefined, [{ path: [], code, message }]);
  if (isCut) {
    const limit = `${call.settings.maxResponseBytes} bytes (the option \`maxResponseBytes\`)`;
    throw refuse('too_large', `expected at most ${limit}`);
  }
  if (text.trim() === '') return undefined;
  const body = parseJson(text);
  if (body === undefined) throw refuse('not_json', `expected JSON, received ${describeBody(text)}`);
  return body;
}

function messageOf(body: unknown): string | undefined {
  return isObject(body) && typeof body.message === 'string' ? body.message : undefined;
}

/** Throws for `success: false` (2.7) or `isGood: false` (4.3) in a 2xx: a choice of this package. */
function throwIfFailed(call: Call, received: ReceivedResponse, body: unknown): void {
  const fields = isObject(body) ? body : {};
  if (fields.success !== false && fields.isGood !== false) return;
  const field = fields.success === false ? 'success: false' : 'isGood: false';
  const said = messageOf(body) || (typeof fields.errors === 'string' ? fields.errors : '');
  const reason = said === '' ? 'without a reason' : serviceWords(call, said);
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
  const { kind, schema } = shape;
  if (body === undefined) return validateEmpty(shape, mode);
  if (kind === 'data') return validateEnvelope(schema, body, mode);
  const verdict = await validate(schema, body, mode);
  return verdict.ok ? { ...verdict, value: partOf(kind, verdict.value) } : verdict;
}

/** An empty body has no data, in every mode; a custom schema of the whole body may accept it. */
async function validateEmpty(
  { kind, schema }: ResponseShape<unknown>,
  mode: ValidationMode,
): Promise<Verdict> {
  const issues = [{ path: [], code: 'empty_body', message: 'expected JSON, received an empty body' }];
  if (kind === 'none') return { ok: true, value: undefined, drift: mode === 'off' ? [] : issues };
  const verdict = kind === 'body' ? await validate(schema, undefined, 'strict') : undefined;
  return verdict?.ok ? verdict : { ok: false, issues };
}

/** Validates the envelope, and `data` by its own schema. */
async function validateEnvelope(
  schema: StandardSchemaV1,
  body: unknown,
  mode: ValidationMode,
): Promise<Verdict> {
  const envelope = validateOwn(EnvelopeSchema, body, mode);
  if (!isObject(body)) return envelope.ok ? { ...envelope, value: undefined } : envelope;
  const data = await validate(schema, body.data, mode);
  if (envelope.ok && data.ok) {
    return { ok: true, value: data.value, drift: [...envelope.drift, ...data.drift.map(insideData)] };
  }
  const ofEnvelope = envelope.ok ? [] : envelope.issues;
  const ofData = data.ok ? [] : data.issues.map(insideData);
  return { ok: false, issues: [...ofEnvelope, ...ofData] };
}

function insideData(issue: Issue): Issue {
  return { ...issue, path: ['data', ...issue.path] };
}

/** Returns the caller's part of a whole body. */
function partOf(kind: 'none' | 'fields' | 'body', body: unknown): unknown {
  if (kind === 'none') return undefined;
  if (kind === 'body' || !isObject(body)) return body;
  const { success, message, ...fields } = body;
  return fields;
}

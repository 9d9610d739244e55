import { validateResponse } from '../../endpoints/response-shape.js';
import { OperationFailedError, ResponseValidationError } from '../../errors/index.js';
import { formatIssues, type Issue, threwIssue } from '../../utils/issues.js';
import { isObject, parseJson } from '../../utils/json.js';
import type { Verdict } from '../../validation/validate.js';
import type { Settings } from '../settings.js';
import { describeAnswer, describeBody, serviceWords } from './errors.js';
import type { Call } from './send.js';

/** The body of a response, as far as it was read. */
export interface BodyText {
  readonly text: string;
  /** Whether the end is missing: the body exceeds the limit, or the connection was cut. */
  readonly isCut: boolean;
}

/** The response to an attempt, its body read. */
export interface Answer {
  readonly response: Response;
  readonly body: BodyText;
}

/** What a 2xx response gives the caller, and what its validation has forgiven. */
export interface CallResult {
  readonly data: unknown;
  readonly message: string | undefined;
  readonly drift: readonly Issue[];
}

/** The most bytes that are read of the body of an error status, unless `maxResponseBytes` is less: 1 MiB. */
const MAX_ERROR_BYTES = 2 ** 20;

/**
 * Reads a body as text, up to a number of bytes after decompression.
 *
 * Of an error status, a body that is cut off keeps what came. Of a 2xx, it rejects.
 */
export async function readBody(
  response: Response,
  { maxResponseBytes, fetch }: Pick<Settings, 'maxResponseBytes' | 'fetch'>,
  signal: AbortSignal,
): Promise<BodyText> {
  const { ok, body, headers } = response;
  const maxBytes = ok ? maxResponseBytes : Math.min(maxResponseBytes, MAX_ERROR_BYTES);
  // HTTP itself enforces a declared length, unless the body is compressed.
  const length = headers.get('content-encoding') === null ? headers.get('content-length') : null;
  const isBounded = ok && fetch === undefined && length !== null && Number(length) <= maxBytes;
  // Not every user-supplied `fetch` gives a stream: those of React Native and node-fetch do not.
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
export async function readResponse(call: Call, answer: Answer): Promise<CallResult> {
  const { settings, options, endpoint } = call;
  const { text, isCut } = answer.body;
  const refuse = (code: string, message: string) =>
    unfit(call, answer, undefined, [{ path: [], code, message }]);
  if (isCut) {
    const limit = `${settings.maxResponseBytes} bytes (the option \`maxResponseBytes\`)`;
    throw refuse('too_large', `expected at most ${limit}`);
  }
  const isEmpty = text.trim() === '';
  const body = isEmpty ? undefined : parseJson(text);
  if (body === undefined && !isEmpty) {
    throw refuse('not_json', `expected JSON, received ${describeBody(text)}`);
  }
  throwIfFailed(call, answer, body);
  let verdict: Verdict;
  try {
    verdict = await validateResponse(endpoint.response, body, options.validation);
  } catch (cause) {
    // A custom schema.
    throw unfit(call, answer, body, [threwIssue], cause);
  }
  if (!verdict.ok) throw unfit(call, answer, body, verdict.issues);
  return { data: verdict.value, message: messageOf(body), drift: verdict.drift };
}

function messageOf(body: unknown): string | undefined {
  return isObject(body) && typeof body.message === 'string' ? body.message : undefined;
}

/** `success: false`, or `isGood: false` (4.3), in a 2xx. The specification does not say what it means: a choice. */
function throwIfFailed(call: Call, answer: Answer, body: unknown): void {
  const fields = isObject(body) ? body : {};
  if (fields.success !== false && fields.isGood !== false) return;
  const field = fields.success === false ? 'success: false' : 'isGood: false';
  const said = messageOf(body) || (typeof fields.errors === 'string' ? fields.errors : '');
  const reason = said === '' ? 'without a reason' : serviceWords(call, said);
  const { message, parts } = describeAnswer(call, answer, body, `, but failed (${field}): ${reason}`);
  throw new OperationFailedError(message, parts);
}

/** The error of a 2xx whose body does not match its schema. */
function unfit(
  call: Call,
  answer: Answer,
  body: unknown,
  issues: readonly Issue[],
  cause?: unknown,
): ResponseValidationError {
  const problem = `, but the body does not match the API specification${formatIssues(issues)}`;
  const { message, parts } = describeAnswer(call, answer, body, problem);
  return new ResponseValidationError(message, { ...parts, issues, cause });
}

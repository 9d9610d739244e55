import type { ErrorBody } from '../../schemas/envelope.js';
import { parseJson } from '../../utils/json.js';

/** The envelope of a success (2.7). The specification does not show its message: `'OK'` is a choice. */
export const SUCCESS = { success: true, message: 'OK' } as const;

/** A response of the fake, with its body as the log shows it. */
export interface Answer {
  readonly response: Response;
  readonly body: unknown;
}

/** Returns whether a content type is JSON. */
export function isJson(contentType: string | null | undefined): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType ?? '');
}

/** Creates a response like the service's: JSON, with its length. */
export function jsonResponse(body: unknown, status: number): Response {
  if (hasNoBody(status)) return new Response(null, { status });
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return new Response(bytes, {
    status,
    headers: { 'content-type': 'application/json', 'content-length': String(bytes.byteLength) },
  });
}

/** The error body of section 7, with `issues` only if there are some. */
export function errorBody(code: string, message: string, issues: readonly string[] = []): ErrorBody {
  const error: ErrorBody = { message, code };
  if (issues.length > 0) error.issues = issues.map((text) => ({ message: text }));
  return error;
}

/** A body for the log: JSON as its value, anything else as text, undefined if there is none. */
export function readable(text: string): unknown {
  if (text === '') return undefined;
  const value = parseJson(text);
  return value === undefined ? text : value;
}

/**
 * Returns whether a response with this status has no body.
 *
 * `new Response` throws if one of these has a body (fetch.spec.whatwg.org, 2.2.3: null body status).
 */
export function hasNoBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

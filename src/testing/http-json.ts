import { formatPath, type Issue } from '../ground/issues.js';
import type { ErrorBody } from '../schemas/envelope.js';

const encoder = /* @__PURE__ */ new TextEncoder();

/** Tells whether a request declares its body as JSON. */
export function isJson(request: Request): boolean {
  return /^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '');
}

/** Makes a response as the service sends it: JSON, with its length. */
export function jsonResponse(body: unknown, status: number): Response {
  if (hasNoBody(status)) return new Response(null, { status });
  const bytes = encoder.encode(JSON.stringify(body));
  return new Response(bytes, {
    status,
    headers: { 'content-type': 'application/json', 'content-length': String(bytes.byteLength) },
  });
}

/** Makes a response with the error body of section 7. */
export function errorResponse(
  status: number,
  code: string,
  message: string,
  issues: readonly string[] = [],
): Response {
  return jsonResponse(errorBody(code, message, issues), status);
}

/** The error body of section 7: `issues` only where there are some, and no other property. */
export function errorBody(code: string, message: string, issues: readonly string[] = []): ErrorBody {
  const error: ErrorBody = { message, code };
  if (issues.length > 0) error.issues = issues.map((text) => ({ message: text }));
  return error;
}

/** Describes what is wrong with a body, a line for each place. */
export function issueLines(issues: readonly Issue[]): readonly string[] {
  return issues.map(({ path, message }) => `${formatPath(path)}: ${message}`);
}

/** These statuses have no body, by the standard: `new Response` would throw. */
export function hasNoBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

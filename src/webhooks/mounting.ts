import { isObject } from '../ground/json.js';

// Hints for a developer who has mounted the receiver wrongly. Each says what to do instead.

export const READ_BEFORE =
  'Its body was read before. Mount the receiver before whatever reads it; behind a body parser of your own, pass what it parsed: receiver.node(request, response, body).';

/** Says what to do, where the thing that the receiver was called with is no request that it takes, or has no body. */
export function mountingHint(request: unknown): string | undefined {
  try {
    return hintFor(request);
  } catch {
    // A request that cannot be looked at gets no hint.
    return undefined;
  }
}

function hintFor(request: unknown): string | undefined {
  if (!isObject(request)) return 'Pass an object: receiver.handle({ method, body }).';
  const { requestContext, httpMethod, method, body, arrayBuffer, pipe } = request;
  if (requestContext !== undefined || httpMethod !== undefined) {
    return 'This is an event of Lambda: pass its parts, receiver.handle({ method: event.requestContext.http.method, body: event.body }), the body decoded if isBase64Encoded.';
  }
  if (typeof arrayBuffer === 'function')
    return 'This is a request of the Fetch API: pass it to receiver.fetch.';
  // Koa's own request has a `req` too, and a method: it is one for `handle`.
  if (request.request !== undefined || (request.req !== undefined && method === undefined)) {
    return "This is a framework's context: pass its request, receiver.handle({ method, body }), or receiver.fetch(c.req.raw) in Hono.";
  }
  if (body !== undefined) return undefined;
  return typeof pipe === 'function'
    ? 'Nobody has read this request: pass it to receiver.node(request, response), or mount a body parser.'
    : 'There is no body: is a body parser mounted?';
}

import { isObject } from '../../utils/json.js';
import { onOneLine } from '../../utils/printable.js';

// What to write instead of a wrong mount.

export const READ_BEFORE =
  'The body was read before. Mount the receiver before whatever reads it, let that read `request.clone()`, ' +
  'or pass what was parsed: receiver.node(request, response, body).';
export const IN_KOA = 'In Koa: context.respond = false; await receiver.node(context.req, context.res)';
export const IN_HONO = 'In Hono: receiver.fetch(c.req.raw)';

/** Says that the program has responded to a delivery itself, while its handlers were running. */
export function responseTaken(sent: number, meant: number): string {
  return (
    `your program responded with ${sent} to a webhook before its handlers ended with ${meant}. ` +
    'Send nothing: receiver.node responds.'
  );
}

/** Describes what a text is that carries no secret to be found; undefined if it is a JSON object. */
export function bodyHint(text: string): string | undefined {
  const start = text.trimStart();
  if (start.startsWith('{')) return undefined;
  let kind = 'neither a JSON object nor gzip';
  if (start.startsWith('"')) kind = 'JSON inside a string: it was stringified twice';
  // `{"` in base64.
  else if (start.startsWith('eyJ')) kind = 'base64: decode it';
  else if (/^(--|[\w.[\]%+-]+=)/.test(start)) kind = 'form data: send JSON';
  return `The body is ${kind}.`;
}

/** Describes why a stream failed, such as by a framework's limit. It was not parsed, so nothing quotes it. */
export function readingHint(error: unknown): string | undefined {
  // Node 22 and later throw an error without a message for broken gzip.
  return error instanceof Error
    ? `Reading it failed: ${onOneLine(error.message || 'is it cut off?')}`
    : undefined;
}

/** Returns what to do about a wrong mount; undefined if nothing is wrong with it. */
export function mountingHint(request: unknown): string | undefined {
  if (!isObject(request)) return 'Pass an object: receiver.handle({ method, body }).';
  const { requestContext, httpMethod, method, req, arrayBuffer, pipe, body, raw, payload } = request;
  if (requestContext !== undefined || httpMethod !== undefined) {
    return (
      'This is an event of AWS Lambda. Pass its parts: ' +
      'receiver.handle({ method: event.httpMethod ?? event.requestContext.http.method, ' +
      "body: event.isBase64Encoded ? Buffer.from(event.body, 'base64') : event.body })."
    );
  }
  if (typeof arrayBuffer === 'function') {
    // Only Hono's `c.req` has `raw`, the `Request` itself (hono 4.13, src/request.ts).
    return raw === undefined ? 'This is a `Request`. Pass it to receiver.fetch.' : IN_HONO;
  }
  // Koa's context has `request` (koa 3.3, lib/application.js), Hono's has `req` and no `method`.
  if (request.request !== undefined || (req !== undefined && method === undefined)) {
    return `This is the context of a framework. ${IN_HONO}. ${IN_KOA}`;
  }
  if (method === undefined && payload !== undefined) {
    return 'This is the parsed body. Pass receiver.handle({ method, body }).';
  }
  if (body !== undefined) return method === undefined ? '`method` is missing.' : undefined;
  return typeof pipe === 'function'
    ? 'Nobody has read this request. Pass it to receiver.node(request, response), or mount a body parser.'
    : 'There is no body. Is a body parser mounted?';
}

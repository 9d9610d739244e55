import { ConfigurationError } from '../errors/index.js';
import { isObject } from '../utils/json.js';
import { onOneLine } from '../utils/printable.js';

// Messages that tell the reader how to mount the receiver.

export const READ_BEFORE =
  'The body was read before. Mount the receiver before whatever reads it, give that `request.clone()`, ' +
  'or pass the parsed body: receiver.node(request, response, body). ' +
  'In h3 1, Nitro and Nuxt: receiver.fetch(toWebRequest(event)).';

export const UNREAD = 'It is a Node stream. Only receiver.node(request, response) reads one.';

export const NO_STREAM = 'This `Request` has no stream: pass { method, body: text } to receiver.handle.';

/** How each framework hands a delivery over. A `${…}` in it would keep it in each bundle of parseWebhook (esbuild 0.28). */
const MOUNTS = `
  Express: app.post('/webhooks', receiver.node)
  Fastify: reply.hijack(); await receiver.node(request.raw, reply.raw)
  Koa: context.respond = false; await receiver.node(context.req, context.res)
  Hono: receiver.fetch(c.req.raw)
  SvelteKit, Remix, Astro: receiver.fetch(event.request)`;

/**
 * Returns the error for a framework that passed something else than the method takes.
 *
 * Throw it. If it is returned, the framework responds with 200 to an event that nobody handled.
 */
export function wrongMount(method: string, takes: string): ConfigurationError {
  const message = `receiver.${method} takes ${takes}, but got something else. Mount the receiver like this:`;
  return new ConfigurationError(message + MOUNTS, { option: method });
}

/** Says that the program has responded to a delivery itself, while its handlers were running. */
export function responseTaken(sent: number, meant: number): string {
  return (
    `your program responded with ${sent} to a webhook, so receiver.node could not send its ${meant}. ` +
    'Do not respond yourself.'
  );
}

/** Says that the program has not sent the response to a delivery. */
export function responseDropped(status: number): string {
  const problem = `the response of receiver.fetch to a webhook (${status}) was not sent`;
  return `${problem}. Return it, or its status: a 200 loses the event.`;
}

/** Describes what a text is instead of a JSON object; undefined if it is one, or starts like it. */
export function bodyHint(text: string, headers: unknown): string | undefined {
  const start = text.trimStart();
  if (start === '') return 'The body is empty. Was it read before?';
  if (start.startsWith('{')) return undefined;
  const encoding = encodingOf(headers);
  if (encoding !== undefined) {
    return `The body is compressed (${encoding}). The receiver unpacks only gzip: turn the compression off in your proxy.`;
  }
  let kind = 'neither a JSON object nor gzip';
  if (start.startsWith('"')) kind = 'JSON inside a string: it was stringified twice';
  // Its first byte (RFC 1952, 2.3.1).
  else if (start.startsWith('\x1f')) kind = 'gzip: pass its bytes to parseWebhookRequest';
  // `{"` in base64.
  else if (start.startsWith('eyJ')) kind = 'base64: decode it';
  else if (/^(--|[\w.[\]%+-]+=)/.test(start)) kind = 'form data: send JSON';
  return `The body is ${kind}.`;
}

/** Returns the encoding that the headers of a `Request` or of a Node request name. */
function encodingOf(headers: unknown): string | undefined {
  if (!isObject(headers)) return undefined;
  const name = 'content-encoding';
  const given: unknown =
    typeof headers.get === 'function' ? (headers as unknown as Headers).get(name) : headers[name];
  // A server may have unpacked gzip, and left the header.
  return typeof given === 'string' && given !== 'gzip' ? onOneLine(given) : undefined;
}

/** The next value of a JSON text with what leads to it, or what closes an object or a list. */
const STEP =
  // oxlint-disable-next-line no-control-regex -- JSON allows none in a string.
  /(?:(?:^|[,:])\s*(?:[[{]\s*)*(?:"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[[{]\s*[\]}])|[\]}])\s*/y;

/**
 * Says where a text stops being JSON, or why there is none.
 *
 * No engine's message will do: V8's quotes the body and has no position for `NaN`, Bun's never has one.
 */
export function breakHint(text: string): string {
  let at = 0;
  STEP.lastIndex = 0;
  try {
    while (STEP.test(text)) at = STEP.lastIndex;
  } catch {
    // A string of millions of escapes is too much for V8 (nodejs/node#759). It begins here.
  }
  const rest = text.slice(at).replace(/^[,:[{\s]+/, '');
  if (rest === '') return `The JSON is cut off at position ${text.length}, or its brackets do not match.`;
  const word = /^(-?Infinity|NaN|undefined|None|True|False)\b/.exec(rest)?.[0];
  const found = word === undefined ? '' : `: ${word} is not JSON`;
  return `The JSON breaks at position ${text.length - rest.length} of ${text.length}${found}.`;
}

/** Describes why a stream failed, such as by a framework's limit. It was not parsed, so nothing quotes it. */
export function readingHint(error: unknown): string | undefined {
  // Node 22 and later throw an error without a message for broken gzip.
  return error instanceof Error
    ? `Reading it failed: ${onOneLine(error.message || 'is it cut off?')}`
    : undefined;
}

/** Returns what to do about a receiver that takes every route of an app away from the others. */
export function everyRouteHint(request: unknown): string | undefined {
  const { url, originalUrl, route } = isObject(request) ? request : {};
  // `app.use(path, …)` cuts the path off `url`, and a route sets `route` (express 4 and 5, connect, middie).
  if (originalUrl === undefined || originalUrl !== url || route !== undefined) return undefined;
  return "The receiver is mounted on every route. Give it a path: app.use('/webhooks', receiver.node)";
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
    return `This is a \`Request\`. Pass it on: receiver.fetch(${raw === undefined ? 'request' : 'c.req.raw'})`;
  }
  // Koa's context has `request` (koa 3.3, lib/application.js), Hono's has `req` and no `method`.
  if (request.request !== undefined || (req !== undefined && method === undefined)) {
    return `This is the context of a framework. Mount the receiver like this:${MOUNTS}`;
  }
  if (method === undefined && payload !== undefined) {
    return 'This is the parsed body. Pass receiver.handle({ method, body }).';
  }
  if (body !== undefined) return method === undefined ? '`method` is missing.' : undefined;
  return typeof pipe === 'function'
    ? 'Nobody has read this request. Pass it to receiver.node(request, response), or mount a body parser.'
    : 'There is no body. Is a body parser mounted?';
}

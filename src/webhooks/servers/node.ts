import { isObject } from '../../utils/json.js';
import { isBytes } from '../body/decode.js';
import { ByteCollector, ignore, toBytes, tooLarge, type UnverifiedBody } from '../body/reading.js';
import { isNodeStream } from '../body/streams.js';
import { READ_BEFORE, readingHint } from '../hints.js';
import { Rejection, type RejectionReason, type WebhookResponse } from '../outcomes.js';

/** The part of a `node:http` request that is needed. Requests of Express and of HTTP/2 fit too. */
export interface NodeRequest {
  /** The HTTP method. */
  readonly method?: string | undefined;
  /** The headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body, as a body parser has made it. */
  readonly body?: unknown;
  /** The text or bytes of the body, where a server keeps them beside the parsed one: Firebase, Nest. */
  readonly rawBody?: unknown;
  /** True when the body was read to its end. */
  readonly readableEnded?: boolean | undefined;
  /** True when a chunk of the body was read. */
  readonly readableDidRead?: boolean | undefined;
  /** True when the connection is gone. */
  readonly destroyed?: boolean | undefined;
  /** Registers a listener of the stream. */
  on(event: string, listener: (value?: unknown) => void): unknown;
  /** Closes the connection. */
  destroy(): unknown;
}

/** The part of a `node:http` response that is needed. */
export interface NodeResponse {
  /** The HTTP status to respond with. */
  statusCode: number;
  /** True when a response has started. */
  readonly headersSent: boolean;
  /** True when the connection is gone. */
  readonly destroyed?: boolean | undefined;
  /** The connection. Node's own has a `server`. */
  readonly socket?: unknown;
  /** Registers a listener of the stream. */
  on(event: string, listener: (value?: unknown) => void): unknown;
  /** Sets a header of the response. */
  setHeader(name: string, value: string): unknown;
  /** Sends the body and ends the response. */
  end(body: string): unknown;
}

/** Whether a framework passed a request and a response of `node:http`. */
export function isNode(request: NodeRequest, response: NodeResponse): boolean {
  const isRequest = typeof request?.on === 'function';
  return isRequest && typeof response?.setHeader === 'function' && typeof response.end === 'function';
}

/**
 * Returns the body that a parser has made of a request; undefined if the stream is still to be read.
 *
 * A parser of Fastify may pass the stream on (`done(null, payload)`).
 */
export function parsedBody(request: NodeRequest, parsed: unknown): unknown {
  const isGiven = parsed !== undefined && typeof parsed !== 'function';
  const { rawBody } = request;
  // Numbers above 2^53 are exact only there. Something may still be collecting it, or has come too late.
  const isText = typeof rawBody === 'string' && rawBody !== '';
  if (!isGiven && request.readableEnded !== false && (isText || isBytes(rawBody))) return rawBody;
  const value = isGiven ? parsed : request.body;
  // The parsers of Express 4 (body-parser 1) set `{}` for a content type that they do not accept, and leave
  // the stream unread (expressjs/body-parser#269).
  const isEmpty = value === null || (isObject(value) && Object.keys(value).length === 0);
  const isUnread = (isEmpty && request.readableEnded === false) || isNodeStream(value);
  return isUnread ? undefined : value;
}

interface Reading {
  readonly bytes: ByteCollector;
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (rejection: Rejection) => void;
}

/** Reads the stream of a request, until it exceeds the limit or the reading is stopped. Discards the rest. */
export function readNode(request: NodeRequest, unverified: UnverifiedBody): Promise<Uint8Array> {
  const { limit } = unverified;
  // A request that is aborted later emits an error. Node's own does so only if there are listeners
  // (v20.20 lib/_http_incoming.js:439). Others always do, which would end the process: `inject` of Fastify
  // (light-my-request 6.8, lib/request.js:349).
  let failure: unknown;
  request.on('error', (error) => {
    failure = error;
  });
  // Whoever read a chunk already holds the start of the body.
  if (request.readableEnded === true || request.readableDidRead === true) {
    throw new Rejection('body_unreadable', undefined, READ_BEFORE);
  }
  if (request.destroyed === true) throw new Rejection('body_unreadable');
  const announced = Number(request.headers['content-length']);
  if (announced > limit) {
    discard(request, limit);
    throw tooLarge(limit, announced);
  }
  return new Promise((resolve, reject) => {
    // The listeners stay on the stream, and must not keep the bytes, nor the promise, which has them too.
    let reading: Reading | undefined = { bytes: new ByteCollector(unverified), resolve, reject };
    const end = (): Reading | undefined => {
      const ended = reading;
      reading = undefined;
      return ended;
    };
    const refuse = (rejection: Rejection) => {
      discard(request, limit);
      end()?.reject(rejection);
    };
    const stop = (reason: RejectionReason) => {
      if (reading !== undefined) refuse(new Rejection(reason, reading.bytes.size, readingHint(failure)));
    };
    unverified.stop = stop;
    request.on('data', (data) => {
      if (reading === undefined) return;
      const chunk = toBytes(data);
      const size = reading.bytes.size + chunk.byteLength;
      if (size > limit) return refuse(tooLarge(limit, size));
      reading.bytes.add(chunk);
    });
    request.on('end', () => {
      // A stream of HTTP/2 that was cut off ends as if it were complete (v20.20 lib/internal/http2/core.js,
      // onStreamClose). With an encoding, something may have unpacked the body.
      const isWhole =
        request.headers['content-encoding'] !== undefined || !(reading && reading.bytes.size < announced);
      if (!isWhole) return stop('body_unreadable');
      const ended = end();
      ended?.resolve(ended.bytes.whole);
    });
    // Emitted after whatever cuts the body off, and after a complete one too (nodejs/node#33035).
    request.on('close', () => stop('body_unreadable'));
  });
}

/**
 * Lets the rest of a refused body pass, so that the sender gets to read the response.
 *
 * Ends the connection when twice the limit has passed.
 */
function discard(request: NodeRequest, limit: number): void {
  let passed = 0;
  // A listener for `data` makes the stream flow.
  request.on('data', (chunk) => {
    passed += toBytes(chunk).byteLength;
    if (passed > 2 * limit) request.destroy();
  });
}

/** The servers that `drain` shuts down. */
export const drainingServers = /* @__PURE__ */ new WeakSet<object>();

/** Writes the response, unless the sender is gone. Returns false if something else has responded. */
export function respondNode(response: NodeResponse, { status, headers, body }: WebhookResponse): boolean {
  if (response.headersSent) return false;
  if (response.destroyed === true) return true;
  response.on('error', ignore);
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const { server } = (response.socket ?? {}) as { readonly server?: object };
  if (server !== undefined && drainingServers.has(server)) response.setHeader('connection', 'close');
  response.end(body);
  return true;
}

import { ConfigurationError } from '../../errors/index.js';
import { isObject } from '../../utils/json.js';
import { Rejection, type RejectionReason, type WebhookResponse } from '../outcomes.js';

// The ways between a server and the receiver: a `Request`, what `node:http` passes to its listener, or plain parts.

/**
 * The most bytes of a body that are read by default: 8 MiB. The specification names no limit, and of all events only
 * `conversation_updated` grows. This is room for four thousand messages of 1 kB each, which it carries twice.
 */
export const DEFAULT_MAX_BODY_BYTES = 8 * 1024 * 1024;

/** One body that is being read. */
export interface Reading {
  /** The most bytes that are read. */
  readonly limit: number;
  /** Shared by all bodies of a receiver. */
  readonly budget?: ReadBudget | undefined;
  /** Ends the read early. Set by the reader. */
  stop?: (reason: RejectionReason) => void;
}

/** Bounds the bytes of all bodies that are being read. Above the limit, the oldest read is ended. */
export class ReadBudget {
  readonly #limit: number;
  /** The bytes of each read, the oldest first. */
  readonly #reads = new Map<Reading, number>();
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(reading: Reading, bytes: number): void {
    this.#bytes += bytes;
    this.#reads.set(reading, (this.#reads.get(reading) ?? 0) + bytes);
    for (const oldest of this.#reads.keys()) {
      if (this.#bytes <= this.#limit) return;
      this.end(oldest);
      oldest.stop?.('overloaded');
    }
  }

  end(reading: Reading): void {
    this.#bytes -= this.#reads.get(reading) ?? 0;
    this.#reads.delete(reading);
  }
}

const encoder = /* @__PURE__ */ new TextEncoder();

/** Collects chunks in one growing array: a list would cost a hundred bytes for each, and a sender may send single bytes. */
class Bytes {
  size = 0;
  #bytes = new Uint8Array();

  add(chunk: Uint8Array): void {
    const at = this.size;
    this.size += chunk.byteLength;
    if (this.size > this.#bytes.byteLength) {
      const grown = new Uint8Array(at === 0 ? this.size : 2 * this.size);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(chunk, at);
  }

  get whole(): Uint8Array {
    return this.#bytes.subarray(0, this.size);
  }
}

/** A chunk is a string if someone has called `setEncoding`, or if a stream of strings was passed as the body. */
function toBytes(chunk: unknown): Uint8Array {
  // Streams of bodies hold nothing else.
  return typeof chunk === 'string' ? encoder.encode(chunk) : (chunk as Uint8Array);
}

const READ_BEFORE =
  'The body was read before. Mount the receiver before whatever reads it, or pass what was parsed: ' +
  'receiver.node(request, response, body).';
const IN_KOA = 'In Koa: context.respond = false; await receiver.node(context.req, context.res)';
const IN_HONO = 'In Hono: receiver.fetch(c.req.raw)';

/** Throws if a framework passed something else than a `Request`. */
export function checkRequest(request: Partial<Request> | undefined): void {
  if (typeof request?.arrayBuffer === 'function') return;
  throw new ConfigurationError(
    `receiver.fetch takes a \`Request\`, and got something else.\n  ${IN_HONO}\n  ${IN_KOA}\n` +
      "  In Express: app.post('/webhooks', receiver.node)",
    { option: 'fetch' },
  );
}

/** Reads the body of a `Request`. */
export async function readRequest(request: Request, reading: Reading): Promise<Uint8Array> {
  if (typeof request.headers?.get !== 'function') {
    throw new Rejection('body_unreadable', undefined, mountingHint(request));
  }
  const announced = Number(request.headers.get('content-length'));
  if (announced > reading.limit) throw new Rejection('body_too_large', announced);
  if (request.body === null) return new Uint8Array();
  if (request.bodyUsed) throw new Rejection('body_unreadable', undefined, READ_BEFORE);
  return readStream(request.body, reading);
}

/** Reads a Web stream, until it exceeds the limit or the read is ended. */
export async function readStream(stream: ReadableStream<unknown>, reading: Reading): Promise<Uint8Array> {
  const reader = stream.getReader();
  const cancel = () => void reader.cancel().catch(ignore);
  let stopped: RejectionReason | undefined;
  reading.stop = (reason) => {
    stopped = reason;
    cancel();
  };
  const bytes = new Bytes();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const chunk = toBytes(next.value);
      const size = bytes.size + chunk.byteLength;
      if (size > reading.limit) throw new Rejection('body_too_large', size);
      bytes.add(chunk);
      reading.budget?.add(reading, chunk.byteLength);
    }
  } catch (error) {
    cancel();
    throw error instanceof Rejection ? error : new Rejection('body_unreadable', bytes.size);
  } finally {
    reading.budget?.end(reading);
  }
  // A cancelled reader ends as if the body were complete.
  if (stopped !== undefined) throw new Rejection(stopped, bytes.size);
  return bytes.whole;
}

/** Whether a value is a Web stream. No JSON value has methods. */
export function isStream(body: unknown): body is ReadableStream<unknown> {
  return typeof (body as Partial<ReadableStream> | null | undefined)?.getReader === 'function';
}

/** Makes the response to a `Request`. */
export function toResponse({ status, headers, body }: WebhookResponse): Response {
  return new Response(body === '' ? null : body, { status, headers });
}

/** The part of a `node:http` request that is needed. Requests of Express and of HTTP/2 fit too. */
export interface NodeRequest {
  /** The HTTP method. */
  readonly method?: string | undefined;
  /** The headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body, as a body parser has made it. */
  readonly body?: unknown;
  /** True when the body was read to its end. */
  readonly readableEnded?: boolean | undefined;
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
  /** Registers a listener of the stream. */
  on(event: string, listener: (value?: unknown) => void): unknown;
  /** Sets a header of the response. */
  setHeader(name: string, value: string): unknown;
  /** Sends the body and ends the response. */
  end(body: string): unknown;
}

/**
 * The error for a framework that passed something else than a request and a response of `node:http`.
 *
 * It is thrown: to return would make the framework respond with 200 to an event that nobody handled.
 */
export function nodeProblem(request: NodeRequest, response: NodeResponse): ConfigurationError | undefined {
  const isNode = typeof request?.on === 'function' && typeof response?.setHeader === 'function';
  if (isNode && typeof response.end === 'function') return undefined;
  return new ConfigurationError(
    'receiver.node takes a request and a response of node:http, and got something else.\n' +
      `  In Fastify: reply.hijack(); await receiver.node(request.raw, reply.raw)\n  ${IN_KOA}\n  ${IN_HONO}`,
    { option: 'node' },
  );
}

/** The body that a parser has made of a request; undefined if the stream is still to be read. */
export function parsedBody(request: NodeRequest, parsed: unknown): unknown {
  const value = parsed === undefined || typeof parsed === 'function' ? request.body : parsed;
  // Express 4 sets `{}` if its parser did not take the content type, and leaves the stream unread.
  const isEmpty = value === null || (isObject(value) && Object.keys(value).length === 0);
  return isEmpty && request.readableEnded === false ? undefined : value;
}

/** Reads the stream of a request, until it exceeds the limit or the read is ended. The rest is discarded. */
export function readNode(request: NodeRequest, reading: Reading): Promise<Uint8Array> {
  const { limit, budget } = reading;
  // An aborted request emits an error at any time; without a listener it would end the process.
  request.on('error', ignore);
  if (request.readableEnded === true) throw new Rejection('body_unreadable', undefined, READ_BEFORE);
  if (request.destroyed === true) throw new Rejection('body_unreadable');
  const announced = Number(request.headers['content-length']);
  if (announced > limit) {
    discard(request, limit);
    throw new Rejection('body_too_large', announced);
  }
  return new Promise((resolve, reject) => {
    // The listeners stay on the stream, and must not keep the bytes.
    let bytes: Bytes | undefined = new Bytes();
    const end = (): Bytes | undefined => {
      const ended = bytes;
      bytes = undefined;
      budget?.end(reading);
      return ended;
    };
    const refuse = (reason: RejectionReason, size = bytes?.size) => {
      if (end() === undefined) return;
      discard(request, limit);
      reject(new Rejection(reason, size));
    };
    reading.stop = refuse;
    request.on('data', (data) => {
      if (bytes === undefined) return;
      const chunk = toBytes(data);
      const size = bytes.size + chunk.byteLength;
      if (size > limit) return refuse('body_too_large', size);
      bytes.add(chunk);
      budget?.add(reading, chunk.byteLength);
    });
    request.on('end', () => {
      const whole = end()?.whole;
      if (whole !== undefined) resolve(whole);
    });
    // Comes after a complete body too, and after whatever cuts it off.
    request.on('close', () => refuse('body_unreadable'));
  });
}

/**
 * Lets the rest of a refused body pass, so that the sender gets to read the response. Ends the connection when twice the
 * limit has passed.
 */
function discard(request: NodeRequest, limit: number): void {
  let passed = 0;
  // A stream with a listener flows.
  request.on('data', (chunk) => {
    passed += toBytes(chunk).byteLength;
    if (passed > 2 * limit) request.destroy();
  });
}

/** Writes the response, unless the sender is gone or something else has responded. */
export function answerNode(response: NodeResponse, { status, headers, body }: WebhookResponse): void {
  if (response.headersSent || response.destroyed === true) return;
  response.on('error', ignore);
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
}

function ignore(): void {
  // The connection is gone, or the read was ended: whoever waits for the body or the response gets the error elsewhere.
}

/** Returns what to do, if the receiver was called with anything but a request that has a body. */
export function mountingHint(request: unknown): string | undefined {
  if (!isObject(request)) return 'Pass an object: receiver.handle({ method, body }).';
  const { requestContext, httpMethod, method, req, arrayBuffer, pipe, body, raw } = request;
  if (requestContext !== undefined || httpMethod !== undefined) {
    return (
      'This is an event of AWS Lambda. Pass its parts: receiver.handle({ method: event.requestContext.http.method, ' +
      "body: event.isBase64Encoded ? Buffer.from(event.body, 'base64') : event.body })."
    );
  }
  if (typeof arrayBuffer === 'function') {
    return raw === undefined ? 'This is a `Request`. Pass it to receiver.fetch.' : IN_HONO;
  }
  if (request.request !== undefined || (req !== undefined && method === undefined)) {
    return `This is the context of a framework. ${IN_HONO}. ${IN_KOA}`;
  }
  if (body !== undefined) return undefined;
  return typeof pipe === 'function'
    ? 'Nobody has read this request. Pass it to receiver.node(request, response), or mount a body parser.'
    : 'There is no body. Is a body parser mounted?';
}

import { ByteJoiner } from '../ground/byte-joiner.js';
import { RejectedDelivery, type RejectionReason, type WebhookResponse } from './answers.js';
import { READ_BEFORE } from './mounting.js';

// The ways between a server and the receiver: a `Request`, or what `node:http` hands to its listener.

/** The bounds within which a body is read. */
export interface BodyBounds {
  /** The most bytes that are read. */
  readonly limit: number;
  /** Asked before the body holds more bytes, with all that it holds then. Where the answer is false, reading was given up. */
  mayHold(bytes: number): boolean;
  /** Ends the reading early: set by the reader, and called by whoever waits. */
  giveUp: ((reason: RejectionReason) => void) | undefined;
}

/**
 * The most bytes of a body that are read, unless options say otherwise: 8 MiB. The specification names no limit, and of all
 * events only `conversation_updated` grows: it brings the chat twice, as `turns` and as `messagesHistory`. This is room for
 * four thousand messages of 1 kB each, in both; and for what a language model with a window of a million tokens can have read, twice.
 */
export const DEFAULT_MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Reads the body of a `Request`, until it is larger than the limit or given up. */
export async function readRequest(request: Request, bounds: BodyBounds): Promise<Uint8Array> {
  const { limit } = bounds;
  const announced = Number(request.headers.get('content-length'));
  if (announced > limit) throw new RejectedDelivery('body_too_large', announced);
  const { body } = request;
  if (body === null) return new Uint8Array();
  if (request.bodyUsed) throw new RejectedDelivery('body_unreadable', undefined, READ_BEFORE);
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(ignore);
  let givenUp: RejectionReason | undefined;
  bounds.giveUp = (reason) => {
    givenUp = reason;
    cancel();
  };
  try {
    const bytes = new ByteJoiner(limit);
    const size = await bytes.addFrom(reader, limit, (held) => bounds.mayHold(held));
    if (size > limit) throw new RejectedDelivery('body_too_large', size);
    // A cancelled reader ends as if the body had: what came is not the whole.
    if (givenUp !== undefined) throw new RejectedDelivery(givenUp, size);
    return bytes.joined;
  } catch (error) {
    cancel();
    throw error;
  }
}

/** Makes the answer to a `Request`. */
export function toResponse({ status, headers, body }: WebhookResponse): Response {
  return new Response(body === '' ? null : body, { status, headers });
}

/** The part of a `node:http` request that is needed. Express's and HTTP/2's fit too. */
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
  /** The HTTP status to answer. */
  statusCode: number;
  /** True when an answer has begun. */
  readonly headersSent: boolean;
  /** True when the connection is gone. */
  readonly destroyed?: boolean | undefined;
  /** Registers a listener of the stream. */
  on(event: string, listener: (value?: unknown) => void): unknown;
  /** Sets a header of the answer. */
  setHeader(name: string, value: string): unknown;
  /** Sends the body and ends the answer. */
  end(body: string): unknown;
}

/** The body that a parser has made of a request; undefined where the stream is still to be read. */
export function parsedBody(request: NodeRequest, parsed: unknown): { readonly value: unknown } | undefined {
  const value = parsed === undefined || typeof parsed === 'function' ? request.body : parsed;
  if (value === undefined) return undefined;
  // Express 4 sets `{}` where its parser did not take the content type, and leaves the stream unread.
  return request.readableEnded === false && isEmptyObject(value) ? undefined : { value };
}

function isEmptyObject(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/**
 * Reads the stream of a request, until it is larger than the limit or given up. The rest of such a body is thrown away
 * unread.
 */
export function readNode(request: NodeRequest, bounds: BodyBounds): Promise<Uint8Array> {
  const { limit } = bounds;
  // An aborted request emits an error at any time; without a listener it would end the process.
  request.on('error', ignore);
  if (request.readableEnded === true) throw new RejectedDelivery('body_unreadable', undefined, READ_BEFORE);
  if (request.destroyed === true) throw new RejectedDelivery('body_unreadable');
  const announced = Number(request.headers['content-length']);
  if (announced > limit) {
    discard(request, limit);
    throw new RejectedDelivery('body_too_large', announced);
  }
  return new Promise((resolve, reject) => {
    let bytes = new ByteJoiner(limit);
    let size = 0;
    let isOpen = true;
    // Whatever cuts a request off ends in `close`, which comes after a whole body too.
    const refuse = (reason: RejectionReason) => {
      if (!isOpen) return;
      isOpen = false;
      // The listeners stay, and would keep what has come.
      bytes = new ByteJoiner();
      discard(request, limit);
      reject(new RejectedDelivery(reason, size));
    };
    request.on('data', (data) => {
      const chunk = toBytes(data);
      size += chunk.byteLength;
      if (size > limit) refuse('body_too_large');
      else if (isOpen && bounds.mayHold(bytes.roomWith(chunk))) bytes.add(chunk);
    });
    request.on('end', () => {
      isOpen = false;
      resolve(bytes.joined);
    });
    request.on('close', () => refuse('body_unreadable'));
    bounds.giveUp = refuse;
  });
}

const encoder = /* @__PURE__ */ new TextEncoder();

/** Chunks are strings where someone has called `setEncoding`. */
function toBytes(chunk: unknown): Uint8Array {
  return typeof chunk === 'string' ? encoder.encode(chunk) : (chunk as Uint8Array);
}

/**
 * Lets the rest of a refused body pass, so that the sender gets to read the answer; ends the connection when twice
 * as much as is allowed has passed.
 */
function discard(request: NodeRequest, limit: number): void {
  let passed = 0;
  // A stream that is listened to flows.
  request.on('data', (chunk) => {
    passed += toBytes(chunk).byteLength;
    if (passed > 2 * limit) request.destroy();
  });
}

/** Writes the answer, unless the sender is gone or someone else has answered. */
export function answerNode(response: NodeResponse, { status, headers, body }: WebhookResponse): void {
  if (response.headersSent || response.destroyed === true) return;
  response.on('error', ignore);
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
}

function ignore(): void {
  // The connection is gone, or the body is given up: those who wait for the body or the answer learn of it elsewhere.
}

import { unref } from '../../utils/waiting.js';
import { ByteCollector, ignore, toBytes, tooLarge, type UnverifiedBody } from '../body/reading.js';
import { mountingHint, READ_BEFORE, readingHint } from '../hints.js';
import { Rejection, type RejectionReason, type WebhookResponse } from '../outcomes.js';

/** Whether a value is a `Request`. No JSON value has methods, so a parsed body is never taken for one. */
export function isRequest(given: unknown): given is Request {
  return typeof (given as Partial<Request> | null | undefined)?.arrayBuffer === 'function';
}

/** Reads the body of a `Request`. */
export async function readRequest(request: Request, unverified: UnverifiedBody): Promise<Uint8Array> {
  // Hono's `c.req` has an `arrayBuffer`, but no `headers` (hono 4.13, src/request.ts).
  if (typeof request.headers?.get !== 'function') {
    throw new Rejection('body_unreadable', undefined, mountingHint(request));
  }
  const announced = Number(request.headers.get('content-length'));
  if (announced > unverified.limit) throw tooLarge(unverified.limit, announced);
  if (request.body === null) return new Uint8Array();
  if (request.bodyUsed) throw new Rejection('body_unreadable', undefined, READ_BEFORE);
  return readStream(request.body, unverified);
}

/** Reads a Web stream, until it exceeds the limit or the reading is stopped. */
export async function readStream(
  stream: ReadableStream<unknown>,
  unverified: UnverifiedBody,
): Promise<Uint8Array> {
  if (stream.locked) throw new Rejection('body_unreadable', undefined, READ_BEFORE);
  const reader = stream.getReader();
  const cancel = () => void reader.cancel().catch(ignore);
  let stopped: RejectionReason | undefined;
  unverified.stop = (reason) => {
    stopped = reason;
    cancel();
  };
  const bytes = new ByteCollector(unverified);
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const chunk = toBytes(next.value);
      const size = bytes.size + chunk.byteLength;
      if (size > unverified.limit) throw tooLarge(unverified.limit, size);
      bytes.add(chunk);
    }
  } catch (error) {
    cancel();
    if (error instanceof Rejection) throw error;
    throw new Rejection('body_unreadable', bytes.size, readingHint(error));
  }
  // A cancelled reader ends as if the body were complete (Streams Standard, ReadableStreamCancel).
  if (stopped !== undefined) throw new Rejection(stopped, bytes.size);
  return bytes.whole;
}

/** Reads a body as a program passes it: a Web stream, a promise, or what a parser has made. */
export function readGiven(body: unknown, unverified: UnverifiedBody): unknown {
  if (isStream(body)) return readStream(body, unverified);
  return body instanceof Promise ? readPromise(body, unverified) : body;
}

/** Waits for a body until the reading is stopped. */
function readPromise(body: Promise<unknown>, unverified: UnverifiedBody): Promise<unknown> {
  return new Promise((resolve, reject) => {
    unverified.stop = (reason) => reject(new Rejection(reason));
    body.then(resolve, reject);
  });
}

/** Whether a value is a Web stream. No JSON value has methods. */
export function isStream(body: unknown): body is ReadableStream<unknown> {
  return typeof (body as Partial<ReadableStream> | null | undefined)?.getReader === 'function';
}

/** Whether a value is a Node stream. No JSON value has methods. */
export function isNodeStream(body: unknown): boolean {
  return typeof (body as { readonly pipe?: unknown } | null | undefined)?.pipe === 'function';
}

/** Long enough for a program that does something else before it returns the response. */
const SENT_WITHIN_MS = 500;

/**
 * Turns a response into a `Response`.
 *
 * @param onKnown - Called once it is known whether anybody has read its body, as whatever sends it does.
 */
export function toResponse(
  { status, headers, body }: WebhookResponse,
  onKnown?: (isSent: boolean) => void,
): Response {
  if (onKnown === undefined) return new Response(body === '' ? null : body, { status, headers });
  const timer = setTimeout(() => onKnown(false), SENT_WITHIN_MS);
  unref(timer);
  const pull = (controller: ReadableStreamDefaultController) => {
    clearTimeout(timer);
    onKnown(true);
    controller.enqueue(new TextEncoder().encode(body));
    controller.close();
  };
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { status, headers });
}

import { unref } from '../../utils/waiting.js';
import { tooLarge, type UnverifiedBody } from '../body/reading.js';
import { isStream, readStream } from '../body/streams.js';
import { mountingHint, NO_STREAM, READ_BEFORE } from '../hints.js';
import { Rejection, type WebhookResponse } from '../outcomes.js';

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
  // Polyfills have none (whatwg-fetch, in Jest's jsdom), and node-fetch has one of Node.
  if (!isStream(request.body)) throw new Rejection('body_unreadable', undefined, NO_STREAM);
  return readStream(request.body, unverified);
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

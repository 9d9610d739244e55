import { isThenable } from '../../utils/waiting.js';
import { READ_BEFORE, readingHint } from '../hints.js';
import { Rejection, type RejectionReason } from '../outcomes.js';
import { ByteCollector, ignore, toBytes, tooLarge, type UnverifiedBody } from './reading.js';

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
  return isThenable(body) ? readPromise(body, unverified) : body;
}

/** Waits for a body until the reading is stopped. */
function readPromise(body: PromiseLike<unknown>, unverified: UnverifiedBody): Promise<unknown> {
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

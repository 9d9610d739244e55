import { sleep } from '../../../utils/waiting.js';
import { type Answer, hasNoBody } from '../responses.js';

/** Changes the body of a real response; one without a body stays unchanged. The log keeps it whole. */
export async function damage(
  { response, body: logged }: Answer,
  change: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
): Promise<Answer> {
  const { status } = response;
  const headers = new Headers(response.headers);
  if (hasNoBody(status)) return { response: new Response(null, { status, headers }), body: logged };
  const bytes = new Uint8Array(await response.arrayBuffer());
  const body = change(bytes);
  // A stream promises the whole body, however much of it comes.
  const { byteLength } = body instanceof Uint8Array ? body : bytes;
  headers.set('content-length', String(byteLength));
  return { response: new Response(body, { status, headers }), body: logged };
}

/** The first half of a body. */
export function truncate(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return bytes.slice(0, bytes.byteLength / 2);
}

/** Sends the first bytes, and the rest after a time or never. Ends with the signal's reason when aborted. */
export function stall(
  bytes: Uint8Array,
  after = Math.floor(bytes.byteLength / 2),
  ms: number | undefined,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      if (after > 0) controller.enqueue(bytes.slice(0, after));
      await sleep(ms, signal);
      if (signal.aborted) return controller.error(signal.reason);
      controller.enqueue(bytes.slice(after));
      controller.close();
    },
  });
}

/** Sends the first half of a body, and then fails like a cut connection. */
export function breakOff(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  let isSent = false;
  return new ReadableStream({
    pull(controller) {
      if (isSent) return controller.error(connectionError('read ECONNRESET', 'ECONNRESET'));
      isSent = true;
      controller.enqueue(truncate(bytes));
    },
  });
}

/** The error of a failed `fetch`, as Node throws it (undici 6.24.1, lib/web/fetch/index.js). */
export function connectionError(message: string, code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
}

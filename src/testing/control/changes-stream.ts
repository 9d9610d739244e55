import type { Changes } from '../changes.js';

/** What happens in a fake from now on, as server-sent events: `request` and `delivery` with the record, and `changed`. */
export function changesStream(changes: Changes, signal: AbortSignal): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // The first bytes, so that who listens knows that nothing is missed from here on.
      controller.enqueue(encoder.encode(': the fake\n\n'));
      changes.listen((name, what) => {
        controller.enqueue(encoder.encode(`event: ${name}\ndata: ${JSON.stringify(what)}\n\n`));
      }, signal);
      signal.addEventListener('abort', () => controller.close(), { once: true });
    },
  });
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  });
}

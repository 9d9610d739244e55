import type { DeliveryRecord } from './deliver.js';
import type { FakeRequest } from './request-log.js';

/** Changes of a fake, by the name under which they are told. */
export interface FakeChanges {
  /** A request has come, or has been answered. */
  readonly request: FakeRequest;
  /** A delivery has ended. */
  readonly delivery: DeliveryRecord;
  /** Something of this kind is not as it was. */
  readonly changed: 'records' | 'faults' | 'subscriptions' | 'requests' | 'deliveries';
}

type Listener = <Name extends keyof FakeChanges>(name: Name, what: FakeChanges[Name]) => void;

/** Tells those who watch a fake, such as its page, what happens in it. */
export class Changes {
  readonly #listeners = new Set<Listener>();

  tell<Name extends keyof FakeChanges>(name: Name, what: FakeChanges[Name]): void {
    for (const listener of this.#listeners) listener(name, what);
  }

  /** Listens until the signal is aborted. */
  listen(listener: Listener, signal?: AbortSignal): void {
    this.#listeners.add(listener);
    signal?.addEventListener('abort', () => this.#listeners.delete(listener), { once: true });
  }
}

/** Bytes of changes that wait for one who listens and does not read, such as a page that the browser has put to sleep: 16 MiB. */
const MAX_WAITING = 16 * 1024 * 1024;

/**
 * Streams the changes of a fake from now on, as server-sent events: `request` and `delivery` with the record, and `changed`.
 * Ends when more wait than {@link MAX_WAITING}. A browser connects again by itself.
 */
export function changesStream(changes: Changes, signal: AbortSignal): Response {
  const encoder = new TextEncoder();
  const end = new AbortController();
  const ends = AbortSignal.any([signal, end.signal]);
  const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    ends.addEventListener('abort', () => controller.close(), { once: true });
    // The first bytes, so that who listens knows that nothing is missed from here on.
    controller.enqueue(encoder.encode(': the fake\n\n'));
    changes.listen((name, what) => {
      if ((controller.desiredSize ?? 0) <= 0) return end.abort();
      controller.enqueue(encoder.encode(`event: ${name}\ndata: ${JSON.stringify(what)}\n\n`));
    }, ends);
  };
  const queue = new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING });
  return new Response(new ReadableStream({ start }, queue), {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  });
}

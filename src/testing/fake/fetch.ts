import { unlessAborted } from '../../utils/waiting.js';
import { placeInProcess } from './places.js';
import { respondTo, type Service } from './service.js';

/** Like `fetch`; the fake responds. */
export type FakeFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Creates a `fetch` that the fake responds to. */
export function createFetch(service: Service): FakeFetch {
  return async (input, init) => {
    // A copied Request misses an abort after a garbage collection (Node 20.20.2, 24.21.0:
    // nodejs/undici#4068).
    const request = input instanceof Request && init === undefined ? input : new Request(input, init);
    const { method, headers, signal } = request;
    signal.throwIfAborted();
    const url = new URL(request.url);
    const place = placeInProcess(url, service.baseUrls);
    const readText = async (): Promise<string> => (request.body === null ? '' : request.text());
    const incoming = { method, place, query: url.search, headers, readText, signal };
    const response = await unlessAborted(respondTo(service, incoming), signal);
    await letTimersRun();
    // The signal follows the caller's only while the request is referenced, as it is here: nodejs/node#55428.
    request.signal.throwIfAborted();
    return response;
  };
}

/**
 * Resolves in a later task. A loop of calls that only promises drive would keep every timer from firing, such
 * as the timeout of a test.
 */
async function letTimersRun(): Promise<void> {
  // While a test fakes timers, it moves them itself, and expects a call to need no more (`clock`:
  // @sinonjs/fake-timers 15, src/fake-timers-src.js).
  if ('clock' in setTimeout) return;
  // No test fakes it. jsdom has none.
  if (globalThis.MessageChannel === undefined) return;
  const { port1, port2 } = new MessageChannel();
  await new Promise((resolve) => {
    port1.addEventListener('message', resolve);
    port1.start();
    port2.postMessage(undefined);
  });
  port1.close();
}

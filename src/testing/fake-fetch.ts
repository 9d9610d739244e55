import { type BaseUrls, locate } from './base-urls.js';
import type { Door, Service } from './service.js';
import { untilAborted } from './until-aborted.js';

/** `fetch`, answered by the fake. */
export type FakeFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export function createFetch(service: Service, baseUrls: BaseUrls, door: Door): FakeFetch {
  return async (input, init) => {
    // Not copied without need: once the Request that a copy was made of is collected, the copy is not aborted any more.
    const request = input instanceof Request && init === undefined ? input : new Request(input, init);
    request.signal.throwIfAborted();
    const target = locate(request.url, baseUrls);
    if (target === undefined) {
      const known = Object.values(baseUrls).join(' and ');
      throw new TypeError(`fetch failed: the fake answers below ${known}, not at ${request.url}`);
    }
    return untilAborted(request.signal, service.answer(request, target.region, target.path, door));
  };
}

/**
 * The fake as msw handlers, for tests that have msw already. It needs `msw` 2, an optional peer.
 *
 * Begin with {@link fakeHandlers}.
 *
 * @packageDocumentation
 */

import { HttpResponse, http, type RequestHandler } from 'msw';
import type { FakePlatform } from './fake.js';

/**
 * The fake as msw handlers, for `setupServer` and `setupWorker`: one for each region, at `fake.baseUrls`. To
 * intercept the addresses that your program really calls, make the fake with them: `createFakePlatform({ baseUrls })`.
 *
 * @example
 * ```ts
 * import { createFakePlatform } from 'agent-platform-sdk/testing';
 * import { fakeHandlers } from 'agent-platform-sdk/testing/msw';
 * import { setupServer } from 'msw/node';
 *
 * const fake = createFakePlatform();
 * const server = setupServer(...fakeHandlers(fake));
 * server.listen();
 * ```
 */
export function fakeHandlers(fake: Pick<FakePlatform, 'fetch' | 'baseUrls'>): RequestHandler[] {
  return Object.values(fake.baseUrls).map((baseUrl) =>
    http.all(`${baseUrl}/*`, async ({ request }) => {
      try {
        return await fake.fetch(request);
      } catch {
        // Where `fake.fetch` rejects, no answer comes: to msw that is an error response.
        return HttpResponse.error();
      }
    }),
  );
}

/**
 * The fake as msw handlers, for tests that run as the program does. It needs `msw` 2, an optional peer.
 *
 * Begin with {@link fakeHandlers}.
 *
 * @packageDocumentation
 */

import { HttpHandler, HttpResponse, http, type RequestHandler } from 'msw';
import { endpoints } from '../endpoints/endpoints.js';
import type { FakePlatform } from './fake.js';

/**
 * The fake as msw handlers, for `setupServer` and `setupWorker`: one for each operation in each region, under the
 * path that msw shows for it, and for each region a last one for every other path. That one answers the endpoints that
 * `fake.handle` has taught the fake, and refuses what is unknown as the service does.
 *
 * They answer at `fake.baseUrls`. To intercept the addresses that your program really calls, make the fake with them:
 * `createFakePlatform({ baseUrls })`. A handler of your own, given to `server.use`, goes before them: one for
 * `/v3/tools/:toolId` is asked for `/v3/tools/defaults` too.
 *
 * @example
 * ```ts
 * import { AgentPlatform } from 'agent-platform-sdk';
 * import { createFakePlatform } from 'agent-platform-sdk/testing';
 * import { fakeHandlers } from 'agent-platform-sdk/testing/msw';
 * import { HttpResponse, http } from 'msw';
 * import { setupServer } from 'msw/node';
 *
 * const fake = createFakePlatform();
 * const server = setupServer(...fakeHandlers(fake));
 * server.listen();
 *
 * // From here on, a client needs no `fetch` of its own.
 * const { baseUrls, seed } = fake;
 * const platform = new AgentPlatform({ region: 'eu', token: seed.eu.workspaceSecret, baseUrls });
 * console.log(await platform.tools.get(seed.eu.toolId));
 *
 * // One operation answers otherwise, until `server.resetHandlers()`.
 * const data = { id: 'tool_1', name: 'another answer' };
 * server.use(http.get(`${baseUrls.eu}/v3/tools/:toolId`, () => HttpResponse.json({ success: true, message: 'OK', data })));
 * console.log(await platform.tools.get('tool_1'));
 * server.close();
 * ```
 */
export function fakeHandlers(fake: Pick<FakePlatform, 'fetch' | 'baseUrls'>): RequestHandler[] {
  const answer = async ({ request }: { request: Request }): Promise<Response> => {
    try {
      return await fake.fetch(request);
    } catch {
      // `fake.fetch` rejects where no answer comes: to msw that is an error response.
      return HttpResponse.error();
    }
  };
  const addresses = Object.values(fake.baseUrls).map(literal);
  return [
    ...addresses.flatMap((address) =>
      operations.map(({ method, path }) => new HttpHandler(method, `${address}/v3${path}`, answer)),
    ),
    ...addresses.map((address) => http.all(`${address}/*`, answer)),
  ];
}

/** The operations, with paths as msw writes them. It takes the first that fits: `/tools/defaults` before `/tools/:toolId`. */
const operations = Object.values(endpoints)
  .map(({ method, path }) => ({ method, path: path.replace(/\{(.+?)\}/g, ':$1') }))
  .sort((one, other) => one.path.split(':').length - other.path.split(':').length);

/**
 * A base address in which msw sees no pattern. Scheme and port it knows; any other character with a meaning in its
 * paths, such as the colons of `[::1]`, becomes a regular expression for itself.
 */
function literal(address: string): string {
  const special = /:(?!\/\/|\d+(?:\/|$))|[*+?|(){}\\]/g;
  return address.replace(special, (character) => `(\\x${character.charCodeAt(0).toString(16)})`);
}

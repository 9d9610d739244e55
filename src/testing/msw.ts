/**
 * The fake as msw handlers, for tests of an unchanged program. It needs `msw` 2 or 3, an optional peer.
 *
 * Begin with {@link fakeHandlers}.
 *
 * @packageDocumentation
 */

import { HttpHandler, HttpResponse, http, type RequestHandler } from 'msw';
import { endpoints } from '../endpoints/endpoints.js';
import { ConfigurationError } from '../errors/index.js';
import { typeName } from '../utils/issues.js';
import type { FakePlatform } from './fake-platform.js';

/**
 * Creates the msw handlers of a fake, for `setupServer` and `setupWorker`.
 *
 * There is one for each operation in each region, named by its path, and for each region a last one for all
 * other paths: it serves the endpoints of `fake.handle`, and refuses unknown ones as `unknownRoute` of the fake.
 *
 * They respond at `fake.baseUrls`. To intercept the addresses that your program calls, create the fake with
 * them: `createFakePlatform({ baseUrls })`. A handler that you pass to `server.use` goes first: one for
 * `/v3/tools/:toolId` is called for `/v3/tools/defaults` too.
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
 * // No other request leaves the process. msw 2 reads the first name, msw 3 the second.
 * const unhandled = { onUnhandledRequest: 'error', onUnhandledFrame: 'error' } as const;
 * server.listen(unhandled);
 *
 * // From here on, a client needs no `fetch` option.
 * const { baseUrls, seed } = fake;
 * const platform = new AgentPlatform({ region: 'eu', token: seed.eu.workspaceSecret, baseUrls });
 * console.log(await platform.tools.get(seed.eu.toolId));
 *
 * // Overrides one operation, until `server.resetHandlers()`.
 * const body = { success: true, message: 'OK', data: { id: 'tool_1', name: 'another tool' } };
 * server.use(http.get(`${baseUrls.eu}/v3/tools/:toolId`, () => HttpResponse.json(body)));
 * console.log(await platform.tools.get('tool_1'));
 * server.close();
 * ```
 */
export function fakeHandlers(fake: Pick<FakePlatform, 'fetch' | 'baseUrls'>): RequestHandler[] {
  if (typeof fake?.fetch !== 'function' || fake.baseUrls === undefined) {
    const problem = `fakeHandlers: expected a fake, as createFakePlatform returns it, got ${typeName(fake)}.`;
    throw new ConfigurationError(problem, { option: 'fake' });
  }
  const respond = async ({ request }: { request: Request }): Promise<Response> => {
    try {
      return await fake.fetch(request);
    } catch {
      // A fault left no response. An exception would become a 500 (msw 2.3 and later, mswjs/msw#2135).
      return HttpResponse.error();
    }
  };
  const addresses = Object.values(fake.baseUrls).map(asPattern);
  return [
    ...addresses.flatMap((address) =>
      operations.map(({ method, path }) => new HttpHandler(method, `${address}/v3${path}`, respond)),
    ),
    ...addresses.map((address) => http.all(`${address}/*`, respond)),
  ];
}

/**
 * Escapes an address for msw, which reads patterns (path-to-regexp 6): `[::1]`, `a+b`, `(eu)`. msw escapes the colons
 * of the scheme and the port itself (msw 2.15.0, core/utils/matching/matchRequestUrl.ts).
 */
function asPattern(address: string): string {
  return address.replace(/[+?(){}\\]|:(?!\/\/|\d+(\/|$))/g, '\\$&');
}

/** The operations with msw's paths. msw takes the first match: `/tools/defaults` before `/tools/:toolId`. */
const operations = Object.values(endpoints)
  .map(({ method, path }) => ({ method, path: path.replace(/\{(.+?)\}/g, ':$1') }))
  .sort((one, other) => one.path.split(':').length - other.path.split(':').length);

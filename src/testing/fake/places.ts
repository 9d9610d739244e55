import { byRegion, REGIONS, type Region } from '../../utils/regions.js';
import { Refusal } from './refusals.js';
import type { Route } from './route.js';

/** The base address of each region, without `/v3`. */
export type BaseUrls = { readonly [Name in Region]: string };

/** Describes a base address that cannot be used. */
export function baseUrlProblem(value: unknown): string | undefined {
  const isAddress = typeof value === 'string' && /^\s*https?:\/\//i.test(value) && URL.canParse(value);
  return isAddress ? undefined : 'must be an address that begins with http:// or https://';
}

/** Normalizes base addresses, which may end in a slash or in `/v3`. By default, they are in process. */
export function resolveBaseUrls(given: Partial<BaseUrls> = {}): BaseUrls {
  // No such hosts can exist (RFC 6761).
  return byRegion((region) => {
    const { origin, pathname } = new URL(given[region] ?? `https://${region}.agent-platform.test`);
    return origin + pathname.replace(/\/+$/, '').replace(/\/v3$/, '');
  });
}

/** The address of a request. */
export interface Place {
  /** The region. Undefined if the address is not below the `/v3` of one. */
  readonly region: Region | undefined;
  /** The path below `/v3`; the whole path if the address is elsewhere. */
  readonly path: string;
  /** The path as sent. */
  readonly sent: string;
  /** The beginning that the path should have. */
  readonly start: string;
  /** The part that the address lacks. */
  readonly lacks?: string;
}

/** The place of a path that a server received: `/eu/v3/tools/t`. */
export function placeOverHttp(sent: string): Place {
  const region = REGIONS.find((name) => sent === `/${name}` || sent.startsWith(`/${name}/`));
  if (region !== undefined) return placeBelow(`/${region}`, region, sent);
  const lacks = `the region (/eu or /na)${/^\/v3(\/|$)/.test(sent) ? '' : ' and /v3'}`;
  return { region, path: sent, sent, start: '/eu/v3', lacks };
}

/** The place of an address in process. Throws as `fetch` does if it is not below a base address. */
export function placeInProcess({ href, origin, pathname }: URL, baseUrls: BaseUrls): Place {
  const below = (start: string) =>
    REGIONS.find((each) => (origin + pathname).startsWith(baseUrls[each] + start));
  // With `/v3` first: one address may be the beginning of the other.
  const region = below('/v3/') ?? below('/');
  if (region !== undefined) return placeBelow(baseUrls[region].slice(origin.length), region, pathname);
  const known = Object.values(baseUrls).join(' and ');
  throw new TypeError(`fetch failed: the fake responds below ${known}, not at ${href}`);
}

function placeBelow(base: string, region: Region, sent: string): Place {
  const start = `${base}/v3`;
  if (sent.startsWith(`${start}/`)) return { region, path: sent.slice(start.length), sent, start };
  return { region: undefined, path: sent, sent, start, lacks: '/v3' };
}

/** The refusal of a request that no operation takes: says what its address lacks, and what to call. */
export function noOperation(method: string, place: Place, routes: readonly Route[]): Refusal {
  const { sent, start, lacks } = place;
  const meant = nearOperation(method, sent, routes);
  const why = lacks === undefined ? '.' : `: the address lacks ${lacks}.`;
  const add = 'Add it with `fake.handle` or --handlers.';
  const elsewhere = lacks === undefined ? add : `Call one below ${start}.`;
  const todo = meant === undefined ? elsewhere : `Did you mean ${meant} below ${start}?`;
  return new Refusal('unknownRoute', `There is no operation ${method} ${sent}${why} ${todo}`);
}

/** Finds an operation at the end of a path, whatever its case, its empty segments and the method. */
function nearOperation(method: string, sent: string, routes: readonly Route[]): string | undefined {
  const segments = sent.split('/').filter((segment) => segment !== '');
  const near = routes.flatMap(({ endpoint }) => {
    const template = endpoint.path.split('/').slice(1);
    const end = segments.slice(-template.length);
    const isParameter = (part: string): boolean => part.startsWith('{');
    const fits = (part: string, at: number) =>
      isParameter(part) || part.toLowerCase() === end[at]?.toLowerCase();
    if (end.length < template.length || !template.every(fits)) return [];
    const path = template.map((part, at) => (isParameter(part) ? end[at] : part)).join('/');
    // `/tools/defaults` before `/tools/{toolId}`, and the method that was sent before another.
    const rank = template.filter(isParameter).length + (endpoint.method === method ? 0 : 100);
    return [{ operation: `${endpoint.method} /${path}`, rank }];
  });
  return near.sort((one, other) => one.rank - other.rank)[0]?.operation;
}

import { byRegion, REGIONS, type Region } from '../../utils/regions.js';
import { Refusal } from './refusals.js';
import type { Route } from './route.js';

/** The base address of each region, without `/v3`. */
export type BaseUrls = { readonly [Name in Region]: string };

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
  const region = REGIONS.find((each) => (origin + pathname).startsWith(`${baseUrls[each]}/`));
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
  const segments = sent.split('/').slice(1);
  const ends = segments.map((_, index) => segments.slice(index));
  const meant =
    ends.map((end) => nearOperation(routes, end, method)).find((near) => near !== undefined) ??
    ends.map((end) => nearOperation(routes, end)).find((near) => near !== undefined);
  const why = lacks === undefined ? '.' : `: the address lacks ${lacks}.`;
  const elsewhere = lacks === undefined ? 'Add a custom one with `fake.handle`.' : `Call one below ${start}.`;
  const todo = meant === undefined ? elsewhere : `Did you mean ${meant} below ${start}?`;
  return new Refusal('unknownRoute', `There is no operation ${method} ${sent}${why} ${todo}`);
}

/** Finds an operation whose path differs only in case and empty segments: of this method, or of any. */
function nearOperation(routes: readonly Route[], segments: readonly string[], method?: string) {
  const sent = segments.filter((segment) => segment !== '');
  // `/tools/defaults` before `/tools/{toolId}`.
  const parameters = ({ endpoint }: Route): number => endpoint.path.split('{').length;
  for (const { endpoint } of [...routes].sort((one, other) => parameters(one) - parameters(other))) {
    const template = endpoint.path.split('/').slice(1);
    const isNear = template.every(
      (part, index) => part.startsWith('{') || part.toLowerCase() === sent[index]?.toLowerCase(),
    );
    if (!isNear || template.length !== sent.length || endpoint.method !== (method ?? endpoint.method))
      continue;
    const path = template.map((part, index) => (part.startsWith('{') ? sent[index] : part));
    return `${endpoint.method} /${path.join('/')}`;
  }
  return undefined;
}

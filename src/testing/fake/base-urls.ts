import { byRegion, type Region } from '../../utils/regions.js';

/** The base address of each region, without `/v3`. */
export type BaseUrls = { readonly [Name in Region]: string };

/** Normalizes base addresses, which may end in a slash or in `/v3`. By default, they are in process. */
export function resolveBaseUrls(given: Partial<BaseUrls> = {}): BaseUrls {
  // No such hosts can exist (RFC 6761).
  return byRegion((region) => normalize(given[region] ?? `https://${region}.agent-platform.test`));
}

function normalize(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/, '').replace(/\/v3$/, '');
}

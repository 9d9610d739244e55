import type { Region } from '../ground/regions.js';

/** The base address of each region, without `/v3`. */
export type BaseUrls = { readonly [Name in Region]: string };

/** Where a fake is reached in process. No such hosts can exist (RFC 6761). */
export const defaultBaseUrls: BaseUrls = {
  eu: 'https://eu.agent-platform.test',
  na: 'https://na.agent-platform.test',
};

/** Takes what a user may write, with or without `/v3` or a slash at the end, to one form. */
export function normalizeBaseUrls(input: Partial<BaseUrls>): BaseUrls {
  const urls = { ...defaultBaseUrls, ...input };
  return { eu: normalize(urls.eu), na: normalize(urls.na) };
}

function normalize(text: string): string {
  // The host in lower case, and no port where it is the default one: as requests have them.
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/, '').replace(/\/v3$/, '');
}

/** The region that a URL is in, and the path that follows its base address. */
export function locate(url: string, baseUrls: BaseUrls): { region: Region; path: string } | undefined {
  const { origin, pathname } = new URL(url);
  const address = origin + pathname;
  for (const region of Object.keys(baseUrls) as Region[]) {
    const base = baseUrls[region];
    if (address.startsWith(`${base}/`)) return { region, path: address.slice(base.length) };
  }
  return undefined;
}

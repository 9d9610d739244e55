import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from '../support/chromium.js';

/** A page of the built site, as Chromium shows it on a phone. */
export interface SitePage {
  readonly url: string;
  /** The text of the page, without the title and the menus. */
  readonly text: string;
  /** Every address that the page links to or shows, without those of other sites. */
  readonly links: readonly string[];
  /** The anchors that a link can lead to. */
  readonly anchors: readonly string[];
  /** The width of its content in pixels; more than the window's where something sticks out. */
  readonly width: number;
}

export const PHONE = { width: 390, height: 844 };

/** Opens every page of a built site, several at a time. */
export async function crawl(browser: Browser, site: string): Promise<ReadonlyMap<string, SitePage>> {
  const files = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.html'),
  );
  const urls = files.sort().map((file) => pathToFileURL(join(site, file)).href);
  const pages = new Map<string, SitePage>();
  const visit = async () => {
    // The menus, which scripts fill, are the same everywhere, and take most of the time of a page.
    const page = await browser.newPage({ viewport: PHONE, javaScriptEnabled: false });
    for (let url = urls.pop(); url !== undefined; url = urls.pop()) pages.set(url, await look(page, url));
  };
  await Promise.all([visit(), visit(), visit()]);
  return pages;
}

async function look(page: Page, url: string): Promise<SitePage> {
  await page.goto(url, { waitUntil: 'load' });
  return page.evaluate(readPage, url);
}

/** Runs in the page, which knows nothing of this module. */
function readPage(url: string): SitePage {
  // biome-ignore lint/performance/useDomNodeTextContent: what is hidden cannot be read
  const textOf = (place: string) => document.querySelector<HTMLElement>(place)?.innerText ?? '';
  const addresses = [
    ...document.querySelectorAll<HTMLElement>('a[href], img[src], link[href], script[src]'),
  ].map((element) => (element as HTMLAnchorElement).href || (element as HTMLImageElement).src);
  return {
    url,
    text: textOf('.col-content').replace(textOf('.col-content .tsd-page-title'), '').trim(),
    links: [...new Set(addresses.filter((address) => address.startsWith('file:')))],
    anchors: [...document.querySelectorAll('[id]')].map(({ id }) => id),
    width: document.documentElement.scrollWidth,
  };
}

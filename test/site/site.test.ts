import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Browser, openBrowser, type Page } from '../support/chromium.js';
import { crawl, PHONE, type SitePage } from './crawl.js';

const SITE = resolve('build/docs');
const START = pathToFileURL(`${SITE}/index.html`).href;

let browser: Browser;
let pages: ReadonlyMap<string, SitePage>;

beforeAll(async () => {
  browser = await openBrowser();
  pages = await crawl(browser, SITE);
});

afterAll(() => browser.close());

/** Every page to which something applies, by its name, with what it is. */
function found(faultsOf: (page: SitePage) => readonly string[]): string[] {
  return [...pages.values()].flatMap((page) =>
    faultsOf(page).map((fault) => `${page.url.slice(pathToFileURL(SITE).href.length + 1)}: ${fault}`),
  );
}

function leadsNowhere(link: string): boolean {
  const [url = '', anchor = ''] = link.split('#');
  const page = pages.get(url);
  if (page === undefined) return !existsSync(fileURLToPath(url));
  return anchor !== '' && !page.anchors.includes(decodeURIComponent(anchor));
}

async function search(words: string): Promise<{ page: Page; results: readonly string[] }> {
  const page = await browser.newPage({ viewport: PHONE });
  await page.goto(START);
  await page.click('#tsd-search-trigger');
  await page.fill('#tsd-search-input', words);
  await page.waitForSelector('#tsd-search-results li');
  const results = await page.evaluate(
    () => [...document.querySelectorAll('#tsd-search-results a')].map((link) => link.textContent.trim()),
    undefined,
  );
  return { page, results };
}

test('the site has a page for every public name', () => {
  expect(pages.size).toBeGreaterThan(300);
});

test('no link leads nowhere', () => {
  expect(found(({ links }) => links.filter(leadsNowhere))).toEqual([]);
});

test('llms.txt names every guide by an address that the site has, and llms-full.txt holds their texts', () => {
  const index = readFileSync(`${SITE}/llms.txt`, 'utf8');
  const addresses = [...index.matchAll(/\]\(([^)]+)\): \S/g)].map(([, address = '']) => address);
  expect(addresses.length).toBe(readdirSync('docs/guides').length);
  expect(addresses.filter((address) => !existsSync(`${SITE}/${address}`))).toEqual([]);
  const full = readFileSync(`${SITE}/llms-full.txt`, 'utf8');
  expect(full).toContain('appendfsync');
  expect(full).toContain('## First webhook');
});

test('no page is without text', () => {
  expect(found(({ text }) => (text.length < 40 ? ['empty'] : []))).toEqual([]);
});

test('no page is wider than a phone', () => {
  expect(found(({ width }) => (width > PHONE.width ? [`${width} px`] : []))).toEqual([]);
});

test('the search finds a method as it is called, first of all, and leads to it', async () => {
  const { page, results } = await search('conversations.get');
  expect(results[0]?.replace(/\s/g, '')).toBe('agent-platform-sdk.ConversationsResource.get');
  await page.click('#tsd-search-results a');
  await page.waitForSelector('.tsd-signature');
  expect(page.url()).toMatch(/ConversationsResource\.html#get$/);
});

test('the search finds what a guide says', async () => {
  const { results } = await search('appendfsync');
  expect(results).toContain('The inbox');
});

test('the menu of the start page names the eight concepts', async () => {
  const page = await browser.newPage();
  await page.goto(pathToFileURL(`${SITE}/modules/agent-platform-sdk.html`).href);
  const headings = await page.evaluate(
    () => [...document.querySelectorAll('.col-content h2')].map((heading) => heading.textContent.trim()),
    undefined,
  );
  expect(headings).toEqual(
    expect.arrayContaining(['Platform', 'Resources', 'Endpoints', 'Schemas', 'Errors', 'Events', 'Receiver']),
  );
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentPlatform, type Region } from 'agent-platform-sdk';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Browser, openBrowser, type Page } from '../support/chromium.js';

const JSON_TYPE = { 'content-type': 'application/json' };

let command: ChildProcess;
let url: string;
let receiver: Server;
const received: string[] = [];
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const fake = spawn(process.execPath, ['dist/cli/index.js', 'fake', '--port', '0']);
  command = fake;
  const [greeting] = (await once(fake.stdout.setEncoding('utf8'), 'data')) as [string];
  url = /http:\/\/127\.0\.0\.1:\d+/.exec(greeting)?.[0] ?? '';
  receiver = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => received.push(text));
    request.on('end', () => response.end('handled'));
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  browser = await openBrowser();
  page = await browser.newPage({ permissions: ['clipboard-read'] });
});

beforeEach(async () => {
  await fetch(`${url}/_fake/reset`, { method: 'POST', headers: JSON_TYPE, body: '{}' });
  await page.goto(url);
});

afterAll(async () => {
  await browser.close();
  command.kill('SIGKILL');
  receiver.close();
});

const openTab = (name: string) => page.click(`nav a:has-text("${name}")`);
const press = (button: string) => page.click(`button:text-is("${button}")`);
const sees = (text: string) => page.waitForSelector(`main:has-text(${JSON.stringify(text)})`);
const textOf = (selector: string) =>
  page.evaluate((place) => document.querySelector(place)?.textContent ?? '', selector);
const rows = () =>
  page.evaluate((place) => [...document.querySelectorAll(place)].map((row) => row.textContent), '#list li');
const readApi = async (path: string) => JSON.stringify(await (await fetch(`${url}/_fake${path}`)).json());

/** A client of the settings that the page shows. */
async function clientOfThePage() {
  const settings = new Map(
    [...(await textOf('pre')).matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  return new AgentPlatform({
    region: settings.get('AGENT_PLATFORM_REGION') as Region,
    token: settings.get('AGENT_PLATFORM_TOKEN'),
    baseUrls: {
      eu: settings.get('AGENT_PLATFORM_BASE_URL_EU'),
      na: settings.get('AGENT_PLATFORM_BASE_URL_NA'),
    },
    maxRetries: 0,
    logLevel: 'off',
  });
}

test('helps a developer whose integration fails', async () => {
  await sees('No requests or events yet.');
  const platform = await clientOfThePage();

  // A call fails: its row says why, and nothing else has moved.
  const placeOfTabs = () =>
    page.evaluate((place) => document.querySelector(place)?.getBoundingClientRect().top, '#tabs');
  const before = await placeOfTabs();
  await expect(platform.tools.get('crm')).rejects.toThrow();
  const row = '#list a:has-text("There is no tool with the id")';
  await page.waitForSelector(row);
  expect(await placeOfTabs()).toBe(before);
  await page.click(row);
  // Only then the page of the row has its styles.
  await sees('NOT_FOUND');
  expect(await placeOfTabs()).toBe(before);
  await press('Copy as test');
  expect(await page.evaluate(() => navigator.clipboard.readText(), undefined)).toContain(
    "await expect(platform.request('GET', '/tools/crm')).rejects.toMatchObject({ status: 404 });",
  );

  // A fault, of the endpoint of the selected row.
  await openTab('faults');
  await page.selectOption('select[aria-label=kind]', { label: 'truncated' });
  await press('Inject');
  await sees('"remaining": 1');
  await expect(platform.tools.get('crm')).rejects.toThrow();
  await page.waitForSelector('#list:has-text("fault: truncated")');
  await sees('None.');

  // An event, sent twice.
  const { port } = receiver.address() as AddressInfo;
  await openTab('events');
  await page.fill(
    'textarea[aria-label*=Subscribe]',
    `{ "url": "http://127.0.0.1:${port}/hook", "region": "eu" }`,
  );
  await press('Subscribe');
  await sees(`eu http://127.0.0.1:${port}/hook all events`);
  await press('Send');
  await page.click('#list a:has-text("lead_captured")');
  await sees('handled');
  await press('Deliver again');
  await expect.poll(rows).toHaveLength(4);
  expect(received.map((text) => (JSON.parse(text) as { payload: object }).payload)).toEqual([
    expect.objectContaining({ leadName: 'Dana Customer', createdAt: expect.any(Number) as number }),
    expect.objectContaining({ leadName: 'Dana Customer', createdAt: expect.any(Number) as number }),
  ]);
});

test('is used by keyboard: / filters, j and k go through the list', async () => {
  const platform = await clientOfThePage();
  await platform.tools.listDefaults();
  await expect(platform.tools.get('one')).rejects.toThrow();
  await expect(platform.tools.get('two')).rejects.toThrow();
  await page.keyboard.press('/');
  await page.keyboard.type('failed gettool');
  // The list is that of the whole filter.
  await page.waitForSelector('#list a[href*="gettool"]');
  expect(await rows()).toHaveLength(2);
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await sees('GET /tools/two');
  await page.waitForSelector('article h2:has-text("/tools/two")');
  await page.keyboard.press('j');
  await page.waitForSelector('article h2:has-text("/tools/one")');
  expect(page.url()).toContain('filter=failed');
  await page.keyboard.press('k');
  await page.waitForSelector('article h2:has-text("/tools/two")');
});

test('adds, changes and removes a record', async () => {
  await openTab('records');
  await press('Add');
  await page.click('#items a:text-is("crm_lookup")');
  await page.fill('textarea', '{"name":"changed"}');
  await press('Save');
  await expect.poll(() => readApi('/records/eu/tools')).toContain('"name":"changed"');
  await press('Remove');
  await expect.poll(() => readApi('/records/eu/tools')).not.toContain('crm_lookup');
  await page.fill('textarea', '{"nane":');
  await press('Save');
  await page.waitForSelector('output.bad:has-text("JSON")');
});

test('asks before a reset', async () => {
  await (await clientOfThePage()).tools.listDefaults();
  await press('Reset');
  // Dialogs are dismissed, as by a user who says no.
  expect(await readApi('/requests')).toContain('/tools/defaults');
});

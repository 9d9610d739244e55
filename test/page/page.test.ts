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
  page = await browser.newPage();
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
const press = async (button: string) => {
  // Before its script runs, a new page does nothing with a form.
  await page.waitForSelector('#connection:text-is("live")');
  await page.click(`button:text-is("${button}")`);
};
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

const callFake = (path: string) =>
  fetch(`${url}${path}`, { headers: { authorization: 'Bearer fake-workspace-secret-of-workspace_eu_1' } });
const rowOf = (path: string) => `#list a:has-text("${path}")`;

test('eight tabs of one browser stay alive (msw#642)', async () => {
  const context = await browser.newContext();
  const tabs: Page[] = [];
  for (let opened = 0; opened < 8; opened += 1) {
    const tab = await context.newPage();
    await tab.goto(url);
    await tab.waitForSelector('#connection:text-is("live")');
    tabs.push(tab);
  }
  await callFake('/eu/v3/tools/tool_eu_1');
  for (const tab of tabs) await tab.waitForSelector(rowOf('/tools/tool_eu_1'));
  expect(tabs).toHaveLength(8);
  await context.close();
});

/** The parts of the page that it has loaded again. */
const loaded = () =>
  page.evaluate(
    () => performance.getEntriesByType('resource').map(({ name }) => new URL(name).searchParams.get('parts')),
    undefined,
  );

test('a hidden page watches nothing, and catches up when it is shown', async () => {
  const show = (isShown: boolean) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, !isShown);
  // When the stream opens: something may have changed since the page was rendered.
  await expect.poll(loaded).toContain('list,tabs');
  await show(false);
  await callFake('/eu/v3/tools/while_hidden');
  // Another page hears of it.
  const other = await browser.newPage();
  await other.goto(url);
  await other.waitForSelector(rowOf('while_hidden'));
  expect(await rows()).toEqual([]);
  await show(true);
  await page.waitForSelector(rowOf('while_hidden'));
});

test('loads again only what has changed', async () => {
  await callFake('/eu/v3/tools/first');
  await page.click(rowOf('first'));
  await page.waitForSelector('article h2:has-text("first")');
  // All parts once, when the stream opens.
  await expect.poll(loaded).toContain('list,tabs,content');
  await page.evaluate(() => performance.clearResourceTimings(), undefined);
  await callFake('/eu/v3/tools/second');
  await page.waitForSelector(rowOf('second'));
  expect(new Set(await loaded())).toEqual(new Set(['list']));
});

test('shows that it sends, and the delivery while it is under way', async () => {
  let respond: (() => void) | undefined;
  const slow = createServer((_, response) => {
    respond = () => void response.end();
  }).listen(0, '127.0.0.1');
  await once(slow, 'listening');
  const { port } = slow.address() as AddressInfo;
  const body = JSON.stringify({ url: `http://127.0.0.1:${port}` });
  await fetch(`${url}/_fake/subscriptions`, { method: 'POST', headers: JSON_TYPE, body });
  await openTab('events');
  await press('Send');
  await page.waitForSelector('button:disabled:text-is("Send") + output:text-is("Sending…")');
  await page.waitForSelector('#list a:has-text("lead_captured") .mark.open');
  await expect.poll(() => respond !== undefined).toBe(true);
  respond?.();
  await page.waitForSelector('button:enabled:text-is("Send") + output:text-is("200")');
  await page.waitForSelector('#list a:has-text("lead_captured") .mark.good');
  slow.close();
});

test("shows times in the reader's time zone", async () => {
  await callFake('/eu/v3/tools/tool_eu_1');
  const abroad = await browser.newPage({ timezoneId: 'Asia/Kolkata', locale: 'de-DE' });
  await abroad.goto(url);
  const { requests } = (await (await fetch(`${url}/_fake/requests`)).json()) as {
    requests: { at: number }[];
  };
  const [at = 0] = requests.map((request) => request.at);
  const time = new Intl.DateTimeFormat('de-DE', { timeStyle: 'medium', timeZone: 'Asia/Kolkata' }).format(at);
  await abroad.waitForSelector(`#list time:text-is("${time}")`);
  expect(time).toMatch(/^\d\d:\d\d:\d\d$/);
});

test('fits into a narrow window, whatever the ids', async () => {
  const id = '665f1c2ab7e4d9001f3a77c1'.repeat(2);
  await callFake(`/eu/v3/agents/${id}/convos/${id}?cursor=${id}`);
  const narrow = await browser.newPage({ viewport: { width: 420, height: 900 } });
  for (const tab of ['settings', 'details', 'events', 'faults', 'records']) {
    await narrow.goto(`${url}/?tab=${tab}&id=request_1`);
    const overflow = await narrow.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      undefined,
    );
    expect([tab, overflow]).toEqual([tab, 0]);
  }
});

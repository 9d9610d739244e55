import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { AgentPlatform, createWebhookReceiver, type Region } from 'agent-platform-sdk';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { installTool } from '../runtimes/tool-cache.js';
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
  // All parts once, when the stream opens.
  await expect.poll(loaded).toContain('list,tabs');
  await callFake('/eu/v3/tools/first');
  await page.click(rowOf('first'));
  await page.waitForSelector('article h2:has-text("first")');
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
  await page.waitForSelector('button[aria-busy]:text-is("Send") + output:text-is("Sending…")');
  await page.waitForSelector('#list a:has-text("lead_captured") .mark.open');
  await expect.poll(() => respond !== undefined).toBe(true);
  respond?.();
  await page.waitForSelector('button:not([aria-busy]):text-is("Send") + output:text-is("200")');
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

const TABS = ['settings', 'details', 'events', 'faults', 'records'];
const post = (path: string, body: object) =>
  fetch(`${url}/_fake${path}`, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) });
const calls = async (count: number) => {
  for (let call = 0; call < count; call += 1) await callFake(`/eu/v3/tools/call_${call}`);
};
/** What has the focus: its label or its address. */
const focused = () =>
  page.evaluate(() => {
    const { activeElement: one } = document;
    return one?.getAttribute('aria-label') ?? one?.getAttribute('href') ?? one?.textContent ?? '';
  }, undefined);
const isLive = () => page.waitForSelector('#connection:text-is("live")');

test('what one reads and writes stays, while 300 rows get more', async () => {
  await calls(300);
  await page.goto(`${url}/?tab=events`);
  await isLive();
  const placeOf = (id: string) =>
    page.evaluate((row) => document.getElementById(row)?.getBoundingClientRect().top, id);
  await page.evaluate(() => document.getElementById('list')?.scrollTo(0, 2_000), undefined);
  const before = await placeOf('request_250');
  await page.fill('textarea[aria-label="JSON for Send"]', '{ "type": "typed" }');
  await calls(20);
  await page.waitForSelector('#fresh:text-is("20 new")');
  expect(await placeOf('request_250')).toBe(before);
  const typed = () =>
    page.evaluate(() => (document.activeElement as HTMLTextAreaElement | null)?.value, undefined);
  expect(await typed()).toBe('{ "type": "typed" }');

  await page.evaluate(() => document.querySelector('select')?.focus(), undefined);
  await page.keyboard.press('Space');
  const isOpen = () => page.evaluate(() => document.querySelector('select')?.matches(':open'), undefined);
  expect(await isOpen()).toBe(true);
  await calls(5);
  await page.waitForSelector('#fresh:text-is("25 new")');
  expect(await isOpen()).toBe(true);
  await page.keyboard.press('Escape');

  await page.click('#fresh');
  await page.waitForSelector('#list li#request_325');
  expect((await rows())[0]).toContain('call_4');
  await page.click('h1');
  await calls(1);
  await page.waitForSelector('#list li#request_326');
});

test('a row that has the focus keeps it, and its place', async () => {
  await calls(3);
  await page.waitForSelector('#list li#request_3');
  await page.evaluate(() => document.querySelector<HTMLElement>('#request_2 a')?.focus(), undefined);
  const before = await focused();
  await calls(2);
  await page.waitForSelector('#fresh:text-is("2 new")');
  expect([await focused(), (await rows()).length]).toEqual([before, 3]);
  await page.evaluate(() => document.querySelector<HTMLElement>('input')?.focus(), undefined);
  await page.waitForSelector('#list li#request_5');
});

test('the keyboard alone leads from a row to "Deliver again" and back', async () => {
  await post('/subscriptions', { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}` });
  await post('/events', { type: 'lead_captured' });
  await calls(120);
  await page.waitForSelector('#list li#request_120');
  await page.evaluate(() => document.querySelector<HTMLElement>('#delivery_1 a')?.focus(), undefined);
  const row = await focused();
  await page.keyboard.press('Enter');
  await page.waitForSelector('article h2:focus');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Deliver again');
  await page.keyboard.press('Enter');
  await page.waitForSelector('button:text-is("Deliver again") + output:text-is("200")');
  expect(await focused()).toBe('Deliver again');
  await page.keyboard.press('Escape');
  expect(await focused()).toBe(row.replace('tab=settings', 'tab=details'));
});

test('the focus never falls to the body: after a removal, it is at the list', async () => {
  await post('/faults', { status: 500 });
  await post('/faults', { status: 501 });
  await openTab('faults');
  await page.waitForSelector('#items li >> nth=1');
  await page.evaluate(() => document.querySelector<HTMLElement>('#items button')?.focus(), undefined);
  await page.keyboard.press('Enter');
  await page.waitForSelector('#items:focus');
  expect(await readApi('/faults')).not.toContain('500');
});

test('an arrow key in a select navigates only when it is left, or by Enter', async () => {
  const kind = 'select[aria-label=kind]';
  for (const leave of ['Enter', 'Tab']) {
    await page.goto(`${url}/?tab=faults`);
    await isLive();
    await page.evaluate((select) => document.querySelector<HTMLElement>(select)?.focus(), kind);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(page.url()).not.toContain('kind=truncated');
    await page.keyboard.press(leave);
    await page.waitForSelector('textarea:text("truncated")');
    expect(page.url()).toContain('kind=truncated');
    expect(await focused()).toBe(leave === 'Enter' ? 'kind' : 'region');
  }
});

test('a result is said where it was asked for, in red if it failed', async () => {
  let status = 500;
  const failing = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(status).end());
  }).listen(0, '127.0.0.1');
  await once(failing, 'listening');
  await post('/subscriptions', { url: `http://127.0.0.1:${(failing.address() as AddressInfo).port}` });
  await post('/events', { type: 'lead_captured' });
  await page.click('#list a:has-text("lead_captured")');
  await press('Deliver again');
  await page.waitForSelector('button:text-is("Deliver again") + output.bad:text-is("500")');

  // A forged event that was refused is as it should be.
  status = 401;
  await post('/events', { type: 'webhook_test', forged: true });
  await page.click('#list a:has-text("webhook_test")');
  await page.waitForSelector('article:has-text("refused the forged secret, as it should")');
  await press('Deliver again');
  await page.waitForSelector('button:text-is("Deliver again") + output:not(.bad):text-is("401")');
  expect(
    await page.evaluate(() => document.querySelectorAll('article .bad, article em').length, undefined),
  ).toBe(0);
  status = 200;
  await press('Deliver again');
  await page.waitForSelector('button:text-is("Deliver again") + output.bad:text-is("200")');
  await press('Clear');
  await page.waitForSelector('header output:text-is("Done.")');
  failing.close();
});

test('shows the headers of a delivery, and the id that the log of the receiver has', async () => {
  const ids: string[] = [];
  const { node } = createWebhookReceiver({ secret: 'fake-workspace-secret-of-workspace_eu_1' }).onAny(
    (_, { deliveryId }) => void ids.push(deliveryId),
  );
  const server = createServer((request, response) => void node(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await post('/subscriptions', { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  await post('/events', { type: 'lead_captured' });
  await page.click('#list a:has-text("lead_captured")');
  await page.waitForSelector('article h2:has-text("lead_captured")');
  const headers = await page.evaluate(
    () => [...document.querySelectorAll('.headers')].map(({ textContent }) => textContent),
    undefined,
  );
  expect(headers).toEqual([
    'content-type: application/json',
    expect.stringContaining(`x-delivery-id: ${ids[0]}`),
  ]);
  server.close();
});

test('copies the settings, and a call as curl without its secret', async () => {
  const copying = await browser.newPage({ permissions: ['clipboard-read', 'clipboard-write'] });
  await callFake("/eu/v3/tools/it's?a=1&b=2");
  const copied = () => copying.evaluate(() => navigator.clipboard.readText(), undefined);
  await copying.goto(url);
  await copying.click('button:text-is("Copy the settings")');
  await copying.waitForSelector('output:text-is("Copied.")');
  expect(await copied()).toContain('AGENT_PLATFORM_TOKEN=fake-workspace-secret-of-workspace_eu_1\n');
  await copying.goto(`${url}/?tab=details&id=request_1`);
  await copying.click('button:text-is("Copy as curl")');
  await copying.waitForSelector('output:text-is("Copied.")');
  const command = `curl -X GET '${url}/eu/v3/tools/it'\\''s?a=1&b=2' -H "authorization: Bearer $AGENT_PLATFORM_TOKEN"`;
  expect(await copied()).toBe(command);
});

test('axe finds nothing, on no tab, light and dark, and every button has a name of its own', async () => {
  const axe = readFileSync(join(await installTool('axe-core@4.14.1'), 'axe-core/axe.min.js'), 'utf8');
  for (const port of [9, 10]) await post('/subscriptions', { url: `http://127.0.0.1:${port}` });
  await post('/events', { type: 'lead_captured' });
  for (const status of [500, 501]) await post('/faults', { status });
  await callFake('/eu/v3/tools/tool_eu_1');
  for (const colorScheme of ['light', 'dark'] as const) {
    const coloured = await browser.newPage({ colorScheme });
    for (const tab of TABS) {
      await coloured.goto(`${url}/?tab=${tab}&id=delivery_1`);
      const found = await coloured.evaluate(
        // The page allows no other script: it is run as the tests' own.
        // oxlint-disable-next-line eslint/no-eval
        (code) => (0, eval)(`${code}; axe.run()`) as Promise<{ violations: { id: string }[] }>,
        axe,
      );
      expect([tab, found.violations.map(({ id }) => id)]).toEqual([tab, []]);
      const names = await coloured.evaluate(
        () => [...document.querySelectorAll('button')].map((one) => one.ariaLabel ?? one.textContent),
        undefined,
      );
      expect([tab, names.length - new Set(names).size]).toEqual([tab, 0]);
    }
    await coloured.close();
  }
});

test.each([320, 375, 400])('fits into a window of %i px, whatever the ids', async (width) => {
  const id = '665f1c2ab7e4d9001f3a77c1'.repeat(2);
  await callFake(`/eu/v3/agents/${id}/convos/${id}?cursor=${id}`);
  await post('/subscriptions', { url: `http://127.0.0.1:9/${id}` });
  const narrow = await browser.newPage({ viewport: { width, height: 900 } });
  for (const tab of TABS) {
    await narrow.goto(`${url}/?tab=${tab}&id=request_1`);
    await narrow.waitForSelector('#connection:text-is("live")');
    // Nothing is wider than the window, and nothing of a path is cut off.
    const wide = await narrow.evaluate(
      () =>
        [...document.querySelectorAll('html, header, main, #list, #content, #list .name')]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ tagName, id: own }) => `${tagName} ${own}`),
      undefined,
    );
    expect([tab, wide]).toEqual([tab, []]);
  }
  await narrow.close();
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentPlatform, type Region } from 'agent-platform-sdk';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { installTool } from '../runtimes/tool-cache.js';
import { type Browser, openBrowser, type Page } from '../support/chromium.js';
import { ADDRESS, launch } from '../support/example-process.js';
import { serve } from '../support/loopback.js';

const TABS = ['settings', 'details', 'events', 'faults', 'records'];
const SECRET = 'fake-workspace-secret-of-workspace_eu_1';

let url: string;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const command = ['dist/cli/index.js', 'fake', '--port', '0'];
  url = await launch(process.execPath, command, { env: process.env }, afterAll).prints(ADDRESS);
  browser = await openBrowser();
  page = await browser.newPage();
});
beforeEach(async () => {
  await post('/reset', {});
  await open('/');
});
afterAll(() => browser.close());

/** Opens an address of the page. Before its script runs, a new page does nothing with a form. */
async function open(path: string, tab: Page = page): Promise<void> {
  await tab.goto(url + path);
  await tab.waitForSelector('#connection:text-is("live")');
}
const openTab = (name: string) => page.click(`nav a:has-text("${name}")`);
const press = (button: string) => page.click(`button:text-is("${button}")`);
const sees = (text: string) => page.waitForSelector(`main:has-text(${JSON.stringify(text)})`);
const says = (button: string, result: string) =>
  page.waitForSelector(`button:not([aria-busy]):text-is("${button}") + output${result}`);
const textsOf = (selector: string, tab: Page = page): Promise<(string | null)[]> =>
  tab.evaluate((place) => [...document.querySelectorAll(place)].map((one) => one.textContent), selector);
const topOf = (selector: string) =>
  page.evaluate((place) => document.querySelector(place)?.getBoundingClientRect().top, selector);
const focus = (selector: string) =>
  page.evaluate((place) => document.querySelector<HTMLElement>(place)?.focus(), selector);
/** What has the focus: its label, its address or its text. */
const focused = () =>
  page.evaluate(() => {
    const { activeElement: one } = document;
    return one?.getAttribute('aria-label') ?? one?.getAttribute('href') ?? one?.textContent ?? '';
  }, undefined);
const rowOf = (text: string) => `#list a:has-text("${text}")`;

const post = (path: string, body: object) =>
  fetch(`${url}/_fake${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const readApi = async (path: string) => JSON.stringify(await (await fetch(`${url}/_fake${path}`)).json());
const call = (path: string) => fetch(url + path, { headers: { authorization: `Bearer ${SECRET}` } });
const calls = async (count: number) => {
  for (let at = 0; at < count; at += 1) await call(`/eu/v3/tools/call_${at}`);
};

/** A client of the settings that the page shows. */
async function clientOfThePage() {
  const [settings] = await textsOf('pre');
  const lines = [...(settings ?? '').matchAll(/^AGENT_PLATFORM_(\w+)=(.*)$/gm)];
  const { REGION, TOKEN, BASE_URL_EU } = Object.fromEntries(lines.map(([, name, value]) => [name, value]));
  const baseUrls = { eu: BASE_URL_EU };
  return new AgentPlatform({
    region: REGION as Region,
    token: TOKEN,
    baseUrls,
    maxRetries: 0,
    logLevel: 'off',
  });
}

test('helps a developer whose integration fails', async () => {
  await sees('No requests or events yet.');
  const platform = await clientOfThePage();

  // A call fails: its row says why, and nothing else has moved.
  const before = await topOf('#tabs');
  await expect(platform.tools.get('crm')).rejects.toThrow();
  await page.click(rowOf('There is no tool with the id'));
  // Only then the page of the row has its styles.
  await sees('NOT_FOUND');
  expect(await topOf('#tabs')).toBe(before);

  // A fault, of the endpoint of the selected row.
  await openTab('faults');
  await page.selectOption('select[aria-label=kind]', { label: 'truncated' });
  await page.waitForSelector('textarea:text("truncated")');
  await press('Inject');
  await sees('"remaining": 1');
  await expect(platform.tools.get('crm')).rejects.toThrow();
  await page.waitForSelector('#list:has-text("fault: truncated")');
  await sees('None.');

  // An event: while it is under way, the page says so.
  const received: string[] = [];
  let respond = (): void => undefined;
  const hook = await serve((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => received.push(text));
    request.on('end', () => (respond = () => void response.end('handled')));
  });
  await openTab('events');
  await page.fill('textarea[aria-label*=Subscribe]', `{ "url": "${hook}/hook", "region": "eu" }`);
  await press('Subscribe');
  await sees(`eu ${hook}/hook all events`);
  await press('Send');
  await page.waitForSelector('button[aria-busy]:text-is("Send") + output:text-is("Sending…")');
  await page.waitForSelector(`${rowOf('lead_captured')} .mark.open`);
  await expect.poll(() => received.length).toBe(1);
  respond();
  await says('Send', ':text-is("200")');
  await page.click(`${rowOf('lead_captured')}:has(.mark.good)`);
  await sees('handled');
  const payload = { leadName: 'Dana Customer', createdAt: expect.any(Number) as number };
  expect(JSON.parse(received[0] ?? '')).toMatchObject({ payload });
});

test('adds, changes and removes a record, and asks before a reset', async () => {
  await openTab('records');
  await press('Add');
  await page.click('#items a:text-is("crm_lookup")');
  await page.fill('textarea', '{"name":"changed"}');
  await press('Save');
  await expect.poll(() => readApi('/records/eu/tools')).toContain('"name":"changed"');
  // Dialogs are dismissed, as by a user who says no.
  await press('Reset');
  expect(await readApi('/records/eu/tools')).toContain('"name":"changed"');
  await press('Remove');
  await expect.poll(() => readApi('/records/eu/tools')).not.toContain('crm_lookup');
  await page.fill('textarea', '{"nane":');
  await press('Save');
  await page.waitForSelector('output.bad:has-text("JSON")');
});

test('eight tabs of one browser stay alive (msw#642); a hidden one watches nothing until it is shown', async () => {
  const context = await browser.newContext();
  const tabs = await Promise.all(Array.from({ length: 8 }, () => context.newPage()));
  for (const tab of tabs) await open('/', tab);
  const show = (isShown: boolean) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, !isShown);
  await call('/eu/v3/tools/before');
  await page.waitForSelector(rowOf('before'));
  await show(false);
  await call('/eu/v3/tools/while_hidden');
  for (const tab of tabs) await tab.waitForSelector(rowOf('while_hidden'));
  expect(await textsOf('#list li')).toHaveLength(1);
  await show(true);
  await page.waitForSelector(rowOf('while_hidden'));
  await context.close();
});

test("shows times in the reader's time zone", async () => {
  await call('/eu/v3/tools/tool_eu_1');
  const abroad = await browser.newPage({ timezoneId: 'Asia/Kolkata', locale: 'de-DE' });
  await open('/', abroad);
  const { requests } = JSON.parse(await readApi('/requests')) as { requests: { at: number }[] };
  const format = new Intl.DateTimeFormat('de-DE', { timeStyle: 'medium', timeZone: 'Asia/Kolkata' });
  expect(await textsOf('#list time', abroad)).toEqual(requests.map(({ at }) => format.format(at)));
  await abroad.close();
});

test('what one reads and writes stays, while ten calls a second arrive over 300 rows', async () => {
  await calls(300);
  await open('/?tab=events');
  const isOpen = () => page.evaluate(() => document.querySelector('select')?.matches(':open'), undefined);
  const typed = () =>
    page.evaluate(() => document.querySelector<HTMLTextAreaElement>('textarea')?.value, undefined);
  await page.evaluate(() => document.getElementById('list')?.scrollTo(0, 2_000), undefined);
  const before = await topOf('#request_250');
  await page.fill('textarea[aria-label="JSON for Send"]', '{ "type": "typed" }');
  const label = await focused();

  let arrived = 0;
  const arriving = setInterval(() => void call(`/eu/v3/tools/new_${(arrived += 1)}`), 100);
  await expect.poll(() => arrived, { timeout: 10_000 }).toBeGreaterThan(12);
  expect([await topOf('#request_250'), await typed(), await focused()]).toEqual([
    before,
    '{ "type": "typed" }',
    label,
  ]);
  await focus('select');
  await page.keyboard.press('Space');
  expect(await isOpen()).toBe(true);
  await expect.poll(() => arrived, { timeout: 10_000 }).toBeGreaterThan(24);
  clearInterval(arriving);
  await page.waitForSelector(`#fresh:text-is("${arrived} new")`);
  expect([await isOpen(), await topOf('#request_250')]).toEqual([true, before]);
  await page.keyboard.press('Escape');

  await page.click('#fresh');
  await page.waitForSelector(`#list li#request_${300 + arrived}`);
  expect((await textsOf('#list li'))[0]).toContain('new_');
  await page.click('h1');
  await calls(1);
  await page.waitForSelector(`#list li#request_${301 + arrived}`);
});

test('a row that has the focus keeps it, and its place', async () => {
  await calls(3);
  await page.waitForSelector('#request_3');
  await focus('#request_2 a');
  const before = await focused();
  await calls(2);
  await page.waitForSelector('#fresh:text-is("2 new")');
  expect([await focused(), (await textsOf('#list li')).length]).toEqual([before, 3]);
  await focus('input');
  await page.waitForSelector('#request_5');
  // Cleared rows go, even if the reader is at one of them.
  await focus('#request_2 a');
  await fetch(`${url}/_fake/requests`, { method: 'DELETE' });
  await sees('No requests or events yet.');
});

test('is used by keyboard: / filters, j and k go through the list, Escape leads back', async () => {
  for (const id of ['defaults', 'one', 'two']) await call(`/eu/v3/tools/${id}`);
  await page.keyboard.press('/');
  await page.keyboard.type('failed gettool');
  // The list is that of the whole filter.
  await page.waitForSelector('#list a[href*="gettool"]');
  expect(await textsOf('#list li')).toHaveLength(2);
  await page.keyboard.press('Escape');
  for (const step of ['j two', 'j one', 'k two']) {
    const [key = '', name] = step.split(' ');
    await page.keyboard.press(key);
    await page.waitForSelector(`article h2:has-text("/tools/${name}")`);
  }
  expect(page.url()).toContain('filter=failed');
});

test('the keyboard alone leads from a row to "Deliver again" and back; a result is said there', async () => {
  let status = 500;
  const hook = await serve((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end());
  });
  await post('/subscriptions', { url: hook });
  await post('/events', { type: 'lead_captured' });
  await calls(120);
  await page.waitForSelector('#list li#request_120');
  await focus('#delivery_1 a');
  const row = await focused();
  await page.keyboard.press('Enter');
  await page.waitForSelector('article h2:focus');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Deliver again');
  await page.keyboard.press('Enter');
  await says('Deliver again', '.bad:text-is("500")');
  expect(await focused()).toBe('Deliver again');
  await page.keyboard.press('Escape');
  expect(await focused()).toBe(row.replace('tab=settings', 'tab=details'));

  // A forged event that was refused is as it should be.
  status = 401;
  await post('/events', { type: 'webhook_test', forged: true });
  // It waits, because the list is read further down.
  await page.click('#fresh');
  await page.click(rowOf('webhook_test'));
  await page.waitForSelector('article:has-text("refused the forged secret, as it should")');
  await press('Deliver again');
  await says('Deliver again', ':not(.bad):text-is("401")');
  expect(await textsOf('article .bad, article em')).toEqual([]);
  status = 200;
  await press('Deliver again');
  await says('Deliver again', '.bad:text-is("200")');
  await press('Clear');
  await page.waitForSelector('header output:text-is("Done.")');
});

test('the focus never falls to the body: after a removal, it is at the list', async () => {
  for (const status of [500, 501]) await post('/faults', { status });
  await openTab('faults');
  await page.waitForSelector('#items li >> nth=1');
  await focus('#items button');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#items:focus');
  expect(await readApi('/faults')).not.toContain('500');
});

test.each(['Enter', 'Tab'])('an arrow key in a select navigates only with %s', async (leave) => {
  await open('/?tab=faults');
  await focus('select[aria-label=kind]');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  expect(page.url()).not.toContain('kind=truncated');
  await page.keyboard.press(leave);
  await page.waitForSelector('textarea:text("truncated")');
  expect(page.url()).toContain('kind=truncated');
  expect(await focused()).toBe(leave === 'Enter' ? 'kind' : 'region');
});

test('copies the settings, and a call as curl without its secret', async () => {
  const copying = await browser.newPage({ permissions: ['clipboard-read', 'clipboard-write'] });
  await call("/eu/v3/tools/it's?a=1&b=2");
  const copied = async (path: string, button: string) => {
    await open(path, copying);
    await copying.click(`button:text-is("${button}")`);
    await copying.waitForSelector('output:text-is("Copied.")');
    return copying.evaluate(() => navigator.clipboard.readText(), undefined);
  };
  expect(await copied('/', 'Copy the settings')).toContain(`AGENT_PLATFORM_TOKEN=${SECRET}\n`);
  expect(await copied('/?tab=details&id=request_1', 'Copy as curl')).toBe(
    `curl -X GET '${url}/eu/v3/tools/it'\\''s?a=1&b=2' -H "authorization: Bearer $AGENT_PLATFORM_TOKEN"`,
  );
  await copying.close();
});

test.each([
  ['light', 1_280],
  ['dark', 400],
  ['light', 375],
  ['dark', 320],
] as const)('%s, %i px: axe finds nothing, buttons have names, and all fits', async (colorScheme, width) => {
  const axe = readFileSync(join(await installTool('axe-core@4.14.1'), 'axe-core/axe.min.js'), 'utf8');
  const id = '665f1c2ab7e4d9001f3a77c1'.repeat(2);
  await call(`/eu/v3/agents/${id}/convos/${id}?cursor=${id}`);
  for (const port of [9, 10]) await post('/subscriptions', { url: `http://127.0.0.1:${port}/${id}` });
  await post('/events', { type: 'lead_captured' });
  for (const status of [500, 501]) await post('/faults', { status });
  const tested = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
  for (const tab of [...TABS, 'details&id=request_1', 'details&id=delivery_1']) {
    await open(`/?tab=${tab}`, tested);
    const found = await tested.evaluate(
      // The page allows no other script: it is run as the tests' own.
      // oxlint-disable-next-line eslint/no-eval
      (code) => (0, eval)(`${code}; axe.run()`) as Promise<{ violations: { id: string }[] }>,
      axe,
    );
    const names = await tested.evaluate(
      () => [...document.querySelectorAll('button')].map((one) => one.ariaLabel ?? one.textContent),
      undefined,
    );
    const repeated = names.length - new Set(names).size;
    const violations = found.violations.map((violation) => violation.id);
    // Nothing is wider than the window, and nothing of a path is cut off.
    const wide = await tested.evaluate(
      () =>
        [...document.querySelectorAll('html, header, main, #list, #content, #list .name')]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ tagName, id: own }) => `${tagName} ${own}`),
      undefined,
    );
    expect([tab, violations, repeated, wide]).toEqual([tab, [], 0, []]);
  }
  await tested.close();
});

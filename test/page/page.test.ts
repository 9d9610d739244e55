import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, openBrowser, type Page } from '../support/chromium.js';

const TOKEN = 'fake-workspace-secret-of-workspace_eu_1';
const EVIL = '<img src=x onerror="document.title=1">';

let browser: Browser;
let page: Page;
let url = '';
let hook = '';
const received: string[] = [];
const ends: (() => void)[] = [];

/** The built command, and a receiver of webhooks beside it. */
beforeAll(async () => {
  const child = spawn(process.execPath, ['dist/cli/index.js', 'fake', '--port', '0']);
  ends.push(() => child.kill('SIGKILL'));
  const greeting = await new Promise<string>((resolve) =>
    child.stdout.setEncoding('utf8').once('data', resolve),
  );
  url = /listens at (\S+)\. /.exec(greeting)?.[1] ?? '';
  const receiver = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => received.push(text));
    request.on('end', () => response.end(EVIL));
  }).listen(0, '127.0.0.1');
  ends.push(() => receiver.close());
  await new Promise((resolve) => receiver.once('listening', resolve));
  hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  browser = await openBrowser();
  page = await browser.newPage();
  await page.goto(url);
});
afterAll(async () => {
  await browser.close();
  for (const end of ends) end();
});

const click = (name: string) => page.click(`button:text-is("${name}")`);
const sees = (text: string) => page.waitForSelector(`main:has-text(${JSON.stringify(text)})`);
const call = (path: string) =>
  fetch(`${url}/eu/v3${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
const asked = async (path: string) => JSON.stringify(await (await fetch(`${url}/_fake${path}`)).json());

test('shows requests as they come, of the region that is chosen', async () => {
  await sees('None yet');
  await call('/tools/tool_eu_1');
  await sees('/tools/tool_eu_1');
  await click('na');
  await sees('None yet');
  await click('eu');
  await page.click('summary:has-text("tool_eu_1")');
  await sees('find_invoice');
  expect(await asked('/requests')).toContain('find_invoice');
});

test('adds, changes and removes a record', async () => {
  await click('Records');
  await page.fill('textarea[name=new-record]', JSON.stringify({ id: 'crm', name: EVIL }));
  await click('Add record');
  await page.click('summary:text-is("crm")');
  expect(await asked('/records/eu/tools')).toContain('"id":"crm"');
  await page.fill('details[open] textarea', JSON.stringify({ name: 'changed' }));
  await page.click('details[open] >> button:text-is("Save")');
  await expect.poll(() => asked('/records/eu/tools')).toContain('"name":"changed"');
  await page.click('details[open] >> button:text-is("Remove")');
  await expect.poll(() => asked('/records/eu/tools')).not.toContain('"id":"crm"');
});

test('shows why something could not be done', async () => {
  await page.fill('textarea[name=new-record]', '{"agentId":"nobody"}');
  await click('Add record');
  await sees('no agent with the id "nobody"');
  expect(await asked('/records/eu/tools')).not.toContain('nobody');
});

test('subscribes, sends an event by its form, and delivers again', async () => {
  await click('Webhooks');
  await page.fill('input[name=subscriber]', hook);
  await click('Subscribe');
  await sees('Unsubscribe');
  await click('lead_captured');
  await page.fill('input[name=leadName]', 'Dana');
  await page.fill('input[name=event-copies]', '2');
  await click('Send lead_captured');
  await page.waitForSelector('summary:has-text("lead_captured")');
  expect(received.map((text) => (JSON.parse(text) as { payload: object }).payload)).toMatchObject([
    { leadName: 'Dana', workspaceSecret: TOKEN },
    { leadName: 'Dana', workspaceSecret: TOKEN },
  ]);
  await page.click('summary:has-text("lead_captured")');
  await click('Deliver again');
  await expect.poll(() => received.length).toBe(3);
  await page.click('input[name=event-forged]');
  await click('Send lead_captured');
  await expect.poll(() => received.length).toBe(5);
  expect(received.at(-1)).not.toContain(TOKEN);
});

test('has a button for each type of event', async () => {
  const types = Object.keys((await (await fetch(`${url}/events.json`)).json()) as object);
  const buttons = await page.evaluate(
    (tag) => [...document.querySelectorAll(tag)].map(({ textContent }) => textContent),
    'main button',
  );
  expect(types).toHaveLength(16);
  expect(buttons).toEqual(expect.arrayContaining(types));
});

test('switches faults on and off', async () => {
  await click('Faults');
  await click('Answer 503');
  await sees('Faults on (1)');
  expect((await call('/tools/defaults')).status).toBe(503);
  await sees('Faults on (0)');
  await page.click('input[name=always]');
  await click('Answer 429');
  await sees('Faults on (1)');
  await page.click('button:has-text("off")');
  await sees('Faults on (0)');
  expect((await call('/tools/defaults')).status).toBe(200);
});

test('shows settings that can be copied, and begins again', async () => {
  await click('Settings');
  await sees(`AGENT_PLATFORM_BASE_URL_EU=${url}/eu`);
  await click('Reset');
  await expect.poll(() => asked('/requests')).toBe('{"requests":[]}');
});

describe('every value', () => {
  test('is text: what a request and a receiver send becomes no element', async () => {
    await fetch(`${url}/eu/v3/agents/a/variables`, {
      method: 'POST',
      headers: { authorization: 'Bearer a-token-of-tests', 'x-evil': encodeURIComponent(EVIL) },
      body: EVIL,
    });
    await click('Requests');
    await page.click('summary:has-text("variables")');
    await sees('onerror');
    expect(await page.evaluate((tag) => document.querySelectorAll(tag).length, 'img')).toBe(0);
    expect(await page.evaluate(() => document.title, '')).toBe('Fake platform');
  });

  test('comes from the fake alone, and no script of elsewhere runs', async () => {
    const policy = (await fetch(url)).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain('unsafe');
    const html = await (await fetch(url)).text();
    expect(html).not.toMatch(/<script>|https?:|\son\w+=/);
  });
});

test('works with the keyboard, and on a phone', async () => {
  const phone = await browser.newPage({ viewport: { width: 360, height: 700 } });
  await phone.goto(url);
  await phone.waitForSelector('button:text-is("Webhooks")');
  for (const tab of ['Records', 'Webhooks', 'Faults', 'Settings', 'Requests']) {
    // A button that has the focus takes the Enter key: so does each of these, being a button.
    await phone.evaluate((name) => {
      const found = [...document.querySelectorAll('button')].find((button) => button.textContent === name);
      found?.focus();
      if (document.activeElement !== found) throw new Error(`${name} takes no focus`);
      found?.click();
    }, tab);
    await phone.waitForSelector(`section[aria-label=${tab}]`);
    const width = await phone.evaluate(() => document.documentElement.scrollWidth, '');
    expect(width, tab).toBeLessThanOrEqual(360);
  }
});

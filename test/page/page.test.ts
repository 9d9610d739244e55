import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Browser, openBrowser, type Page } from '../support/chromium.js';

const TOKEN = createFakePlatform().seed.eu.workspaceSecret;
/** A value that a browser would run if it took it for a part of the page. */
const EVIL = '<img src=x onerror="document.title=1">';

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
    request.on('end', () => response.end(EVIL));
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  browser = await openBrowser();
  page = await browser.newPage();
});

beforeEach(async () => {
  await fetch(`${url}/_fake/reset`, { method: 'POST', headers: JSON_HEADERS, body: '{}' });
  await page.goto(url);
});

afterAll(async () => {
  await browser.close();
  command.kill('SIGKILL');
  receiver.close();
});

const JSON_HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
const call = (path: string, init: RequestInit = {}) =>
  fetch(`${url}/eu/v3${path}`, { headers: JSON_HEADERS, ...init });
const click = (button: string) => page.click(`button:text-is("${button}")`);
const sees = (text: string) => page.waitForSelector(`main:has-text(${JSON.stringify(text)})`);
const readState = async (path: string) => JSON.stringify(await (await fetch(`${url}/_fake${path}`)).json());

test('shows requests as they come, as text', async () => {
  await sees('None yet');
  await call(`/agents/agent_eu_1/variables?${encodeURIComponent(EVIL)}`, {
    method: 'POST',
    body: JSON.stringify({ variable: { key: EVIL } }),
  });
  await page.click('summary:has-text("POST /agents/agent_eu_1/variables")');
  await sees('onerror');
  expect(await page.evaluate(() => document.querySelectorAll('img').length, '')).toBe(0);
  expect(await page.evaluate(() => document.title, '')).toBe('Fake platform');
});

test('adds, changes and removes a record', async () => {
  await click('Records');
  await page.click('button:text-matches("^tools ")');
  await page.fill('textarea[name=new-record]', '{"id":"crm"}');
  await click('Add record');
  await page.click('summary:text-is("crm")');
  await page.fill('details[open] textarea', '{"name":"changed"}');
  await page.click('details[open] >> button:text-is("Save")');
  await expect.poll(() => readState('/records/eu/tools')).toContain('"name":"changed","id":"crm"');
  await page.click('details[open] >> button:text-is("Remove")');
  await expect.poll(() => readState('/records/eu/tools')).not.toContain('crm');
});

test('sets a fault, and shows that it is used up', async () => {
  await click('Faults');
  await click('Answer 503');
  await sees('Faults on (1)');
  expect((await call('/tools/defaults')).status).toBe(503);
  await sees('Faults on (0)');
  expect((await call('/tools/defaults')).status).toBe(200);
});

test('sends an event, and shows its delivery', async () => {
  await click('Webhooks');
  await page.fill(
    'input[name=subscriber]',
    `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
  );
  await click('Subscribe');
  await sees('Unsubscribe');
  await click('lead_captured');
  await page.fill('input[name=leadName]', 'Dana');
  await click('Send lead_captured');
  await page.click('summary:has-text("200 lead_captured")');
  await sees('onerror');
  expect(received.map((text) => JSON.parse(text) as object)).toMatchObject([
    { type: 'lead_captured', payload: { leadName: 'Dana', workspaceSecret: TOKEN } },
  ]);
});

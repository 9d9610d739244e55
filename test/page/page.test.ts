import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Browser, openBrowser, type Page } from '../support/chromium.js';

const TOKEN = createFakePlatform().seed.eu.workspaceSecret;
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

const openTab = (name: string) => page.click(`header a:text-is("${name}")`);
const press = (button: string) => page.click(`button:text-is("${button}")`);
const sees = (text: string) => page.waitForSelector(`main:has-text(${JSON.stringify(text)})`);
const readApi = async (path: string) => JSON.stringify(await (await fetch(`${url}/_fake${path}`)).json());
const callTool = () =>
  fetch(`${url}/eu/v3/tools/tool_eu_1`, { headers: { authorization: `Bearer ${TOKEN}` } });

test('shows requests as they come, each with its detail', async () => {
  await sees('None yet.');
  await callTool();
  await page.click('#list a:has-text("GET /tools/tool_eu_1")');
  await sees('find_invoice');
  expect(page.url()).toContain('tab=requests');
  expect(page.url()).toContain('id=request_1');
});

test('adds, changes and removes a record', async () => {
  await openTab('records');
  await page.fill('form:has-text("Add to tools") textarea', '{"id":"crm","name":"CRM"}');
  await press('Add to tools');
  await page.click('#list span:text-is("crm")');
  await page.fill('section[aria-label=Detail] textarea', '{"name":"changed"}');
  await press('Save');
  await expect.poll(() => readApi('/records/eu/tools')).toContain('"name":"changed"');
  await press('Remove');
  await expect.poll(() => readApi('/records/eu/tools')).not.toContain('crm');
  await page.fill('form:has-text("Add to tools") textarea', '{"nane":');
  await press('Add to tools');
  await sees('body is invalid JSON.');
});

test('injects a fault', async () => {
  await openTab('faults');
  await press('Inject status');
  await sees('status, every call, 1 left');
  expect((await callTool()).status).toBe(503);
  await sees('None yet.');
});

test('sends an event, and shows its delivery', async () => {
  const { port } = receiver.address() as AddressInfo;
  await openTab('webhooks');
  await page.fill('input[name=url]', `http://127.0.0.1:${port}/hook`);
  await press('Subscribe');
  await page.fill('input[name="payload.leadName"]', 'Dana');
  await press('Send lead_captured');
  await page.click('#list a:has-text("lead_captured")');
  await sees('handled');
  expect(received.join()).toContain('"leadName":"Dana"');
  await press('Deliver again');
  await sees('Deliveries 2');
});

test('asks before a reset', async () => {
  await callTool();
  await press('Reset');
  // Dialogs are dismissed, as by a user who says no.
  expect(await readApi('/requests')).toContain('tool_eu_1');
});

import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Browser, openBrowser, type Page } from '../support/chromium.js';
import { EVIL, openWorkbench, SEED_OF_NA, TOKEN } from './workbench.js';

let browser: Browser;
let page: Page;
let bench: Awaited<ReturnType<typeof openWorkbench>>;

beforeAll(async () => {
  [bench, browser] = await Promise.all([openWorkbench(), openBrowser()]);
  page = await browser.newPage({ permissions: ['clipboard-read', 'clipboard-write'] });
});
beforeEach(async () => {
  await fetch(`${bench.url}/_fake/reset`, json({}));
  await page.goto(bench.url);
});
afterAll(async () => {
  await browser.close();
  bench.end();
});

const json = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const click = (name: string) => page.click(`button:text-is("${name}")`);
const sees = (text: string) => page.waitForSelector(`main:has-text(${JSON.stringify(text)})`);
const asked = async (path: string) => JSON.stringify(await bench.asked(path));
const inputOf = (selector: string) =>
  page.evaluate((tag) => document.querySelector<HTMLInputElement>(tag)?.value, selector);
/** The texts of all elements that fit. */
const textsOf = (selector: string) =>
  page.evaluate((tag) => [...document.querySelectorAll(tag)].map(({ textContent }) => textContent), selector);

test('requests as they come, of the region that is chosen: body, answer, status, and the fault that struck', async () => {
  await sees('None yet');
  await bench.call('/agents/agent_eu_1/variables', {
    method: 'POST',
    body: '{"variable":{"key":"plan_of_the_page"}}',
  });
  await page.click('summary:has-text("200 POST /agents/agent_eu_1/variables")');
  const [body, answer, headers] = await textsOf('details[open] pre');
  expect(JSON.parse(body ?? '')).toEqual({ variable: { key: 'plan_of_the_page' } });
  expect(JSON.parse(answer ?? '')).toMatchObject({ success: true, data: { key: 'plan_of_the_page' } });
  expect(JSON.parse(headers ?? '')).toMatchObject({ 'content-type': 'application/json' });

  await fetch(`${bench.url}/_fake/faults`, json({ kind: 'html', status: 502 }));
  await bench.call('/agents/agent_eu_1/variables?x=1', { method: 'POST', body: '{"struck":true}' });
  await page.click('summary:has-text("502 POST /agents/agent_eu_1/variables?x=1"):has-text("fault: html")');
  await sees('{ "struck": true }');
  await sees('<!doctype html>');
  expect((await textsOf('details[open] p')).join()).toMatch(/\d:\d\d:\d\d.*, \d+ ms/);

  await fetch(`${bench.url}/_fake/faults`, json({ kind: 'reset' }));
  await bench.call('/tools/defaults').catch(() => undefined);
  await page.waitForSelector('summary:has-text("no answer GET /tools/defaults")');

  await click('na');
  await page.waitForSelector('button[aria-pressed=true]:text-is("na")');
  await sees('None yet');
  await sees('Requests (0)');
  await click('eu');
  await click('Forget requests');
  await sees('None yet');
  expect(await asked('/requests')).toBe('{"requests":[]}');
});

test('of very many requests the newest are shown, and it is told where the rest is', async () => {
  for (let count = 0; count < 200; count += 1) await bench.call(`/tools/of_call_${count}`);
  await sees('Requests (200)');
  expect(await textsOf('main > section > p')).toEqual([]);
  for (let count = 200; count < 250; count += 1) await bench.call(`/tools/of_call_${count}`);
  await sees('Requests (250)');
  await sees('The newest 200 of 250; all of them: /_fake/requests?region=eu');
  await expect.poll(async () => (await textsOf('summary')).length).toBe(200);
  expect((await textsOf('summary'))[0]).toContain('of_call_249');
});

test('records of every collection are added, changed and removed', async () => {
  await click('Records');
  await sees('tools (1)');
  const { records } = (await bench.asked('/state')) as { records: { eu: Record<string, object> } };
  const collections = Object.entries(records.eu).filter(([name]) => name !== 'releasedForGood');
  expect(collections.length).toBeGreaterThan(7);
  const shown = (await textsOf('main button[aria-pressed]')).map((text) => text?.split(' ')[0]);
  expect(shown).toEqual(collections.map(([name]) => name));
  for (const [name, held] of collections) {
    const count = Object.keys(held).length;
    await page.click(`button:text-matches("^${name} ")`);
    await click('Add record');
    await sees(`${name} (${count + 1})`);
    await page.click(`details:nth-of-type(${count + 1}) summary`);
    await page.click('details[open] >> button:text-is("Remove")');
    await sees(`${name} (${count})`);
  }

  await page.click('button:text-matches("^tools ")');
  await page.fill('textarea[name=new-record]', JSON.stringify({ id: 'crm', name: EVIL }));
  await click('Add record');
  await page.click('summary:text-is("crm")');
  await page.fill('details[open] textarea', JSON.stringify({ name: 'changed' }));
  await page.click('details[open] >> button:text-is("Save")');
  await expect.poll(() => asked('/records/eu/tools')).toContain('"name":"changed","id":"crm"');
  await expect.poll(() => inputOf('details[open] textarea')).toContain('"id": "crm"');
  await page.fill('textarea[name=new-record]', JSON.stringify({ id: 'a/b #c' }));
  await click('Add record');
  await page.click('summary:text-is("a/b #c")');
  await page.click('details:has(summary:text-is("a/b #c")) >> button:text-is("Remove")');
  await expect.poll(() => asked('/records/eu/tools')).not.toContain('a/b #c');
});

test('what could not be done is told, and why', async () => {
  await click('Records');
  await page.fill('textarea[name=new-record]', '{"agentId":"nobody"}');
  await click('Add record');
  await sees('no agent with the id "nobody"');
  expect(await asked('/records/eu/tools')).not.toContain('nobody');
  await page.fill('textarea[name=new-record]', '{');
  await click('Add record');
  await page.waitForSelector('.bad:has-text("SyntaxError")');
  await page.fill('textarea[name=new-record]', '{"name":5}');
  await click('Add record');
  await sees('name: expected string, received number');
  await page.fill('textarea[name=new-record]', '{}');
  await click('Add record');
  await sees('tools (2)');
  await page.waitForSelector('main:not(:has-text("expected string"))');
});

type Fields = Record<string, { type?: string; description: string; enum?: string[] }>;

test('each type of event has a form by its schema, the fixture filled in', async () => {
  const { webhooks, components } = (await (await fetch(`${bench.url}/openapi.json`)).json()) as {
    webhooks: Record<string, object>;
    components: { schemas: Record<string, { properties: Fields; required: string[] }> };
  };
  const fixtures = (await (await fetch(`${bench.url}/events.json`)).json()) as Record<
    string,
    { eu: Record<string, unknown> }
  >;
  expect(Object.keys(webhooks)).toHaveLength(16);
  await click('Webhooks');
  for (const type of Object.keys(webhooks)) {
    const schema = /schemas\/(\w+Payload)/.exec(JSON.stringify(webhooks[type]))?.[1] ?? '';
    const { properties, required } = components.schemas[schema] ?? { properties: {}, required: [] };
    await page.click(`main button:text-is("${type}")`);
    await page.waitForSelector(`legend:text-is("${type}")`);
    const names = Object.keys(properties).filter((name) => name !== 'createdAt');
    const ofFixture = Object.keys(fixtures[type]?.eu ?? {}).filter((name) => !(name in properties));
    const shown = await page.evaluate(
      (tag) =>
        [...document.querySelectorAll<HTMLInputElement>(tag)].map((input) => ({
          name: input.name,
          value: input.value,
          isLong: input.tagName === 'TEXTAREA',
          isRequired: input.labels?.[0]?.textContent?.includes('required') === true,
          offered: [...(input.list?.querySelectorAll('option') ?? [])].map((option) => option.value),
          meaning: document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent,
        })),
      'fieldset .field input, fieldset .field textarea',
    );
    expect(shown.map(({ name }) => name)).toEqual([...names, ...ofFixture]);
    for (const { name, value, isLong, isRequired, offered, meaning } of shown) {
      expect(isLong, name).toBe(['object', 'array'].includes(properties[name]?.type ?? ''));
      expect(offered, name).toEqual(properties[name]?.enum ?? []);
      expect(meaning, name).toBe(properties[name]?.description);
      const given = fixtures[type]?.eu[name] ?? '';
      expect(typeof given === 'string' ? value : JSON.parse(value), name).toEqual(given);
      expect(isRequired, name).toBe(required.includes(name));
    }
  }
});

test('an event is sent by its form, in copies, forged, and delivered again', async () => {
  const secretOf = (text = '') =>
    (JSON.parse(text) as { payload: { workspaceSecret: string } }).payload.workspaceSecret;
  await click('Webhooks');
  await click('Send lead_captured');
  await sees('Nobody gets it');
  await page.fill('input[name=subscriber]', bench.hook);
  await click('Subscribe');
  await sees('Unsubscribe');
  await sees('every event');
  await page.fill('input[name=leadName]', 'Dana');
  await page.fill('input[name=leadPhone]', '');
  await page.fill('input[name=agentName]', 'Shop');
  expect(await inputOf('input[name=leadPhone]')).toBe('');
  await page.fill('input[name=event-copies]', '2');
  await click('Send lead_captured');
  await sees('2 sent.');
  await page.click('summary:has-text("200 lead_captured"):has-text("ms")');
  await sees('onerror');
  const [payload] = await textsOf('details[open] pre');
  expect(JSON.parse(payload ?? '')).toMatchObject({ leadName: 'Dana', leadPhone: '' });
  expect(bench.received.map((text) => JSON.parse(text) as object)).toMatchObject([
    { payload: { leadName: 'Dana', leadPhone: '', workspaceSecret: TOKEN } },
    { payload: { leadName: 'Dana', leadPhone: '', workspaceSecret: TOKEN } },
  ]);

  await page.click('details[open] >> button:text-is("Deliver again")');
  await expect.poll(() => bench.received.length).toBe(3);
  expect(bench.received[2]).toBe(bench.received[0]);
  await page.click('input[name=event-forged]');
  await page.fill('input[name=event-copies]', '1');
  await click('Send lead_captured');
  await expect.poll(() => bench.received.length).toBe(4);
  expect(secretOf(bench.received[3])).not.toBe(TOKEN);
  await click('webhook_test');
  await click('Send webhook_test');
  await sees('Deliveries (5)');
  expect((await textsOf('summary'))[0]).toContain('webhook_test');

  await click('conversation_updated');
  await page.fill('textarea[name=turns]', '[{');
  await click('Send conversation_updated');
  await sees('turns takes JSON, of the type array.');
  await click('Forget deliveries');
  await sees('Deliveries (0)');
  await click('Unsubscribe');
  await expect.poll(() => asked('/subscriptions')).toBe('{"subscriptions":[]}');
});

test('a delivery that nobody answered is told, and why', async () => {
  await click('Webhooks');
  await page.fill('input[name=subscriber]', 'http://127.0.0.1:1/hook');
  await click('Subscribe');
  await sees('Unsubscribe');
  await click('Send lead_captured');
  await page.click('summary:has-text("failed lead_captured")');
  await sees('why no answer came');
  expect(await asked('/deliveries')).toContain('"outcome":"failed"');
});

test('what is done in the other region is done there', async () => {
  await click('na');
  await click('Webhooks');
  await page.fill('input[name=subscriber]', bench.hook);
  await click('Subscribe');
  await sees('Unsubscribe');
  await page.fill('input[name=leadName]', 'Dana');
  await click('Send lead_captured');
  await sees('1 sent.');
  const { payload } = JSON.parse(bench.received.at(-1) ?? '') as { payload: object };
  const { agentId, workspaceSecret } = SEED_OF_NA;
  expect(payload).toMatchObject({ leadName: 'Dana', agentId, workspaceSecret });
  expect(await inputOf('input[name=agentId]')).toBe(agentId);
  await click('eu');
  await page.waitForSelector('main:not(:has-text("Unsubscribe"))');
  expect(await inputOf('input[name=leadName]')).not.toBe('Dana');

  await click('na');
  await click('Faults');
  await click('Answer 503');
  await sees('Faults on (1)');
  expect(await bench.asked('/faults')).toMatchObject({ faults: [{ region: 'na', status: 503 }] });
  await click('Settings');
  await sees(`AGENT_PLATFORM_REGION=na AGENT_PLATFORM_TOKEN=${workspaceSecret}`);
});

test('each fault is switched on, for one call or for all, and off', async () => {
  await click('Faults');
  const faults = {
    'Answer 503': { status: 503 },
    'Answer 429': { status: 429, retryAfter: 1 },
    'HTML page': { kind: 'html' },
    'Cut JSON': { kind: 'truncated' },
    'Stalled body': { kind: 'stall' },
    'Connection reset': { kind: 'reset' },
    'Slow answers': { kind: 'latency', ms: 2000 },
  };
  const labels = Object.keys(faults);
  for (const [index, label] of labels.entries()) {
    await click(label);
    await sees(`Faults on (${index + 1})`);
  }
  expect(await bench.asked('/faults')).toMatchObject({ faults: Object.values(faults) });
  for (let left = labels.length; left > 0; left -= 1) {
    await page.click('button:text-matches("^Switch .* off$")');
    await sees(`Faults on (${left - 1})`);
  }
  await click('Answer 503');
  await sees('Faults on (1)');
  expect((await bench.call('/tools/defaults')).status).toBe(503);
  await sees('Faults on (0)');
  await page.click('input[name=always]');
  await click('Answer 429');
  await sees('Faults on (1)');
  expect((await bench.call('/tools/defaults')).status).toBe(429);
  expect((await bench.call('/tools/defaults')).status).toBe(429);
  await page.click('button:text-matches("^Switch .* off$")');
  await sees('Faults on (0)');
  expect((await bench.call('/tools/defaults')).status).toBe(200);
});

test('settings are copied', async () => {
  await click('Settings');
  await click('Copy settings');
  await sees('Copied.');
  const copied = await page.evaluate(() => navigator.clipboard.readText(), '');
  expect(copied.split('\n')).toEqual([
    'AGENT_PLATFORM_REGION=eu',
    `AGENT_PLATFORM_TOKEN=${TOKEN}`,
    `AGENT_PLATFORM_BASE_URL_EU=${bench.url}/eu`,
    `AGENT_PLATFORM_BASE_URL_NA=${bench.url}/na`,
    `WORKSPACE_SECRET=${TOKEN}`,
  ]);
});

test('settings are those of the address by which the page was opened', async () => {
  const url = bench.url.replace('127.0.0.1', 'localhost');
  await page.goto(url);
  await click('Settings');
  await sees(`AGENT_PLATFORM_BASE_URL_EU=${url}/eu`);
  expect((await textsOf('pre')).join()).not.toContain('INSECURE');
  // A name that the client takes for another machine's.
  await page.goto(url.replace('localhost', 'fake.localhost'));
  await click('Settings');
  await sees('AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL=true WORKSPACE_SECRET=');
});

test('a browser that has no clipboard for it selects the settings', async () => {
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }), '');
  await click('Settings');
  await click('Copy settings');
  await sees('Selected: copy it with Ctrl+C.');
  expect(await page.evaluate(() => String(window.getSelection()), '')).toContain(`TOKEN=${TOKEN}`);
});

test('Reset begins again', async () => {
  await bench.call('/tools/tool_eu_1');
  await sees('Requests (1)');
  await click('Reset');
  await sees('Requests (0)');
  expect(await asked('/requests')).toBe('{"requests":[]}');
});

describe('every value', () => {
  test('is text: what a request and a receiver send becomes no element', async () => {
    await bench.call(`/agents/a/variables?${encodeURIComponent(EVIL)}`, { method: 'POST', body: EVIL });
    await page.click('summary:has-text("variables")');
    await sees('onerror');
    expect(await textsOf('img')).toEqual([]);
    expect(await page.evaluate(() => document.title, '')).toBe('Fake platform');
  });

  test('comes from the fake alone, and no script of elsewhere runs', async () => {
    const policy = (await fetch(bench.url)).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain('unsafe');
    const html = await (await fetch(bench.url)).text();
    expect(html).not.toMatch(/<script>|https?:|\son\w+=/);
    const ran = await page.evaluate(() => {
      document.body.append(
        Object.assign(document.createElement('script'), { text: 'document.title = "ran"' }),
      );
      return document.title;
    }, '');
    expect(ran).toBe('Fake platform');
  });
});

test('a fake that goes away is told, and that it is back', async () => {
  const other = await openWorkbench();
  onTestFinished(other.end);
  const watching = await browser.newPage();
  await watching.goto(other.url);
  await watching.waitForSelector('main');
  other.end();
  await watching.waitForSelector('header:has-text("The fake does not answer.")');
  expect(watching.url()).toContain(other.url);
  const back = await openWorkbench(new URL(other.url).port);
  onTestFinished(back.end);
  await watching.waitForSelector('header:not(:has-text("The fake does not answer."))');
});

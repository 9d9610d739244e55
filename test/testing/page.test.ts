import { createWebhookReceiver, webhookEvents } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { describe, expect, test } from 'vitest';
import { clientOf, listening } from './clients.js';

/** The page of a fake: a function that loads it, and one that posts to the control API. */
async function pageOf() {
  const fake = createFakePlatform();
  const { url } = await listening(fake, { control: true });
  const load = async (path: string) => (await fetch(url + path)).text();
  const post = async (path: string, body: string) => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${url}/_fake${path}`, { method: 'POST', headers, body })).status;
  };
  return { fake, url, load, post };
}

/** The text of HTML, in which hono escapes these characters. */
function unescape(html: string): string {
  const characters = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
  return html.replaceAll(/&[^;]+;/g, (escape) => characters[escape as keyof typeof characters]);
}

/** The JSON that the first form of a page begins with. */
function jsonIn(html: string): string {
  return unescape(/<textarea[^>]*>(.*?)<\/textarea>/s.exec(html)?.[1] ?? '');
}

test('has a tab for each part, at its own address', async () => {
  const { load } = await pageOf();
  for (const tab of ['settings', 'details', 'events', 'faults', 'records']) {
    const html = await load(`/?tab=${tab}&kind=__proto__&id=__proto__&region=__proto__`);
    expect(html).toMatch(new RegExp(`aria-current="page"[^>]*>${tab}<`));
  }
  for (const tab of ['nowhere', '__proto__', 'constructor']) {
    expect(await load(`/?tab=${tab}`)).toMatch(/aria-current="page"[^>]*>settings</);
  }
});

test('shows text as text, and runs no inline script', async () => {
  const evil = '<img src=x onerror="alert(1)">';
  const { fake, url } = await pageOf();
  fake.add.tool({ id: evil, name: evil });
  const response = await fetch(`${url}/?tab=records&kind=tools&id=${encodeURIComponent(evil)}`);
  const html = await response.text();
  expect(html).toContain('&lt;img');
  expect(html).not.toContain('<img');
  expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
});

test('lists calls and events of both regions, each with what explains it, and filters them', async () => {
  const { fake, load } = await pageOf();
  const { eu } = fake.seed;
  await clientOf(fake).tools.get(eu.toolId);
  fake.faults.inject({ status: 503, body: '', region: 'na' });
  await clientOf(fake, { region: 'na' })
    .tools.get('x')
    .catch(() => undefined);
  fake.faults.inject({ kind: 'truncated' });
  await clientOf(fake)
    .tools.get(eu.toolId)
    .catch(() => undefined);
  fake.webhooks.subscribe('http://127.0.0.1:9/hook');
  await fake.webhooks.send('lead_captured', {}, { forged: true });
  const rows = async (filter: string) => {
    const [, list = ''] = /<div id="list"(.*?)<\/div>/s.exec(await load(`/?filter=${filter}`)) ?? [];
    expect(list).not.toContain(eu.workspaceSecret);
    const [, ...items] = list.split(/<li[^>]*>/);
    return items.map((row) => row.replaceAll(/<[^>]+>|\s/g, ' ').replaceAll(/ +/g, ' '));
  };
  expect(await rows('')).toEqual([
    expect.stringMatching(/^ failed EVENT lead_captured .* eu http:.*\/hook forged secret Fetch failed: /),
    expect.stringMatching(/^ 200 GET .* eu fault: truncated getTool workspace_eu_1 The fault cut/),
    expect.stringMatching(
      /^ 503 GET .* na fault: status getTool workspace_na_1 The fake responded with 503\. $/,
    ),
    expect.stringMatching(/^ 200 GET .* eu getTool workspace_eu_1 $/),
  ]);
  expect(await rows('failed na')).toHaveLength(1);
  expect(await rows('fault: truncated')).toHaveLength(1);
  expect(await rows('no-such-word')).toEqual([]);
});

describe('begins its forms with examples that the fake accepts', () => {
  test('of records', async () => {
    const { fake, load, post } = await pageOf();
    for (const name of Object.keys(fake.state.na)) {
      const example = jsonIn(await load(`/?tab=records&region=na&kind=${name}`));
      expect([name, await post(`/records/na/${name}`, example)]).toEqual([name, 200]);
    }
  });

  test('of faults', async () => {
    const { fake, load, post } = await pageOf();
    const kinds = ['status', 'rate-limit', 'truncated', 'stall', 'reset', 'latency'];
    for (const kind of kinds) await post('/faults', jsonIn(await load(`/?tab=faults&kind=${kind}`)));
    expect(fake.faults.list().map(({ kind }) => kind)).toEqual(kinds);
  });

  test('of events, with createdAt', async () => {
    const { fake, load, post } = await pageOf();
    fake.webhooks.subscribe({ fetch: () => new Response() });
    for (const type of Object.keys(webhookEvents)) {
      const example = jsonIn(await load(`/?tab=events&kind=${type}`));
      expect(JSON.parse(example)).toMatchObject({ type, payload: { createdAt: 'now' } });
      expect(await post('/events', example.replace('"now"', '7'))).toBe(200);
    }
  });
});

test('the fault form takes region and operation of the selected row', async () => {
  const { fake, load } = await pageOf();
  await clientOf(fake, { region: 'na' }).tools.listDefaults();
  const form = JSON.parse(jsonIn(await load('/?tab=faults&id=request_1'))) as object;
  expect(form).toMatchObject({ endpoint: 'listDefaultTools', region: 'na' });
});

test('says what it does not show', async () => {
  const { fake, load } = await pageOf();
  const calls = async (path: string, count: number) => {
    for (let made = 0; made < count; made += 1) await fake.fetch(`${fake.baseUrls.eu}/v3${path}`);
  };
  await calls('/first', 1);
  await calls('/x', 199);
  expect(await load('/')).not.toContain('The newest');
  await calls('/x', 1);
  expect(await load('/')).toContain('The newest 200 of 201. All: /_fake/requests');
  expect(await load('/?filter=first')).not.toContain('The newest');
  expect(await load('/?filter=zebra')).toContain('Nothing matches.');
  await calls('/x', 799);
  expect(await load('/')).toContain('The newest 200 of 1000. All');
  await calls('/x', 1);
  expect(await load('/?filter=/first')).toContain(
    'Nothing matches in the newest 1,000 requests and 1,000 events.',
  );
  expect(await load('/')).toContain('The newest 200 of 1000 in the newest 1,000 requests');
});

test('the details of a delivery show its headers, and the id that the log of the receiver has', async () => {
  const { fake, load } = await pageOf();
  const ids: string[] = [];
  const receiver = createWebhookReceiver({ secret: fake.seed.eu.workspaceSecret });
  fake.webhooks.subscribe(receiver.onAny((_, { deliveryId }) => void ids.push(deliveryId)));
  await fake.webhooks.send('lead_captured');
  const html = await load('/?tab=details&id=delivery_1');
  expect(html).toMatch(/class="headers">content-type: application\/json</);
  expect(html).toContain(`x-delivery-id: ${ids[0]}`);
});

test('its title has its address, and it asks for no icon', async () => {
  const { url, load } = await pageOf();
  const html = await load('/');
  expect(html).toContain(`<title>${new URL(url).host} · Fake platform</title>`);
  expect(html).toContain('<link rel="icon" href="data:,"/>');
});

import { AgentPlatform, createWebhookReceiver, webhookEvents } from 'agent-platform-sdk';
import { createFakePlatform, type FakePlatform, type FaultInput } from 'agent-platform-sdk/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clientOf } from './support/client.js';

/** The page of a fake: a function that loads it, and one that posts to the control API. */
async function pageOf(fake: FakePlatform = createFakePlatform()) {
  const { url, close } = await fake.listen({ control: true });
  onTestFinished(close);
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
  const { url, load } = await pageOf();
  for (const tab of ['settings', 'details', 'events', 'faults', 'records']) {
    expect(await load(`/?tab=${tab}&region=na`)).toMatch(new RegExp(`aria-current="page"[^>]*>${tab}<`));
  }
  for (const tab of ['nowhere', '__proto__', 'constructor']) {
    expect((await fetch(`${url}/?tab=${tab}`)).status).toBe(404);
  }
  for (const tab of ['details', 'events', 'faults', 'records']) {
    const query = `tab=${tab}&kind=__proto__&id=__proto__&region=__proto__`;
    expect((await fetch(`${url}/?${query}`)).status).toBe(200);
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

test('begins with the settings for its own address, and a first call', async () => {
  const { url, load } = await pageOf();
  const html = await load('/?region=na');
  expect(html).toContain('AGENT_PLATFORM_REGION=na');
  expect(html).toContain(`AGENT_PLATFORM_BASE_URL_NA=${url}/na`);
  expect(html).toMatch(/<pre>curl .*\/na\/v3\/tools\/defaults</);
});

test('lists calls and events of both regions, each with what explains it, and filters them', async () => {
  const { fake, load } = await pageOf();
  const { eu, na } = fake.seed;
  await clientOf(fake).tools.get(eu.toolId);
  const wrongToken = clientOf(fake, { region: 'na', token: eu.workspaceSecret });
  await expect(wrongToken.tools.get(na.toolId)).rejects.toThrow();
  fake.faults.inject({ kind: 'truncated', endpoint: 'getTool' });
  await expect(clientOf(fake).tools.get(eu.toolId)).rejects.toThrow();
  fake.webhooks.subscribe('http://127.0.0.1:9/hook');
  await fake.webhooks.send('lead_captured', {}, { forged: true });
  const rows = async (filter: string) => {
    const [, list = ''] = /<div id="list"(.*?)<\/div>/s.exec(await load(`/?filter=${filter}`)) ?? [];
    expect(list).not.toContain(eu.workspaceSecret);
    return list
      .split('<li>')
      .slice(1)
      .map((row) => row.replaceAll(/<[^>]+>|\s/g, ' ').replaceAll(/ +/g, ' '));
  };
  expect(await rows('')).toEqual([
    expect.stringMatching(/^ failed EVENT lead_captured .* eu http:.*\/hook forged secret Fetch failed: /),
    expect.stringMatching(/^ 200 GET .* eu fault: truncated getTool workspace_eu_1 The response is cut/),
    expect.stringMatching(/^ 401 GET .* na getTool workspace_eu_1 The token belongs to region eu, not to na/),
    expect.stringMatching(/^ 200 GET .* eu getTool workspace_eu_1 $/),
  ]);
  expect(await rows('failed na')).toHaveLength(1);
  expect(await rows('fault:')).toHaveLength(1);
  expect(await rows('no-such-word')).toEqual([]);
});

describe('begins its forms with examples that the fake accepts', () => {
  test.each(['eu', 'na'] as const)('of records in %s', async (region) => {
    const { fake, load, post } = await pageOf();
    for (const name of Object.keys(fake.state.eu)) {
      const example = jsonIn(await load(`/?tab=records&region=${region}&kind=${name}`));
      expect([name, await post(`/records/${region}/${name}`, example)]).toEqual([name, 200]);
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

describe('copies a row', () => {
  /** What the buttons of a row copy. */
  async function copiesOf(load: (path: string) => Promise<string>, id: string) {
    const html = await load(`/?tab=details&id=${id}`);
    const [curl = '', code = ''] = [...html.matchAll(/data-copy="([^"]*)"/g)].map(([, text = '']) =>
      unescape(text),
    );
    return { curl, code };
  }

  /** Runs a copied test, and counts its assertions. Rejects if it fails. */
  async function run(code: string): Promise<void> {
    const names = { AgentPlatform, createWebhookReceiver, createFakePlatform, expect };
    const body = code.replaceAll(/^import .*\n/gm, '');
    let copied: () => Promise<void> = () => Promise.reject(new Error('no test'));
    const define = (_: string, made: typeof copied) => {
      copied = made;
    };
    // The text that a developer would paste into a file.
    // oxlint-disable-next-line no-implied-eval
    new Function(...Object.keys(names), 'test', body)(...Object.values(names), define);
    await copied();
  }

  const faults: FaultInput[] = [
    { status: 503 },
    { status: 502, body: '<h1>502</h1>' },
    { status: 200, body: '' },
    { status: 200, body: { unexpected: true } },
    { kind: 'truncated' },
    { kind: 'stall' },
    { kind: 'reset' },
    { kind: 'reset', at: 'body' },
  ];
  test.each(faults)('as a test that injects the fault %j', async (fault) => {
    const { fake, load } = await pageOf();
    fake.faults.inject(fault);
    await expect(clientOf(fake, { timeout: 200 }).tools.get('tool_eu_1')).rejects.toThrow();
    const { code } = await copiesOf(load, 'request_1');
    expect(code).toContain(fault.kind === undefined ? 'inject({ status: ' : `inject({ kind: '${fault.kind}'`);
    await run(code);
  });

  test('as a test that adds its records', async () => {
    const { fake, load } = await pageOf();
    const { secret } = fake.add.na.workspace({ id: 'acme', secret: 'a-secret-of-acme' });
    fake.add.na.agent({ id: 'bot', workspaceId: 'acme' });
    fake.add.na.tool({ id: 'crm', agentId: 'bot', name: 'Dana\'s "CRM"', serverUrlSecret: 's3cret' });
    await clientOf(fake, { region: 'na', token: secret }).tools.get('crm');
    const { code } = await copiesOf(load, 'request_1');
    expect(code).toContain('fake.add.na.workspace({ isPrimary: false');
    expect(code).toContain('fake.add.na.tool({ name: "Dana\'s \\"CRM\\"", id: \'crm\'');
    expect(code).not.toContain('a-secret-of-acme');
    expect(code).not.toContain('s3cret');
    await run(code);
  });

  test('as a test that fails in the same way', async () => {
    const { fake, load } = await pageOf();
    const unknown = clientOf(fake, { token: 'unknown-to-the-fake' });
    await expect(unknown.variables.create('agent_eu_1', { key: 'plan' })).rejects.toThrow();
    await expect(
      clientOf(fake, { region: 'na', token: fake.seed.eu.agentSecret }).tools.get('crm'),
    ).rejects.toThrow();
    for (const id of ['request_1', 'request_2']) {
      const { code } = await copiesOf(load, id);
      expect(code).toContain('.rejects.toMatchObject({ status: 401 })');
      await run(code);
    }
  });

  test('as a test of a receiver', async () => {
    const { fake, load } = await pageOf();
    fake.webhooks.subscribe('http://127.0.0.1:9/hook', { region: 'na' });
    await fake.webhooks.send('lead_captured', { leadName: 'Dana' }, { region: 'na' });
    await fake.webhooks.send('lead_captured', {}, { region: 'na', forged: true });
    const authentic = await copiesOf(load, 'delivery_1');
    expect(authentic.code).toContain("leadName: 'Dana'");
    await run(authentic.code);
    const forged = await copiesOf(load, 'delivery_2');
    expect(forged.code).toContain('toBe(401)');
    await run(forged.code);
  });

  test('as curl, with the variables of the settings for its secrets', async () => {
    const { fake, url, load } = await pageOf();
    await clientOf(fake).variables.create('agent_eu_1', { key: "Dana's" });
    fake.webhooks.subscribe('http://127.0.0.1:9/hook');
    await fake.webhooks.send('webhook_test');
    expect((await copiesOf(load, 'request_1')).curl).toBe(
      `curl -X POST '${url}/eu/v3/agents/agent_eu_1/variables' \\
  -H "authorization: Bearer $AGENT_PLATFORM_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"variable":{"key":"Dana'\\''s"}}'`,
    );
    expect((await copiesOf(load, 'delivery_1')).curl).toContain(
      `"workspaceSecret":"'"$AGENT_PLATFORM_WEBHOOK_SECRET"'"}}'`,
    );
  });
});

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentPlatform } from 'agent-platform-sdk';
import { createFakePlatform, type FakeSnapshot } from 'agent-platform-sdk/testing';
import { afterAll, expect, test, vi } from 'vitest';
import { freePort } from '../support/free-port.js';
import { serve } from '../support/loopback.js';
import { finish, start } from './terminal.js';

const folder = mkdtempSync(join(tmpdir(), 'fake-'));
afterAll(() => rmSync(folder, { recursive: true }));
const fake = (...args: string[]) => start(['fake', '--port', '0', ...args]);
const { eu } = createFakePlatform().seed;

function post(url: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

test('prints settings that a client works with', async () => {
  const { lines, tones, url, exit, stop } = await fake();
  const settings = Object.fromEntries(
    [...(lines[0] ?? '').matchAll(/^(AGENT_PLATFORM_\w+)=(.+)$/gm)].map(([, name, value]) => [name, value]),
  ) as Record<string, string>;
  expect(settings).toEqual({
    AGENT_PLATFORM_REGION: 'eu',
    AGENT_PLATFORM_TOKEN: eu.workspaceSecret,
    AGENT_PLATFORM_BASE_URL_EU: `${url}/eu`,
    AGENT_PLATFORM_BASE_URL_NA: `${url}/na`,
    AGENT_PLATFORM_WEBHOOK_SECRET: eu.workspaceSecret,
  });
  const baseUrls = { eu: settings.AGENT_PLATFORM_BASE_URL_EU };
  const platform = new AgentPlatform({ region: 'eu', token: settings.AGENT_PLATFORM_TOKEN, baseUrls });
  expect(await platform.tools.get(eu.toolId)).toMatchObject({ id: eu.toolId });
  expect(lines[1]).toMatch(/^\d\d:\d\d:\d\d {2}200 +\d+ ms {2}eu {2}GET {5}\/tools\/tool_eu_1 {2}getTool$/);
  await expect(platform.tools.get('crm')).rejects.toThrow();
  expect(lines[2]).toMatch(
    /^.{10}404 .* GET {5}\/tools\/crm {2}getTool\n {10}There is no tool with the id "crm"\.$/,
  );
  expect(tones.slice(1)).toEqual(['ok', 'fail']);
  stop();
  expect(await exit).toBe(0);
});

test('sends events to --webhook, as its curl line does', async () => {
  const target = await serve((_, response) => response.end());
  const { lines, url } = await fake('--webhook', target);
  const [, body = '', address = ''] = /curl .* -d '(.+)' (\S+)/.exec(lines[0] ?? '') ?? [];
  await post(address, JSON.parse(body) as object);
  expect(address).toBe(`${url}/_fake/events`);
  expect(lines.at(-1)).toMatch(new RegExp(`^.{10}200 .* ms  eu  EVENT   lead_captured  ${target}/$`));
});

test('serves its page and the control API', async () => {
  const { url } = await fake();
  expect(await (await fetch(url)).text()).toContain('<h1>Fake platform</h1>');
  expect((await fetch(`${url}/_fake/state`)).status).toBe(200);
});

test('--seed adds records; a wrong one is named', async () => {
  const file = join(folder, 'seed.json');
  writeFileSync(file, JSON.stringify({ eu: { tools: [{ id: 'crm', agentId: eu.agentId }] } }));
  const { url } = await fake('--seed', file);
  const { records } = (await (await fetch(`${url}/_fake/records/eu/tools`)).json()) as { records: unknown[] };
  expect(records).toHaveLength(2);
  writeFileSync(file, JSON.stringify({ eu: { tool: [] } }));
  const { code, errors } = await finish(['fake', '--seed', file]);
  expect([code, errors[0]]).toEqual([2, expect.stringContaining('Did you mean `tools`?')]);
  writeFileSync(file, '{');
  expect((await finish(['fake', '--seed', file])).errors[0]).toMatch(/--seed: cannot read .*JSON/);
});

test('--state keeps records over restarts, in a file of its owner', async () => {
  const file = join(folder, 'state.json');
  const first = await fake('--state', file);
  await post(`${first.url}/_fake/records/eu/tools`, { id: 'kept' });
  await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toContain('"kept"'));
  await post(`${first.url}/_fake/records/eu/tools`, { id: 'last' });
  first.stop();
  await first.exit;
  const second = await fake('--state', file);
  expect((await fetch(`${second.url}/_fake/records/eu/tools/kept`, { method: 'DELETE' })).status).toBe(200);
  const { records } = JSON.parse(readFileSync(file, 'utf8')) as FakeSnapshot;
  expect(records.eu.tools.map(({ id }) => id)).toContain('last');
  expect([statSync(file).mode & 0o777, existsSync(`${file}.new`)]).toEqual([0o600, false]);
  writeFileSync(file, '{"version":9}');
  expect(await finish(['fake', '--state', file])).toMatchObject({ code: 2 });
});

test('--host and --allow-host change the printed settings', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const open = await fake('--host', '0.0.0.0');
  expect(open.lines[0]).toContain('From other machines and containers');
  expect(warn).toHaveBeenCalledOnce();
  warn.mockRestore();
  const { lines, url } = await fake('--allow-host', 'platform');
  expect(lines[0]).toContain(`AGENT_PLATFORM_BASE_URL_EU=http://platform:${new URL(url).port}/eu`);
  expect(lines[0]).toContain('AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL=true');
});

test('a taken port exits with 1', async () => {
  const port = String(await freePort());
  await start(['fake', '--port', port]);
  const { code, errors } = await finish(['fake', '--port', port]);
  expect([code, errors]).toEqual([
    1,
    [`Port ${port} is in use. Choose another with --port, or 0 for any free port.`],
  ]);
});

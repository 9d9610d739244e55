import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentPlatform } from 'agent-platform-sdk';
import { createFakePlatform, type FakeSnapshot } from 'agent-platform-sdk/testing';
import { afterAll, describe, expect, test, vi } from 'vitest';
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
  expect(lines.slice(1)).toEqual([
    expect.stringMatching(new RegExp(`^.{10}sending +eu  EVENT   lead_captured  ${target}/$`)),
    expect.stringMatching(new RegExp(`^.{10}200 .* ms  eu  EVENT   lead_captured  ${target}/$`)),
  ]);
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
  expect((await finish(['fake', '--seed', file])).errors[0]).toMatch(/--seed: .*seed.json: .*JSON/);
  writeFileSync(file, JSON.stringify({ eu: { tools: [{ id: 'crm' }, { id: 'erp', agentId: 'nobody' }] } }));
  expect((await finish(['fake', '--seed', file])).errors[0]).toBe(
    `--seed: ${file}: eu.tools[1] "erp": Region eu has no agent "nobody". Known: agent_eu_1.`,
  );
});

test.each<[encoding: string, encode: (text: string) => Buffer]>([
  ['UTF-8', (text) => Buffer.from(`\uFEFF${text}`)],
  ['UTF-16, as PowerShell writes it', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
])('files may begin with a byte order mark: %s', async (_, encode) => {
  const [seed, state] = [join(folder, 'bom-seed.json'), join(folder, 'bom-state.json')];
  writeFileSync(seed, encode('{"eu":{"leads":[{"id":"lead_bom"}]}}'));
  writeFileSync(state, encode(JSON.stringify(createFakePlatform().snapshot())));
  expect((await finish(['fake', '--port', '70000', '--seed', seed])).errors[0]).toContain('--port');
  const { lines } = await fake('--seed', seed, '--state', state);
  expect(lines[0]).toContain('Listening at http');
});

describe('--handlers', () => {
  const convo = '/agents/agent_eu_1/convos?cursor=c1&limit=2';
  const call = (url: string, init: RequestInit = {}) =>
    fetch(`${url}/eu/v3${convo}`, { headers: { authorization: `Bearer ${eu.workspaceSecret}` }, ...init });

  test.each([
    [
      'by method and path',
      `export default {
        'GET /agents/{agentId}/convos': ({ path, succeed }) => succeed([path.agentId]),
      };`,
    ],
    [
      'in a function, which gets the fake',
      `export default (fake) => {
        fake.handle(
          { method: 'GET', path: '/agents/{agentId}/convos', auth: 'bearer' },
          ({ path, succeed }) => succeed([path.agentId]),
        );
      };`,
    ],
  ])('adds the operations of a module: %s', async (_, code) => {
    const file = join(mkdtempSync(join(folder, 'handlers-')), 'handlers.mjs');
    writeFileSync(file, code);
    const { url, lines } = await fake('--handlers', file);
    const response = await call(url);
    expect([response.status, await response.json()]).toEqual([
      200,
      { success: true, message: 'OK', data: ['agent_eu_1'] },
    ]);
    expect(lines[1]).toContain('GET /agents/{agentId}/convos');
  });

  test.each([
    ['export const handlers = {};', 'The default export must be an object of handlers, or a function.'],
    ["export default { 'GET /x': 1 };", 'The handler of "GET /x" must be a function.'],
    ["export default { 'FETCH /x': () => 1 };", 'method'],
  ])('says what is wrong with %s', async (code, message) => {
    const file = join(mkdtempSync(join(folder, 'handlers-')), 'handlers.mjs');
    writeFileSync(file, code);
    const ended = await finish(['fake', '--handlers', file]);
    expect([ended.code, ended.errors[0]]).toEqual([2, expect.stringContaining(message)]);
  });
});

test('--json prints lines of JSON', async () => {
  const target = await serve((_, response) => response.writeHead(500).end('busy'));
  const { lines, url } = await fake('--json', '--webhook', target);
  const { url: printed, baseUrls, seed } = JSON.parse(lines[0] ?? '') as { [name: string]: unknown };
  expect(printed).toMatch(/^http:/);
  expect(baseUrls).toEqual({ eu: `${String(printed)}/eu`, na: `${String(printed)}/na` });
  expect(seed).toMatchObject({ eu: { workspaceSecret: eu.workspaceSecret } });
  await fetch(`${String(printed)}/eu/v3/tools/crm`, {
    headers: { authorization: `Bearer ${eu.workspaceSecret}` },
  });
  await post(`${String(printed)}/_fake/events`, { type: 'lead_captured' });
  const at = expect.any(Number) as number;
  const duration = expect.any(Number) as number;
  expect(url).toBe('');
  expect(lines.slice(1).map((line) => JSON.parse(line) as object)).toEqual([
    {
      at,
      status: 404,
      duration,
      region: 'eu',
      verb: 'GET',
      name: '/tools/crm',
      target: 'getTool',
      secret: 'workspace_eu_1',
      failure: 'There is no tool with the id "crm".',
    },
    expect.objectContaining({
      at,
      outcome: 'sending',
      verb: 'EVENT',
      name: 'lead_captured',
      target: `${target}/`,
    }),
    expect.objectContaining({
      at,
      status: 500,
      duration,
      failure: expect.stringContaining('busy') as string,
    }),
  ]);
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

test('--seed beside a --state that exists has no effect, and the start says so', async () => {
  const [state, seed] = [join(folder, 'seeded.json'), join(folder, 'seed-beside.json')];
  writeFileSync(seed, '{"eu":{"leads":[{"id":"lead_of_seed"}]}}');
  expect((await fake('--state', state, '--seed', seed)).errors).toEqual([]);
  expect(readFileSync(state, 'utf8')).toContain('lead_of_seed');
  const { errors } = await fake('--state', state, '--seed', seed);
  expect(errors).toEqual([expect.stringContaining(`--seed has no effect, because ${state} exists.`)]);
});

test('two fakes with one --state: the second write is refused, and nothing is lost', async () => {
  const file = join(folder, 'shared.json');
  const [first, second] = [await fake('--state', file), await fake('--state', file)];
  await post(`${second.url}/_fake/records/eu/tools`, { id: 'of_second' });
  await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toContain('of_second'));
  await post(`${first.url}/_fake/records/eu/tools`, { id: 'of_first' });
  first.stop();
  await first.exit;
  expect(first.errors[0]).toContain('was changed by something else, so the fake does not overwrite it');
  expect(readFileSync(file, 'utf8')).toContain('of_second');
});

test.each(['a#b', 'a b', "it's", 'a"b', 'a\\nb', '$HOME', '\'"', '`$(x)`', 'a=b', 'plain.secret:1/2-3'])(
  'the printed settings read back with the secret %s',
  async (secret) => {
    const seed = join(folder, 'odd-secret.json');
    const workspaces = [{ id: 'workspace_eu_1', secret }];
    writeFileSync(seed, JSON.stringify({ eu: { workspaces } }));
    const { lines } = await fake('--seed', seed);
    const env = join(folder, 'printed.env');
    writeFileSync(env, /^AGENT_PLATFORM_REGION=.*?\n\n/ms.exec(lines[0] ?? '')?.[0] ?? '');
    const print =
      'console.log(JSON.stringify([process.env.AGENT_PLATFORM_TOKEN, process.env.AGENT_PLATFORM_WEBHOOK_SECRET]))';
    const { AGENT_PLATFORM_TOKEN: _, AGENT_PLATFORM_WEBHOOK_SECRET: __, ...clean } = process.env;
    const { stdout } = spawnSync(process.execPath, [`--env-file=${env}`, '-e', print], {
      encoding: 'utf8',
      env: clean,
    });
    expect(JSON.parse(stdout)).toEqual([secret, secret]);
  },
);

test('--host and --allow-host change the printed settings', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const open = await fake('--host', '0.0.0.0');
  expect(open.lines[0]).toContain('On other machines and in containers');
  expect(warn).toHaveBeenCalledOnce();
  warn.mockRestore();
  const { lines, url } = await fake('--allow-host', 'platform');
  expect(lines[0]).toContain(`AGENT_PLATFORM_BASE_URL_EU=http://platform:${new URL(url).port}/eu`);
  expect(lines[0]).toContain('AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL=true');
  const behindProxy = await fake('--allow-host', '.app.github.dev');
  expect(behindProxy.lines[0]).toContain(`AGENT_PLATFORM_BASE_URL_EU=${behindProxy.url}/eu`);
});

test('a taken port exits with 1', async () => {
  const port = String(await freePort());
  await start(['fake', '--port', port]);
  const { code, errors } = await finish(['fake', '--port', port]);
  const problem = `listen EADDRINUSE: address already in use 127.0.0.1:${port}`;
  expect([code, errors]).toEqual([
    1,
    [`${problem}. Choose another port with --port, or 0 for any free port.`],
  ]);
});

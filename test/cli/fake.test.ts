import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { AgentPlatform } from 'agent-platform-sdk';
import { createFakePlatform, type FakeSnapshot } from 'agent-platform-sdk/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../support/free-port.js';
import { answering } from '../support/loopback.js';
import { newFile, newPath } from '../support/new-file.js';
import { finish, start } from './terminal.js';

// A bind mount needs root, and a full disk is rare: their refusals are made up.
vi.mock('node:fs', async (original) => {
  const actual = await original<typeof fs>();
  return { ...actual, renameSync: vi.fn(actual.renameSync) };
});

const read = (file: string) => fs.readFileSync(file, 'utf8');

const fake = (...args: string[]) => start(['fake', '--port', '0', ...args]);
const { eu } = createFakePlatform().seed;
const headers = { authorization: `Bearer ${eu.workspaceSecret}` };

function post(url: string, body: object): Promise<Response> {
  const json = { 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body) });
}
const addTool = (url: string, id: string) => post(`${url}/_fake/records/eu/tools`, { id });

test('prints settings that a client works with', async () => {
  const { lines, tones, url, exit, stop } = await fake();
  const printed = [...(lines[0] ?? '').matchAll(/^(AGENT_PLATFORM_\w+)=(.+)$/gm)];
  const settings = Object.fromEntries(printed.map(([, name = '', value = '']) => [name, value]));
  expect(settings).toEqual({
    AGENT_PLATFORM_REGION: 'eu',
    AGENT_PLATFORM_TOKEN: eu.workspaceSecret,
    AGENT_PLATFORM_BASE_URL_EU: `${url}/eu`,
    AGENT_PLATFORM_BASE_URL_NA: `${url}/na`,
    AGENT_PLATFORM_WEBHOOK_SECRET: eu.workspaceSecret,
  });
  const baseUrls = { eu: settings.AGENT_PLATFORM_BASE_URL_EU };
  const { tools } = new AgentPlatform({ region: 'eu', token: settings.AGENT_PLATFORM_TOKEN, baseUrls });
  expect(await tools.get(eu.toolId)).toMatchObject({ id: eu.toolId });
  await expect(tools.get('crm')).rejects.toThrow();
  await fetch(`${url}/eu/v3/tools/crm`);
  expect(lines.slice(1)).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d {2}200 +\d+ ms {2}eu {2}GET {5}\/tools\/tool_eu_1 {2}getTool$/),
    expect.stringMatching(/^.{10}404 .* \/tools\/crm {2}getTool\n {10}There is no tool with the id "crm"\.$/),
    expect.stringMatching(/^.{10}401 .* is missing\. Use a secret from the fake's settings\.$/s),
  ]);
  expect(tones.slice(1)).toEqual(['ok', 'fail', 'fail']);
  stop();
  expect(await exit).toBe(0);
});

test('sends events to --webhook, as its curl line does', async () => {
  const [target, busy] = [await answering(200), await answering(500, {}, 'busy')];
  const { lines, url } = await fake('--webhook', target, '--webhook', busy);
  const [, body = '', address = ''] = /curl .* -d '(.+)' (\S+)/.exec(lines[0] ?? '') ?? [];
  // A reset keeps them.
  await post(`${url}/_fake/reset`, {});
  await post(address, JSON.parse(body) as object);
  expect(address).toBe(`${url}/_fake/events`);
  expect(lines.slice(1)).toHaveLength(4);
  for (const line of [
    `sending +eu  EVENT   lead_captured  ${target}/$`,
    `200 .* ms  eu  EVENT   lead_captured  ${target}/$`,
    `500 .* ms  eu  EVENT   lead_captured  ${busy}/\n +busy. See`,
  ]) {
    expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^.{10}${line}`)));
  }
});

test('--json prints lines of JSON', async () => {
  const { lines } = await fake('--json');
  const { url, baseUrls, seed } = JSON.parse(lines[0] ?? '') as { url: string; [name: string]: unknown };
  expect(baseUrls).toEqual({ eu: `${url}/eu`, na: `${url}/na` });
  expect(seed).toMatchObject({ eu: { workspaceSecret: eu.workspaceSecret } });
  await fetch(`${url}/eu/v3/tools/crm`, { headers });
  const [at, duration] = [expect.any(Number) as number, expect.any(Number) as number];
  const request = {
    region: 'eu',
    verb: 'GET',
    name: '/tools/crm',
    target: 'getTool',
    secret: eu.workspaceId,
  };
  const failure = expect.stringContaining('no tool') as string;
  expect(JSON.parse(lines[1] ?? '')).toEqual({ at, status: 404, duration, ...request, failure });
});

test('--seed adds records; a wrong one is named', async () => {
  const file = newFile(JSON.stringify({ eu: { tools: [{ id: 'crm', agentId: eu.agentId }] } }));
  const { url } = await fake('--seed', file);
  expect((await fetch(`${url}/eu/v3/tools/crm`, { headers })).status).toBe(200);
  for (const [seed, problem] of [
    ['{', 'JSON'],
    ['{"eu":{"tool":[]}}', 'Did you mean `tools`?'],
    ['{"eu":{"tools":[{"id":"erp","agentId":"x"}]}}', 'eu.tools[0] "erp": Region eu has no agent'],
  ] as const) {
    fs.writeFileSync(file, seed);
    const { code, errors } = await finish(['fake', '--seed', file]);
    expect([code, errors[0]?.startsWith(`--seed: ${file}: `)]).toEqual([2, true]);
    expect(errors[0]).toContain(problem);
  }
});

test.each<[encoding: string, encode: (text: string) => Buffer]>([
  ['UTF-8', (text) => Buffer.from(`\uFEFF${text}`)],
  ['UTF-16, as PowerShell writes it', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
])('files may begin with a byte order mark: %s', async (_, encode) => {
  const seed = newFile(encode('{"eu":{"leads":[{"id":"lead_bom"}]}}'));
  const state = newPath();
  await fake('--seed', seed, '--state', state);
  expect(read(state)).toContain('lead_bom');
  const { lines } = await fake('--state', newFile(encode(read(state))));
  expect(lines[0]).toContain('Listening at http');
});

describe('--handlers', () => {
  const handler = '({ path, succeed }) => succeed([path.agentId])';
  test('adds the operations of a module', async () => {
    const code = `export default { 'GET /agents/{agentId}/convos': ${handler} };`;
    const { url, lines } = await fake('--handlers', newFile(code, 'handlers.mjs'));
    const response = await fetch(`${url}/eu/v3/agents/agent_eu_1/convos?cursor=c1&limit=2`, { headers });
    const body = { success: true, message: 'OK', data: ['agent_eu_1'] };
    expect([response.status, await response.json()]).toEqual([200, body]);
    expect(lines[1]).toContain('GET /agents/{agentId}/convos');
  });

  test.each([
    ['export const handlers = {};', 'The default export must be an object of handlers.'],
    ["export default { 'GET /x': 1 };", 'The handler of "GET /x" must be a function.'],
    ["export default { 'FETCH /x': () => 1 };", 'method'],
  ])('says what is wrong with %s', async (code, message) => {
    const ended = await finish(['fake', '--handlers', newFile(code, 'handlers.mjs')]);
    expect([ended.code, ended.errors[0]]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('--state', () => {
  /** Starts the fake, adds a tool and stops it. Returns the tools in its file. */
  async function addToState(id: string, file: string): Promise<readonly string[]> {
    const { url, stop, exit } = await fake('--state', file);
    await addTool(url, id);
    stop();
    await exit;
    return (JSON.parse(read(file)) as FakeSnapshot).records.eu.tools.map((tool) => tool.id);
  }

  /** Lets each rename fail until the test ends. */
  function failRenames(code: string): void {
    const rename = vi.mocked(fs.renameSync).mockImplementation(() => {
      throw Object.assign(new Error(`${code}: made up`), { code });
    });
    onTestFinished(() => void rename.mockReset());
  }

  test('keeps records over restarts, in a file of its owner, which a change reaches at once', async () => {
    const file = newPath();
    const { url, stop, exit } = await fake('--state', file);
    await addTool(url, 'kept');
    await vi.waitFor(() => expect(read(file)).toContain('"kept"'));
    stop();
    await exit;
    expect(await addToState('last', file)).toEqual(['tool_eu_1', 'kept', 'last']);
    expect([fs.statSync(file).mode & 0o777, fs.existsSync(`${file}.new`)]).toEqual([0o600, false]);
  });

  test('a symbolic link stays one, also to a file that is not there yet', async () => {
    const [link, target] = [newPath(), newPath()];
    fs.symlinkSync(target, link);
    await addToState('one', link);
    expect(await addToState('two', link)).toEqual(['tool_eu_1', 'one', 'two']);
    expect(fs.lstatSync(link).isSymbolicLink()).toBe(true);
    expect(read(target)).toContain('"two"');
  });

  test('a file that cannot be replaced, such as a bind mount, is written in place', async () => {
    const file = newPath();
    failRenames('EBUSY');
    await addToState('one', file);
    const { ino } = fs.statSync(file);
    expect(await addToState('two', file)).toEqual(['tool_eu_1', 'one', 'two']);
    expect([fs.statSync(file).ino, fs.existsSync(`${file}.new`)]).toEqual([ino, false]);
  });

  test('a full disk leaves the file as it was', async () => {
    const file = newPath();
    await addToState('one', file);
    failRenames('ENOSPC');
    const before = read(file);
    expect((await finish(['fake', '--state', file])).errors[0]).toBe('--state: ENOSPC: made up');
    expect(read(file)).toBe(before);
  });

  test('an empty file, which a bind mount needs, is filled; the error about a wrong one names it', async () => {
    expect(await addToState('first', newFile(''))).toEqual(['tool_eu_1', 'first']);
    const file = newFile('{"version":9}');
    const { code, errors } = await finish(['fake', '--state', file]);
    expect([code, errors[0]]).toEqual([2, expect.stringContaining(`--state: ${file}: `)]);
  });

  test('--seed beside a file that exists has no effect, and the start says so', async () => {
    const [state, seed] = [newPath(), newFile('{"eu":{"leads":[{"id":"lead_of_seed"}]}}')];
    expect((await fake('--state', state, '--seed', seed)).errors).toEqual([]);
    expect(read(state)).toContain('lead_of_seed');
    const { errors } = await fake('--state', state, '--seed', seed);
    expect(errors).toEqual([expect.stringContaining(`--seed has no effect, because ${state} exists.`)]);
  });

  test('of a file that was removed: the write is refused, and the exit code says so', async () => {
    const file = newPath();
    const { url, stop, exit, errors } = await fake('--state', file);
    fs.rmSync(file);
    await addTool(url, 'late');
    stop();
    expect([await exit, fs.existsSync(file)]).toEqual([1, false]);
    expect(errors[0]).toContain('was changed or removed by something else, so the fake no longer writes it');
  });

  test('of two fakes: the second write is refused, and nothing is lost', async () => {
    const file = newPath();
    const [first, second] = [await fake('--state', file), await fake('--state', file)];
    await addTool(second.url, 'of_second');
    await vi.waitFor(() => expect(read(file)).toContain('of_second'));
    await addTool(first.url, 'of_first');
    first.stop();
    await first.exit;
    expect(first.errors[0]).toContain('was changed or removed by something else');
    expect(read(file)).toContain('of_second');
  });
});

const oddSecrets = [
  'a#b',
  'a b',
  "it's",
  'a"b',
  'a\\nb',
  '$HOME',
  '\'"',
  '`$(x)`',
  'a=b',
  'plain.secret:1/2-3',
];
test.each(oddSecrets)('the printed settings read back with the secret %s', async (secret) => {
  const workspaces = [{ id: 'workspace_eu_1', secret }];
  const { lines } = await fake('--seed', newFile(JSON.stringify({ eu: { workspaces } })));
  const file = newFile(/^AGENT_PLATFORM_REGION=.*?\n\n/ms.exec(lines[0] ?? '')?.[0] ?? '');
  const code = 'console.log(process.env.AGENT_PLATFORM_TOKEN + process.env.AGENT_PLATFORM_WEBHOOK_SECRET)';
  const { stdout } = spawnSync(process.execPath, [`--env-file=${file}`, '-e', code], {
    encoding: 'utf8',
    env: {},
  });
  expect(stdout).toBe(`${secret}${secret}\n`);
});

test('--host and --allow-host change the printed settings', async () => {
  const open = await fake('--host', '0.0.0.0');
  expect(open.lines[0]).toContain('On other machines and in containers');
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
  const advice = 'Choose another port with --port, or 0 for any free port.';
  const problem = `listen EADDRINUSE: address already in use 127.0.0.1:${port}`;
  expect([code, errors]).toEqual([1, [`${problem}. ${advice}`]]);
});

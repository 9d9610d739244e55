import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AgentPlatform } from 'agent-platform-sdk';
import { createFakePlatform, type FakeSnapshot } from 'agent-platform-sdk/testing';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { start } from './terminal.js';

const folder = mkdtempSync(join(tmpdir(), 'agent-platform-'));
afterEach(() => vi.unstubAllEnvs());

/** The path of a file for one test, with a content or not there. */
function file(content?: string): string {
  const path = join(mkdtempSync(join(folder, 'f-')), 'file.json');
  if (content !== undefined) writeFileSync(path, content);
  onTestFinished(() => rmSync(path, { force: true }));
  return path;
}

const post = (url: string, body: unknown): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

describe('--seed', () => {
  test.each([
    ['{', ' at line 1, column 2: Expected property name'],
    ['{"eu": {\n  "tools": [,]\n}}', " at line 2, column 13: Unexpected token ','"],
    ['{"eu": {"agents": [{"id": "bot" "x": 1}]}}', ' at line 1, column 33: Expected '],
    ['{"eu": {\n\n}', ' at line 3, column 2: '],
    [
      `{"a": 1,\n "${'b'.repeat(30)}": x, "${'c'.repeat(30)}": 1}`,
      " at line 2, column 36: Unexpected token 'x'.",
    ],
    [`x{"${'a'.repeat(60)}": 1}`, " at line 1, column 1: Unexpected token 'x'."],
    [`[1, x, "${'a'.repeat(60)}"]`, " at line 1, column 5: Unexpected token 'x'."],
    [`{"${'a'.repeat(60)}":x}`, " at line 1, column 65: Unexpected token 'x'."],
    ['[1] 2', ' at line 1, column 5: Unexpected non-whitespace character after JSON.'],
    ['{"a":"b\nc"}', ' at line 1, column 8: Bad control character in string literal.'],
    ['[1,]', " at line 1, column 4: Unexpected token ']'"],
  ])('tells where %j is no JSON', async (content, message) => {
    const { errors, exit } = await start(['fake', '--port', '0', '--seed', file(content)]);

    expect(await exit).toBe(2);
    expect(errors.join()).toContain(`file.json is not JSON${message}`);
  });

  test('tells each kind of problem once, with what there is', async () => {
    const orgs = [{ clients: [{ ID: 1 }, { ID: 2 }] }, { clients: [{ ID: 3 }] }];
    const tools = Array.from({ length: 12 }, (_, id) => ({ id }));
    const leads = [{ nme: 'x' }, { id: 'l', nme: 'y' }];
    const { errors } = await start([
      'fake',
      '--seed',
      file(JSON.stringify({ eu: { orgs, tools, leads, robots: [] } })),
    ]);

    const lines = errors
      .join('')
      .split('\n')
      .filter((line) => !line.startsWith('agent-platform-sdk'));
    expect(lines).toEqual([
      expect.stringMatching(/^--seed: .*file\.json is wrong$/),
      '  - eu.orgs[].clients[].ID: expected string, received number (3 times, first at eu.orgs[0].clients[0].ID)',
      '  - eu.tools[].id: expected string, received number (12 times, first at eu.tools[0].id)',
      '  - eu.leads[].nme: unknown field; there are id, agentId (2 times, first at eu.leads[0].nme)',
      expect.stringMatching(/^ {2}- eu\.robots: unknown field; there are workspaces, orgs, agents,[^(]*$/),
    ]);
  });

  test('takes the conversation that the help shows', async () => {
    const [help] = (await start(['fake', '--help'])).lines;
    const example = /\{ "eu".*?\] \} \}/s.exec(help ?? '')?.[0] ?? '';
    const { url } = await start(['fake', '--port', '0', '--seed', file(example)]);

    const listed = await (await fetch(`${url}/_fake/records/eu/conversations`)).json();
    expect(listed).toMatchObject({
      records: [{}, { agentId: 'bot', convoId: 'c1', record: { ID: 'bot_c1', state: 'closed' } }],
    });
  });
});

describe('--state', () => {
  test('keeps records, faults and subscriptions over restarts, and reset leads to the beginning', async () => {
    const path = file();
    const first = await start(['fake', '--port', '0', '--state', path]);
    const at = `${first.url}/_fake`;
    await post(`${at}/records/na/tools`, { id: 'crm' });
    await post(`${at}/faults`, { endpoint: 'getTool', status: 503, times: 2 });
    await post(`${at}/faults`, { kind: 'latency', ms: 1, times: 'always' });
    await post(`${at}/subscriptions`, { url: 'http://127.0.0.1:1/hook', events: ['lead_captured'] });
    await fetch(`${first.url}/eu/v3/tools/tool_eu_1`);
    const stateOf = async (url: string) =>
      (await (await fetch(`${url}/_fake/state`)).json()) as { faults: object[] };
    const before = await stateOf(first.url);
    first.stop();
    await first.exit;

    const second = await start([
      'fake',
      '--port',
      '0',
      '--state',
      path,
      '--webhook',
      'http://127.0.0.1:1/other',
    ]);
    const after = await stateOf(second.url);

    const withoutIds = ({ id: _, struck: __, ...rest }: Readonly<Record<string, unknown>>) => rest;
    expect(after).toMatchObject({
      records: (before as unknown as { records: object }).records,
      subscriptions: [
        {},
        {},
        { address: 'http://127.0.0.1:1/hook', events: ['lead_captured'], untilReset: true },
      ],
    });
    expect(after.faults.map((fault) => withoutIds({ ...fault }))).toEqual([
      { endpoint: 'getTool', status: 503, remaining: 1 },
      { kind: 'latency', ms: 1, remaining: 'always' },
    ]);
    expect(statSync(path).mode & 0o077).toBe(0);
    await post(`${second.url}/_fake/reset`, {});
    expect(JSON.stringify(await stateOf(second.url))).not.toContain('"id":"crm"');
  });

  test('is written while it runs, whoever ends it', async () => {
    const path = file();
    const { url } = await start(['fake', '--port', '0', '--state', path]);
    await post(`${url}/_fake/records/eu/leads`, { id: 'lead_7' });

    await vi.waitFor(
      () => expect(existsSync(path) && readFileSync(path, 'utf8')).toContain('lead_7'),
      10_000,
    );
    expect(existsSync(`${path}.new`)).toBe(false);
    await post(`${url}/_fake/records/eu/leads`, { id: 'lead_8' });
    await vi.waitFor(() => expect(readFileSync(path, 'utf8')).toContain('lead_8'), 10_000);
  });

  test('that cannot be written any more is warned of', async () => {
    const path = file();
    const { errors, url } = await start(['fake', '--port', '0', '--state', path]);
    rmSync(dirname(path), { recursive: true });
    await post(`${url}/_fake/records/eu/leads`, { id: 'lead_7' });

    await vi.waitFor(() => expect(errors.join()).toMatch(/^Warning: --state: ENOENT/), 10_000);
  });

  test('is written once more at the end', async () => {
    const path = file();
    const { url, stop, exit } = await start(['fake', '--port', '0', '--state', path]);
    await post(`${url}/_fake/records/eu/leads`, { id: 'lead_7' });
    stop();
    await exit;

    expect(readFileSync(path, 'utf8')).toContain('lead_7');
  });

  test('that cannot be written is refused at the start', async () => {
    const { errors, exit } = await start(['fake', '--port', '0', '--state', join(file(), 'state.json')]);

    expect(await exit).toBe(2);
    expect(errors.join()).toMatch(/^--state: ENOENT/);
  });

  test.each([
    ['{"version":2}', /- version: expected one of 1.*\n.*- records: required/s],
    ['nothing', /^--state: .* is not JSON at line 1, column/],
    [
      JSON.stringify({ ...createFakePlatform().snapshot(), faults: [{ endpoint: 'getRobot', status: 500 }] }),
      /^--state: .* is wrong: .*no endpoint "getRobot"/,
    ],
  ])('of %s is refused', async (content, message) => {
    const { errors, exit } = await start(['fake', '--state', file(content)]);

    expect(await exit).toBe(2);
    expect(errors.join()).toMatch(message);
  });
});

test('of requests and deliveries, so many of the newest are kept as --keep says', async () => {
  const { url, errors } = await start([
    'fake',
    '--port',
    '0',
    '--keep',
    '2',
    '--webhook',
    'http://127.0.0.1:1/hook',
  ]);
  for (const id of ['one', 'two', 'three', 'four']) {
    await fetch(`${url}/eu/v3/tools/${id}`);
    await post(`${url}/_fake/events`, { type: 'webhook_test' });
  }
  const get = async (path: string): Promise<unknown> => (await fetch(`${url}/_fake/${path}`)).json();
  expect(await get('requests')).toMatchObject({ requests: [{ id: 'request_3' }, { id: 'request_4' }] });
  expect(await get('deliveries')).toMatchObject({ deliveries: [{ id: 'delivery_3' }, { id: 'delivery_4' }] });
  expect((await post(`${url}/_fake/deliveries/delivery_1/resend`, {})).status).toBe(400);
  expect(errors).toEqual([
    'Warning: the oldest requests are forgotten from now on: --keep 2, and 16 MiB of their bodies',
    'Warning: the oldest deliveries are forgotten from now on: --keep 2',
  ]);
});

test('of requests, as many of the newest are kept as have 16 MiB of bodies', async () => {
  const { url, errors } = await start(['fake', '--port', '0']);
  const body = `[${'{},'.repeat(87_000)}{}]`;
  const sent = async (count: number) => {
    for (let left = count; left > 0; left -= 1) await fetch(`${url}/eu/v3/nowhere`, { method: 'POST', body });
  };
  await sent(64);
  expect(errors).toEqual([]);
  await sent(3);
  expect(errors).toEqual([
    'Warning: the oldest requests are forgotten from now on: --keep 10000, and 16 MiB of their bodies',
  ]);
  // A body and its answer.
  const { requests } = (await (await fetch(`${url}/_fake/requests`)).json()) as {
    requests: { id: string }[];
  };
  expect(requests).toHaveLength(Math.floor((16 * 1024 * 1024) / (body.length + 127)));
  expect(requests.at(-1)?.id).toBe('request_67');
});

test('ten thousand are kept unless it is told otherwise', async () => {
  // A port that is never asked.
  const { url, errors } = await start(['fake', '--port', '0', '--webhook', 'http://127.0.0.1:1/hook']);
  const event = { type: 'webhook_test', copies: 1_000 };
  for (let round = 0; round < 10; round += 1) await post(`${url}/_fake/events`, event);

  expect(errors).toEqual([]);
  await post(`${url}/_fake/events`, { type: 'webhook_test' });
  expect(errors).toEqual(['Warning: the oldest deliveries are forgotten from now on: --keep 10000']);
});

test.each<[part: Partial<FakeSnapshot>, message: string]>([
  [{ records: { eu: {}, na: {} } }, 'records.eu.workspaces: required'],
  [{ lastIds: { tool_eu_: 1.5 } }, 'lastIds.tool_eu_: expected int'],
  [{ lastIds: { tool_eu_: -1 } }, 'lastIds.tool_eu_: expected at least 0'],
  [{ faults: [{ status: 500 }, { status: 5 }] }, '- status: expected at least 200'],
  [{ faults: [{ endpoint: 'GET /of-another-fake', status: 500 }] }, 'no endpoint "GET /of-another-fake"'],
  [
    {
      subscriptions: ['http://a', 'ftp://a'].map((address) => ({ address, region: 'eu', workspaceId: 'w' })),
    },
    'subscriptions: address must be an http: or https: address, got "ftp://a"',
  ],
  [{ subscriptions: [{ address: 'http://a', workspaceId: 'w' }] }, 'subscriptions[0].region: '],
  [{ subscriptions: [{ address: 'http://a', region: 'na' }] }, 'subscriptions[0].workspaceId: required'],
  [{ subscriptions: [{ region: 'na', workspaceId: 'w' }] }, 'subscriptions[0].address: required'],
  [{ subscriptions: [{ events: 'all' }] }, 'subscriptions[0].events: expected array'],
  [{ subscriptions: [{ untilReset: 1 }] }, 'subscriptions[0].untilReset: expected boolean'],
  [{ subscriptions: [{ url: 'http://a' }] }, 'subscriptions[0].url: unknown field'],
  [{ requests: [] } as object, 'requests: unknown field; there are version, records, subscriptions,'],
])('a snapshot that is wrong changes nothing: %j', (part, message) => {
  const fake = createFakePlatform();
  const wrong = { ...fake.snapshot(), ...part };
  fake.add.tool();
  fake.faults.inject({ kind: 'html' });

  const restore = () => fake.restore(wrong);
  expect(restore).toThrow(TypeError);
  expect(restore).toThrow(message);
  expect(fake.state.eu.tools.size).toBe(2);
  expect(fake.faults.list()).toMatchObject([{ kind: 'html' }]);
});

describe('the settings that are printed', () => {
  test.each([
    [['--host', '0.0.0.0']],
    [['--host', '::']],
    [['--host', '0.0.0.0', '--allow-host', 'localhost']],
  ])('work as printed with %j', async (flags) => {
    const { lines } = await start(['fake', '--port', '0', ...flags]);
    for (const [, name = '', value = ''] of (lines[0] ?? '').matchAll(/^([A-Z_]+)=(\S+)$/gm))
      vi.stubEnv(name, value);

    expect(await new AgentPlatform().tools.listDefaults()).toHaveLength(7);
  });

  test('name the fake in a compose file, and allow plain http there', async () => {
    const { lines } = await start(['fake', '--port', '0', '--host', '0.0.0.0', '--allow-host', 'fake']);
    const settings = Object.fromEntries(
      [...(lines[0] ?? '').matchAll(/^([A-Z_]+)=(\S+)$/gm)].map(([, name, value]) => [name, value]),
    ) as Record<string, string>;

    expect(settings.AGENT_PLATFORM_BASE_URL_EU).toMatch(/^http:\/\/fake:\d+\/eu$/);
    expect(
      () => new AgentPlatform({ region: 'eu', token: 'a-whole-token', baseUrls: { eu: 'http://fake/eu' } }),
    ).toThrow('https:');
    for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
    expect(() => new AgentPlatform()).not.toThrow();
    expect(() => new AgentPlatform({ allowInsecureBaseUrl: false })).toThrow('https:');
  });

  test.each([[[]], [['--host', '::1']]])(
    'of a fake for this machine alone do not allow plain http elsewhere: %j',
    async (flags) => {
      expect((await start(['fake', '--port', '0', ...flags])).lines[0]).not.toContain('INSECURE');
    },
  );
});

test("the service's description is there to be read, and nothing else is done with it", async () => {
  const { url } = await start(['fake', '--port', '0']);
  const read = await fetch(`${url}/openapi.json`);

  expect(await read.json()).toMatchObject({ openapi: expect.any(String) });
  expect(Object.fromEntries(read.headers)).toMatchObject({
    'content-type': 'application/json',
    // Nothing but the page's own files, and nobody's frame.
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  });
  expect((await post(`${url}/openapi.json`, {})).status).toBe(404);
});

test('the fixtures of events are there for the forms of the page, in both regions', async () => {
  const { url } = await start(['fake', '--port', '0']);
  const { seed } = createFakePlatform();

  expect(await (await fetch(`${url}/events.json`)).json()).toMatchObject({
    lead_captured: { eu: { agentId: seed.eu.agentId }, na: { agentId: seed.na.agentId } },
  });
});

test.each([
  [['--host', '0.0.0.0'], true],
  [['--host', '0.0.0.0', '--allow-host', 'fake'], false],
  [[], false],
])('says how other machines call it, where they can and are not told so: %j', async (flags, says) => {
  const { lines, url } = await start(['fake', '--port', '0', ...flags]);

  const setting = `From other machines and containers, with the name of this one (--allow-host NAME prints them so):\nAGENT_PLATFORM_BASE_URL_EU=http://NAME:${new URL(url).port}/eu, and AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL=true`;
  expect(lines[0]?.includes(setting)).toBe(says);
});

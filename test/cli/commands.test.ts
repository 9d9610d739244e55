import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AgentPlatform, createWebhookReceiver } from 'agent-platform-sdk';
import { createFakePlatform, fixtures } from 'agent-platform-sdk/testing';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { deferred } from '../support/deferred.js';
import { freePort } from '../support/free-port.js';
import { serve } from '../support/loopback.js';
import { start } from './terminal.js';

function post(url: string, path: string, body: unknown, method = 'POST'): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(url + path, { method, headers, body: JSON.stringify(body) });
}

const seeds = mkdtempSync(join(tmpdir(), 'agent-platform-'));
afterAll(() => rmSync(seeds, { recursive: true }));

let seedFiles = 0;
function seedFile(content: string): string {
  seedFiles += 1;
  const path = join(seeds, `${seedFiles}-seed.json`);
  writeFileSync(path, content);
  return path;
}

const { eu, na } = createFakePlatform().seed;

function platformAt(url: string, token = eu.workspaceSecret): AgentPlatform {
  return new AgentPlatform({ region: 'eu', token, baseUrls: { eu: `${url}/eu` }, maxRetries: 0 });
}

describe('agent-platform-sdk fake', () => {
  test('prints addresses and credentials that work', async () => {
    const { lines, url } = await start(['fake', '--port', '0']);
    const setting = (name: string) => new RegExp(`${name}=(\\S+)`).exec(lines[0] ?? '')?.[1];

    const platform = new AgentPlatform({
      region: 'eu',
      token: setting('AGENT_PLATFORM_TOKEN'),
      baseUrls: { eu: setting('AGENT_PLATFORM_BASE_URL_EU'), na: setting('AGENT_PLATFORM_BASE_URL_NA') },
    });

    expect(lines[0]).toContain(`The fake platform listens at ${url}. Ctrl+C ends it. Its page: ${url}/\n`);
    expect((await platform.tools.get(eu.toolId)).id).toBe(eu.toolId);
    const inNa = platform.withOptions({ region: 'na', token: na.workspaceSecret });
    expect((await inNa.tools.get(na.toolId)).id).toBe(na.toolId);
    expect(setting('WORKSPACE_SECRET')).toBe(eu.workspaceSecret);
    for (const [region, handles] of [
      ['eu', eu],
      ['na', na],
    ] as const) {
      const { orgId, toolId, convoId, rentedNumberSid, importedNumberSid } = handles;
      const printed = [
        `${region} ${url}/${region}/v3`,
        `${handles.workspaceId} ${handles.workspaceSecret}`,
        `${handles.agentId} ${handles.agentSecret}`,
        `${orgId}, ${toolId}, ${convoId}, ${rentedNumberSid} (rented), ${importedNumberSid} (imported)`,
        `${handles.secondWorkspaceId} ${handles.secondWorkspaceSecret}`,
      ];
      expect(lines[0]?.replace(/ +/g, ' ')).toContain(printed.join('\n '));
    }
  });

  test('prints a line for curl that sends an event', async () => {
    const { lines } = await start(['fake', '--port', '0']);
    const line = /^curl -H (.+?):(\S+) -d '(.+)' (\S+)$/m.exec(lines[0] ?? '') ?? [];
    const [, name = '', value = '', body = '', url = ''] = line;

    expect((await fetch(url, { method: 'POST', headers: { [name]: value }, body })).status).toBe(200);
  });

  test('logs each request in one line, without its token', async () => {
    const { lines, url } = await start(['fake', '--port', '0']);
    await platformAt(url).tools.get(eu.toolId);
    await platformAt(url)
      .variables.create(eu.agentId, { key: eu.variableKey })
      .catch(() => undefined);
    await fetch(`${url}/na/v3/nowhere`);
    await post(url, '/_fake/faults', { kind: 'reset' });
    await fetch(`${url}/na/v3/nowhere`).catch(() => undefined);

    expect(lines.slice(1)).toEqual([
      `eu GET /tools/${eu.toolId} 200 getTool`,
      `eu POST /agents/${eu.agentId}/variables 400 createVariable`,
      'na GET /nowhere 404 unknown route',
      'na GET /nowhere no answer unknown route (fault: reset)',
    ]);
  });

  test('begins with the records of a file', async () => {
    const eu = { agents: [{ id: 'bot' }], tools: [{ id: 'crm', agentId: 'bot' }] };
    const seed = seedFile(JSON.stringify({ eu, na: { leads: [{ id: 'lead' }] } }));
    const { url } = await start(['fake', '--port', '0', '--seed', seed]);

    expect((await platformAt(url).tools.get('crm')).agentId).toBe('bot');
    expect(await (await fetch(`${url}/_fake/records/na/leads`)).text()).toContain('"id":"lead"');
  });

  test('sends an event to the address of --webhook when told to', async () => {
    const seen: unknown[] = [];
    const receiver = createWebhookReceiver({ secret: eu.workspaceSecret });
    receiver.on('lead_captured', (event) => void seen.push(event.payload.leadName));
    const hook = `${await serve(receiver.node)}/`;
    const { url, lines } = await start(['fake', '--port', '0', '--webhook', hook]);

    const event = { type: 'lead_captured', overrides: { leadName: 'Dana' } };
    const response = await post(url, '/_fake/events', event);

    expect(await response.json()).toMatchObject({ deliveries: [{ address: hook, outcome: 'success' }] });
    expect(seen).toEqual(['Dana']);
    await post(url, '/_fake/events', { type: 'a\nb' });
    // An address is one with a line break in it too.
    const advanced = { serverUrl: `${hook}\nc` };
    await post(url, '/_fake/records/na/agents/agent_na_1', { advanced }, 'PATCH');
    await post(url, '/_fake/subscriptions', { url: hook, region: 'na', events: [] });
    await post(url, '/_fake/events', { type: 'conversation_updated', region: 'na' });
    expect(lines.slice(1)).toEqual([
      `webhook lead_captured 200 ${hook}`,
      `webhook a\\nb 200 ${hook}`,
      `webhook conversation_updated 401 ${hook}\\nc`,
    ]);
  });

  test('subscribes each address of --webhook in both regions', async () => {
    const secrets: unknown[] = [];
    const hook = await serve((request, response) => {
      request.setEncoding('utf8').once('data', (text: string) => {
        const { payload } = JSON.parse(text) as { payload: { workspaceSecret: string } };
        secrets.push(payload.workspaceSecret);
        response.end();
      });
    });
    const hooks = ['--webhook', hook, '--webhook', `${hook}/other`];
    const { url } = await start(['fake', '--port', '0', ...hooks]);

    for (const region of ['eu', 'na']) await post(url, '/_fake/events', { type: 'webhook_test', region });

    expect(secrets).toEqual([eu, eu, na, na].map(({ workspaceSecret }) => workspaceSecret));
  });

  test('warns when other machines can reach it', async () => {
    const { errors, lines } = await start(['fake', '--port', '0', '--host', '0.0.0.0']);
    const local = await start(['fake', '--port', '0']);

    expect(errors).toEqual([expect.stringMatching(/^Warning: The fake listens at .* beyond this machine/)]);
    expect(lines).toHaveLength(1);
    expect(local.errors).toEqual([]);
  });

  test('posts to other machines only where it is told a host', async () => {
    const statuses = [];
    for (const flags of [[], ['--host', '127.0.0.1']]) {
      const { url } = await start(['fake', '--port', '0', ...flags]);
      statuses.push((await post(url, '/_fake/subscriptions', { url: 'https://a.example/' })).status);
    }

    expect(statuses).toEqual([400, 200]);
  });

  test('answers to the names of --allow-host', async () => {
    const { lines, url } = await start([
      'fake',
      '--port',
      '0',
      '--allow-host',
      'a.example',
      '--allow-host',
      'b.example',
    ]);
    const statuses = await Promise.all(
      ['a.example', 'b.example', 'c.example'].map(
        (host) =>
          new Promise((resolve) => {
            const { port } = new URL(url);
            get({ host: '127.0.0.1', port, headers: { host } }, (answer) =>
              resolve(answer.resume().statusCode),
            );
          }),
      ),
    );

    expect(statuses).toEqual([404, 404, 421]);
    expect(lines[0]).toContain('AGENT_PLATFORM_BASE_URL_EU=http://a.example:');
  });

  test('says why a delivery found no receiver', async () => {
    const hook = `http://127.0.0.1:${await freePort()}/`;
    const { url, lines } = await start(['fake', '--port', '0', '--webhook', hook]);

    await post(url, '/_fake/events', { type: 'webhook_test' });

    expect(lines[1]).toMatch(new RegExp(`^webhook webhook_test failed ${hook}: .*ECONNREFUSED`));
  });

  test('ends in order when it is told to', async () => {
    const { exit, stop, url } = await start(['fake', '--port', '0']);
    stop();

    expect(await exit).toBe(0);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  test('says so when the port is in use', async () => {
    const { url } = await start(['fake', '--port', '0']);
    const { port } = new URL(url);
    const second = await start(['fake', '--port', port]);

    expect(await second.exit).toBe(1);
    expect(second.errors.join()).toContain(`Port ${port} is in use. Choose another with --port`);
  });

  test('says so when the address is not one of this machine', async () => {
    const { errors, exit } = await start(['fake', '--port', '0', '--host', '192.0.2.1']);

    expect(await exit).toBe(1);
    expect(errors.join()).toMatch(/^Cannot listen at 192\.0\.2\.1:0: listen EADDRNOTAVAIL/);
  });
});

describe('a wrong command line gets a message and 2', () => {
  test.each([
    [[], 'Say which command. There is: fake, listen, replay, trigger, doctor.'],
    [['-p', '1'], 'Say which command, before -p.'],
    [['serve'], 'There is no command "serve". There is: fake'],
    [['fake', 'now'], '"now" is not expected after "fake".'],
    [['fake', '--prot', '1'], "Unknown option '--prot'."],
    [['fake', '--port'], "Option '--port <value>' argument missing"],
    [['fake', '--port', 'abc'], '--port takes a number from 0 to 65535, got "abc".'],
    [['fake', '--allow-host', 'fake:4010'], '--allow-host takes a name without a port, got "fake:4010".'],
    [['fake', '--keep', '0'], '--keep takes a whole number, 1 or more, got "0".'],
    [['fake', '--port', 'x80'], '--port takes a number from 0 to 65535, got "x80".'],
    [['fake', '--port', '8.5'], '--port takes a number from 0 to 65535, got "8.5".'],
    [['fake', '--port', '65536'], '--port takes a number from 0 to 65535, got "65536".'],
    [['fake', '--port', ''], '--port takes a number from 0 to 65535, got "".'],
    [['fake', '--keep', 'x5'], '--keep takes a whole number, 1 or more, got "x5".'],
    [['fake', '--keep', '5x'], '--keep takes a whole number, 1 or more, got "5x".'],
    [['fake', '--keep', '1.5'], '--keep takes a whole number, 1 or more, got "1.5".'],
    [['fake', 'now', 'then'], '"now then" is not expected after "fake".'],
    [['fake', '--allow-host', 'a', '--allow-host', 'http://b'], 'without a port, got "http://b".'],
    [['fake', '--webhook', 'http://a', '--webhook', 'ftp://b'], 'https: address, got "ftp://b".'],
    [['doctor', 'now'], '"now" is not expected after "doctor".'],
    [['fake', '--port', '80x'], '--port takes a number from 0 to 65535, got "80x".'],
    [['fake', '--port', '70000'], '--port takes a number from 0 to 65535, got "70000".'],
    [['fake', '--webhook', 'localhost'], '--webhook takes an http: or https: address, got "localhost".'],
    [['fake', '--seed', '/nowhere.json'], '--seed: ENOENT'],
    [['fake', '--seed', seedFile('{')], 'seed.json is not JSON at line 1, column 2: '],
    [['fake', '--seed', seedFile('{"eu":{"robots":[]}}')], '- eu.robots: unknown field'],
    [['fake', '--seed', seedFile('{"eu":{"tools":[{"id":4}]}}')], '- eu.tools[0].id: expected string'],
    [
      ['fake', '--seed', seedFile('{"eu":{"tools":[{"agentId":"x"}]}}')],
      '-seed.json: Region eu has no agent with the id "x".',
    ],
  ])('%j', async (args, message) => {
    const { errors, exit, lines } = await start(args);

    expect(await exit).toBe(2);
    expect(errors.join()).toContain(message);
    const [command] = args;
    const helped = command === 'fake' || command === 'doctor' ? `${command} ` : '';
    expect(errors.join()).toMatch(new RegExp(`^.*?\nagent-platform-sdk ${helped}--help tells more\\.$`, 's'));
    // Of what Node says of a flag, the first sentence.
    expect(errors.join()).not.toContain('positional');
    expect(lines).toEqual([]);
  });
});

test('the last port of all can be asked for', async () => {
  const { errors } = await start(['fake', '--port', '65535']);

  expect(errors.join()).not.toContain('takes a number');
});

test.each([['--help'], ['-h'], ['-h', '-v'], ['fake', '--help'], ['fake', '--port', '0', '-h']])(
  '%s prints the help',
  async (...args) => {
    const { exit, lines } = await start(args);

    expect(await exit).toBe(0);
    expect(lines[0]).toMatch(/--port.*--allow-host.*--seed.*--webhook.*POST {3}\/_fake\/events/s);
  },
);

test('the help begins with every command, and says what it does', async () => {
  const { lines } = await start(['--help']);

  expect(lines[0]).toMatch(
    / {2}fake {5}run .*\n {2}listen {3}receive .*\n {2}replay {3}post .*\n {2}trigger {2}post .*\n {2}doctor {3}check /,
  );
});

test.each(['fake', 'listen', 'replay', 'trigger', 'doctor'])(
  '%s --help begins with the command',
  async (name) => {
    const { lines } = await start([name, '--help']);

    expect(lines[0]).toMatch(new RegExp(`^(WORKSPACE_SECRET=… )?agent-platform-sdk ${name} `));
  },
);

test.each(['fake', 'listen', 'replay', 'trigger', 'doctor'])(
  '%s takes each option that its help lists',
  async (name) => {
    const help = (await start([name, '--help'])).lines.join('\n');
    const options = [...help.matchAll(/^ {2}(--[\w-]+)( <)?/gm)];
    expect(options).not.toEqual([]);
    for (const [, option = '', value] of options) {
      const { errors, exit } = await start([
        name,
        option,
        ...(value === undefined ? [] : ['1']),
        '--nothing',
      ]);
      expect(await exit).toBe(2);
      expect(errors.join()).toContain("Unknown option '--nothing'");
    }
  },
);

test.each([['--version'], ['-v'], ['fake', '-v']])('%s prints the version', async (...args) => {
  expect((await start(args)).lines[0]).toMatch(/^\d+\.\d+\.\d+/);
});

/** Runs the command in a process of its own until the test ends, and resolves when it has printed its greeting. */
async function startProcess(args: readonly string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/index.ts', ...args, '--port', '0'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, WORKSPACE_SECRET: eu.workspaceSecret },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.once('exit', (code, by) => resolve([code, by])));
  const greeting = await new Promise<string>((resolve) =>
    child.stdout.once('data', (data) => resolve(String(data))),
  );
  return { child, ended, greeting };
}

test.each(['SIGINT', 'SIGTERM'] as const)('the process ends with 0 on %s', async (signal) => {
  const { child, ended } = await startProcess(['fake']);
  child.kill(signal);

  expect(await ended).toEqual([0, null]);
});

test('the process ends at once on a second signal, though a webhook is still on its way', async () => {
  const asked = deferred();
  const target = await serve(() => asked.resolve());
  const { child, ended, greeting } = await startProcess(['listen', '--forward-to', target]);
  const url = /received at (\S+)\. /.exec(greeting)?.[1] ?? '';
  void post(url, '/', fixtures.delivery('webhook_test', eu.workspaceSecret)).catch(() => undefined);
  await asked.promise;
  const signals = setInterval(() => child.kill('SIGINT'), 100);
  onTestFinished(() => clearInterval(signals));

  expect(await ended).toEqual([null, 'SIGINT']);
});

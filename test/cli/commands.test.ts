import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AgentPlatform, createWebhookReceiver } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../scripts/free-port.js';
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

const { eu } = createFakePlatform().seed;

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

    expect((await platform.tools.get(eu.toolId)).id).toBe(eu.toolId);
    expect(setting('WORKSPACE_SECRET')).toBe(eu.workspaceSecret);
    for (const handle of [
      eu.agentSecret,
      eu.secondWorkspaceSecret,
      eu.orgId,
      eu.convoId,
      eu.importedNumberSid,
    ]) {
      expect(lines[0]).toContain(handle);
    }
    expect(lines[0]).toContain(`${url}/na/v3`);
  });

  test('logs each request in one line, without its token', async () => {
    const { lines, url } = await start(['fake', '--port', '0']);
    await platformAt(url).tools.get(eu.toolId);
    await platformAt(url)
      .variables.create(eu.agentId, { key: eu.variableKey })
      .catch(() => undefined);
    await fetch(`${url}/na/v3/nowhere`);

    expect(lines.slice(1)).toEqual([
      `eu GET /tools/${eu.toolId} 200 getTool`,
      `eu POST /agents/${eu.agentId}/variables 400 createVariable`,
      'na GET /nowhere 404 unknown route',
    ]);
  });

  test('begins with the records of a file', async () => {
    const seed = seedFile('{"eu":{"agents":[{"id":"bot"}],"tools":[{"id":"crm","agentId":"bot"}]}}');
    const { url } = await start(['fake', '--port', '0', '--seed', seed]);

    expect((await platformAt(url).tools.get('crm')).agentId).toBe('bot');
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
    expect(lines.slice(1)).toEqual([`webhook lead_captured 200 ${hook}`]);
  });

  test('subscribes the address of --webhook in both regions', async () => {
    const secrets: unknown[] = [];
    const hook = await serve((request, response) => {
      request.setEncoding('utf8').once('data', (text: string) => {
        const { payload } = JSON.parse(text) as { payload: { workspaceSecret: string } };
        secrets.push(payload.workspaceSecret);
        response.end();
      });
    });
    const { url } = await start(['fake', '--port', '0', '--webhook', hook]);

    for (const region of ['eu', 'na']) await post(url, '/_fake/events', { type: 'webhook_test', region });

    const { seed } = createFakePlatform();
    expect(secrets).toEqual([seed.eu.workspaceSecret, seed.na.workspaceSecret]);
  });

  test('warns when other machines can reach it', async () => {
    const { errors, lines } = await start(['fake', '--port', '0', '--host', '0.0.0.0']);
    const local = await start(['fake', '--port', '0']);

    expect(errors).toEqual([expect.stringMatching(/^Warning: The fake listens at .* beyond this machine/)]);
    expect(lines).toHaveLength(1);
    expect(local.errors).toEqual([]);
  });

  test('answers to the names of --allow-host', async () => {
    const { url } = await start([
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
    const second = await start(['fake', '--port', new URL(url).port]);

    expect(await second.exit).toBe(1);
    expect(second.errors.join()).toMatch(/^Port \d+ is in use\. Choose another with --port/);
  });
});

describe('/_fake', () => {
  test('subscribes, sends an unknown event, and tells the deliveries', async () => {
    const fake = createFakePlatform();
    await using server = await fake.listen({ control: true });
    await post(server.url, '/_fake/subscriptions', { url: 'http://127.0.0.1:1/', events: ['brand_new'] });

    await post(server.url, '/_fake/events', { type: 'brand_new', overrides: { size: 1 } });
    await post(server.url, '/_fake/events', { type: 'lead_captured' });

    const response = await fetch(`${server.url}/_fake/deliveries`);
    expect(await response.json()).toMatchObject({
      deliveries: [{ type: 'brand_new', outcome: 'failed', payload: { size: 1 } }],
    });
  });

  test('sets a fault, and takes it away', async () => {
    const { url } = await start(['fake', '--port', '0']);
    const fault = { endpoint: 'listDefaultTools', status: 503, times: 'always' };
    const { tools } = platformAt(url);

    expect((await post(url, '/_fake/faults', fault)).status).toBe(200);
    await expect(tools.listDefaults()).rejects.toMatchObject({ status: 503 });
    await fetch(`${url}/_fake/faults`, { method: 'DELETE' });
    await expect(tools.listDefaults()).resolves.toHaveLength(7);
  });

  test('tells the requests, and begins again', async () => {
    const { url } = await start(['fake', '--port', '0']);
    const { workspaces } = platformAt(url).withOptions({ token: eu.secondWorkspaceSecret });
    await workspaces.delete(eu.secondWorkspaceId);
    const told = async () => (await (await fetch(`${url}/_fake/requests`)).json()) as { requests: unknown[] };

    expect(await told()).toMatchObject({ requests: [{ endpoint: 'deleteWorkspace', status: 200 }] });
    await post(url, '/_fake/reset', {});
    expect(await told()).toEqual({ requests: [] });
    await expect(workspaces.delete(eu.secondWorkspaceId)).resolves.toBeUndefined();
  });

  test.each([
    ['/_fake/faults', { kind: 'explosion' }, 'There is no fault "explosion"'],
    ['/_fake/faults', { kind: 'refused' }, 'A server that listens cannot refuse a connection'],
    ['/_fake/faults', { status: 5 }, '- status: expected at least 200'],
    ['/_fake/events', { kind: 'lead_captured' }, 'type: required: expected string'],
    ['/_fake/subscriptions', { url: 'nowhere' }, 'url must be an http: or https: address, got "nowhere"'],
    ['/_fake/subscriptions', { url: 'file:///etc/passwd' }, 'url must be an http: or https: address'],
    ['/_fake/subscriptions', { url: 'http://169.254.169.254/' }, 'url must be on this machine'],
    [
      '/_fake/events',
      { type: 'webhook_test', copies: 100_000 },
      'copies must be a whole number from 1 to 1000',
    ],
    ['/_fake/faults', [], 'expected record, received array'],
  ])('refuses %s %j and says why', async (path, body, message) => {
    await using server = await createFakePlatform().listen({ control: true });

    const response = await post(server.url, path, body);

    expect(response.status).toBe(400);
    expect(JSON.stringify(await response.json()).replaceAll('\\"', '"')).toContain(message);
  });

  test.each([
    ['/_fake/faults', 'text/plain', '{"status":500}', 'The content type must be application/json.'],
    ['/_fake/faults', 'application/jsonp', '{"status":500}', 'The content type must be application/json.'],
    [
      '/_fake/faults',
      'text/plain;application/json',
      '{"status":500}',
      'The content type must be application/json.',
    ],
    ['/_fake/reset', 'application/x-www-form-urlencoded', '', 'The content type must be application/json.'],
    ['/_fake/faults', 'application/json', '{', 'The body is not JSON.'],
  ])('%s takes no %s of %s', async (path, type, body, message) => {
    const fake = createFakePlatform();
    await using server = await fake.listen({ control: true });
    fake.add.tool({ id: 'added' });
    const init = { method: 'POST', headers: { 'content-type': type }, body };

    const response = await fetch(server.url + path, init);

    expect([response.status, await response.json()]).toEqual([400, { message, code: 'invalid_control' }]);
    expect(fake.state.eu.tools.has('added')).toBe(true);
  });

  test('takes JSON with a charset', async () => {
    await using server = await createFakePlatform().listen({ control: true });
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' };

    expect((await fetch(`${server.url}/_fake/reset`, { method: 'POST', headers })).status).toBe(200);
  });

  test('posts events to other machines once a host is given', async () => {
    const fake = createFakePlatform();
    await using server = await fake.listen({ control: true, host: '127.0.0.1' });

    expect((await post(server.url, '/_fake/subscriptions', { url: 'https://a.example/hook' })).status).toBe(
      200,
    );
    expect(fake.webhooks.subscriptions).toMatchObject([{ address: 'https://a.example/hook' }]);
  });

  test('adds a hundred addresses, and no more', async () => {
    const fake = createFakePlatform();
    await using server = await fake.listen({ control: true });
    const subscribe = (path: number) =>
      post(server.url, '/_fake/subscriptions', { url: `http://localhost:1/${path}` });
    for (let path = 0; path < 100; path += 1) await subscribe(path);

    const refused = await subscribe(100);

    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { message: 'There are 100 subscriptions, and no more can be added.' },
    ]);
    expect((await subscribe(7)).status).toBe(200);
    expect(fake.webhooks.subscriptions).toHaveLength(100);
  });

  test('is answered below /_fake alone', async () => {
    await using server = await createFakePlatform().listen({ control: true });

    expect(await (await fetch(`${server.url}/_fakery`)).json()).toMatchObject({ code: 'unknown_route' });
  });

  test('is there only where it was asked for', async () => {
    await using server = await createFakePlatform().listen();

    expect((await post(server.url, '/_fake/faults', { status: 500 })).status).toBe(404);
  });

  test('lists what there is', async () => {
    await using server = await createFakePlatform().listen({ control: true });
    const response = await fetch(`${server.url}/_fake`);

    expect(response.status).toBe(404);
    expect(await response.text()).toContain('POST /_fake/events, POST /_fake/subscriptions');
  });
});

describe('a wrong command line gets a message and 2', () => {
  test.each([
    [[], 'Say which command. There is: '],
    [['serve'], 'There is no command "serve". There is: fake'],
    [['fake', 'now'], '"now" is not expected after "fake".'],
    [['fake', '--prot', '1'], "Unknown option '--prot'."],
    [['fake', '--port'], "Option '--port <value>' argument missing"],
    [['fake', '--port', 'abc'], '--port takes a number from 0 to 65535, got "abc".'],
    [['fake', '--port', '70000'], '--port takes a number from 0 to 65535, got "70000".'],
    [['fake', '--webhook', 'localhost'], '--webhook takes an http: or https: address, got "localhost".'],
    [['fake', '--seed', '/nowhere.json'], '--seed: ENOENT'],
    [['fake', '--seed', seedFile('{')], 'seed.json is not JSON.'],
    [['fake', '--seed', seedFile('{"eu":{"robots":[]}}')], '- eu.robots: unknown field'],
    [['fake', '--seed', seedFile('{"eu":{"tools":[{"id":4}]}}')], '- eu.tools[0].id: expected string'],
    [['fake', '--seed', seedFile('{"eu":{"tools":[{"agentId":"x"}]}}')], 'no agent with the id "x"'],
  ])('%j', async (args, message) => {
    const { errors, exit, lines } = await start(args);

    expect(await exit).toBe(2);
    expect(errors.join()).toContain(message);
    expect(errors.join()).toMatch(/agent-platform-sdk (fake )?--help tells more\./);
    expect(lines).toEqual([]);
  });
});

test.each([['--help'], ['-h'], ['fake', '--help']])('%s prints the help', async (...args) => {
  const { exit, lines } = await start(args);

  expect(await exit).toBe(0);
  expect(lines[0]).toMatch(/--port.*--allow-host.*--seed.*--webhook.*POST {3}\/_fake\/events/s);
});

test('--version prints the version', async () => {
  expect((await start(['--version'])).lines[0]).toMatch(/^\d+\.\d+\.\d+/);
});

test.each(['SIGINT', 'SIGTERM'] as const)('the process ends with 0 on %s', async (signal) => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/index.ts', 'fake', '--port', '0'], {
    cwd: root,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.once('exit', (code, by) => resolve([code, by])));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill(signal);

  expect(await ended).toEqual([0, null]);
});

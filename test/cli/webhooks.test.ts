import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createWebhookReceiver, type WebhookEvent, webhookEvents } from 'agent-platform-sdk';
import { createFakePlatform, fixtures } from 'agent-platform-sdk/testing';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { freePort } from '../support/free-port.js';
import { serve } from '../support/loopback.js';
import { start } from './terminal.js';

const secret = 'workspace-secret-of-the-tests';
const env = { WORKSPACE_SECRET: secret };
const folder = mkdtempSync(join(tmpdir(), 'agent-platform-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function newFile(content?: string): string {
  files += 1;
  const path = join(folder, `${files}.ndjson`);
  if (content !== undefined) writeFileSync(path, content);
  return path;
}

function postTo(url: string, body: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** A receiver over HTTP, and the events that it has handled. */
async function receiver(options: { readonly dedupe?: false } = {}) {
  const handled: WebhookEvent[] = [];
  const { node } = createWebhookReceiver({ secret, logLevel: 'off', ...options }).onAny((event) => {
    handled.push(event);
  });
  return { url: await serve(node), handled };
}

describe('listen', () => {
  test('forwards what is genuine, and answers as it was answered', async () => {
    const { url: target, handled } = await receiver();
    const { url, lines } = await start(['listen', '--port', '0', '--forward-to', target], env);
    const { type, payload } = fixtures.delivery('lead_captured', secret, { leadName: 'Dana' });

    // No other machine reaches it, unless that was asked for.
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await postTo(url, { type, payload, sentBy: 'crm' })).status).toBe(200);
    expect(handled).toMatchObject([{ type, payload: { leadName: 'Dana' } }]);
    expect(lines[0]).toBe(
      `Webhooks are received at ${url}. Ctrl+C ends it.\nGenuine ones are posted to ${target}/.`,
    );
    expect(lines[1]).toMatch(/^lead_captured 200 in \d+ ms\n {2}- sentBy: unknown field$/);
  });

  test('answers 500 where the target does not answer 200', async () => {
    const target = await serve((_, response) => void response.writeHead(404).end());
    const file = newFile();
    const args = ['listen', '--port', '0', '--forward-to', target, '--record', file];
    const { url, lines } = await start(args, env);

    expect((await postTo(url, fixtures.delivery('webhook_test', secret))).status).toBe(500);
    expect(lines[0]).toContain(`Genuine ones are posted to ${target}/.\nThey are recorded in ${file}, `);
    expect(lines[1]).toMatch(/^webhook_test 404 in/);
    expect(readFileSync(file, 'utf8')).toContain('webhook_test');
  });

  test('tells what could not be recorded, which is answered 500 and passed on to nobody', async () => {
    const { url: target, handled } = await receiver();
    const file = newFile();
    const args = ['listen', '--port', '0', '--forward-to', target, '--record', file];
    const { url, lines, tones } = await start(args, env);
    rmSync(file);
    mkdirSync(file);

    expect((await postTo(url, fixtures.delivery('webhook_test', secret))).status).toBe(500);
    expect(lines[1]).toMatch(/^webhook_test 500: EISDIR/);
    await postTo(url, { ...fixtures.delivery('webhook_test', secret), type: 'late\nlead_captured 200' });
    expect(lines[2]).toMatch(/^late\\nlead_captured 200 500: EISDIR/);
    expect(tones[1]).toBe('bad');
    expect(handled).toEqual([]);
  });

  test('tells of a genuine delivery that is no event with the status of its answer', async () => {
    const { url, lines, tones } = await start(['listen', '--port', '0'], env);

    expect((await postTo(url, { payload: { workspaceSecret: secret } })).status).toBe(400);
    expect(lines[1]).toMatch(/^\(no type\) 400: The webhook \(no type\) does not fit/);
    expect(tones[1]).toBe('bad');
  });

  test('says which deliveries are good and which are bad, and nothing beside its own lines', async () => {
    const consoles = (['debug', 'error', 'info', 'log', 'warn'] as const).map((name) =>
      vi.spyOn(console, name).mockReturnValue(),
    );
    onTestFinished(() => void vi.restoreAllMocks());
    const away = await serve((_, response) => void response.writeHead(404).end());
    const plain = await start(['listen', '--port', '0'], env);
    const passing = await start(['listen', '--port', '0', '--forward-to', away], env);
    await postTo(plain.url, fixtures.delivery('webhook_test', secret));
    await postTo(plain.url, fixtures.delivery('webhook_test', 'another-secret'));
    await postTo(passing.url, fixtures.delivery('webhook_test', secret));
    await postTo(passing.url, {});

    expect(plain.lines.slice(1)).toEqual(['webhook_test 200', 'refused 401 verification_failed']);
    expect(plain.tones).toEqual([undefined, 'good', 'bad']);
    expect(passing.tones).toEqual([undefined, 'bad', 'bad']);
    expect([plain.errors, passing.errors]).toEqual([[], []]);
    for (const printed of consoles) expect(printed).not.toHaveBeenCalled();
  });

  test('listens at the address that it is told', async () => {
    const { url } = await start(['listen', '--port', '0', '--host', '::1'], env);

    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await postTo(url, fixtures.delivery('webhook_test', secret))).status).toBe(200);
    const away = await start(['listen', '--port', '0', '--host', '192.0.2.1'], env);
    expect(away.errors.join()).toMatch(/^Cannot listen at 192\.0\.2\.1:0: listen EADDRNOTAVAIL/);
  });

  test('ends though a webhook is still on its way', async () => {
    const { url, exit, stop } = await start(['listen', '--port', '0'], env);
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{');
    await setTimeout(50);
    stop();

    expect(await exit).toBe(0);
    await closed;
  });

  test('refuses what is forged, and passes none of it on', async () => {
    const { url: target, handled } = await receiver();
    const file = newFile();
    const args = ['listen', '--port', '0', '--forward-to', target, '--record', file];
    const { url, lines } = await start(args, env);

    expect((await postTo(url, fixtures.delivery('webhook_test', 'another-secret'))).status).toBe(401);
    expect(lines[1]).toBe('refused 401 verification_failed');
    expect(handled).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  test('records for the owner alone, without the secret, and marked fields masked unless asked', async () => {
    const marked = { ...fixtures.event('webhook_test').payload, serverUrlSecret: 'a-token-of-someone' };
    const body = { type: 'webhook_test', payload: { ...marked, workspaceSecret: secret } };
    const [masked, unmasked] = [newFile(), newFile()];
    writeFileSync(unmasked, '', { mode: 0o644 });
    for (const args of [
      ['--record', masked],
      ['--record', unmasked, '--unmasked'],
    ]) {
      const { url, lines } = await start(['listen', '--port', '0', ...args], env);
      expect((await postTo(url, body)).status).toBe(200);
      expect(lines[0]).toBe(
        `Webhooks are received at ${url}. Ctrl+C ends it.\nThey are recorded in ${args[1]}, without the secret: personal data, keep it as such.`,
      );
      expect(lines[1]).toBe('webhook_test 200');
    }

    for (const file of [masked, unmasked]) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(masked, 'utf8')).not.toMatch(/a-token-of-someone|workspace-secret/);
    expect(readFileSync(unmasked, 'utf8')).toContain('a-token-of-someone');
    expect(readFileSync(unmasked, 'utf8')).not.toContain(secret);
  });

  test('shows the types and fields that the specification does not have', async () => {
    const { url, lines } = await start(['listen', '--port', '0'], env);
    await postTo(url, { type: 'lead_scored', payload: { workspaceSecret: secret } });
    const payload = { message: 4, workspaceSecret: secret };
    await postTo(url, { type: 'webhook_test', sentBy: 'crm', payload });
    await postTo(url, { type: 'a\nrefused', payload: { workspaceSecret: secret } });

    await postTo(url, { type: 'toString', payload: { workspaceSecret: secret } });
    await postTo(url, fixtures.delivery('lead_captured', secret, { channel: 'pigeon' as 'voice' }));

    expect(lines[1]).toBe('lead_scored 200\n  - type: not in the specification');
    expect(lines[4]).toBe('toString 200\n  - type: not in the specification');
    // What a receiver forgives is a departure all the same.
    expect(lines[5]).toMatch(/^lead_captured 200\n {2}- channel: expected one of /);
    expect(lines[2]).toContain('- message: expected string, received number');
    expect(lines[2]).toContain('- createdAt: required');
    expect(lines[2]).toContain('- sentBy: unknown field');
    // Nobody but the command begins a line.
    expect(lines[3]).toMatch(/^a\\nrefused 200/);
  });
});

describe('replay', () => {
  /** Records two events through `listen`. */
  async function record(): Promise<string> {
    const file = newFile();
    const { url } = await start(['listen', '--port', '0', '--record', file], env);
    await postTo(url, fixtures.delivery('client_created', secret));
    // It goes on with a recording that is there.
    const again = await start(['listen', '--port', '0', '--record', file], env);
    await postTo(again.url, { ...fixtures.delivery('client_deleted', secret), sentBy: 'crm' });
    return file;
  }

  test('posts a recording again, in order, with the secret put back', async () => {
    const { url, handled } = await receiver();
    const { exit, lines } = await start(['replay', await record(), '--to', url], env);

    expect(await exit).toBe(0);
    expect(handled.map(({ type }) => type)).toEqual(['client_created', 'client_deleted']);
    expect(handled[0]?.payload).toEqual(fixtures.event('client_created').payload);
    expect(lines).toEqual([
      expect.stringMatching(/^client_created 200 in/),
      expect.stringMatching(/^client_deleted 200 in/),
      '2 posted, 0 not answered 200',
    ]);
  });

  test('posts only the types that are asked for, and ends with 1 where one is refused', async () => {
    const bodies: unknown[] = [];
    const url = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      bodies.push(JSON.parse(body));
      response.writeHead(500).end();
    });
    const { exit, lines } = await start(
      ['replay', await record(), '--to', url, '--only', 'client_updated', '--only', 'client_deleted'],
      env,
    );

    expect(await exit).toBe(1);
    expect(bodies).toMatchObject([{ type: 'client_deleted', sentBy: 'crm' }]);
    expect(lines.at(-1)).toBe('1 posted, 1 not answered 200');
  });

  test('is refused where it would post nothing: of a type that is not recorded', async () => {
    const args = ['replay', await record(), '--to', 'http://127.0.0.1:1', '--only', 'client_craeted'];
    const { exit, errors, lines } = await start([...args, '--only', 'lead_captured'], env);

    expect(await exit).toBe(2);
    expect(errors.join()).toMatch(
      /--only: .* holds no client_craeted and no lead_captured; it holds client_created, client_deleted\./,
    );
    expect(lines).toEqual([]);
  });

  test('tells which one it is at, and whether it was taken', async () => {
    const statuses = [200, 204];
    const url = await serve((_, response) => void response.writeHead(statuses.shift() ?? 500).end());
    const { exit, lines, steps, tones } = await start(['replay', await record(), '--to', url], env);

    expect(await exit).toBe(1);
    expect(steps).toEqual(['1 of 2: client_created', '2 of 2: client_deleted']);
    expect(lines.map((line) => line.replace(/\d+ ms/, '… ms'))).toEqual([
      'client_created 200 in … ms',
      'client_deleted 204 in … ms',
      '2 posted, 1 not answered 200',
    ]);
    expect(tones).toEqual(['good', 'bad', undefined]);
  });

  test.each([
    [500, 200, 1],
    [200, 500, 1],
    [500, 500, 2],
  ])('ends with 1 where any of several is refused (%i, then %i)', async (...answers) => {
    const statuses = answers.slice(0, 2);
    const url = await serve((_, response) => void response.writeHead(statuses.shift() ?? 200).end());
    const { exit, lines } = await start(['replay', await record(), '--to', url], env);

    expect(await exit).toBe(1);
    expect(lines.at(-1)).toBe(`2 posted, ${answers[2]} not answered 200`);
  });

  test('the fake and the fixtures take a recording too', async () => {
    const before = Date.now();
    const file = await record();
    const fake = createFakePlatform();
    const handled: unknown[] = [];
    fake.webhooks.subscribe(
      createWebhookReceiver({ secret: fake.seed.eu.workspaceSecret }).onAny((event) => {
        handled.push(event);
      }),
    );

    const deliveries = await fake.webhooks.replay(file);

    expect(deliveries.map(({ status }) => status)).toEqual([200, 200]);
    expect(handled).toEqual([fixtures.event('client_created'), fixtures.event('client_deleted')]);
    expect(fixtures.fromRecording(file)).toMatchObject([
      { type: 'client_created', receivedAt: expect.any(Number) },
      { type: 'client_deleted', envelope: { sentBy: 'crm' } },
    ]);
    expect(fixtures.fromRecording(file)[0]?.receivedAt).toBeGreaterThanOrEqual(before);
    const broken = newFile('\n{');
    for (const named of [broken, pathToFileURL(broken)])
      expect(() => fixtures.fromRecording(named)).toThrow(`line 2 of ${named} is not JSON`);
  });
});

describe('trigger', () => {
  test('names in its help every type of the specification', async () => {
    const { lines } = await start(['trigger', '--help']);

    expect(lines[0]?.split('\nTypes\n')[1]?.split('\n')).toEqual(
      Object.keys(webhookEvents).map((type) => `  ${type}`),
    );
  });

  test('posts a valid event of now, with fields set', async () => {
    const { url, handled } = await receiver({ dedupe: false });
    const before = Date.now();
    const args = ['trigger', 'form_submitted', '--to', url, '--set', 'convoId=c=7\n8', '--copies', '2'];
    const { exit } = await start([...args, '--set', 'formData={"a":null}'], env);

    expect(await exit).toBe(0);
    expect(handled).toHaveLength(2);
    expect(handled[0]).toMatchObject({ payload: { convoId: 'c=7\n8', formData: { a: null } } });
    expect(handled[0]?.payload.createdAt).toBeGreaterThanOrEqual(before);
    await (
      await start(['trigger', 'webhook_test', '--to', url, '--set', 'createdAt=7', '--set', 'message='], env)
    ).exit;
    expect(handled.at(-1)).toMatchObject({ type: 'webhook_test', payload: { createdAt: 7, message: '' } });
  });

  test('says of each copy how it was answered, and ends with 1 where one was not', async () => {
    const statuses = [200, 500, 201];
    const url = await serve((_, response) => void response.writeHead(statuses.shift() ?? 200).end());
    const args = ['trigger', 'lead_captured', '--to', url, '--copies', '3'];
    const { exit, lines, steps, tones } = await start(args, env);

    expect(await exit).toBe(1);
    expect(steps).toEqual(['posting lead_captured']);
    expect(lines.map((line) => line.replace(/ in \d+ ms$/, '')).sort()).toEqual([
      'lead_captured 200',
      'lead_captured 201',
      'lead_captured 500',
    ]);
    expect(lines.map((line, index) => line.includes(' 200 ') === (tones[index] === 'good'))).toEqual([
      true,
      true,
      true,
    ]);
  });

  test('posts the copies all at once', async () => {
    const second = deferred();
    let requests = 0;
    const url = await serve(async (_, response) => {
      requests += 1;
      if (requests === 2) second.resolve();
      await second.promise;
      response.end();
    });

    expect(await (await start(['trigger', 'webhook_test', '--to', url, '--copies', '2'], env)).exit).toBe(0);
  });

  test('posts to the whole of the address', async () => {
    const urls: unknown[] = [];
    const url = await serve((request, response) => {
      urls.push(request.url);
      response.end();
    });
    await (await start(['trigger', 'webhook_test', '--to', `${url}/Webhooks?of=CRM`], env)).exit;

    expect(urls).toEqual(['/Webhooks?of=CRM']);
  });

  test('posts as many copies as are asked for, a thousand at most', async () => {
    const secrets: unknown[] = [];
    const url = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      secrets.push((JSON.parse(body) as { payload: { workspaceSecret: unknown } }).payload.workspaceSecret);
      response.end();
    });
    const args = ['trigger', 'webhook_test', '--to', url, '--copies', '1000'];

    // As it is read from a file.
    expect(await (await start(args, { WORKSPACE_SECRET: `${secret}\n` })).exit).toBe(0);
    expect([secrets.length, new Set(secrets)]).toEqual([1_000, new Set([secret])]);
  });

  test('tells why no answer came', async () => {
    const args = ['trigger', 'webhook_test', '--to', `http://127.0.0.1:${await freePort()}`];
    const { exit, lines } = await start(args, env);

    expect(await exit).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/^webhook_test failed in \d+ ms: fetch failed: .*ECONNREFUSED/),
    ]);
  });

  test('a forged one ends with 0 if it was refused with 401', async () => {
    const { url, handled } = await receiver();
    const open = await serve((_, response) => void response.end());

    const refused = await start(['trigger', 'webhook_test', '--to', url, '--forged']);
    const taken = await start(['trigger', 'webhook_test', '--to', open, '--forged']);
    expect([await refused.exit, await taken.exit]).toEqual([0, 1]);
    expect(refused.lines).toEqual([expect.stringMatching(/^webhook_test 401 in \d+ ms$/)]);
    expect([refused.tones, taken.tones]).toEqual([['good'], ['bad']]);
    expect(handled).toEqual([]);
  });
});

test.each([
  [['listen'], 'WORKSPACE_SECRET is not set: put the workspace secret into the environment.', {}],
  [['replay', 'x', '--to', 'http://127.0.0.1'], 'WORKSPACE_SECRET is not set', {}],
  [['trigger', 'webhook_test', '--to', 'http://127.0.0.1'], 'WORKSPACE_SECRET is not set', {}],
  [['listen'], 'WORKSPACE_SECRET is not set', { WORKSPACE_SECRET: ' ' }],
  [
    ['trigger', 'webhook_test', '--to', 'http://127.0.0.1', '--set', 'message=null'],
    '--set makes no valid webhook_test\n  - message: expected string, received null',
    env,
  ],
  [['listen', '--forward-to', 'localhost'], '--forward-to takes an http: or https: address', env],
  [
    ['listen', '--forward-to', 'http://me:pass@a'],
    '--forward-to takes an address without user name and password.',
    env,
  ],
  [['listen', '--record', '/nowhere/x'], '--record: ENOENT', env],
  [['replay', '--to', 'http://127.0.0.1'], 'replay takes the file of a recording.', env],
  [['replay', 'x'], 'replay needs --to, the address to post to.', env],
  [['replay', '/nowhere', '--to', 'http://127.0.0.1'], 'ENOENT', env],
  [['replay', newFile('\n'), '--to', 'http://127.0.0.1'], 'holds no webhook.', env],
  [['replay', newFile('\n{'), '--to', 'http://127.0.0.1'], /line 2 of .* is not JSON/, env],
  [['replay', newFile('{"type":4}'), '--to', 'http://127.0.0.1'], '- type: expected string', env],
  [
    ['replay', newFile('{"type":"x","payload":{},"sent":1}'), '--to', 'http://127.0.0.1'],
    '- sent: unknown field; there are type, payload, envelope, receivedAt',
    env,
  ],
  [
    [
      'replay',
      newFile('{"type":"a\\nb","payload":{}}\n'.repeat(2)),
      '--to',
      'http://127.0.0.1',
      '--only',
      'x\ny',
    ],
    'holds no x\\ny; it holds a\\nb.',
    env,
  ],
  [['replay', 'x', 'y', '--to', 'http://127.0.0.1'], '"y" is not expected after "replay".', env],
  [
    ['trigger', 'lead_scored', '--to', 'http://127.0.0.1'],
    `There is no event "lead_scored". There is: ${Object.keys(webhookEvents).join(', ')}.`,
    env,
  ],
  [['trigger', 'toString', '--to', 'http://127.0.0.1'], 'There is no event "toString".', env],
  [['trigger', 'webhook_test'], 'trigger needs --to, the address to post to.', env],
  [['trigger', 'webhook_test', '--to', 'http://127.0.0.1', '--set', 'x'], 'field=value, got "x"', env],
  [
    ['trigger', 'webhook_test', '--to', 'http://127.0.0.1', '--set', 'message=4'],
    '- message: expected string',
    env,
  ],
  [
    ['trigger', 'lead_captured', '--to', 'http://127.0.0.1', '--set', 'channel=pigeon'],
    '- channel: expected one of',
    env,
  ],
  [['trigger', 'webhook_test', '--to', 'http://127.0.0.1', '--copies', '1001'], 'got "1001"', env],
  [['trigger', 'webhook_test', '--to', 'http://127.0.0.1', '--set', '=a=b'], 'field=value, got "=a=b"', env],
  [['trigger', 'webhook_test', '--to', 'http://127.0.0.1', '--copies', 'x5'], 'got "x5"', env],
  [['trigger', 'webhook_test', '--to', 'http://127.0.0.1', '--copies', '5x'], 'got "5x"', env],
  [['trigger', 'webhook_test', '--to', 'http://127.0.0.1', '--copies', '1.5'], 'got "1.5"', env],
  [['listen', '--port', '65536'], '--port takes a number from 0 to 65535, got "65536".', env],
  [
    ['trigger', 'webhook_test', '--to', 'ftp://a'],
    '--to takes an http: or https: address, got "ftp://a"',
    env,
  ],
  [['replay', 'x', '--to', 'a'], '--to takes an http: or https: address, got "a"', env],
  [['trigger', '--to', 'http://127.0.0.1'], 'trigger takes the type of an event.', env],
  [['listen', 'now'], '"now" is not expected after "listen".', env],
  [['trigger', 'webhook_test', '--to', 'http://127.0.0.1', '--copies', '0'], 'from 1 to 1000, got "0"', env],
] as const)('%j is refused', async (args, message, variables) => {
  const { errors, exit, lines } = await start(args, variables);

  expect(await exit).toBe(2);
  expect(errors.join()).toMatch(message);
  expect(errors.at(-1)).toMatch(new RegExp(`\nagent-platform-sdk ${args[0]} --help tells more\\.$`));
  expect(lines).toEqual([]);
});

test.each([
  [
    'http://crm.example:8080/webhooks',
    ['Warning: the workspace secret goes to crm.example:8080 unencrypted. Use https: beyond this machine.'],
  ],
  ['https://crm.example/webhooks', []],
])('a secret that would go out unencrypted is warned of: %s', async (target, warnings) => {
  const { errors } = await start(['listen', '--port', '0', '--forward-to', target], env);
  // Nothing is posted: the file and the number are refused after the address was looked at.
  const replayed = await start(['replay', newFile(''), '--to', target], env);
  const triggered = await start(['trigger', 'webhook_test', '--to', target, '--copies', 'x'], env);

  expect(errors).toEqual(warnings);
  expect(replayed.errors.slice(0, -1)).toEqual(warnings);
  expect(triggered.errors.slice(0, -1)).toEqual(warnings);
});

test.each([
  ['listen', 4020],
  ['fake', 4010],
])('%s listens on port %i unless it is told another', async (name, port) => {
  // Taken by this test, or by something else on this machine.
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.once('error', () => resolve()).listen(port, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  const { errors, exit } = await start([name], env);

  expect(await exit).toBe(1);
  expect(errors).toEqual([`Port ${port} is in use. Choose another with --port, or 0 for any free one.`]);
});

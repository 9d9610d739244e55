import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWebhookReceiver, type WebhookEvent } from 'agent-platform-sdk';
import { fixtures } from 'agent-platform-sdk/testing';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { serve } from '../support/loopback.js';
import { finish, start } from './terminal.js';

const secret = 'workspace-secret-of-the-tests';
const env = { AGENT_PLATFORM_WEBHOOK_SECRET: secret };
const folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function newFile(content?: string): string {
  files += 1;
  const path = join(folder, `${files}.ndjson`);
  if (content !== undefined) writeFileSync(path, content);
  return path;
}

function postTo(url: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** A receiver over HTTP, and the events that it has handled. */
async function receiver() {
  const handled: WebhookEvent[] = [];
  const { node } = createWebhookReceiver({ secret, logLevel: 'off' }).onAny(
    (event) => void handled.push(event),
  );
  return { url: await serve((request, response) => void node(request, response)), handled };
}

/** `listen --forward-to` an address that knows the port it listens at. */
async function listenAndForward(targetOf: (port: number) => string) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return start(['listen', '--port', String(port), '--forward-to', targetOf(port)], env);
}

const lead = fixtures.delivery('lead_captured', secret, { leadName: 'Dana' });

describe('listen', () => {
  test('verifies and prints each webhook', async () => {
    const { url, lines, tones } = await start(['listen', '--port', '0'], env);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await postTo(`${url}/any/path`, lead)).status).toBe(200);
    const odd = { ...lead, payload: { ...lead.payload, leadName: 7 } };
    expect((await postTo(url, odd)).status).toBe(200);
    expect((await postTo(url, { type: 'new_type', payload: { workspaceSecret: secret } })).status).toBe(200);
    const forged = fixtures.delivery('lead_captured', 'another-secret-of-somebody');
    expect((await postTo(url, forged)).status).toBe(401);
    expect((await fetch(`${url}/hook?key=1`)).status).toBe(405);
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d {2}200 {14}lead_captured$/),
      expect.stringMatching(/^.{10}200 {14}lead_captured\n {2}- leadName: expected string/),
      expect.stringMatching(/^.{10}200 {14}new_type\n {2}- type: not in the API specification/),
      expect.stringMatching(
        /^.{10}401 {14}verification_failed {2}POST \/\n {10}Its `workspaceSecret` matches none/,
      ),
      expect.stringMatching(/^.{10}405 .* GET \/hook\n {10}\S/),
    ]);
    expect(tones.slice(1)).toEqual(['ok', 'ok', 'ok', 'fail', 'fail']);
  });

  test('stops while a request is still being sent', async () => {
    const { url, exit, stop } = await start(['listen', '--port', '0'], env);
    const half = request(url, { method: 'POST', headers: { 'content-length': 100 } });
    const cut = once(half, 'error');
    half.write('{');
    const [socket] = (await once(half, 'socket')) as [Socket];
    await once(socket, 'connect');
    stop();
    expect(await exit).toBe(0);
    await cut;
  });

  test('accepts several secrets, and forwards the one that came', async () => {
    const { url: target, handled } = await receiver();
    const secrets = { AGENT_PLATFORM_WEBHOOK_SECRET: `the-first-secret, ${secret}` };
    const { url } = await start(['listen', '--port', '0', '--forward-to', target], secrets);
    expect((await postTo(url, lead)).status).toBe(200);
    expect(handled).toHaveLength(1);
  });

  test('refuses what it forwards to itself, and says so', async () => {
    const { url, lines } = await listenAndForward((port) => `http://127.0.0.1:${port}/hooks?key=1`);
    expect((await postTo(url, lead)).status).toBe(500);
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^.{10}sending/),
      expect.stringMatching(/^.{10}508 {14}loop {2}POST \/hooks\n.*--forward-to leads back here/),
      expect.stringMatching(/^.{10}508 .*\n.*--forward-to leads back here/),
    ]);
  });

  test('--verbose prints payloads, without the secret and marked fields', async () => {
    const { url, lines } = await start(['listen', '--port', '0', '--verbose'], env);
    await postTo(url, { ...lead, payload: { ...lead.payload, magicCode: 'm4gic' } });
    expect(lines[1]).toContain('"leadName": "Dana"');
    expect(lines[1]).toContain('"magicCode": "[redacted]"');
    expect(lines[1]).not.toContain(secret);
  });

  test('--host listens at another address', async () => {
    const { lines, url } = await start(['listen', '--port', '0', '--host', 'localhost'], env);
    expect(lines[0]).toMatch(/^Listening at http:\/\/localhost:\d+\./);
    expect((await postTo(url, lead)).status).toBe(200);
  });

  test('--json prints lines of JSON, with what departs from the API specification', async () => {
    const { lines } = await start(['listen', '--port', '0', '--json'], env);
    const { url } = JSON.parse(lines[0] ?? '') as { readonly url: string };
    await postTo(url, { ...lead, payload: { ...lead.payload, leadName: 7 } });
    await postTo(url, fixtures.delivery('lead_captured', 'another-secret-of-somebody'));
    const at = expect.any(Number) as number;
    const issues = [expect.objectContaining({ path: ['leadName'] })];
    expect(lines.slice(1).map((line) => JSON.parse(line) as object)).toEqual([
      { at, status: 200, type: 'lead_captured', issues },
      {
        at,
        status: 401,
        type: 'verification_failed',
        request: 'POST /',
        failure: expect.stringMatching('none') as string,
      },
    ]);
  });

  test.each(['listen', 'replay'])(
    '%s prints at once that it sends: a receiver may take a minute',
    async (name) => {
      const { promise, resolve } = deferred();
      const slow = await serve((_, response) => void promise.then(() => response.end()));
      const args =
        name === 'listen'
          ? ['listen', '--port', '0', '--forward-to', slow]
          : ['replay', newFile('{"type":"lead_captured","payload":{}}'), '--to', slow];
      const { lines, url, exit } = await start(args, env);
      const posted = name === 'listen' ? postTo(url, lead) : exit;
      await vi.waitFor(() => expect(lines.at(-1)).toMatch(/^.{10}sending +lead_captured {2}http/));
      resolve();
      await posted;
      expect(lines.some((line) => /^.{10}200/.test(line))).toBe(true);
    },
  );

  test('--forward-to responds like the target', async () => {
    const { url: target, handled } = await receiver();
    const { url, lines } = await start(['listen', '--port', '0', '--forward-to', target], env);
    expect((await postTo(url, lead)).status).toBe(200);
    expect(handled).toMatchObject([{ type: 'lead_captured', payload: { leadName: 'Dana' } }]);
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^.{10}sending +lead_captured {2}http/),
      expect.stringMatching(/^.{10}200 +\d+ ms {2}lead_captured$/),
    ]);
    const refusing = await serve((_, response) => response.writeHead(503).end());
    const other = await start(['listen', '--port', '0', '--forward-to', refusing], env);
    expect((await postTo(other.url, lead)).status).toBe(500);
    expect(other.lines.slice(2)).toEqual([
      expect.stringMatching(/^.{10}503 .* lead_captured\n {10}The receiver responded with 503\. .* log/),
    ]);
  });

  test('--record appends verified webhooks to a file of its owner, without secrets, also after a rotation', async () => {
    const file = newFile('{"type":"before","payload":{}}\n');
    const { url } = await start(['listen', '--port', '0', '--record', file], env);
    const said = `{"workspaceSecret":"${secret}"}`;
    await postTo(url, { ...lead, payload: { ...lead.payload, magicCode: 'm4gic', leadEmail: said } });
    await postTo(url, fixtures.delivery('lead_captured', 'another-secret-of-somebody'));
    const [, line = '', ...rest] = readFileSync(file, 'utf8').trim().split('\n');
    const payload = {
      leadName: 'Dana',
      magicCode: '[redacted]',
      leadEmail: '{"workspaceSecret":"[redacted]"}',
    };
    const receivedAt = expect.any(Number) as number;
    expect(JSON.parse(line)).toMatchObject({ type: 'lead_captured', payload, receivedAt });
    expect([rest, line.includes(secret), statSync(file).mode & 0o777]).toEqual([[], false, 0o600]);
    rmSync(file);
    await postTo(url, lead);
    expect([readFileSync(file, 'utf8').includes('Dana'), statSync(file).mode & 0o777]).toEqual([true, 0o600]);
  });

  test('--record leaves a device as it is', async () => {
    const { mode } = statSync('/dev/null');
    const { url } = await start(['listen', '--port', '0', '--record', '/dev/null'], env);
    expect((await postTo(url, lead)).status).toBe(200);
    expect(statSync('/dev/null').mode).toBe(mode);
  });

  test('--record ends a line that a killed process left unfinished, and replay skips it', async () => {
    const file = newFile('{"type":"lead_captured","payload":{"leadName":"Da');
    const { url } = await start(['listen', '--port', '0', '--record', file], env);
    await postTo(url, lead);
    await postTo(url, { ...lead, payload: { ...lead.payload, createdAt: 7 } });
    const { url: target, handled } = await receiver();
    const { code, lines, errors } = await finish(['replay', file, '--to', target], env);
    expect(handled).toHaveLength(2);
    expect([code, lines.at(-1), errors]).toEqual([
      1,
      '2 posted, 0 without a 200, 1 broken lines',
      [`Line 1 of ${file} is not a recorded webhook: expected { "type", "payload" }.`],
    ]);
  });
});

describe('replay', () => {
  const recording = ['lead_captured', 'webhook_test', 'lead_captured'].map((type, index) =>
    JSON.stringify({
      type,
      payload: { ...fixtures.event('lead_captured').payload, message: '', createdAt: index },
    }),
  );

  test('posts a recording in order, with the secret of the environment', async () => {
    const { url, handled } = await receiver();
    const args = ['replay', newFile(recording.join('\n')), '--to', url];
    const { code, lines } = await finish(args, env);
    expect(handled.map(({ type }) => type)).toEqual(['lead_captured', 'webhook_test', 'lead_captured']);
    expect([code, lines.at(-1)]).toEqual([0, '3 posted, 0 without a 200, 0 broken lines']);
  });

  test('reads a recording with a byte order mark; --json prints lines of JSON', async () => {
    const { url } = await receiver();
    const args = ['replay', newFile(`\uFEFF${recording[1]}`), '--to', url, '--json'];
    const { code, lines } = await finish(args, env);
    expect([code, lines.map((line) => JSON.parse(line) as object)]).toEqual([
      0,
      [
        expect.objectContaining({ outcome: 'sending', type: 'webhook_test' }),
        expect.objectContaining({ status: 200, type: 'webhook_test', address: `${url}/` }),
        { posted: 1, refused: 0, broken: 0 },
      ],
    ]);
  });

  test('--only selects types', async () => {
    const { url, handled } = await receiver();
    const file = newFile(recording.join('\n'));
    await finish(['replay', file, '--to', url, '--only', 'webhook_test'], env);
    expect(handled).toHaveLength(1);
    const { code, errors } = await finish(['replay', file, '--to', url, '--only', 'chat_delegated'], env);
    expect([code, errors[0]]).toEqual([
      2,
      `There is nothing to post in ${file}. It has the types: lead_captured, webhook_test.`,
    ]);
  });

  test('exits with 1 if a response was not 200', async () => {
    const { url } = await receiver();
    const wrong = { AGENT_PLATFORM_WEBHOOK_SECRET: 'another-secret-of-somebody' };
    const { code, lines, tones } = await finish(['replay', newFile(recording[0]), '--to', url], wrong);
    expect([code, tones[1]]).toEqual([1, 'fail']);
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^.{10}401 .* lead_captured\n.* Does the receiver have the secret/),
      '1 posted, 1 without a 200, 0 broken lines',
    ]);
  });
});

describe('trigger', () => {
  test('posts a fixture with changed fields', async () => {
    const { url, handled } = await receiver();
    const set = ['--set', 'leadName=Dana', '--set', 'createdAt=7'];
    const { code, lines } = await finish(
      ['trigger', 'lead_captured', '--to', url, ...set, '--copies', '2'],
      env,
    );
    // Each copy has a line when it is sent, and one when it ends.
    expect([code, lines.length, handled.length]).toEqual([0, 4, 1]);
    expect(handled).toMatchObject([{ payload: { leadName: 'Dana', createdAt: 7 } }]);
  });

  test.each([
    ['leadPhone=4915112345678', { leadPhone: '4915112345678' }],
    ['leadName=true', { leadName: 'true' }],
    ['leadName="Dana"', { leadName: 'Dana' }],
    ['createdAt=7', { createdAt: 7 }],
  ])('--set %s sets a value of the type of the field', async (set, payload) => {
    const { url, handled } = await receiver();
    const { code } = await finish(['trigger', 'lead_captured', '--to', url, '--set', set], env);
    expect([code, handled]).toMatchObject([0, [{ payload }]]);
  });

  test('--forged expects 401, and needs no secret', async () => {
    const { url } = await receiver();
    expect(await finish(['trigger', 'webhook_test', '--to', url, '--forged'])).toMatchObject({
      code: 0,
      tones: [undefined, 'ok'],
    });
    const open = await serve((_, response) => response.end());
    expect(await finish(['trigger', 'webhook_test', '--to', open, '--forged'])).toMatchObject({
      code: 1,
      lines: [expect.stringContaining('sending'), expect.stringContaining('A receiver must answer 401')],
    });
  });

  test('prints where a redirect leads', async () => {
    const url = await serve((request, response) => {
      request.resume();
      response.writeHead(308, { location: '/webhooks/?key=secret' }).end();
    });
    const { code, lines } = await finish(['trigger', 'webhook_test', '--to', url], env);
    expect([code, lines[1]?.endsWith(`(6.4). The redirect leads to ${url}/webhooks/`)]).toEqual([1, true]);
  });

  test('asks about https: at an address that speaks http:', async () => {
    const url = (await serve((_, response) => response.end())).replace('http:', 'https:');
    const { lines } = await finish(['trigger', 'webhook_test', '--to', url], env);
    expect(lines[1]).toContain(
      '\n          ERR_SSL_WRONG_VERSION_NUMBER. Does the server speak http: instead of https:?',
    );
  });

  test('warns before a secret is sent unencrypted', async () => {
    const { errors } = await finish(['trigger', 'webhook_test', '--to', 'http://nowhere.invalid/'], env);
    expect(errors).toEqual([
      'Warning: the workspace secret is sent to nowhere.invalid without encryption. Use https: instead.',
    ]);
  });
});

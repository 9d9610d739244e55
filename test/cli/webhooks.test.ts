import { once } from 'node:events';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { createWebhookReceiver, type WebhookEvent } from 'agent-platform-sdk';
import { fixtures } from 'agent-platform-sdk/testing';
import { describe, expect, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { freePort } from '../support/free-port.js';
import { leavesNothing } from '../support/leaves-nothing.js';
import { answering, serve } from '../support/loopback.js';
import { newFile } from '../support/new-file.js';
import { finish, start } from './terminal.js';

const secret = 'workspace-secret-of-the-tests';
const env = { AGENT_PLATFORM_WEBHOOK_SECRET: secret };
const parsed = (lines: readonly string[]) => lines.map((line) => JSON.parse(line) as object);

async function postTo(url: string, body: unknown): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}

/** A receiver over HTTP, and the events that it has handled. */
async function receiver() {
  const handled: WebhookEvent[] = [];
  const { node } = createWebhookReceiver({ secret, logLevel: 'off' }).onAny(
    (event) => void handled.push(event),
  );
  return { url: await serve(node), handled };
}

const listen = (...args: readonly string[]) => start(['listen', '--port', '0', ...args], env);

const lead = fixtures.delivery('lead_captured', secret, { leadName: 'Dana' });
const changed = (fields: object) => ({ ...lead, payload: { ...lead.payload, ...fields } });
const forged = fixtures.delivery('lead_captured', 'another-secret-of-somebody');

describe('listen', () => {
  test('verifies and prints each webhook, with what departs from the API specification', async () => {
    const { url, lines, tones } = await listen();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await postTo(`${url}/any/path`, lead)).toBe(200);
    expect(await postTo(url, changed({ leadName: 7 }))).toBe(200);
    expect(await postTo(url, { type: 'new_type', payload: { workspaceSecret: secret } })).toBe(200);
    expect(await postTo(url, forged)).toBe(401);
    expect((await fetch(`${url}/hook?key=1`)).status).toBe(405);
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d {2}200 {14}lead_captured$/),
      expect.stringMatching(/^.{10}200 {14}lead_captured\n {2}- leadName: expected string/),
      expect.stringMatching(/^.{10}200 {14}new_type\n {2}- type: not in the API specification/),
      expect.stringMatching(/^.{10}401 {14}verification_failed {2}POST \/\n {10}\S/),
      expect.stringMatching(/^.{10}405 .* GET \/hook\n {10}\S/),
    ]);
    expect(tones.slice(1)).toEqual(['ok', 'ok', 'ok', 'fail', 'fail']);
  });

  test('--json prints lines of JSON', async () => {
    const { lines } = await listen('--json');
    const { url } = JSON.parse(lines[0] ?? '') as { readonly url: string };
    await postTo(url, changed({ leadName: 7 }));
    await postTo(url, forged);
    const at = expect.any(Number) as number;
    const issues = [expect.objectContaining({ path: ['leadName'] })];
    const failure = expect.any(String) as string;
    expect(parsed(lines.slice(1))).toEqual([
      { at, status: 200, type: 'lead_captured', issues },
      { at, status: 401, type: 'verification_failed', request: 'POST /', failure },
    ]);
  });

  test('--host listens at another address; --verbose prints payloads, without what is secret', async () => {
    const { url, lines } = await listen('--verbose', '--host', 'localhost');
    expect(url).toMatch(/^http:\/\/localhost:\d+$/);
    await postTo(url, changed({ magicCode: 'm4gic' }));
    expect(lines[1]).toContain('"leadName": "Dana"');
    expect(lines[1]).toContain('"magicCode": "[redacted]"');
    expect(lines[1]).not.toContain(secret);
  });

  test('stops while a request is still being sent', async () => {
    const { url, exit, stop } = await listen();
    const half = request(url, { method: 'POST', headers: { 'content-length': 100 } });
    const cut = once(half, 'error');
    half.write('{');
    const [socket] = (await once(half, 'socket')) as [Socket];
    await once(socket, 'connect');
    stop();
    expect(await exit).toBe(0);
    await cut;
  });

  test('leaves nothing when it is stopped', async () => {
    const target = await answering(200);
    const use = async () => {
      const { url, lines, stop, exit } = await listen('--forward-to', target);
      expect(await postTo(url, lead)).toBe(200);
      stop();
      expect(await exit).toBe(0);
      expect(lines.at(-1)).toContain('200');
    };
    await use();
    await leavesNothing(use);
  });

  test('--forward-to posts each event with the secret that it came with, and responds like the target', async () => {
    const { url: target, handled } = await receiver();
    const secrets = { AGENT_PLATFORM_WEBHOOK_SECRET: `the-first-secret, ${secret}` };
    const { url, lines } = await start(['listen', '--port', '0', '--forward-to', target], secrets);
    expect(await postTo(url, lead)).toBe(200);
    expect(handled).toMatchObject([{ type: 'lead_captured', payload: { leadName: 'Dana' } }]);
    const refusing = await listen('--forward-to', await answering(503));
    expect(await postTo(refusing.url, lead)).toBe(500);
    expect([...lines.slice(1), ...refusing.lines.slice(2)]).toEqual([
      expect.stringMatching(/^.{10}sending +lead_captured {2}http/),
      expect.stringMatching(/^.{10}200 +\d+ ms {2}lead_captured$/),
      expect.stringMatching(/^.{10}503 .* lead_captured\n {10}The receiver responded with 503\. .* log/),
    ]);
  });

  test('refuses what it forwards to itself, and says so', async () => {
    const port = String(await freePort());
    const target = `http://127.0.0.1:${port}/hooks?key=1`;
    const { url, lines } = await start(['listen', '--port', port, '--forward-to', target], env);
    expect(await postTo(url, lead)).toBe(500);
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^.{10}sending/),
      expect.stringMatching(/^.{10}508 {14}loop {2}POST \/hooks\n.*--forward-to leads back here/),
      expect.stringMatching(/^.{10}508 .*\n.*--forward-to leads back here/),
    ]);
  });

  test('--record appends verified webhooks to a file of its owner, without secrets, also after a rotation', async () => {
    const file = newFile('{"type":"before","payload":{}}\n');
    const { url } = await listen('--record', file);
    await postTo(url, changed({ magicCode: 'm4gic', leadEmail: `{"workspaceSecret":"${secret}"}` }));
    await postTo(url, forged);
    const [, line = '', ...rest] = readFileSync(file, 'utf8').trim().split('\n');
    const leadEmail = '{"workspaceSecret":"[redacted]"}';
    const payload = { leadName: 'Dana', magicCode: '[redacted]', leadEmail };
    const receivedAt = expect.any(Number) as number;
    expect(JSON.parse(line)).toMatchObject({ type: 'lead_captured', payload, receivedAt });
    expect([rest, line.includes(secret), statSync(file).mode & 0o777]).toEqual([[], false, 0o600]);
    rmSync(file);
    await postTo(url, lead);
    expect([readFileSync(file, 'utf8').includes('Dana'), statSync(file).mode & 0o777]).toEqual([true, 0o600]);
  });

  test('an event that cannot be recorded is not accepted, and the line names --record', async () => {
    const { url, lines } = await listen('--record', '/dev/full');
    expect(await postTo(url, lead)).toBe(500);
    expect(lines.at(-1)).toMatch(/ 500 .*\n +--record: ENOSPC/);
  });

  test('--record leaves a device as it is', async () => {
    const { mode } = statSync('/dev/null');
    const { url } = await listen('--record', '/dev/null');
    expect(await postTo(url, lead)).toBe(200);
    expect(statSync('/dev/null').mode).toBe(mode);
  });

  test('--record ends a line that a killed process left unfinished, and replay skips it', async () => {
    const file = newFile('{"type":"lead_captured","payload":{"leadName":"Da');
    const { url } = await listen('--record', file);
    await postTo(url, lead);
    await postTo(url, changed({ createdAt: 7 }));
    const { url: target, handled } = await receiver();
    const { code, lines, errors } = await finish(['replay', file, '--to', target], env);
    expect(handled).toHaveLength(2);
    expect([code, lines.at(-1)]).toEqual([1, '2 posted, 0 without a 200, 1 broken lines']);
    expect(errors).toEqual([expect.stringContaining(`Line 1 of ${file} is not a recorded webhook`)]);
  });
});

// A receiver may take a minute.
test.each(['listen', 'replay'])('%s prints at once that it sends', async (name) => {
  const { promise, resolve } = deferred();
  const slow = await serve((_, response) => void promise.then(() => response.end()));
  const file = newFile('{"type":"lead_captured","payload":{}}');
  const args = name === 'listen' ? ['--port', '0', '--forward-to'] : [file, '--to'];
  const { lines, url, exit } = await start([name, ...args, slow], env);
  const posted = name === 'listen' ? postTo(url, lead) : exit;
  await vi.waitFor(() => expect(lines.at(-1)).toMatch(/^.{10}sending +lead_captured {2}http/));
  resolve();
  await posted;
  expect(lines.some((line) => /^.{10}200/.test(line))).toBe(true);
});

describe('replay', () => {
  const types = ['lead_captured', 'webhook_test', 'lead_captured'];
  const recording = types.map((type, createdAt) =>
    JSON.stringify({ type, payload: { ...fixtures.event('lead_captured').payload, message: '', createdAt } }),
  );
  const replay = (content: string, url: string, ...args: readonly string[]) =>
    finish(['replay', newFile(content), '--to', url, ...args], env);

  test('posts a recording in order, with the secret of the environment', async () => {
    const { url, handled } = await receiver();
    const { code, lines } = await replay(recording.join('\n'), url);
    expect(handled.map(({ type }) => type)).toEqual(types);
    expect([code, lines.at(-1)]).toEqual([0, '3 posted, 0 without a 200, 0 broken lines']);
  });

  test('reads a recording with a byte order mark; --json prints lines of JSON', async () => {
    const { url } = await receiver();
    const { code, lines } = await replay(`\uFEFF${recording[1]}`, url, '--json');
    expect([code, parsed(lines)]).toEqual([
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
    await replay(recording.join('\n'), url, '--only', 'webhook_test');
    expect(handled).toHaveLength(1);
    const { code, errors } = await replay(recording.join('\n'), url, '--only', 'chat_delegated');
    expect([code, errors[0]]).toEqual([
      2,
      expect.stringMatching(/^There is nothing to post in .* the types: lead_captured, webhook_test\.$/),
    ]);
  });

  test('exits with 1 if a response was not 200', async () => {
    const { code, lines, tones } = await replay(
      recording[0] ?? '',
      await answering(401, {}, '{"message":"No."}'),
    );
    expect([code, tones[1], lines.at(-1)]).toEqual([1, 'fail', '1 posted, 1 without a 200, 0 broken lines']);
    expect(lines[1]).toMatch(/^.{10}401 .* lead_captured\n {10}No\. Does the receiver have the secret/);
  });
});

describe('trigger', () => {
  const trigger = (url: string, ...args: readonly string[]) =>
    finish(['trigger', 'lead_captured', '--to', url, ...args], env);

  test.each([
    ['leadPhone=4915112345678', { leadPhone: '4915112345678' }],
    ['leadName=true', { leadName: 'true' }],
    ['leadName="Dana"', { leadName: 'Dana' }],
    ['createdAt=7', { createdAt: 7 }],
  ])('posts copies of a fixture; --set %s sets a value of the type of the field', async (set, payload) => {
    const { url, handled } = await receiver();
    const { code, lines } = await trigger(url, '--copies', '2', '--set', set, '--set', 'leadEmail=e');
    // Each copy has a line when it is sent, and one when it ends.
    expect([code, lines.length]).toEqual([0, 4]);
    expect(handled).toMatchObject([{ payload: { leadEmail: 'e', ...payload } }]);
  });

  test('--forged expects 401, and needs no secret', async () => {
    const forge = (url: string) => finish(['trigger', 'webhook_test', '--to', url, '--forged']);
    expect(await forge((await receiver()).url)).toMatchObject({ code: 0, tones: [undefined, 'ok'] });
    const { code, lines } = await forge(await answering(200));
    expect([code, lines[1]]).toEqual([1, expect.stringContaining('A receiver must answer 401')]);
  });

  test('prints where a redirect leads', async () => {
    const url = await answering(308, { location: '/webhooks/?key=secret' });
    const { code, lines } = await trigger(url);
    expect([code, lines[1]?.endsWith(`success. The redirect leads to ${url}/webhooks/`)]).toEqual([1, true]);
  });

  test('asks about https: at an address that speaks http:', async () => {
    const { lines } = await trigger((await answering(200)).replace('http:', 'https:'));
    const hint = 'ERR_SSL_WRONG_VERSION_NUMBER. Does the server speak http: instead of https:?';
    expect(lines[1]).toContain(`\n          ${hint}`);
  });

  test('warns before a secret is sent unencrypted', async () => {
    const { errors } = await trigger('http://nowhere.invalid/');
    expect(errors).toEqual([
      'Warning: the workspace secret is sent to nowhere.invalid without encryption. Use https: instead.',
    ]);
  });
});

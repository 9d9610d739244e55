import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createFakePlatform, type ListenOptions } from 'agent-platform-sdk/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { leavesNothing } from '../support/leaves-nothing.js';
import { clientOf, globalClientOf, listening } from './clients.js';

const CALL = '/eu/v3/tools/defaults';

type Sent = { readonly method?: string; readonly headers?: Readonly<Record<string, string>> };

/** A fake that listens, and a function that sends it what `fetch` would not. */
async function served(options?: ListenOptions) {
  const fake = createFakePlatform();
  const server = await listening(fake, options);
  const send = async (path: string, sent: Sent = {}) => {
    const call = request({ host: '127.0.0.1', port: server.port, path, ...sent }).end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    return { status: response.statusCode, body: await text(response) };
  };
  return { fake, ...server, send };
}

test('serves both regions over HTTP, until it is closed', async () => {
  const fake = createFakePlatform();
  const server = await fake.listen();
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  for (const region of ['eu', 'na'] as const) {
    const { toolId } = fake.seed[region];
    const tool = await globalClientOf(fake, { region, baseUrls: server.baseUrls }).tools.get(toolId);
    expect(tool).toEqual(await clientOf(fake, { region }).tools.get(toolId));
  }
  await server.close();
  await expect(fetch(server.url + CALL)).rejects.toThrow();
});

test.each(['/europe/v3', '/EU/v3', '/_fake/state', '/'])('%s is not served', async (path) => {
  const { url } = await served();
  const response = await fetch(url + path);
  expect([response.status, await response.json()]).toMatchObject([404, { code: 'NOT_FOUND' }]);
});

test('a client that goes away aborts its call', async () => {
  const { fake, url } = await served();
  fake.faults.inject({ kind: 'latency', ms: 600_000 });
  const controller = new AbortController();
  const call = fetch(url + CALL, { signal: controller.signal });
  await vi.waitFor(() => expect(fake.requests).toHaveLength(1));
  controller.abort();
  await expect(call).rejects.toThrow();
  await vi.waitFor(() => expect(fake.requests).toMatchObject([{ duration: expect.any(Number) as number }]));
});

const sites = ['cross-site', 'same-site', 'same-origin', 'none'];
test.each(sites)('a call from the page of another site is refused, and no other: %s', async (site) => {
  const { fake, send } = await served({ control: true });
  fake.faults.inject({ status: 500 });
  const sent = { headers: { 'sec-fetch-site': site } };
  const calls = await Promise.all(['/', '/_fake/state', CALL].map((path) => send(path, sent)));
  const isRefused = site === 'cross-site';
  expect(calls.map(({ status }) => status)).toEqual(isRefused ? [403, 403, 403] : [200, 200, 500]);
  expect(fake.requests).toHaveLength(isRefused ? 3 : 1);
});

describe('every call that reaches the port is a row', () => {
  test.each([
    ['/v3/tools/tool_eu_1', 'the region (/eu or /na). Did you mean GET /tools/tool_eu_1 below /eu/v3?'],
    ['/na/tools/tool_eu_1', '/v3. Did you mean GET /tools/tool_eu_1 below /na/v3?'],
    ['/api/tools/t', 'the region (/eu or /na) and /v3. Did you mean GET /tools/t below /eu/v3?'],
    ['/eu', '/v3. Call one below /eu/v3.'],
  ])('%s lacks something, and says what', async (path, lacks) => {
    for (const control of [true, false]) {
      const { fake, url } = await served({ control });
      const response = await fetch(`${url}${path}?a=1`);
      const message = `There is no operation GET ${path}: the address lacks ${lacks}`;
      expect([response.status, await response.json()]).toEqual([404, { message, code: 'NOT_FOUND' }]);
      const row = { method: 'GET', path, query: '?a=1', region: undefined, status: 404 };
      expect(fake.requests).toMatchObject([{ ...row, response: { message } }]);
    }
  });

  test.each<[string, path: string, Sent, status: number, message: string]>([
    ['/v3 twice', '/eu/v3/v3/tools/t', {}, 404, 'Did you mean GET /tools/t below /eu/v3?'],
    ['a refused host', CALL, { headers: { host: 'evil.example' } }, 421, 'the host "evil.example"'],
    ['another site', CALL, { headers: { 'sec-fetch-site': 'cross-site' } }, 403, 'comes from another site'],
    ['a HEAD', CALL, { method: 'HEAD' }, 404, `There is no operation HEAD ${CALL}`],
    ['a TRACE', CALL, { method: 'TRACE' }, 405, 'does not accept TRACE'],
    ['an unknown Expect', CALL, { headers: { expect: 'x' } }, 401, 'is missing'],
  ])('%s', async (_, path, sent, status, message) => {
    const { fake, send } = await served({ control: true });
    expect((await send(path, sent)).status).toBe(status);
    const { method = 'GET' } = sent;
    const row = { method, path: path.slice('/eu/v3'.length), region: 'eu', status };
    const response = { message: expect.stringContaining(message) as string };
    expect(fake.requests).toMatchObject([{ ...row, response }]);
  });

  test('https: to its port, and what is no HTTP', async () => {
    const { fake, port, url } = await served();
    await expect(fetch(url.replace('http:', 'https:') + CALL)).rejects.toThrow();
    const socket = connect(port, '127.0.0.1').end('hello\r\n\r\n');
    const [response] = (await once(socket, 'data')) as [Buffer];
    expect(String(response)).toMatch(/^HTTP\/1\.1 400 /);
    const [tls, other] = ['The fake only speaks http:', 'HPE_'].map((words) => ({
      message: expect.stringContaining(words) as string,
    }));
    expect(fake.requests).toMatchObject([
      { method: 'TLS', status: 400, response: tls },
      { method: '?', status: 400, response: other },
    ]);
    // A connection without a request is no call.
    connect(port, '127.0.0.1').destroy();
    expect((await fetch(url + CALL)).status).toBe(401);
    expect(fake.requests).toHaveLength(3);
  });

  test('a call whose client leaves within the body', async () => {
    const { fake, port } = await served();
    const head = `POST ${CALL} HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{`;
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(head, () => setImmediate(() => socket.destroy())),
    );
    await vi.waitFor(() => expect(fake.requests[0]?.duration).toBeDefined());
    expect(fake.requests).toMatchObject([{ method: 'POST', body: undefined, status: undefined }]);
  });

  test('a call outside of the regions uses up no fault', async () => {
    const { fake, url } = await served();
    fake.faults.inject({ status: 500 });
    expect((await fetch(`${url}/favicon.ico`)).status).toBe(404);
    expect(fake.faults.list()).toHaveLength(1);
  });
});

test.each([
  ['localhost:4010', undefined, true],
  ['127.0.0.1', undefined, true],
  ['[::1]:80', undefined, true],
  ['platform', undefined, true],
  ['a.localhost', undefined, true],
  ['host.docker.internal:1', undefined, true],
  ['evil.example', undefined, false],
  ['localhost.evil.example', undefined, false],
  ['127.0.0.1.evil.example:4010', undefined, false],
  ['a b', undefined, false],
  ['FAKE.example.com:80', 'fake.example.com', true],
  ['a.fake.example.com', 'fake.example.com', false],
  ['me-4010.app.github.dev', '.app.github.dev', true],
  ['APP.github.dev:443', '.app.github.dev', true],
  ['evil-app.github.dev', '.app.github.dev', false],
])('a Host %j beside the allowed name %s is accepted: %s', async (host, allowed, isAccepted) => {
  const { send } = await served({ control: true, allowedHosts: allowed === undefined ? [] : [allowed] });
  const statuses = [];
  for (const path of ['/_fake/requests', CALL])
    statuses.push((await send(path, { headers: { host } })).status);
  expect(statuses).toEqual(isAccepted ? [200, 401] : [421, 421]);
});

test.each([
  [undefined, undefined, 'http://fake.localhost:4010'],
  ['me-4010.app.github.dev', 'https', 'https://me-4010.app.github.dev'],
  ['a b', 'javascript', 'http://fake.localhost:4010'],
])('behind %s (%s), its page shows the address %s that its reader sees', async (host, protocol, address) => {
  const { send } = await served({ control: true });
  const forwarded = host && { 'x-forwarded-host': host, 'x-forwarded-proto': protocol };
  const { body } = await send('/', { headers: { host: 'fake.localhost:4010', ...forwarded } });
  expect(body).toContain(`AGENT_PLATFORM_BASE_URL_EU=${address}/eu\n`);
});

test('warns if other machines reach it', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  onTestFinished(() => warn.mockRestore());
  const { url, port } = await served({ host: '0.0.0.0' });
  expect(url).toBe(`http://127.0.0.1:${port}`);
  expect(warn).toHaveBeenCalledExactlyOnceWith(
    `[agent-platform-sdk] The fake listens at 0.0.0.0:${port}: other machines can read and change its records.`,
  );
});

test('without node:http, listen says what the fake offers instead', async () => {
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
  onTestFinished(() => void vi.restoreAllMocks());
  await expect(createFakePlatform().listen()).rejects.toThrow('Use fake.fetch or the msw handlers here');
});

test('leaves nothing when it is closed', async () => {
  const fake = createFakePlatform();
  /** Its page, a call, one that waits, a watcher, and what is no HTTP. */
  const use = async (): Promise<void> => {
    const server = await fake.listen({ control: true });
    await (await fetch(server.url)).text();
    await (await fetch(server.url + CALL)).text();
    fake.faults.inject({ kind: 'latency', ms: 600_000 });
    const waiting = fetch(server.url + CALL).catch(() => undefined);
    const reader = (await fetch(`${server.url}/_fake/changes`)).body?.getReader();
    await reader?.read();
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
    socket.end('hello\r\n\r\n');
    await server.close();
    await waiting;
    await reader?.cancel().catch(() => undefined);
  };
  // What is loaded once, such as the page.
  await use();
  fake.reset();
  await leavesNothing(use);
  expect(fake.requests).not.toEqual([]);
});

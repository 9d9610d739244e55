import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createFakePlatform, type ListenOptions } from 'agent-platform-sdk/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../support/free-port.js';
import { clientOf, httpClientOf, listening } from './support/client.js';

test('serves both regions over HTTP', async () => {
  const fake = createFakePlatform();
  const server = await listening(fake);
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  for (const region of ['eu', 'na'] as const) {
    const tool = await httpClientOf(fake, server, { region }).tools.get(fake.seed[region].toolId);
    expect(tool).toEqual(await clientOf(fake, { region }).tools.get(fake.seed[region].toolId));
  }
});

test('listens on a chosen port, and rejects if it is taken', async () => {
  const fake = createFakePlatform();
  const port = await freePort();
  await using server = await fake.listen({ port });
  expect(server.port).toBe(port);
  await expect(fake.listen({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('close ends idle connections', async () => {
  const server = await createFakePlatform().listen();
  await (await fetch(`${server.url}/eu/v3/nowhere`)).text();
  await server.close();
  await expect(fetch(`${server.url}/eu/v3/nowhere`)).rejects.toThrow();
});

test.each(['/v3', '/europe/v3', '/EU/v3', '/_fake/state', '/'])('%s is not served', async (path) => {
  const { url } = await listening(createFakePlatform());
  const response = await fetch(url + path);
  expect([response.status, await response.json()]).toMatchObject([404, { code: 'NOT_FOUND' }]);
});

test('a client that goes away aborts its call', async () => {
  const fake = createFakePlatform();
  const { baseUrls } = await listening(fake);
  fake.faults.inject({ kind: 'latency', ms: 600_000 });
  const controller = new AbortController();
  const call = fetch(`${baseUrls.eu}/v3/tools/defaults`, { signal: controller.signal });
  await vi.waitFor(() => expect(fake.requests).toHaveLength(1));
  controller.abort();
  await expect(call).rejects.toThrow();
  await vi.waitFor(() => expect(fake.requests).toMatchObject([{ duration: expect.any(Number) as number }]));
});

/** The response to a request with chosen headers. */
async function responseTo(
  options: ListenOptions,
  sent: { path?: string; method?: string; headers?: object },
): Promise<IncomingMessage> {
  const server = await createFakePlatform().listen(options);
  onTestFinished(() => server.close());
  const { path = '/_fake/requests', method = 'GET', headers = {} } = sent;
  const call = request({ host: '127.0.0.1', port: server.port, path, method, headers: { ...headers } }).end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  return response;
}

test.each(['cross-site', 'same-site', 'same-origin', 'none'])(
  'a request that a browser sends from another site is refused: %s',
  async (site) => {
    const fake = createFakePlatform();
    fake.faults.inject({ status: 500 });
    const { url } = await listening(fake, { control: true });
    const headers = { 'sec-fetch-site': site };
    const calls = ['/', '/_fake/state', '/eu/v3/tools/defaults'].map((path) =>
      fetch(url + path, { headers }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses).toEqual(site === 'cross-site' ? [403, 403, 403] : [200, 200, 500]);
    expect(fake.requests).toHaveLength(site === 'cross-site' ? 3 : 1);
  },
);

describe('every call that reaches the port is a row', () => {
  test.each([
    ['/tools/tool_eu_1', 'the region (/eu or /na) and /v3. Did you mean GET /tools/tool_eu_1 below /eu/v3?'],
    ['/v3/tools/tool_eu_1', 'the region (/eu or /na). Did you mean GET /tools/tool_eu_1 below /eu/v3?'],
    ['/na/tools/tool_eu_1', '/v3. Did you mean GET /tools/tool_eu_1 below /na/v3?'],
    [
      '/api/v2/tools/defaults',
      'the region (/eu or /na) and /v3. Did you mean GET /tools/defaults below /eu/v3?',
    ],
    ['/eu', '/v3. Call one below /eu/v3.'],
  ])('%s lacks something, and says what', async (path, lacks) => {
    for (const control of [true, false]) {
      const fake = createFakePlatform();
      const { url } = await listening(fake, { control });
      const response = await fetch(`${url}${path}?a=1`);
      const message = `There is no operation GET ${path}: the address lacks ${lacks}`;
      expect([response.status, await response.json()]).toEqual([404, { message, code: 'NOT_FOUND' }]);
      const row = { method: 'GET', path, query: '?a=1', region: undefined, status: 404 };
      expect(fake.requests).toMatchObject([{ ...row, response: { message } }]);
    }
  });

  test('a call with /v3 twice names the right path', async () => {
    const fake = createFakePlatform();
    const { url } = await listening(fake);
    await fetch(`${url}/eu/v3/v3/tools/t`);
    const message = 'There is no operation GET /eu/v3/v3/tools/t. Did you mean GET /tools/t below /eu/v3?';
    expect(fake.requests).toMatchObject([{ region: 'eu', path: '/v3/tools/t', response: { message } }]);
  });

  test.each([
    ['a refused host', { headers: { host: 'evil.example' } }, 421, 'does not accept the host "evil.example"'],
    ['another site', { headers: { 'sec-fetch-site': 'cross-site' } }, 403, 'comes from another site'],
    ['a HEAD', { method: 'HEAD' }, 404, 'There is no operation HEAD /eu/v3/tools/defaults'],
    ['a TRACE', { method: 'TRACE' }, 405, 'does not accept TRACE'],
    ['an unknown Expect', { headers: { expect: 'x' } }, 401, 'is missing'],
  ])('%s', async (_, sent, status, message) => {
    const fake = createFakePlatform();
    const { port } = await listening(fake, { control: true });
    const path = '/eu/v3/tools/defaults';
    const call = request({ host: '127.0.0.1', port, path, method: 'GET', ...sent }).end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(status);
    const row = { method: call.method, path: '/tools/defaults', region: 'eu', status };
    const answered = { message: expect.stringContaining(message) as string };
    expect(fake.requests).toMatchObject([{ ...row, response: answered }]);
  });

  test('https: to its port, and what is no HTTP', async () => {
    const fake = createFakePlatform();
    const { port, url } = await listening(fake);
    await expect(fetch(`${url.replace('http:', 'https:')}/eu/v3/tools/defaults`)).rejects.toThrow();
    const socket = connect(port, '127.0.0.1').end('hello\r\n\r\n');
    const [response] = (await once(socket, 'data')) as [Buffer];
    expect(String(response)).toMatch(/^HTTP\/1\.1 400 /);
    expect(fake.requests).toMatchObject([
      {
        method: 'TLS',
        status: 400,
        response: { message: 'The fake only speaks http:, and this is https:. Change the address.' },
      },
      { method: '?', status: 400, response: { message: expect.stringContaining('HPE_') as string } },
    ]);
    // A connection without a request is no call.
    connect(port, '127.0.0.1').destroy();
    expect((await fetch(`${url}/eu/v3/tools/defaults`)).status).toBe(401);
    expect(fake.requests).toHaveLength(3);
  });

  test('a call outside of the regions uses up no fault', async () => {
    const fake = createFakePlatform();
    fake.faults.inject({ status: 500 });
    const { url } = await listening(fake);
    expect((await fetch(`${url}/favicon.ico`)).status).toBe(404);
    expect(fake.faults.list()).toHaveLength(1);
  });
});

describe('the header Host', () => {
  test.each([
    ['localhost:4010', undefined, 200],
    ['127.0.0.1', undefined, 200],
    ['[::1]:80', undefined, 200],
    ['platform', undefined, 200],
    ['a.localhost', undefined, 200],
    ['host.docker.internal:1', undefined, 200],
    ['evil.example', undefined, 421],
    ['localhost.evil.example', undefined, 421],
    ['127.0.0.1.evil.example:4010', undefined, 421],
    ['a b', undefined, 421],
    ['FAKE.example.com:80', 'fake.example.com', 200],
    ['a.fake.example.com', 'fake.example.com', 421],
    ['me-4010.app.github.dev', '.app.github.dev', 200],
    ['APP.github.dev:443', '.app.github.dev', 200],
    ['evil-app.github.dev', '.app.github.dev', 421],
  ])('%j beside the allowed name %s gets %i', async (host, allowed, status) => {
    const allowedHosts = allowed === undefined ? undefined : [allowed];
    const paths = ['/_fake/requests', '/eu/v3/tools/defaults'];
    const responses = paths.map((path) =>
      responseTo({ control: true, allowedHosts }, { headers: { host }, path }),
    );
    const statuses = (await Promise.all(responses)).map(({ statusCode }) => statusCode);
    expect(statuses).toEqual(status === 200 ? [200, 401] : [421, 421]);
  });

  test.each(['*', '*.example.com', '.', 'a:1'])('allowedHosts refuses %s', async (name) => {
    await expect(createFakePlatform().listen({ allowedHosts: [name] })).rejects.toThrow(
      'allowedHosts[0] must be a name without a port, or a suffix',
    );
  });
});

test.each([
  [{}, 'http://fake.localhost:4010'],
  [
    { 'x-forwarded-host': 'me-4010.app.github.dev', 'x-forwarded-proto': 'https' },
    'https://me-4010.app.github.dev',
  ],
  [{ 'x-forwarded-host': 'a b', 'x-forwarded-proto': 'javascript' }, 'http://fake.localhost:4010'],
])('its page shows the address that its reader sees: %j', async (forwarded, address) => {
  const headers = { host: 'fake.localhost:4010', ...forwarded };
  const response = await responseTo({ control: true }, { path: '/', headers });
  expect(await text(response)).toContain(`AGENT_PLATFORM_BASE_URL_EU=${address}/eu\n`);
});

test.each([6000, 5060, 10_080, 70_000, -1])('refuses the port %i, which nobody could call', async (port) => {
  await expect(createFakePlatform().listen({ port })).rejects.toThrow(/^fake.listen: port must be /);
});

test('warns if other machines reach it', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  onTestFinished(() => warn.mockRestore());
  const server = await createFakePlatform().listen({ host: '0.0.0.0' });
  await server.close();
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  expect(warn).toHaveBeenCalledExactlyOnceWith(
    `[agent-platform-sdk] The fake listens at 0.0.0.0:${server.port}: other machines can read and change its records.`,
  );
});

test('without node:http, listen says what the fake offers instead', async () => {
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
  onTestFinished(() => void vi.restoreAllMocks());
  await expect(createFakePlatform().listen()).rejects.toThrow('Use fake.fetch or the msw handlers here');
});

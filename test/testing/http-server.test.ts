import { spawn } from 'node:child_process';
import dns from 'node:dns';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { AgentPlatformError, ConfigurationError } from 'agent-platform-sdk';
import { createFakePlatform, type ListenOptions } from 'agent-platform-sdk/testing';
import { describe, expect, type MockInstance, onTestFinished, test, vi } from 'vitest';
import { startServer } from '../../src/testing/http-server.js';
import { collectGarbage } from '../support/memory.js';
import { httpClientOf, listening } from './support/client.js';

test('serves both regions over HTTP', async () => {
  const fake = createFakePlatform();
  const server = await listening(fake);

  for (const region of ['eu', 'na'] as const) {
    const { toolId } = fake.seed[region];
    expect((await httpClientOf(fake, server, { region }).tools.get(toolId)).id).toBe(toolId);
    await fetch(`${server.baseUrls[region]}/without-v3`);
    expect(fake.requests.at(-1)).toMatchObject({ region, path: '/without-v3', status: 404 });
  }
});

test('listens on the port it is told', async () => {
  const first = await createFakePlatform().listen();
  await first.close();
  await using second = await createFakePlatform().listen({ port: first.port });

  expect(second.url).toBe(`http://127.0.0.1:${first.port}`);
});

test('says so when the port is taken', async () => {
  const { port } = await listening(createFakePlatform());

  await expect(createFakePlatform().listen({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('close ends idle connections', async () => {
  const server = await createFakePlatform().listen();
  const socket = connect(server.port, '127.0.0.1');
  const ended = new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('connect', resolve));

  await server.close();
  // What is closed can be closed again.
  await server.close();

  await ended;
  await expect(fetch(server.url)).rejects.toThrow('fetch failed');
});

test('where there is no node:http, listen says what there is instead', async () => {
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
  onTestFinished(() => void vi.restoreAllMocks());
  const listening = createFakePlatform().listen();

  await expect(listening).rejects.toThrow(AgentPlatformError);
  await expect(listening).rejects.toThrow(
    'fake.listen() needs node:http, which Node 20.16 or newer, Bun and Deno have. ' +
      'Here the fake answers through fake.fetch and the msw handlers.',
  );
});

test('await using closes it', async () => {
  let url = '';
  {
    await using server = await createFakePlatform().listen();
    url = server.url;
  }
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});

test.each(['/v3', '/europe/v3', '/EU/v3'])(
  'a path of no region is answered with the error body: %s',
  async (below) => {
    const { url } = await listening(createFakePlatform());

    const response = await fetch(`${url}${below}/tools/defaults`);

    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      message: 'The fake serves its regions below /eu/v3 and /na/v3.',
      code: 'unknown_route',
    });
  },
);

test('the fake sees that a caller over HTTP has gone, whatever was collected meanwhile', async () => {
  const clearTimer = vi.fn();
  const setTimer = vi.fn(() => 'the latency');
  const clock = { now: () => 0, setTimeout: setTimer, clearTimeout: clearTimer };
  const fake = createFakePlatform({ clock });
  const server = await listening(fake);
  fake.faults.inject({ kind: 'latency', ms: 600_000 });
  const controller = new AbortController();
  const call = fetch(`${server.baseUrls.eu}/v3/tools/defaults`, { signal: controller.signal });
  await vi.waitFor(() => expect(setTimer).toHaveBeenCalled());
  // Some engines clear weak references only between two turns of the event loop.
  await new Promise((resolve) => setTimeout(resolve, 10));
  collectGarbage();
  controller.abort();
  await expect(call).rejects.toThrow();
  await vi.waitFor(() => expect(clearTimer).toHaveBeenCalledWith('the latency'));
});

test('a header that is sent twice arrives with both values, and so does one of an answer', async () => {
  let seen = new Headers();
  const cookies: [name: string, value: string][] = [
    ['Set-Cookie', 'c=3'],
    ['Set-Cookie', 'd=4'],
  ];
  const fetch = (sent: unknown) => {
    seen = (sent as Request).headers;
    return Promise.resolve(new Response(null, { headers: cookies }));
  };
  const { baseUrls } = createFakePlatform();
  await using server = await startServer({ fetch, baseUrls, control: undefined });
  const twice = ['X-Trace', 'one', 'X-Trace', 'two', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'];
  const path = '/eu/v3/tools/defaults';
  const headers = ['Host', 'localhost', ...twice];
  const sent = request({ host: '127.0.0.1', port: server.port, path, headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();

  expect(seen.get('x-trace')).toBe('one, two');
  expect(seen.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(response.headers['set-cookie']).toEqual(['c=3', 'd=4']);
});

test.each(['GET', 'HEAD'])('a %s that has a body is answered as one without', async (method) => {
  const fake = createFakePlatform();
  const { port } = await listening(fake);
  const headers = { 'content-length': 2 };
  const sent = request({ host: '127.0.0.1', port, method, path: '/eu/v3/nowhere', headers });
  const [response] = (await once(sent.end('{}'), 'response')) as [IncomingMessage];
  response.resume();

  expect(response.statusCode).toBe(404);
  expect(fake.requests).toMatchObject([{ method }]);
});

/** The status of an answer to a request that names a host of its own. */
async function statusFor(
  host: string,
  options: ListenOptions = {},
  path = '/_fake/requests',
): Promise<number> {
  const server = await createFakePlatform().listen({ control: true, onWarning: () => undefined, ...options });
  onTestFinished(() => server.close());
  const sent = request({ host: '127.0.0.1', port: server.port, path, headers: { host } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

describe('the header Host', () => {
  test.each([
    ['localhost:4010'],
    ['LOCALHOST'],
    ['127.0.0.1'],
    ['[::1]:4010'],
    ['[2001:DB8::1]'],
    ['[::ffff:127.0.0.1]:4010'],
    ['192.168.1.7:4010'],
    ['fake:4010'],
    ['app.localhost'],
    ['host.docker.internal:4010'],
  ])('%s is answered', async (host) => {
    expect(await statusFor(host)).toBe(200);
  });

  test.each([
    ['evil.example'],
    ['evil.example:4010'],
    ['evil.localhost.example'],
    ['127.0.0.1.evil.example'],
    ['evillocalhost.example'],
    ['example.evillocalhost'],
    ['evil.example@127.0.0.1'],
    ['127.0.0.1/evil.example'],
    ['evil.internal.'],
  ])('%s is refused, whatever is asked for', async (host) => {
    for (const path of ['/_fake/requests', '/eu/v3/tools/defaults', '/'])
      expect(await statusFor(host, {}, path)).toBe(421);
  });

  test.each([
    ['Fake.example.com:80', 200],
    ['other.example.com', 421],
    ['evil.fake.example.com', 421],
    ['evilfake.example.com', 421],
    ['fake.example.com.evil.example', 421],
    ['example.com', 421],
  ])('where fake.example.com is allowed, %s is answered %i', async (host, status) => {
    expect(await statusFor(host, { allowedHosts: ['a.example', 'fake.example.COM'] })).toBe(status);
  });

  test('the name that it was told to listen on is answered', async () => {
    const { lookup } = dns;
    const found = vi.spyOn(dns, 'lookup') as unknown as MockInstance<(name: string, ...rest: []) => void>;
    found.mockImplementation((_, ...rest) => Reflect.apply(lookup, dns, ['127.0.0.1', ...rest]));
    onTestFinished(() => found.mockRestore());

    expect(await statusFor('Fake.example.com:80', { host: 'fake.example.com' })).toBe(200);
  });

  test('a request that names no host is refused too', async () => {
    const { port } = await listening(createFakePlatform());
    const socket = connect(port, '127.0.0.1').end('GET /eu/v3/tools/defaults HTTP/1.0\r\n\r\n');

    expect(await text(socket)).toMatch(/^HTTP\/1.1 421 .*the host \\"\\": allow it/s);
  });

  test('the refusal names the option', async () => {
    const server = await listening(createFakePlatform());
    const sent = request({ host: '127.0.0.1', port: server.port, headers: { host: 'evil.example' } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const body = await text(response);

    // What the request still sends is not read as another one.
    expect(response.headers.connection).toBe('close');
    expect(JSON.parse(body)).toMatchObject({
      code: 'unknown_host',
      message: expect.stringMatching(
        /the host "evil\.example": allow it with --allow-host, or the option allowedHosts of listen\.$/,
      ) as string,
    });
  });
});

describe('a body', () => {
  const post = (url: string, size: number): Promise<Response> =>
    fetch(`${url}/eu/v3/agents/a/variables`, { method: 'POST', body: 'x'.repeat(size) });

  test('of more than maxBodyBytes is answered 413, and reaches nothing', async () => {
    const fake = createFakePlatform();
    await using server = await fake.listen({ maxBodyBytes: 1_000 });

    const response = await post(server.url, 1_001);

    expect(response.status).toBe(413);
    expect(response.headers.get('connection')).toBe('close');
    expect(await response.json()).toMatchObject({
      code: 'body_too_large',
      message: expect.stringContaining('larger than 1000 bytes, the option maxBodyBytes') as string,
    });
    expect(fake.requests).toEqual([]);
    expect((await post(server.url, 1_000)).status).toBe(401);
  });

  test('is answered 413 though the rest of it is still on its way', async () => {
    await using server = await createFakePlatform().listen({ maxBodyBytes: 1_000 });
    const sent = request({ host: '127.0.0.1', port: server.port, path: '/eu/v3/x', method: 'POST' });
    sent.write('x'.repeat(2_000));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    sent.on('error', () => undefined).destroy();

    expect(response.statusCode).toBe(413);
  });

  test('may have 16 MiB by default', async () => {
    const { url } = await listening(createFakePlatform());

    expect((await post(url, 16 * 1024 * 1024)).status).toBe(401);
    expect((await post(url, 16 * 1024 * 1024 + 1)).status).toBe(413);
  });
});

describe('beyond this machine', () => {
  test.each([
    ['0.0.0.0', '0.0.0.0', 'http://127.0.0.1'],
    ['::', '[::]', 'http://[::1]'],
  ])(
    'a fake that listens on %s warns, and tells an address that can be called',
    async (host, at, address) => {
      const warnings: string[] = [];
      const options = { host, onWarning: (message: string) => void warnings.push(message) };
      await using server = await createFakePlatform().listen(options);
      const allowedHosts = ['fake.example.com'];
      await using steered = await createFakePlatform().listen({ ...options, allowedHosts, control: true });

      expect(server.url).toBe(`${address}:${server.port}`);
      expect((await fetch(`${steered.url}/_fake/state`)).status).toBe(200);

      expect(warnings).toEqual([
        `The fake listens at ${at}:${server.port}, beyond this machine: whoever reaches it reads and changes its records.`,
        `The fake listens at ${at}:${steered.port}, beyond this machine: whoever reaches it reads and changes its records, lets things go wrong and has it post webhooks.`,
      ]);
    },
  );

  test('it warns on the console, unless told otherwise', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    onTestFinished(() => warn.mockRestore());
    await using _open = await createFakePlatform().listen({ host: '0.0.0.0' });
    await using _closed = await createFakePlatform().listen();
    await using _named = await createFakePlatform().listen({ host: 'LOCALHOST' });

    expect(warn.mock.calls.flat()).toEqual([
      expect.stringMatching(/^\[agent-platform-sdk\] The fake .* beyond this machine/),
    ]);
  });
});

test.each<[options: object, message: string]>([
  [{ prot: 1 }, 'listen: the option "prot" is not known'],
  [{ constructor: 1 }, 'listen: the option "constructor" is not known'],
  [{ maxBodyBytes: 0 }, 'maxBodyBytes must be a number above 0'],
  ...['', 'a b', 'user@a.example', 'http://a.example', 'a.example/', 'a?b', 'a#b', 'a\\b', '[::1]:80'].map(
    (name): [object, string] => [{ allowedHosts: [name] }, `takes names without a port, got "${name}"`],
  ),
  [{ maxBodyBytes: Number.NaN }, 'maxBodyBytes must be a number above 0'],
  [{ allowedHosts: ['a.example', 'b.example:80'] }, 'takes names without a port, got "b.example:80"'],
])('refuses %j', async (options, message) => {
  // The cast stands for untyped code.
  const refused = createFakePlatform().listen(options as ListenOptions);
  await expect(refused).rejects.toThrow('maxBodyBytes' in options ? ConfigurationError : TypeError);
  await expect(refused).rejects.toThrow(message);
});

test('a server keeps its process', async () => {
  const code = `import { createFakePlatform } from './src/testing/index.ts';
    const { url } = await createFakePlatform().listen();
    console.log(url);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [url] = (await once(child.stdout, 'data')) as [Buffer];
  expect((await fetch(String(url).trim())).status).toBe(404);
});

test('a server that is told so does not keep its process', async () => {
  const code = `import { createFakePlatform } from './src/testing/index.ts';
    const { url } = await createFakePlatform().listen({ unref: true });
    console.log((await fetch(url)).status);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code]);
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(await text(child.stdout)).toBe('404\n');
});

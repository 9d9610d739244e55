import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createWebhookReceiver } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { freePort } from '../support/free-port.js';
import { listenOnLoopback, serve } from '../support/loopback.js';
import { ownCertificate } from '../support/own-certificate.js';
import { start } from './terminal.js';

/** Runs the doctor against a fake, with its settings for region eu and what is laid over them. */
async function doctor(
  args: readonly string[] = [],
  overrides: Readonly<Record<string, string | undefined>> = {},
) {
  const fake = createFakePlatform();
  const server = await fake.listen();
  onTestFinished(() => server.close());
  const env = {
    AGENT_PLATFORM_REGION: 'eu',
    AGENT_PLATFORM_TOKEN: fake.seed.eu.workspaceSecret,
    AGENT_PLATFORM_BASE_URL_EU: server.baseUrls.eu,
    AGENT_PLATFORM_BASE_URL_NA: server.baseUrls.na,
    WORKSPACE_SECRET: fake.seed.eu.workspaceSecret,
    ...overrides,
  };
  const { exit, lines, errors, steps, tones } = await start(['doctor', ...args], env);
  return { exit: await exit, text: lines.join('\n'), errors, steps, tones, fake, env };
}

test('all is well: the settings, and a call', async () => {
  const before = performance.now();
  const { exit, text, steps, tones, fake, env } = await doctor();
  const duration = Math.ceil(performance.now() - before);

  expect(exit).toBe(0);
  expect(Number(/answered in (\d+) ms/.exec(text)?.[1])).toBeLessThanOrEqual(duration);
  expect(steps).toEqual([`GET /tools/defaults at ${env.AGENT_PLATFORM_BASE_URL_EU}/v3 …`]);
  expect(new Set(tones)).toEqual(new Set(['good']));
  expect(text).toMatch(
    new RegExp(
      `^ok +region +eu, by AGENT_PLATFORM_REGION\nok +token +${env.AGENT_PLATFORM_TOKEN.length} characters, by AGENT_PLATFORM_TOKEN\n`,
    ),
  );
  expect(text).toMatch(
    /ok +address +http:.*\/eu\/v3, by AGENT_PLATFORM_BASE_URL_EU\nok +tls +none: plain http:, which stays on this machine\nok +service +GET \/tools\/defaults answered in \d+ ms: 7 tools/,
  );
  expect(text).not.toContain(env.AGENT_PLATFORM_TOKEN);
  expect(fake.requests).toHaveLength(1);
});

test('a setting that is wrong is named', async () => {
  const { exit, text } = await doctor([], { AGENT_PLATFORM_REGION: 'us' });

  expect(exit).toBe(1);
  expect(text).toMatch(/^fail +settings +region must be 'eu' or 'na', got "us"/);
});

test('of region na, it is the settings of na that are looked at, and eu is the other one', async () => {
  const AGENT_PLATFORM_REGION = 'na';
  const { na } = createFakePlatform().seed;
  const well = await doctor([], { AGENT_PLATFORM_REGION, AGENT_PLATFORM_TOKEN: na.workspaceSecret });
  const asked = await doctor(['--other-region'], { AGENT_PLATFORM_REGION });

  expect(well.exit).toBe(0);
  expect(well.text).toMatch(/region +na, by.*address +http:.*\/na\/v3, by AGENT_PLATFORM_BASE_URL_NA/s);
  expect(asked.text).toMatch(/fail +region +the token is valid in eu: set AGENT_PLATFORM_REGION=eu/);
});

test('a token that is refused is tried in the other region only if asked', async () => {
  const { na } = createFakePlatform().seed;
  const shy = await doctor([], { AGENT_PLATFORM_TOKEN: na.workspaceSecret });
  const asked = await doctor(['--other-region'], { AGENT_PLATFORM_TOKEN: na.workspaceSecret });

  expect(shy.exit).toBe(1);
  expect(shy.text).toMatch(/fail +service.*of the other region.*not tried in na: give --other-region/s);
  expect(shy.fake.requests.map(({ region }) => region)).toEqual(['eu']);
  expect(asked.exit).toBe(1);
  expect(asked.text).toMatch(/fail +region +the token is valid in na: set AGENT_PLATFORM_REGION=na/);
  expect(shy.tones.slice(-2)).toEqual(['bad', 'doubtful']);
  expect(asked.steps.at(-1)).toBe('GET /tools/defaults in na …');
});

test('the token is told to be of neither region, and counted without the end of its line', async () => {
  const token = 'a-token-of-nobody';
  const { text } = await doctor(['--other-region'], { AGENT_PLATFORM_TOKEN: `${token}\n` });

  expect(text).toContain(`${token.length} characters`);
  expect(text).toMatch(/warn +region +na does not accept it either: GET \/tools\/defaults.*$/);
});

test.each([
  [403, /warn +region +na does not accept it either: GET/],
  [503, /warn +region +the token could not be tried in na: GET \/tools\/defaults/],
  // It gives no answer at all.
  [0, /warn +region +the token could not be tried in na: GET \/tools\/defaults failed without an answer/],
  // What it answers is another matter: it has taken the token.
  [200, /fail +region +the token is valid in na: set AGENT_PLATFORM_REGION=na/],
])('the other region answers %i', async (status, finding) => {
  const url = await serve((_, response) => {
    if (status === 0) response.destroy();
    else response.writeHead(status).end();
  });
  const overrides = { AGENT_PLATFORM_TOKEN: 'a-token-of-nobody', AGENT_PLATFORM_BASE_URL_NA: url };
  const { exit, text } = await doctor(['--other-region'], overrides);

  expect(exit).toBe(1);
  expect(text).toMatch(finding);
});

test.each([
  // Its further lines stand below the first.
  [
    403,
    /fail +service.*\n {17}The call went to region.*\n {17}The token was refused.*\n {17}workspace secret is expected/s,
  ],
  [404, /fail +service.*\n {17}Is the address right\? Paths are appended to it, after \/v3\.\n/s],
  [503, /fail +service +GET \/tools\/defaults/],
])('a service that answers %i is asked once', async (status, finding) => {
  let asked = 0;
  const url = await serve((_, response) => {
    asked += 1;
    response.writeHead(status).end();
  });
  const { exit, text } = await doctor([], { AGENT_PLATFORM_BASE_URL_EU: url });

  expect([exit, asked]).toEqual([1, 1]);
  expect(text).toMatch(finding);
  expect(text.includes('not tried in na')).toBe(status === 403);
  expect(text.includes('Is the address right?')).toBe(status === 404);
  const bold = await doctor(['--other-region'], { AGENT_PLATFORM_BASE_URL_EU: url });
  expect(bold.fake.requests).toHaveLength(status === 403 ? 1 : 0);
});

test('drift of the answer is shown, once', async () => {
  const printed = vi.spyOn(console, 'warn').mockReturnValue();
  onTestFinished(() => printed.mockRestore());
  const url = await serve((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ success: true, message: 'ok', data: [{ kind: 'new_kind' }] }));
  });
  const { exit, text } = await doctor([], { AGENT_PLATFORM_BASE_URL_EU: url });

  expect(exit).toBe(1);
  expect(text).toMatch(
    /warn +drift +answers depart from the specification of this version\n {17}- data\[0\]\.kind: expected one of/,
  );
  expect(printed).not.toHaveBeenCalled();
});

test.each(['http', 'https'])('an address where nothing listens, by %s', async (protocol) => {
  const address = `${protocol}://127.0.0.1:${await freePort()}`;
  const { exit, text } = await doctor([], { AGENT_PLATFORM_BASE_URL_EU: address });

  expect(exit).toBe(1);
  expect(text).toMatch(/fail +service +GET \/tools\/defaults failed without an answer/);
  // A handshake that found nobody says no more than that.
  expect(text.includes(' tls ')).toBe(protocol === 'http');
});

test('a server is told by which name it is called, and no name where it is called by its address', async () => {
  const names: string[] = [];
  const SNICallback = (name: string, answer: (error: null) => void): void => {
    names.push(name);
    // The first one is slow, and the service is not called before it has answered.
    setTimeout(answer, names.length === 1 ? 200 : 0, null);
  };
  const port = await listenOnLoopback(createServer({ ...ownCertificate(), SNICallback }));
  const of = async (host: string) => {
    names.length = 0;
    const { text, steps } = await doctor([], { AGENT_PLATFORM_BASE_URL_EU: `https://${host}:${port}` });
    expect(text).toMatch(/fail +tls .*\nfail +service /);
    return [steps[0], ...new Set(names)];
  };

  expect(await of('127.0.0.1')).toEqual(['the certificate of 127.0.0.1 …']);
  expect(await of('localhost')).toEqual(['the certificate of localhost …', 'localhost']);
});

test('a certificate that proves nothing, or none at all', async () => {
  const server = createServer(ownCertificate(), (_, response) => {
    response.setHeader('connection', 'close').end();
  });
  const port = await listenOnLoopback(server);
  const plain = await serve((_, response) => void response.end());
  const other = await listenOnLoopback(createServer(ownCertificate(undefined, undefined, 'a proxy')));
  const proxied = await doctor([], { AGENT_PLATFORM_BASE_URL_EU: `https://127.0.0.1:${other}` });
  const own = await doctor([], { AGENT_PLATFORM_BASE_URL_EU: `https://127.0.0.1:${port}` });
  const none = await doctor([], { AGENT_PLATFORM_BASE_URL_EU: plain.replace('http:', 'https:') });

  expect(own.exit).toBe(1);
  expect(own.text).toMatch(
    /fail +tls +the certificate is signed by nobody whom this machine trusts; that of a proxy of your own is trusted by NODE_EXTRA_CA_CERTS \(DEPTH_ZERO_SELF_SIGNED_CERT\)\n/,
  );
  expect(proxied.text).toMatch(
    /fail +tls +the certificate is signed by nobody .* \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)\n/,
  );
  expect(none.text).toMatch(/fail +tls +what answers there speaks no TLS that this machine speaks \(\w+\)\n/);

  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const any = await doctor([], { AGENT_PLATFORM_BASE_URL_EU: `https://127.0.0.1:${port}` });
  expect(any.text).toMatch(
    /fail +tls +any certificate is accepted: unset this variable \(NODE_TLS_REJECT_UNAUTHORIZED\)\n/,
  );
  const connections = () =>
    new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  await vi.waitFor(async () => expect(await connections()).toBe(0), 5_000);
});

const LATER = '491231235959Z';

test.each([
  ['200102000000Z', 'localhost', 'fail  tls        the certificate has expired (CERT_HAS_EXPIRED)'],
  [LATER, '', 'fail  tls        the certificate is that of another host (ERR_TLS_CERT_ALTNAME_INVALID)'],
  [LATER, 'localhost', 'ok    tls        TLSv1.3, certificate valid until Dec 31 23:59:59 2049 GMT\n'],
])(
  'a certificate that this machine trusts, valid until %s, for the host "%s"',
  async (until, host, finding) => {
    const folder = mkdtempSync(join(tmpdir(), 'agent-platform-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'trusted.pem');
    const own = ownCertificate(until, host);
    writeFileSync(file, own.cert);
    const port = await listenOnLoopback(createServer(own, (_, response) => void response.end()));
    const program = fileURLToPath(new URL('../../src/cli/index.ts', import.meta.url));
    const env = {
      PATH: process.env.PATH,
      NODE_EXTRA_CA_CERTS: file,
      AGENT_PLATFORM_REGION: 'eu',
      AGENT_PLATFORM_TOKEN: 'a-token-of-the-tests',
      AGENT_PLATFORM_BASE_URL_EU: `https://${host || '127.0.0.1'}:${port}`,
    };
    const ran = promisify(execFile)(process.execPath, ['--import', 'tsx', program, 'doctor'], { env });
    const { stdout, code } = await ran.then(
      (output) => ({ ...output, code: 0 }),
      (error: { stdout: string; code: number }) => error,
    );

    expect(stdout).toContain(finding);
    // What answers there is no service.
    expect(code).toBe(1);
  },
);

test('a server that says nothing is not waited for, and what its call comes to is told', async () => {
  let connections = 0;
  const first = deferred();
  const silent = createTcpServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    if (connections > 1) socket.destroy();
    // Else it would keep the process.
    else socket.once('close', first.resolve).resume();
  });
  const port = await listenOnLoopback(silent);
  const { text } = await doctor([], { AGENT_PLATFORM_BASE_URL_EU: `https://127.0.0.1:${port}` });
  expect(text).not.toMatch(/^\w+ +tls/m);
  expect(text).toMatch(/^fail +service +GET \/tools\/defaults failed without an answer/m);
  await first.promise;
});

test('a certificate is looked at by an IPv6 address too', async () => {
  const server = createServer(ownCertificate()).listen(0, '::1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  // It listens on a port.
  const { port } = server.address() as AddressInfo;
  const { text } = await doctor([], { AGENT_PLATFORM_BASE_URL_EU: `https://[::1]:${port}` });

  expect(text).toMatch(/fail +tls +the certificate is signed by nobody whom this machine trusts/);
});

test.each([undefined, ' '])(
  'the other region is tried only where its address is set: %j',
  async (address) => {
    const { na } = createFakePlatform().seed;
    const overrides = { AGENT_PLATFORM_TOKEN: na.workspaceSecret, AGENT_PLATFORM_BASE_URL_NA: address };
    const { text } = await doctor(['--other-region'], overrides);

    expect(text).toMatch(/warn +region +the token was not tried in na: set AGENT_PLATFORM_BASE_URL_NA/);
  },
);

test('a flag that cannot be followed is refused, and nothing is asked', async () => {
  const { exit, errors, fake } = await doctor(['--webhook', 'localhost']);
  const secretless = await doctor(['--webhook', 'http://127.0.0.1:1'], { WORKSPACE_SECRET: undefined });

  expect([exit, fake.requests]).toEqual([2, []]);
  expect(errors.join()).toContain('--webhook takes an http: or https: address, got "localhost"');
  expect([secretless.exit, secretless.fake.requests]).toEqual([2, []]);
  const queueless = await doctor(['--queue', 'crm']);
  expect([queueless.exit, queueless.fake.requests]).toEqual([2, []]);
  expect(queueless.errors.join()).toContain(
    '--queue goes with --redis or --postgres: it names the queue of that inbox.',
  );
  expect(secretless.errors.join()).toContain('WORKSPACE_SECRET is not set');
  const open = await doctor(['--webhook', 'http://crm.example/'], { WORKSPACE_SECRET: undefined });
  expect(open.errors[0]).toContain('goes to crm.example unencrypted');
});

test('a token that would go out unencrypted is warned of', async () => {
  vi.stubEnv('AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL', 'true');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { text } = await doctor([], { AGENT_PLATFORM_BASE_URL_EU: 'http://fake.invalid' });

  expect(text).toMatch(
    /warn +tls +none: the token goes out unencrypted, by AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL\. For a fake alone\n/,
  );
});

test('a receiver must handle what is genuine and refuse what is forged', async () => {
  const { workspaceSecret: secret } = createFakePlatform().seed.eu;
  const good = await serve(createWebhookReceiver({ secret, logLevel: 'off' }).node);
  const open = await serve((_, response) => void response.end());
  const closed = await serve((_, response) => void response.writeHead(401).end());
  const empty = await serve((_, response) => void response.writeHead(204).end());
  const secrets: string[] = [];
  const began = Date.now();
  const other = await serve((request, response) => {
    request.setEncoding('utf8').once('data', (text: string) => {
      const { payload } = JSON.parse(text) as { payload: { createdAt: number; workspaceSecret: string } };
      secrets.push(payload.workspaceSecret);
      response.writeHead(text.includes(secret) && payload.createdAt >= began ? 200 : 403).end();
    });
  });

  const well = await doctor(['--webhook', good]);
  expect(well.exit).toBe(0);
  expect(well.text.split('\n').slice(-2)).toEqual([
    expect.stringMatching(/^ok {4}receiver {3}a genuine webhook_test was answered 200 in \d+ ms$/),
    expect.stringMatching(/^ok {4}receiver {3}a forged webhook_test was answered 401 in \d+ ms$/),
  ]);
  expect((await doctor(['--webhook', good, '--redis', '--postgres'])).text).toMatch(
    /receiver.*REDIS_URL is not set.*DATABASE_URL is not set/s,
  );
  // Whatever becomes of the service.
  expect((await doctor(['--webhook', good], { AGENT_PLATFORM_REGION: 'us' })).text).toMatch(
    /^fail +settings .*\nok +receiver .*\nok +receiver .*$/,
  );
  const accepted = await doctor(['--webhook', open]);
  expect(accepted.exit).toBe(1);
  expect(accepted.text).toMatch(/fail +receiver +a forged webhook_test was answered 200/);
  expect(accepted.steps.at(-1)).toBe(`posting a genuine and a forged webhook_test to ${open}/ …`);
  const away = await doctor(['--webhook', 'http://127.0.0.1:1/hook']);
  expect(away.text).toMatch(
    /fail +receiver +a genuine webhook_test was answered failed: fetch failed: bad port in \d+ ms, not 200.*\nfail +receiver +a forged/,
  );
  const refused = await doctor(['--webhook', closed]);
  expect(refused.exit).toBe(1);
  expect(refused.text).toMatch(/fail +receiver +a genuine webhook_test was answered 401/);
  expect((await doctor(['--webhook', empty])).text).toMatch(
    /fail +receiver +a genuine webhook_test was answered 204 in \d+ ms, not 200: the service takes it for lost \(6\.4\)\n/,
  );
  expect((await doctor(['--webhook', other])).text).toMatch(
    /ok +receiver +a genuine webhook_test was answered 200 .*\nfail +receiver +a forged webhook_test was answered 403 in \d+ ms, not 401: is the secret checked before anything else\?$/,
  );
  // What is forged tells nothing of the secret.
  expect(secrets.filter((sent) => sent !== secret)).toEqual(['forged-by-agent-platform-sdk']);
});

test('an inbox whose Redis is away', async () => {
  const consoles = (['error', 'info', 'warn'] as const).map((name) =>
    vi.spyOn(console, name).mockReturnValue(),
  );
  onTestFinished(() => void vi.restoreAllMocks());
  const { exit, text, steps } = await doctor(['--redis'], { REDIS_URL: 'redis://127.0.0.1:1' });

  expect(exit).toBe(1);
  expect(steps.at(-1)).toBe('the inbox in Redis …');
  expect(text).toMatch(/fail +inbox +takes no events/);
  for (const printed of consoles) expect(printed).not.toHaveBeenCalled();
  expect((await doctor(['--redis'])).text).toMatch(/fail +inbox +REDIS_URL is not set/);
  const wrong = await doctor(['--redis'], { REDIS_URL: 'http://me:a-password-of-mine@127.0.0.1' });
  expect(wrong.text).toMatch(/fail +inbox +connection must be /);
  expect(wrong.text).not.toContain('a-password-of-mine');
});

test('an inbox in Redis needs two packages, which it names', async () => {
  const without = `export const resolve = (name, context, next) => {
    if (name === 'bullmq') throw Object.assign(new Error(name), { code: 'ERR_MODULE_NOT_FOUND' });
    return next(name, context);
  };`;
  const code = `import { register } from 'node:module';
    register('data:text/javascript,${encodeURIComponent(without).replaceAll("'", '%27')}');
    const { run } = await import('./src/cli/commands.ts');
    const terminal = { out: (text) => console.log(text), progress() {}, env: { REDIS_URL: 'redis://127.0.0.1:1' } };
    await run(['doctor', '--redis'], terminal);`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    'tsx',
    '--input-type=module',
    '-e',
    code,
  ]);

  expect(stdout).toMatch(/fail +inbox +needs two packages: npm install bullmq ioredis\n$/);
});

test('an inbox whose Postgres is away, or for which there is nothing to ask it with', async () => {
  const DATABASE_URL = 'postgres://me:a-password-of-mine@127.0.0.1:1/crm';
  const { exit, text, steps } = await doctor(['--postgres'], { DATABASE_URL });

  expect(exit).toBe(1);
  expect(steps.at(-1)).toBe('the inbox in Postgres …');
  expect(text).toMatch(/fail +inbox +Postgres does not answer: .*ECONNREFUSED/);
  expect(text).not.toContain('a-password-of-mine');
  expect((await doctor(['--postgres'])).text).toMatch(/fail +inbox +DATABASE_URL is not set/);

  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(tmpdir());
  onTestFinished(() => cwd.mockRestore());
  expect((await doctor(['--postgres'], { DATABASE_URL })).text).toMatch(
    /fail +inbox +needs a package: npm install pg/,
  );
});

test('a Postgres is waited for ten seconds, and may cut the connection meanwhile', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-platform-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'node_modules', 'pg'), { recursive: true });
  // As `pg`, it tells what is cut off by an event as well.
  writeFileSync(
    join(folder, 'node_modules', 'pg', 'index.js'),
    `exports.Client = class extends require('node:events') {
      constructor(options) { super(); this.options = options; }
      async connect() {
        this.emit('error', new Error('cut off'));
        // As Node, where a name has several addresses.
        if (this.options.connectionString.includes('localhost'))
          throw Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
        throw new Error(JSON.stringify(this.options));
      }
      async end() {}
    };`,
  );
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
  onTestFinished(() => cwd.mockRestore());
  const { text } = await doctor(['--postgres'], { DATABASE_URL: 'postgres://host/crm' });

  expect(text).toContain(
    'Postgres does not answer: {"connectionString":"postgres://host/crm","connectionTimeoutMillis":10000,"query_timeout":10000}',
  );
  const local = await doctor(['--postgres'], { DATABASE_URL: 'postgres://localhost/crm' });
  expect(local.text).toMatch(/Postgres does not answer: ECONNREFUSED$/);
});

test('--json says that not all is well', async () => {
  const { exit, text } = await doctor(['--json'], { AGENT_PLATFORM_REGION: 'us' });

  expect(exit).toBe(1);
  expect(JSON.parse(text)).toMatchObject({ ok: false, findings: [{ check: 'settings', result: 'fail' }] });
});

test('--json prints the findings', async () => {
  const { exit, text } = await doctor(['--json']);

  expect(exit).toBe(0);
  expect(JSON.parse(text)).toMatchObject({
    ok: true,
    findings: [{ check: 'region', result: 'ok' }, {}, {}, {}, {}],
  });
  expect(text).toBe(JSON.stringify(JSON.parse(text), null, 2));
});

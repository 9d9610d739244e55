import { createWebhookReceiver } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../support/loopback.js';
import { finish } from './terminal.js';

/** A fake that listens, and the environment of a program that calls it. */
async function service() {
  const fake = createFakePlatform();
  const { baseUrls, close } = await fake.listen();
  onTestFinished(close);
  const secret = fake.seed.eu.workspaceSecret;
  const env = {
    AGENT_PLATFORM_REGION: 'eu',
    AGENT_PLATFORM_TOKEN: secret,
    AGENT_PLATFORM_BASE_URL_EU: baseUrls.eu,
    AGENT_PLATFORM_WEBHOOK_SECRET: secret,
  };
  return { fake, env, secret };
}

test('reports that all is well', async () => {
  const { env, secret } = await service();
  const { code, lines, tones } = await finish(['doctor'], env);
  expect([code, tones]).toEqual([0, ['ok', 'ok']]);
  expect(lines[0]).toBe(
    `ok    settings  region eu at ${env.AGENT_PLATFORM_BASE_URL_EU}/v3, 1 webhook secret`,
  );
  expect(lines[1]).toMatch(/^ok {4}service {3}GET \/tools\/defaults: 7 tools in \d+ ms$/);
  expect(lines.join()).not.toContain(secret);
  const json = await finish(['doctor', '--json'], env);
  expect(JSON.parse(json.lines.join('\n'))).toMatchObject({
    ok: true,
    findings: [
      { check: 'settings', result: 'ok' },
      { check: 'service', result: 'ok' },
    ],
  });
});

test.each([
  ['fake-workspace-secret-of-workspace_na_1', ['Does the token belong to region eu?', 'Is it still valid?']],
  ['no-such-secret-here', ['Is it a workspace secret?']],
])('lists what may be wrong with the token %s', async (token, questions) => {
  const { env } = await service();
  const { code, lines } = await finish(['doctor'], { ...env, AGENT_PLATFORM_TOKEN: token });
  expect(code).toBe(1);
  for (const question of questions) expect(lines[1]).toContain(question);
});

test.each<[status: number, body: object, causes: readonly string[]]>([
  [
    403,
    {
      message: 'Your plan has no API access.',
      code: 'FORBIDDEN',
      issues: [{ path: ['plan'], message: 'Upgrade' }],
    },
    ['403: Your plan has no API access. (code: FORBIDDEN)', '- plan: Upgrade', 'Check the workspace'],
  ],
  [401, { error: 'Unauthorized' }, ['401: Unauthorized', 'The region is', '- Does the token belong']],
  [500, { error: { message: 'Down' } }, ['500: Down']],
])("begins with the service's words of a %i", async (status, body, causes) => {
  const { fake, env } = await service();
  fake.faults.inject({ status, body });
  const { lines } = await finish(['doctor'], env);
  const found = (lines[1] ?? '').split('\n');
  expect(found[0]).toContain('GET /tools/defaults responded with');
  for (const [at, cause] of causes.entries()) expect(found[at]).toContain(cause);
});

test('asks about the address if nothing listens there, or it is another service', async () => {
  const { env } = await service();
  const gone = { ...env, AGENT_PLATFORM_BASE_URL_EU: 'http://127.0.0.1:9999' };
  expect((await finish(['doctor'], gone)).lines[1]).toContain('Check `baseUrls.eu` and the network.');
  const other = {
    ...env,
    AGENT_PLATFORM_BASE_URL_EU: await serve((_, response) => response.writeHead(404).end()),
  };
  expect((await finish(['doctor'], other)).lines[1]).toContain(
    'Is the address right? The client appends /v3 to it.',
  );
});

/** A server that sends every request to another address. */
const redirectTo = (location: string | undefined, status = 308) =>
  serve((request, response) => {
    request.resume();
    response.writeHead(status, location === undefined ? {} : { location }).end();
  });

test('says where the redirect of a call leads', async () => {
  const { env } = await service();
  const location = 'https://user:pass@api.example.com/eu/v3/tools/defaults?key=secret#part';
  const redirected = { ...env, AGENT_PLATFORM_BASE_URL_EU: await redirectTo(location) };
  const { lines } = await finish(['doctor'], redirected);
  expect(lines[1]?.split('\n').map((line) => line.trim())).toEqual([
    expect.stringContaining('GET /tools/defaults responded with 308'),
    'The client does not follow redirects. Check the base address.',
    '- The redirect leads to https://api.example.com/eu/v3/tools/defaults',
    '- Is that the service? Set AGENT_PLATFORM_BASE_URL_EU to its address, without /v3/tools/defaults.',
  ]);
});

test.each<[location: string | undefined, leads: string]>([
  [
    'https://user:pass@crm.example/webhooks/?key=secret#part',
    ' The redirect leads to https://crm.example/webhooks/',
  ],
  ['//crm.example', ' The redirect leads to http://crm.example/'],
  [`https://crm.example/${'x'.repeat(1_000)}`, ` The redirect leads to https://crm.example/x{180}…`],
  ['javascript:alert(1)', ''],
  ['https://', ''],
  [undefined, ''],
])(
  '--webhook says that the redirect to %s leads elsewhere, and posts nothing more',
  async (location, leads) => {
    const { env } = await service();
    const { code, lines } = await finish(['doctor', '--webhook', await redirectTo(location)], env);
    expect([code, lines.length]).toEqual([1, 3]);
    const [found, ...advice] = (lines[2] ?? '').split('\n').map((line) => line.trim());
    expect(found).toMatch(
      new RegExp(`^fail {2}receiver {2}authentic webhook_test: 308 in \\d+ ms\\.${leads}$`),
    );
    expect(advice).toEqual([
      '- Only 200 is a success (6.4), and the service may not follow redirects. Use the address it leads to.',
      '- Does it lead to a login page? Then let webhooks pass without a login.',
    ]);
  },
);

test('warns of a response that does not match the API specification', async () => {
  const { fake, env } = await service();
  fake.faults.inject({ status: 200, body: { success: true, data: [] } });
  const { code, lines, tones } = await finish(['doctor'], env);
  expect([code, tones[2]]).toEqual([1, 'warn']);
  expect(lines[2]).toMatch(/^warn {2}drift {5}The response does not match.*\n {16}- message/);
});

test('--webhook posts an authentic and a forged event', async () => {
  const { env, secret } = await service();
  const logged: string[] = [];
  const log = (line: string) => void logged.push(line);
  const logger = { debug: log, info: log, warn: log, error: log };
  const { node } = createWebhookReceiver({ secret, logger }).onAny(() => undefined);
  const url = await serve((request, response) => void node(request, response));
  expect(await finish(['doctor', '--webhook', url], env)).toMatchObject({
    code: 0,
    tones: ['ok', 'ok', 'ok', 'ok', 'ok'],
  });
  // One line for its three events: whoever reads the log of the receiver knows where it comes from.
  expect(logged).toEqual([expect.stringMatching(/refused with 401 .*agent-platform-sdk doctor/s)]);
  const open = await serve((_, response) => response.writeHead(204).end());
  const { code, lines } = await finish(['doctor', '--webhook', open], env);
  expect(code).toBe(1);
  expect(lines[2]).toMatch(/^fail {2}receiver {2}authentic webhook_test: 204 in .*Only 200 is a success/s);
  expect(lines[3]).toMatch(/^fail {2}receiver {2}forged webhook_test: 204 in .*A receiver must answer 401/s);
});

test('--webhook posts nothing more if no receiver is there', async () => {
  const { env } = await service();
  const other = await serve((_, response) => response.writeHead(404).end());
  for (const [url, advice] of [
    ['http://127.0.0.1:9999', 'Is the receiver running at this address?'],
    [other, 'No receiver there: are port and path right?'],
  ] as const) {
    const { lines } = await finish(['doctor', '--webhook', url], env);
    expect(lines.slice(2)).toEqual([expect.stringContaining(advice)]);
  }
});

test('--redis reports a missing address, or an inbox that is not reachable', async () => {
  const { env } = await service();
  const { lines } = await finish(['doctor', '--redis'], env);
  expect(lines.at(-1)).toBe('fail  inbox     REDIS_URL is not set.');
  const gone = await finish(['doctor', '--redis'], { ...env, REDIS_URL: 'redis://127.0.0.1:9999' });
  expect([gone.code, gone.lines.some((line) => line.startsWith('fail  inbox'))]).toEqual([1, true]);
});

test.each<[what: string, env: object, finding: RegExp]>([
  [
    'two secrets in one variable',
    { AGENT_PLATFORM_WEBHOOK_SECRET: 'old,new' },
    /^ok {4}settings {2}.*, 2 webhook secrets, separated by commas$/,
  ],
  ['no token', { AGENT_PLATFORM_TOKEN: undefined }, /^fail {2}settings {2}.*token/s],
  ['no secret', { AGENT_PLATFORM_WEBHOOK_SECRET: undefined }, /^ok {4}settings {2}.*, no webhook secret$/],
  [
    'a secret in quotes',
    { AGENT_PLATFORM_WEBHOOK_SECRET: '"old"' },
    /^fail {2}settings {2}AGENT_PLATFORM_WEBHOOK_SECRET is not the bare value: remove quotes/,
  ],
  [
    'a token in quotes',
    { AGENT_PLATFORM_TOKEN: '"token"' },
    /^fail {2}settings {2}AgentPlatform: token is not the bare value: remove quotes/,
  ],
  [
    'a token with its scheme',
    { AGENT_PLATFORM_TOKEN: 'Bearer token' },
    /^fail {2}settings {2}AgentPlatform: token is not the bare value: remove quotes/,
  ],
  [
    'a secret that cannot be used',
    { AGENT_PLATFORM_WEBHOOK_SECRET: '"old"' },
    /^ok {4}settings {2}.*, 1 webhook secret$/,
  ],
  ...['TOKN TOKEN', 'WEBHOOK_SECRETS WEBHOOK_SECRET', 'LOG_LEVEL LOG'].map((names) => {
    const [wrong, right] = names.split(' ').map((name) => `AGENT_PLATFORM_${name}`);
    const finding = `^warn {2}settings {2}This package does not read ${wrong}. Did you mean "${right}"\\?$`;
    return [`the misspelt ${wrong}`, { [`${wrong}`]: 'x' }, new RegExp(finding)] as [string, object, RegExp];
  }),
  [
    'the misspelt AGENT_PLATFROM_TOKEN',
    { AGENT_PLATFROM_TOKEN: 'x' },
    /This package does not read AGENT_PLATFROM_TOKEN. Did you mean "AGENT_PLATFORM_TOKEN"\?$/,
  ],
  [
    'a byte order mark before the first name of a .env',
    { '\uFEFFAGENT_PLATFORM_REGION': 'eu' },
    /This package does not read \uFEFFAGENT_PLATFORM_REGION. Did you mean "AGENT_PLATFORM_REGION"\?$/,
  ],
  [
    'swapped regions',
    { AGENT_PLATFORM_BASE_URL_NA: 'https://api-eu.example.com' },
    /^warn {2}settings {2}AGENT_PLATFORM_BASE_URL_NA names region eu\. Are the addresses swapped\?$/,
  ],
])('finds %s', async (_, changes, finding) => {
  const { env } = await service();
  const { lines } = await finish(['doctor'], { ...env, ...changes });
  expect(lines).toContainEqual(expect.stringMatching(finding));
});

test('--webhook finds a limit of bodies in front of the receiver', async () => {
  const { env, secret } = await service();
  const receiver = createWebhookReceiver({ secret, logLevel: 'off', maxBodyBytes: 1_048_576 });
  receiver.onAny(() => undefined);
  const { code, lines } = await finish(['doctor', '--webhook', await serve(receiver.node)], env);
  expect(code).toBe(1);
  expect(lines[4]).toMatch(
    /^fail {2}receiver {2}large \(1\.2 MB\) webhook_test: 413 in .*\n.*Something in front of/s,
  );
});

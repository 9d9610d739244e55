import { createWebhookReceiver } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { expect, onTestFinished, test } from 'vitest';
import { answering, serve } from '../support/loopback.js';
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

const linesOf = (finding = '') => finding.split('\n').map((line) => line.trim());

test('reports that all is well', async () => {
  const { env, secret } = await service();
  const { code, lines, tones } = await finish(['doctor'], env);
  expect([code, tones]).toEqual([0, ['ok', 'ok']]);
  expect(lines).toEqual([
    `ok    settings  region eu at ${env.AGENT_PLATFORM_BASE_URL_EU}/v3, 1 webhook secret`,
    expect.stringMatching(/^ok {4}service {3}GET \/tools\/defaults: 7 tools in \d+ ms$/),
  ]);
  expect(lines.join()).not.toContain(secret);
  const json = await finish(['doctor', '--json'], env);
  const findings = ['settings', 'service'].map((check) => ({ check, result: 'ok' }));
  expect(JSON.parse(json.lines.join('\n'))).toMatchObject({ ok: true, findings });
});

const issues = [{ path: ['plan'], message: 'Upgrade' }];
test.each<[status: number, body: object, lines: readonly string[]]>([
  [
    403,
    { message: 'No.', code: 'NO', issues },
    ['403: No. (code: NO)', 'plan: Upgrade', 'Check', 'a workspace secret?'],
  ],
  [
    401,
    { error: 'Unauthorized' },
    ['401: Unauthorized', 'The region is', 'still valid?', 'a workspace secret?'],
  ],
  [500, { error: { message: 'Down' } }, ['500: Down']],
])("lists the service's words of a %i, and what may be wrong", async (status, body, words) => {
  const { fake, env } = await service();
  fake.faults.inject({ status, body });
  const { code, lines } = await finish(['doctor'], env);
  expect([code, lines[1]]).toEqual([1, expect.stringContaining('GET /tools/defaults responded with')]);
  expect(linesOf(lines[1])).toEqual(words.map((each) => expect.stringContaining(each) as string));
});

test.each<[there: string, status: number | undefined, ofService: string, ofReceiver: string]>([
  ['nothing', undefined, 'Check `baseUrls.eu` and the network.', 'Is the receiver running at this address?'],
  ['another service', 404, 'Is the address right? The client', 'No receiver there: are port and path right?'],
])('asks about the addresses if %s is there', async (_, status, ofService, ofReceiver) => {
  const { env } = await service();
  const url = status === undefined ? 'http://127.0.0.1:9999' : await answering(status);
  const { lines } = await finish(['doctor', '--webhook', url], { ...env, AGENT_PLATFORM_BASE_URL_EU: url });
  expect(lines.slice(1)).toEqual([expect.stringContaining(ofService), expect.stringContaining(ofReceiver)]);
});

test.each<[location: string | undefined, leads: string]>([
  ['https://user:pass@crm.example/webhooks/?key=secret#part', 'https://crm.example/webhooks/'],
  ['//crm.example', 'http://crm.example/'],
  [`https://crm.example/${'x'.repeat(180)}`, `https://crm.example/${'x'.repeat(180)}`],
  [`https://crm.example/${'x'.repeat(181)}`, `https://crm.example/${'x'.repeat(180)}…`],
  ['javascript:alert(1)', ''],
  ['https://', ''],
  [undefined, ''],
])('says that the redirect to %s leads elsewhere, and posts nothing more', async (location, leads) => {
  const { env } = await service();
  const url = await answering(308, location === undefined ? {} : { location });
  const redirected = { ...env, AGENT_PLATFORM_BASE_URL_EU: url };
  const { code, lines } = await finish(['doctor', '--webhook', url], redirected);
  const [, ofService = [], [found = '', ...advice] = [], ...more] = lines.map(linesOf);
  expect([code, more]).toEqual([1, []]);
  const variable = expect.stringContaining('Set AGENT_PLATFORM_BASE_URL_EU to its address') as string;
  expect(ofService.slice(2)).toEqual(leads === '' ? [] : [`- The redirect leads to ${leads}`, variable]);
  const outcome = `fail  receiver  authentic webhook_test: 308 in x ms.${leads && ` The redirect leads to ${leads}`}`;
  expect(found.replace(/\d+ ms/, 'x ms')).toBe(outcome);
  expect(advice).toEqual([
    '- Only 200 is a success, and the service may not follow redirects. Use the address it leads to.',
    '- Does it lead to a login page? Then let webhooks pass without a login.',
  ]);
});

test('warns of a response that does not match the API specification', async () => {
  const { fake, env } = await service();
  fake.faults.inject({ status: 200, body: { success: true, data: [] } });
  const { code, lines, tones } = await finish(['doctor'], env);
  expect([code, tones[2]]).toEqual([1, 'warn']);
  expect(lines[2]).toMatch(/^warn {2}drift {5}The response does not match.*\n {16}- message/);
});

test('--webhook posts an authentic, a forged and a large event', async () => {
  const { env, secret } = await service();
  const logged: string[] = [];
  const log = (line: string) => void logged.push(line);
  const logger = { debug: log, info: log, warn: log, error: log };
  const { node } = createWebhookReceiver({ secret, logger }).onAny(() => undefined);
  expect(await finish(['doctor', '--webhook', await serve(node)], env)).toMatchObject({
    code: 0,
    tones: ['ok', 'ok', 'ok', 'ok', 'ok'],
  });
  // One line for its three events: whoever reads the log of the receiver knows where it comes from.
  expect(logged).toEqual([expect.stringMatching(/refused with 401 .*agent-platform-sdk doctor/s)]);
});

test('--webhook finds a receiver that accepts every event, and not with 200', async () => {
  const { env } = await service();
  const { code, lines } = await finish(['doctor', '--webhook', await answering(204)], env);
  expect([code, lines.length]).toEqual([1, 4]);
  expect(lines[2]).toMatch(/^fail {2}receiver {2}authentic webhook_test: 204 in .*Only 200 is a success/s);
  expect(lines[3]).toMatch(/^fail {2}receiver {2}forged webhook_test: 204 in .*A receiver must answer 401/s);
});

test('--webhook finds a limit of bodies in front of the receiver', async () => {
  const { env, secret } = await service();
  const receiver = createWebhookReceiver({ secret, logLevel: 'off', maxBodyBytes: 1_048_576 });
  receiver.onAny(() => undefined);
  const { code, lines } = await finish(['doctor', '--webhook', await serve(receiver.node)], env);
  expect(code).toBe(1);
  expect(lines[4]).toMatch(/^fail {2}receiver {2}large \(1\.2 MB\) .*: 413 in .*\n.*Something in front of/s);
});

test('--redis reports a missing address, or an inbox that is not reachable', async () => {
  const { env } = await service();
  const { lines } = await finish(['doctor', '--redis'], env);
  expect(lines.at(-1)).toBe('fail  inbox     REDIS_URL is not set.');
  const gone = await finish(['doctor', '--redis'], { ...env, REDIS_URL: 'redis://127.0.0.1:9999' });
  expect([gone.code, gone.lines.some((line) => line.startsWith('fail  inbox'))]).toEqual([1, true]);
});

test.each<[finding: string, env: Readonly<Record<string, string | undefined>>]>([
  ['ok    settings  .*, 2 webhook secrets, separated by commas', { WEBHOOK_SECRET: 'old,new' }],
  ['ok    settings  .*, no webhook secret', { WEBHOOK_SECRET: undefined }],
  ['ok    settings  .*, 1 webhook secret', { WEBHOOK_SECRET: '"old"' }],
  ['fail  settings  AGENT_PLATFORM_WEBHOOK_SECRET is not the bare value: .*', { WEBHOOK_SECRET: '"old"' }],
  ['fail  settings  AgentPlatform: token is missing.*', { TOKEN: undefined }],
  ['fail  settings  AgentPlatform: token is not the bare value: .*', { TOKEN: '"token"' }],
  ['fail  settings  AgentPlatform: token is not the bare value: .*', { TOKEN: 'Bearer token' }],
  ['warn  settings  This .* AGENT_PLATFORM_TOKN. Did you mean "AGENT_PLATFORM_TOKEN"\\?', { TOKN: 'x' }],
  ['warn  settings  This .*_LOG_LEVEL. Did you mean "AGENT_PLATFORM_LOG"\\?', { LOG_LEVEL: 'x' }],
])('finds %s', async (finding, changes) => {
  const { env } = await service();
  const changed = Object.entries(changes).map(([name, value]) => [`AGENT_PLATFORM_${name}`, value] as const);
  const { lines } = await finish(['doctor'], { ...env, ...Object.fromEntries(changed) });
  expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^${finding}$`, 's')));
});

const begun = ['AGENT_PLATFROM_REGION', '\uFEFFAGENT_PLATFORM_REGION'];
test.each(begun)('warns of a variable that begins with another name: %j', async (name) => {
  const { env } = await service();
  const { lines } = await finish(['doctor'], { ...env, [name]: 'eu' });
  expect(lines[0]).toContain(`This package does not read ${name}. Did you mean "AGENT_PLATFORM_REGION"?`);
});

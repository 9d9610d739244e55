import { existsSync } from 'node:fs';
import type { BullMQInbox } from '../bullmq/index.js';
import { findWords } from '../client/call/words.js';
import { AgentPlatform } from '../client/platform.js';
import { ApiError } from '../errors/index.js';
import type { SqliteInbox } from '../sqlite/index.js';
import { createFixtures } from '../testing/fixtures/fixtures.js';
import type { PostedEvent } from '../testing/sending/post.js';
import { formatIssues } from '../utils/issues.js';
import { LOG_LEVEL_VARIABLE } from '../utils/logger.js';
import { onOneLine } from '../utils/printable.js';
import { byRegion, REGIONS, type Region } from '../utils/regions.js';
import { hintFor } from '../utils/suggest.js';
import type { Drift } from '../validation/drift.js';
import { FORGED_SECRET } from '../webhooks/authenticate.js';
import { listSecrets } from '../webhooks/secrets/known.js';
import { SECRET_VARIABLE, splitSecrets } from '../webhooks/secrets/secret-variable.js';
import { type Command, parse, UsageError } from './command.js';
import { parseTarget, post, readSecrets } from './sending.js';
import type { Terminal, Tone } from './terminal.js';

/** Reports the result of one check. */
type Report = (check: string, result: Tone, detail: string) => void;

/** More than the limits of body parsers and servers that are common: up to 1 MiB. */
const LARGE_MESSAGE_LENGTH = 1_200_000;

/** The environment variables that this package reads. */
const VARIABLES = [
  'AGENT_PLATFORM_REGION',
  'AGENT_PLATFORM_TOKEN',
  ...REGIONS.map(baseUrlVariable),
  'AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL',
  LOG_LEVEL_VARIABLE,
  SECRET_VARIABLE,
];

/** Checks settings, the service, a receiver and an inbox, and says what may be wrong. */
export const doctor: Command = {
  summary: 'check settings, the service, a receiver and an inbox',
  help: `agent-platform-sdk doctor [options]

Checks the settings in the environment and calls GET /tools/defaults once with them. It prints no secrets.

Options
  --webhook <url>   posts an authentic and a forged webhook_test to your receiver. Expects a 200 within 60 s
                    and, as the receiver of this package responds, a 401. Then posts one of 1.2 MB, which
                    limits of body parsers refuse; needs ${SECRET_VARIABLE}
  --redis           checks the health of the inbox in the Redis at REDIS_URL; needs bullmq and ioredis
  --queue <name>    the name of the inbox's queue, if it is not the default
  --inbox <path>    checks the health of the inbox in a file
  --json            prints the findings as JSON

A successful call does not prove that the region is right: a request to the wrong region may return data of the
wrong environment (5.1).
The exit code is 0 if every check is ok, without warnings.`,
  async run(args, terminal) {
    const { values } = parse(args, {
      webhook: { type: 'string' },
      redis: { type: 'boolean', default: false },
      queue: { type: 'string' },
      inbox: { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    const { webhook, redis, queue, inbox, json } = values;
    if (queue !== undefined && !redis) throw new UsageError('--queue requires --redis.');
    const url = webhook === undefined ? undefined : parseTarget('--webhook', webhook, terminal);
    const secret = url === undefined ? '' : readSecrets(terminal)[0];
    const findings: { check: string; result: Tone; detail: string }[] = [];
    const report: Report = (check, result, detail) => {
      findings.push({ check, result, detail });
      if (!json) terminal.out(`${result.padEnd(4)}  ${check.padEnd(8)}  ${indent(detail)}`, result);
    };
    await checkService(terminal, report);
    if (url !== undefined) await checkReceiver(url, secret, report);
    if (redis) await checkInbox(() => openRedisInbox(terminal.env.REDIS_URL, queue), report);
    if (inbox !== undefined) await checkInbox(() => openFileInbox(inbox), report);
    const ok = findings.every(({ result }) => result === 'ok');
    if (json) terminal.out(JSON.stringify({ ok, findings }, undefined, 2));
    return ok ? 0 : 1;
  },
};

/** Indents further lines below the first. */
function indent(detail: string): string {
  return detail.replaceAll(/\n */g, `\n${' '.repeat(16)}`);
}

async function checkService({ env }: Terminal, report: Report): Promise<void> {
  checkVariables(env, report);
  const drift: Drift[] = [];
  const platform = createPlatform(env, (found) => drift.push(found), report);
  if (platform === undefined) return;
  report('settings', 'ok', `region ${platform.region} at ${platform.baseUrl}, ${checkSecrets(env, report)}`);
  checkRegions(env, report);
  const start = performance.now();
  try {
    const tools = await platform.tools.listDefaults();
    const duration = Math.round(performance.now() - start);
    report('service', 'ok', `GET /tools/defaults: ${tools.length} tools in ${duration} ms`);
  } catch (error) {
    report('service', 'fail', explainFailedCall(error, platform.region));
  }
  for (const { issues } of drift) {
    report('drift', 'warn', `The response does not match the API specification:${formatIssues(issues)}`);
  }
}

/** Warns of a variable that nothing reads, such as a misspelt one. */
function checkVariables(env: Terminal['env'], report: Report): void {
  for (const name of Object.keys(env)) {
    if (!name.startsWith('AGENT_PLATFORM_') || VARIABLES.includes(name)) continue;
    report('settings', 'warn', `${name} is not read by this package. ${hintFor(name, VARIABLES)}`);
  }
}

/** Reports what is wrong with the secrets of webhooks. Returns how many there are. */
function checkSecrets(env: Terminal['env'], report: Report): string {
  const secrets = splitSecrets(env[SECRET_VARIABLE]);
  const given = secrets.length === 1 ? secrets[0] : secrets;
  const { problems } = secrets.length === 0 ? { problems: [] } : listSecrets(given);
  for (const { option, text } of problems) {
    report('settings', 'fail', `${option.replace('secret', SECRET_VARIABLE)} ${text}`);
  }
  if (secrets.length === 0) return 'no webhook secret';
  if (problems.length > 0) return 'a webhook secret that cannot be used';
  return secrets.length === 1 ? '1 webhook secret' : `${secrets.length} webhook secrets, separated by commas`;
}

/** Warns if the address of a region names the other one. A host need not name any: none is documented. */
function checkRegions(env: Terminal['env'], report: Report): void {
  for (const region of REGIONS) {
    const variable = baseUrlVariable(region);
    const words = env[variable]?.toLowerCase().split(/[^a-z]+/) ?? [];
    const other = REGIONS.find((one) => one !== region && words.includes(one));
    if (other === undefined || words.includes(region)) continue;
    report('settings', 'warn', `${variable} names region ${other}. Are the addresses swapped?`);
  }
}

function baseUrlVariable(region: Region): string {
  return `AGENT_PLATFORM_BASE_URL_${region.toUpperCase()}`;
}

/** Creates the client from the settings of the environment, or reports what is wrong with them. */
function createPlatform(
  env: Terminal['env'],
  onDrift: (drift: Drift) => unknown,
  report: Report,
): AgentPlatform | undefined {
  try {
    return new AgentPlatform({
      // The client checks it.
      region: env.AGENT_PLATFORM_REGION?.trim() as Region | undefined,
      token: env.AGENT_PLATFORM_TOKEN,
      baseUrls: byRegion((region) => env[baseUrlVariable(region)]),
      maxRetries: 0,
      logLevel: 'off',
      hooks: { onDrift },
    });
  } catch (error) {
    report('settings', 'fail', (error as Error).message);
    return undefined;
  }
}

/** The error of the call, with its possible causes: the service's own words first. */
function explainFailedCall(error: unknown, region: string): string {
  const { message } = error as Error;
  if (!(error instanceof ApiError)) return `${message}\n- Is the address right, and reachable from here?`;
  const { status, body, rawBody } = error;
  const [first = '', ...others] = message.split('\n').map((line) => line.trim());
  const [, event = first, words = ''] = /^(.*? responded with \d+): (.*)$/.exec(first) ?? [];
  const hasWords = findWords(body === undefined ? rawBody : body) !== undefined;
  return [
    hasWords ? event : first,
    ...(hasWords ? [`- The service says: ${words}`] : []),
    ...others.map((line) => (line.startsWith('- ') ? line : `- ${line}`)),
    ...questionsAbout(status, region),
  ].join('\n');
}

/** The specification does not say which status means what (section 7), so these are questions. */
function questionsAbout(status: number, region: string): string[] {
  const isAgentSecret =
    '- Is it a workspace secret? Which operations accept an agent secret is not documented (5.2).';
  if (status === 403) return [isAgentSecret];
  if (status === 404) return ['- Is the address right? /v3 is appended to it.'];
  if (status !== 401) return [];
  return [
    `- Does the token belong to region ${region}? A request to the wrong region may fail (5.1).`,
    '- Was it rotated? The lifetime and rotation of tokens are not documented (5.2).',
    isAgentSecret,
  ];
}

async function checkReceiver(url: string, secret: string, report: Report): Promise<void> {
  const fixture = createFixtures().event('webhook_test').payload;
  const payload = { ...fixture, message: 'A test of agent-platform-sdk doctor', createdAt: Date.now() };
  const webhook = { type: 'webhook_test', payload };
  const authentic = await post(url, webhook, secret);
  if (authentic.outcome === 'failed' || authentic.status === 404) {
    const result = `authentic webhook_test: ${describeDelivery(authentic)}`;
    report('receiver', 'fail', `${result}\n- No receiver there: does it run, and are port and path right?`);
    return;
  }
  const forged = await post(url, webhook, FORGED_SECRET);
  const compare = (kind: string, delivery: PostedEvent, expected: number, hints: string): void => {
    const isExpected = delivery.status === expected;
    const result = `${kind} webhook_test: ${describeDelivery(delivery)}`;
    report('receiver', isExpected ? 'ok' : 'fail', isExpected ? result : result + hints);
  };
  compare(
    'authentic',
    authentic,
    200,
    `
- Only 200 counts as success, and there is no automatic retry (6.4).
- Does the receiver have the secret in ${SECRET_VARIABLE}? Is the path right?`,
  );
  compare(
    'forged',
    forged,
    401,
    '\n- Expected 401, as the receiver of this package responds. Verify the secret of every event (6.4).',
  );
  if (authentic.status !== 200) return;
  // Another event, so that it is no duplicate.
  const large = { ...payload, message: 'x'.repeat(LARGE_MESSAGE_LENGTH), createdAt: payload.createdAt + 1 };
  compare(
    'large (1.2 MB)',
    await post(url, { type: 'webhook_test', payload: large }, secret),
    200,
    `
- A limit in front of the receiver refuses it, and conversation_updated grows with its conversation: raise it to
  8 MiB, or mount the receiver before body parsers (Express takes 100 kB, Fastify 1 MiB, SvelteKit 512 kB).`,
  );
}

/** `200 in 12 ms`, or `failed in 12 ms: fetch failed: ECONNREFUSED`. */
function describeDelivery({ status, outcome, error, duration }: PostedEvent): string {
  const reason = error === undefined ? '' : onOneLine(`: ${error}`);
  return `${status ?? outcome} in ${duration} ms${reason}`;
}

async function openRedisInbox(url: string | undefined, queueName: string | undefined): Promise<BullMQInbox> {
  if (url === undefined) throw new Error('REDIS_URL is not set.');
  // Without its peers, Node names the package that is missing.
  const { createBullMQInbox } = await import('../bullmq/index.js');
  return createBullMQInbox({ connection: url, queueName, logLevel: 'off' });
}

async function openFileInbox(path: string): Promise<SqliteInbox> {
  // Opening would create it.
  if (!existsSync(path)) throw new Error(`There is no file ${path}.`);
  const { createSqliteInbox } = await import('../sqlite/index.js');
  return createSqliteInbox({ path, logLevel: 'off' });
}

async function checkInbox(open: () => Promise<BullMQInbox | SqliteInbox>, report: Report): Promise<void> {
  try {
    const inbox = await open();
    const health = await inbox.health();
    await inbox.close();
    const { ready, warnings, waiting, active, retrying, deadLetters } = health;
    const known = `: ${waiting} waiting, ${active} active, ${retrying} retrying, ${deadLetters} dead letters`;
    const counts = waiting === undefined ? '' : known;
    report('inbox', ready ? 'ok' : 'fail', `${ready ? 'accepts events' : 'accepts no events'}${counts}`);
    for (const warning of Object.values(warnings)) report('inbox', 'warn', warning);
  } catch (error) {
    report('inbox', 'fail', (error as Error).message);
  }
}

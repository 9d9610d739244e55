import { existsSync } from 'node:fs';
import type { BullMQInbox } from '../bullmq/index.js';
import { AgentPlatform } from '../client/platform.js';
import { ApiError } from '../errors/index.js';
import type { PostgresInbox } from '../postgres/index.js';
import type { SqliteInbox } from '../sqlite/index.js';
import { createFixtures } from '../testing/fixtures/fixtures.js';
import { FORGED_ADVICE } from '../testing/http/rows.js';
import { postEvent } from '../testing/sending/post.js';
import { isRedirect, redirectedTo } from '../testing/sending/redirect.js';
import { formatIssues } from '../utils/issues.js';
import { LOG_LEVEL_VARIABLE } from '../utils/logger.js';
import { onOneLine } from '../utils/printable.js';
import { byRegion, REGIONS, type Region } from '../utils/regions.js';
import { hintFor } from '../utils/suggest.js';
import type { Drift } from '../validation/drift.js';
import { FORGED_SECRET } from '../webhooks/authenticate.js';
import { listSecrets } from '../webhooks/secrets/known.js';
import { SECRET_VARIABLE, splitSecrets } from '../webhooks/secrets/secret-variable.js';
import { type Command, parse, parseTarget, readSecrets, UsageError } from './command.js';
import type { Terminal, Tone } from './terminal.js';

/** Reports the result of one check. */
type Report = (check: string, result: Tone, detail: string) => void;

/** More than the usual limits of body parsers and servers, which end at 1 MiB. */
const LARGE_MESSAGE_LENGTH = 1_200_000;

/** Further lines of a finding begin below its first. */
const INDENT = `\n${' '.repeat(16)}`;

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
  summary: 'check your settings, the service, your receiver and your inbox',
  help: `agent-platform-sdk doctor [options]

Checks the settings in the environment and calls GET /tools/defaults once with them. It prints no secrets.

Options
  --webhook <url>   posts three events to your receiver: it must accept a real webhook_test and one of 1.2 MB
                    with 200, and refuse a forged one with 401; needs ${SECRET_VARIABLE}
  --redis           checks the inbox in the Redis at REDIS_URL; needs bullmq and ioredis
  --queue <name>    the name of the inbox's queue, if it is not the default
  --inbox <path>    checks the inbox in a file; for one in Postgres, give its URL: postgres://… (needs pg)
  --schema <name>   the schema of an inbox in Postgres, if it is not the default
  --tables          only prints the SQL that creates the tables of that inbox for the role of the URL; run it as
                    a role that may create them
  --json            prints the findings as JSON

The exit code is 0 if every check is ok, without warnings.`,
  async run(args, terminal) {
    const { values } = parse(args, {
      webhook: { type: 'string' },
      redis: { type: 'boolean', default: false },
      queue: { type: 'string' },
      inbox: { type: 'string' },
      schema: { type: 'string' },
      tables: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    });
    const { webhook, redis, queue, inbox, schema, tables, json } = values;
    if (queue !== undefined && !redis) throw new UsageError('--queue requires --redis.');
    const isPostgres = inbox !== undefined && /^postgres(ql)?:/.test(inbox);
    if ((tables || schema !== undefined) && !isPostgres) {
      throw new UsageError(`${tables ? '--tables' : '--schema'} requires --inbox postgres://…`);
    }
    if (tables && inbox !== undefined) {
      const { tablesOf } = await import('../postgres/doctor.js');
      terminal.out(tablesOf({ connectionString: inbox, schema, logLevel: 'off' }));
      return 0;
    }
    const url = webhook === undefined ? undefined : parseTarget('--webhook', webhook, terminal);
    const secret = url === undefined ? '' : readSecrets(terminal)[0];
    const findings: { check: string; result: Tone; detail: string }[] = [];
    const report: Report = (check, result, detail) => {
      findings.push({ check, result, detail });
      const line = `${result.padEnd(4)}  ${check.padEnd(8)}  ${detail.replaceAll(/\n */g, INDENT)}`;
      if (!json) terminal.out(line, result);
    };
    await checkService(terminal, report);
    if (url !== undefined) await checkReceiver(url, secret, report);
    if (redis) await checkInbox(() => openRedisInbox(terminal.env.REDIS_URL, queue), report);
    if (inbox !== undefined) {
      await checkInbox(() => (isPostgres ? openPostgresInbox(inbox, schema) : openFileInbox(inbox)), report);
    }
    const ok = findings.every(({ result }) => result === 'ok');
    if (json) terminal.out(JSON.stringify({ ok, findings }, undefined, 2));
    return ok ? 0 : 1;
  },
};

async function checkService({ env }: Terminal, report: Report): Promise<void> {
  checkVariables(env, report);
  const drift: Drift[] = [];
  const baseUrls = byRegion((region) => env[baseUrlVariable(region)]);
  // The client checks it.
  const region = env.AGENT_PLATFORM_REGION?.trim() as Region | undefined;
  const { AGENT_PLATFORM_TOKEN: token } = env;
  const hooks = { onDrift: (found: Drift) => drift.push(found) };
  let platform: AgentPlatform;
  try {
    platform = new AgentPlatform({ region, token, baseUrls, maxRetries: 0, logLevel: 'off', hooks });
  } catch (error) {
    report('settings', 'fail', (error as Error).message);
    return;
  }
  report('settings', 'ok', `region ${platform.region} at ${platform.baseUrl}, ${checkSecrets(env, report)}`);
  const start = performance.now();
  try {
    const tools = await platform.tools.listDefaults();
    const duration = Math.round(performance.now() - start);
    report('service', 'ok', `GET /tools/defaults: ${tools.length} tools in ${duration} ms`);
  } catch (error) {
    report('service', 'fail', explainFailedCall(error, platform));
  }
  for (const { issues } of drift) {
    report('drift', 'warn', `The response does not match the API specification:${formatIssues(issues)}`);
  }
}

/** Warns about variables that nothing reads, such as a misspelt one. */
function checkVariables(env: Terminal['env'], report: Report): void {
  for (const name of Object.keys(env)) {
    // `AGENT_PLATFROM_TOKEN` too, and the first name of a `.env` that begins with a byte order mark.
    if (!/^\uFEFF?AGENTS?_?PLAT/.test(name) || VARIABLES.includes(name)) continue;
    report('settings', 'warn', `This package does not read ${name}. ${hintFor(name, VARIABLES)}`);
  }
}

/** Reports what is wrong with the secrets of webhooks. Returns how many there are. */
function checkSecrets(env: Terminal['env'], report: Report): string {
  const secrets = splitSecrets(env[SECRET_VARIABLE]);
  if (secrets.length === 0) return 'no webhook secret';
  for (const { option, text } of listSecrets(env[SECRET_VARIABLE]).problems) {
    report('settings', 'fail', `${option.replace('secret', SECRET_VARIABLE)} ${text}`);
  }
  return secrets.length === 1 ? '1 webhook secret' : `${secrets.length} webhook secrets, separated by commas`;
}

function baseUrlVariable(region: Region): string {
  return `AGENT_PLATFORM_BASE_URL_${region.toUpperCase()}`;
}

/** Adds questions to the message: section 7 does not explain the statuses. */
function explainFailedCall(error: unknown, { region, baseUrl }: AgentPlatform): string {
  if (!(error instanceof ApiError)) return (error as Error).message;
  const { message, status, path } = error;
  const address = redirectedTo(error, baseUrl + path);
  const variable = baseUrlVariable(region);
  const questions = [
    address !== undefined && `The redirect leads to ${address}`,
    address !== undefined && `Is that the service? Set ${variable} to its address, without /v3${path}.`,
    status === 404 && 'Is the address right? The client appends /v3 to it.',
    status === 401 && 'Is the token still valid? The specification does not say how long tokens live.',
    (status === 401 || status === 403) &&
      'Is it a workspace secret? The specification does not say what an agent secret may call.',
  ];
  return [message, ...questions.filter((question) => question !== false)].join('\n- ');
}

async function checkReceiver(url: string, secret: string, report: Report): Promise<void> {
  const fixture = createFixtures().event('webhook_test').payload;
  const createdAt = Date.now();
  const probe = async (kind: string, message: string, sent: string, expected: number, advice: string) => {
    // Another time, so that it is no duplicate.
    const payload = { ...fixture, message, createdAt: createdAt + message.length };
    const result = await postEvent({ type: 'webhook_test', payload, secret: sent, target: url });
    const { status, outcome, duration, location, error = '' } = result;
    const isRedirected = isRedirect(status);
    const isReceiver = status !== undefined && status !== 404 && !isRedirected;
    const elsewhere = isRedirected ? REDIRECT_ADVICE : NO_RECEIVER_ADVICE;
    // An error says by itself what to do.
    const hint = status === undefined ? '' : `\n- ${isReceiver ? advice : elsewhere}`;
    const more = location === undefined ? onOneLine(error) : `The redirect leads to ${location}`;
    const found = `${kind} webhook_test: ${status ?? outcome} in ${duration} ms. ${more}`.trim();
    const isOk = status === expected;
    report('receiver', isOk ? 'ok' : 'fail', isOk ? found : found + hint);
    return { isReceiver, isOk };
  };
  const words = 'A test of agent-platform-sdk doctor';
  const secretHint = `Does the receiver have the secret in ${SECRET_VARIABLE}? Is the path right?`;
  const only200 = `Only 200 is a success, and the service does not retry.\n- ${secretHint}`;
  const authentic = await probe('authentic', words, secret, 200, only200);
  if (!authentic.isReceiver) return;
  await probe('forged', words, FORGED_SECRET, 401, FORGED_ADVICE);
  if (authentic.isOk)
    await probe('large (1.2 MB)', 'x'.repeat(LARGE_MESSAGE_LENGTH), secret, 200, LARGE_ADVICE);
}

const NO_RECEIVER_ADVICE = 'No receiver there: are port and path right?';

const REDIRECT_ADVICE = `Only 200 is a success, and the service may not follow redirects. Use the address it leads to.
- Does it lead to a login page? Then let webhooks pass without a login.`;

const LARGE_ADVICE = `Something in front of the receiver limits bodies, and conversation_updated grows with its conversation.
  Raise the limit to 8 MiB, or mount the receiver before body parsers (Express accepts 100 kB, Fastify 1 MiB,
  SvelteKit 512 kB).`;

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

async function openPostgresInbox(connectionString: string, schema?: string): Promise<PostgresInbox> {
  const { createPostgresInbox, hasTables } = await import('../postgres/doctor.js');
  const options = { connectionString, schema, logLevel: 'off' } as const;
  // Opening would make them, and they would belong to the role that runs this.
  if (await hasTables(options)) return createPostgresInbox(options);
  throw new Error(
    'The tables are not there yet. The inbox creates them at its first use, or you run what --tables prints.',
  );
}

async function checkInbox(
  open: () => Promise<BullMQInbox | PostgresInbox | SqliteInbox>,
  report: Report,
): Promise<void> {
  try {
    const inbox = await open();
    const { ready, warnings, waiting, active, retrying, deadLetters } = await inbox.health();
    await inbox.close();
    const known = `: ${waiting} waiting, ${active} active, ${retrying} retrying, ${deadLetters} dead letters`;
    const counts = waiting === undefined ? '' : known;
    report('inbox', ready ? 'ok' : 'fail', `${ready ? 'accepts events' : 'accepts no events'}${counts}`);
    for (const warning of Object.values(warnings)) report('inbox', 'warn', warning);
  } catch (error) {
    report('inbox', 'fail', (error as Error).message);
  }
}

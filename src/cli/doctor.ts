import { AgentPlatform } from '../client/platform.js';
import { AgentPlatformError, ApiError } from '../errors/index.js';
import { formatIssues } from '../ground/issues.js';
import { REGIONS } from '../ground/regions.js';
import { createFixtures } from '../testing/fixtures/fixtures.js';
import type { Drift } from '../validation/drift.js';
import { command, type Terminal } from './command.js';
import { post, SECRET_VARIABLE, secretOf, targetOf } from './webhooks.js';

/** One finding: what was looked at, and how it is. */
interface Finding {
  readonly check: string;
  /** `warn` does not fail the command. */
  readonly result: 'ok' | 'warn' | 'fail';
  readonly detail: string;
}

/** Checks settings, the service, a receiver and an inbox, and says what is wrong in words. */
export const doctorCommand = command({
  name: 'doctor',
  summary: 'check settings, the service, a receiver and an inbox',
  help: `agent-platform-sdk doctor [options]

Checks the settings of the environment, and calls GET /tools/defaults once with them. Shows no secret.

Options
  --webhook <url>    posts a genuine and a forged webhook_test to your receiver, which should answer 200 and 401; needs ${SECRET_VARIABLE}
  --redis            asks the inbox in the Redis at REDIS_URL for its health; needs bullmq and ioredis
  --queue <name>     the queue of that inbox, where it has a name of its own
  --other-region     where the token is refused, tries it in the other region too: that region's servers get to see it
  --json             prints the findings as JSON

The exit code is 0 if all is well.`,
  flags: {
    webhook: { type: 'string' },
    redis: { type: 'boolean', default: false },
    queue: { type: 'string' },
    'other-region': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  async run({ webhook, redis, queue, 'other-region': otherRegion, json }, terminal) {
    const receiver =
      webhook === undefined
        ? undefined
        : { url: targetOf('--webhook', webhook, terminal), secret: secretOf(terminal) };
    const found: Finding[] = [];
    const tell = (finding: Finding): void => {
      found.push(finding);
      if (!json) terminal.out(lineOf(finding));
    };
    await checkService(terminal, otherRegion, tell);
    if (receiver !== undefined) await checkReceiver(receiver.url, receiver.secret, tell);
    if (redis) await checkInbox(terminal.env.REDIS_URL, queue, tell);
    const isWell = found.every(({ result }) => result !== 'fail');
    if (json) terminal.out(JSON.stringify({ ok: isWell, findings: found }, null, 2));
    return isWell ? 0 : 1;
  },
});

type Tell = (finding: Finding) => void;

const lineOf = ({ check, result, detail }: Finding): string =>
  `${result.padEnd(4)}  ${check.padEnd(9)}  ${detail}`;

async function checkService(terminal: Terminal, otherRegion: boolean, tell: Tell): Promise<void> {
  const drift: Drift[] = [];
  const platform = connect(terminal, (found) => drift.push(found), tell);
  if (platform === undefined) return;
  const { AGENT_PLATFORM_TOKEN: token = '' } = terminal.env;
  tell({ check: 'region', result: 'ok', detail: `${platform.region}, by AGENT_PLATFORM_REGION` });
  tell({
    check: 'token',
    result: 'ok',
    detail: `${token.trim().length} characters, by AGENT_PLATFORM_TOKEN`,
  });
  const variable = `AGENT_PLATFORM_BASE_URL_${platform.region.toUpperCase()}`;
  tell({ check: 'address', result: 'ok', detail: `${platform.baseUrl}, by ${variable}` });
  const start = performance.now();
  try {
    const tools = await platform.tools.listDefaults();
    const duration = Math.round(performance.now() - start);
    const answered = `GET /tools/defaults answered in ${duration} ms: ${tools.length} tools`;
    tell({ check: 'service', result: 'ok', detail: answered });
  } catch (error) {
    tell({ check: 'service', result: 'fail', detail: wordsFor(error) });
    if (isRefusal(error)) await checkOtherRegion(platform, terminal, otherRegion, tell);
  }
  for (const { issues } of drift) {
    const detail = `answers depart from the specification of this version${formatIssues(issues)}`;
    tell({ check: 'drift', result: 'warn', detail });
  }
}

/** The client by the environment's settings, or undefined where one of them is wrong. */
function connect(
  { env }: Terminal,
  onDrift: (drift: Drift) => unknown,
  tell: Tell,
): AgentPlatform | undefined {
  try {
    return new AgentPlatform({
      // Checked by the client, which names what is wrong.
      region: env.AGENT_PLATFORM_REGION as 'eu' | 'na' | undefined,
      token: env.AGENT_PLATFORM_TOKEN,
      baseUrls: { eu: env.AGENT_PLATFORM_BASE_URL_EU, na: env.AGENT_PLATFORM_BASE_URL_NA },
      maxRetries: 0,
      logLevel: 'off',
      hooks: { onDrift },
    });
  } catch (error) {
    tell({ check: 'settings', result: 'fail', detail: wordsFor(error) });
    return undefined;
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 401 || error.status === 403);

function wordsFor(error: unknown): string {
  if (!(error instanceof AgentPlatformError)) return String(error);
  if (isRefusal(error)) {
    return `${error.message}\n      The token was refused: it is of the other region, was rotated, or is of the wrong kind, an agent secret where a
      workspace secret is expected (specification, 5.1 and 5.2).`;
  }
  if (error instanceof ApiError && error.status === 404) {
    return `${error.message}\n      Is the address right? Paths are appended to it, after /v3.`;
  }
  return error.message;
}

async function checkOtherRegion(
  platform: AgentPlatform,
  { env }: Terminal,
  isAllowed: boolean,
  tell: Tell,
): Promise<void> {
  const region = REGIONS.find((one) => one !== platform.region) ?? platform.region;
  const name = `AGENT_PLATFORM_BASE_URL_${region.toUpperCase()}`;
  if (!isAllowed || env[name] === undefined) {
    const need = isAllowed ? `set ${name}` : 'give --other-region';
    tell({ check: 'region', result: 'warn', detail: `the token was not tried in ${region}: ${need}` });
    return;
  }
  try {
    const other = platform.withOptions({ region, token: env.AGENT_PLATFORM_TOKEN });
    await other.tools.listDefaults();
    tell({
      check: 'region',
      result: 'fail',
      detail: `the token is valid in ${region}: set AGENT_PLATFORM_REGION`,
    });
  } catch (error) {
    tell({
      check: 'region',
      result: 'warn',
      detail: `${region} does not accept it either: ${wordsFor(error)}`,
    });
  }
}

async function checkReceiver(url: string, secret: string, tell: Tell): Promise<void> {
  const payload = { ...createFixtures().event('webhook_test').payload, createdAt: Date.now() };
  const webhook = { type: 'webhook_test', payload };
  const [genuine, forged] = await Promise.all([
    post(url, webhook, secret),
    post(url, webhook, 'forged-by-agent-platform-sdk'),
  ]);
  const answerOf = ({ status, outcome, error, duration }: typeof genuine): string =>
    `${status ?? `${outcome}: ${error}`} in ${Math.round(duration)} ms`;
  tell({
    check: 'receiver',
    result: genuine.status === 200 ? 'ok' : 'fail',
    detail: `a genuine webhook_test was answered ${answerOf(genuine)}${genuine.status === 200 ? '' : ', not 200: the service takes it for lost (6.4)'}`,
  });
  tell({
    check: 'receiver',
    result: forged.status === 401 ? 'ok' : 'fail',
    detail: `a forged webhook_test was answered ${answerOf(forged)}${forged.status === 401 ? '' : ', not 401: is the secret checked before anything else?'}`,
  });
}

async function checkInbox(url: string | undefined, queue: string | undefined, tell: Tell): Promise<void> {
  const check = 'inbox';
  if (url === undefined) return tell({ check, result: 'fail', detail: 'REDIS_URL is not set' });
  try {
    const { createBullMQInbox } = await import('../bullmq/index.js');
    const inbox = createBullMQInbox({
      connection: url,
      logLevel: 'off',
      ...(queue !== undefined && { queueName: queue }),
    });
    const health = await inbox.health();
    await inbox.close();
    const { ready, waiting, active, retrying, deadLetters, oldestMs, warnings } = health;
    const counts = `${waiting} waiting, ${active} active, ${retrying} retrying, ${deadLetters} dead letters, oldest ${Math.round(oldestMs / 1000)} s`;
    tell({
      check,
      result: ready ? 'ok' : 'fail',
      detail: `${ready ? 'takes events' : 'takes no events'}: ${counts}`,
    });
    for (const detail of warnings) tell({ check, result: 'warn', detail });
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    const detail = isMissing ? 'needs two packages: npm install bullmq ioredis' : wordsFor(error);
    tell({ check, result: 'fail', detail });
  }
}

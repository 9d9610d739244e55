import { createFixtures } from '../testing/fixtures/fixtures.js';
import { command, UsageError } from './command.js';
import { type Finding, type Report, showFinding } from './doctor-finding.js';
import { checkPostgresInbox, checkRedisInbox } from './doctor-inbox.js';
import { checkService } from './doctor-service.js';
import { post, SECRET_VARIABLE, secretOf, targetOf } from './webhooks.js';

/** Checks settings, the service, a receiver and an inbox, and says what is wrong in words. */
export const doctorCommand = command({
  name: 'doctor',
  summary: 'check settings, the service, a receiver and an inbox',
  help: `agent-platform-sdk doctor [options]

Checks the settings of the environment, and calls GET /tools/defaults once with them. Shows no secret.

Options
  --webhook <url>    posts a genuine and a forged webhook_test to your receiver, which should answer 200 and 401 within 60 s;
                     needs ${SECRET_VARIABLE}
  --redis            asks the inbox in the Redis at REDIS_URL for its health; needs bullmq and ioredis
  --postgres         asks the inbox in the Postgres at DATABASE_URL for its health, where it is kept by pg-boss as in
                     examples/postgres-inbox; needs pg
  --queue <name>     the queue of that inbox, where it has a name of its own; goes with --redis or --postgres
  --other-region     where the token is refused, tries it in the other region too: that region's servers get to see it
  --json             prints the findings as JSON

The exit code is 0 only if all is well, without a warning.`,
  flags: {
    webhook: { type: 'string' },
    redis: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    queue: { type: 'string' },
    'other-region': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  async run({ webhook, redis, postgres, queue, 'other-region': otherRegion, json }, terminal) {
    if (queue !== undefined && !redis && !postgres) {
      throw new UsageError('--queue goes with --redis or --postgres: it names the queue of that inbox.');
    }
    const receiver =
      webhook === undefined
        ? undefined
        : { url: targetOf('--webhook', webhook, terminal), secret: secretOf(terminal) };
    const found: Finding[] = [];
    const report: Report = {
      looking: (at) => terminal.progress(`${at} …`),
      tell: (finding) => {
        found.push(finding);
        if (!json) showFinding(terminal, finding);
      },
    };
    await checkService(terminal, otherRegion, report);
    if (receiver !== undefined) await checkReceiver(receiver.url, receiver.secret, report);
    if (redis) await checkRedisInbox(terminal.env.REDIS_URL, queue, report);
    if (postgres) await checkPostgresInbox(terminal.env.DATABASE_URL, queue, report);
    const isWell = found.every(({ result }) => result === 'ok');
    if (json) terminal.out(JSON.stringify({ ok: isWell, findings: found }, null, 2));
    return isWell ? 0 : 1;
  },
});

async function checkReceiver(url: string, secret: string, { looking, tell }: Report): Promise<void> {
  const payload = { ...createFixtures().event('webhook_test').payload, createdAt: Date.now() };
  const webhook = { type: 'webhook_test', payload };
  looking(`posting a genuine and a forged webhook_test to ${url}`);
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

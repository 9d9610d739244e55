import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { afterEach, expect, test } from 'vitest';
import { freePort } from '../scripts/free-port.js';
import { secret } from './webhooks/deliveries.js';

/** No setting of this machine. */
const environment = { PATH: process.env.PATH };
const argumentsFor = (example: string) => ['--import', 'tsx', `examples/${example}`];

/** Runs an example, and returns the lines it prints. */
async function run(example: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, argumentsFor(example), { env: environment });
  return stdout.trim().split('\n');
}

const patient = { timeout: 60_000 };

test(
  'own-endpoint: two operations of your own, typed, checked, and answered by the fake',
  patient,
  async () => {
    expect(await run('own-endpoint/main.ts')).toEqual([
      expect.stringMatching(/^created: tool_eu_\d+$/),
      expect.stringMatching(/^tools: web-search, tool_eu_\d+$/),
      'RequestValidationError: POST /agents/{agentId}/tools was not sent: the arguments do not fit the operation',
      '  - serverUrl: Invalid URL',
    ]);
  },
);

test('many-workspaces: each event is answered with the client of its own workspace', patient, async () => {
  expect(await run('many-workspaces/main.ts')).toEqual([
    'bakery: Eli Customer is waiting',
    'answered 200',
    'florist: Eli Customer is waiting',
    'answered 200',
    'garage has 7 built-in tools at its disposal',
  ]);
});

test('delete-workspace: where no answer came, it looks before it decides', patient, async () => {
  expect(await run('delete-workspace/main.ts')).toEqual([
    'workspace_eu_1: refused',
    'workspace_eu_2: still there',
    'workspace_eu_2: deleted',
    'DELETE /workspaces/workspace_eu_1 403',
    'DELETE /workspaces/workspace_eu_2 no answer',
    expect.stringMatching(/^GET \/tools\/tool_eu_\d+ 200$/),
    'DELETE /workspaces/workspace_eu_2 no answer',
    expect.stringMatching(/^GET \/tools\/tool_eu_\d+ 401$/),
  ]);
});

test(
  'opentelemetry: delivery, job and calls are one trace, the service is told of it, and durations are measured',
  patient,
  async () => {
    const lines = await run('opentelemetry/main.ts');
    const spans = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as object);
    const tool = { name: 'GET /tools/{toolId}', 'http.request.method': 'GET', 'agent_platform.region': 'eu' };
    expect(spans).toEqual([
      {
        name: 'POST webhook chat_delegated',
        happened: [],
        'http.request.method': 'POST',
        'http.response.status_code': 200,
        'agent_platform.outcome': 'stored',
        'agent_platform.event.type': 'chat_delegated',
      },
      {
        name: 'POST webhook',
        happened: [],
        'http.request.method': 'POST',
        'http.response.status_code': 401,
        'agent_platform.outcome': 'verification_failed',
      },
      {
        name: 'GET /agents/{agentId}/convos/{convoId}',
        parent: 'process chat_delegated',
        happened: [],
        'http.request.method': 'GET',
        'url.template': '/agents/{agentId}/convos/{convoId}',
        'server.address': 'eu.agent-platform.test',
        'agent_platform.region': 'eu',
        'http.response.status_code': 200,
        'http.request.resend_count': 0,
      },
      expect.objectContaining({
        ...tool,
        parent: 'process chat_delegated',
        happened: ['retry'],
        'http.response.status_code': 200,
        'http.request.resend_count': 1,
      }),
      expect.objectContaining({
        name: 'process chat_delegated',
        parent: 'POST webhook chat_delegated',
        'agent_platform.event.type': 'chat_delegated',
      }),
      expect.objectContaining({
        ...tool,
        happened: ['exception'],
        failed: 'NotFoundError',
        'http.response.status_code': 404,
        'error.type': 'not_found_error',
      }),
    ]);
    expect(lines.filter((line) => !line.startsWith('{'))).toEqual([
      '/agents/agent_eu_1/convos/convo_eu_1 was sent as part of the span GET /agents/{agentId}/convos/{convoId}',
      '/tools/tool_eu_1 was sent as part of the span GET /tools/{toolId}',
      '/tools/tool_eu_1 was sent as part of the span GET /tools/{toolId}',
      '/tools/nowhere was sent as part of the span GET /tools/{toolId}',
      'http.client.request.duration: 3 series',
      'http.server.request.duration: 2 series',
      'messaging.process.duration: 1 series',
      'agent_platform.calls: 3 series',
      'agent_platform.call.retries: 2 series',
      'agent_platform.deliveries: 2 series',
      'agent_platform.jobs: 1 series',
    ]);
  },
);

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});

/** Starts an example, and returns the address of its webhooks once it listens. */
async function start(example: string): Promise<string> {
  const port = await freePort();
  const env = { ...environment, WORKSPACE_SECRET: secret, PORT: String(port) };
  const child = spawn(process.execPath, argumentsFor(example), { env, stdio: 'ignore' });
  children.push(child);
  const url = `http://127.0.0.1:${port}/webhooks`;
  while (child.exitCode === null) {
    const response = await fetch(url).catch(() => undefined);
    if (response !== undefined) return url;
    await setTimeout(50);
  }
  throw new Error(`${example} ended with ${child.exitCode}`);
}

test.each(['webhooks-express', 'webhooks-fastify', 'webhooks-hono', 'webhooks-koa', 'webhooks-nest'])(
  '%s listens where its first lines say, and answers',
  patient,
  async (example) => {
    const url = await start(`${example}/server.ts`);
    const fake = createFakePlatform();
    const { id: workspaceId } = fake.add.workspace({ secret });
    fake.webhooks.subscribe(url, { workspaceId });
    const [sent] = await fake.webhooks.send('lead_captured', {}, { workspaceId });
    expect(sent?.status).toBe(200);
  },
);

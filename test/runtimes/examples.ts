import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { freePort } from '../../scripts/free-port.js';
import { pack } from '../package/install.js';
import { delivery, secret } from '../webhooks/deliveries.js';
import { serveWorker } from './workerd.js';

/** One result in the form of the suite's own. */
interface Result {
  readonly name: string;
  readonly failure?: string;
}

const example = (name: string): string => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

/** No setting of the service, whatever this process has. */
const environment = { PATH: process.env.PATH, HOME: process.env.HOME, NEXT_TELEMETRY_DISABLED: '1' };

/** The deliveries that every receiver of the examples gets, and its answers. */
const ANSWERS: readonly (readonly [name: string, body: string, status: number])[] = [
  ['a genuine event is acknowledged', delivery('lead_captured'), 200],
  ['its copy is acknowledged', delivery('lead_captured'), 200],
  ['a forged event is refused', delivery('lead_captured', { workspaceSecret: 'forged' }), 401],
  ['what is not JSON is refused', delivery('lead_captured').slice(0, -1), 400],
];

/** `examples/webhooks-worker`, served by workerd. */
export async function workerExample(consumer: string): Promise<readonly Result[]> {
  cpSync(example('webhooks-worker/worker.ts'), join(consumer, 'webhooks-worker.ts'));
  using worker = await serveWorker(consumer, 'webhooks-worker.ts', { WORKSPACE_SECRET: secret });
  return await answersOf(worker.url);
}

export const NEXT = 'Next 16.4.6';

/** `examples/next-app`, installed, built where no secret is set, and served by Next. */
export async function nextExample(): Promise<readonly Result[]> {
  const app = mkdtempSync(join(tmpdir(), 'agent-platform-sdk-next-'));
  for (const part of ['app', 'lib', 'package.json', 'tsconfig.json']) {
    cpSync(join(example('next-app'), part), join(app, part), { recursive: true });
  }
  const npm = (...args: readonly string[]) =>
    execFileSync('npm', args, { cwd: app, stdio: ['ignore', 'ignore', 'inherit'], env: environment });
  try {
    npm('install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', pack(app));
    npm('run', 'build');
    return await servedByNext(app);
  } finally {
    rmSync(app, { recursive: true });
  }
}

async function servedByNext(app: string): Promise<readonly Result[]> {
  const fake = createFakePlatform();
  await using server = await fake.listen();
  const { agentId, convoId, workspaceSecret } = fake.seed.eu;
  const port = String(await freePort());
  const settings = {
    AGENT_PLATFORM_REGION: 'eu',
    AGENT_PLATFORM_TOKEN: workspaceSecret,
    AGENT_PLATFORM_BASE_URL_EU: server.baseUrls.eu,
    WORKSPACE_SECRET: secret,
  };
  const next = spawn(
    process.execPath,
    [join('node_modules', 'next', 'dist', 'bin', 'next'), 'start', '-p', port],
    {
      cwd: app,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...environment, ...settings },
    },
  );
  try {
    const url = `http://127.0.0.1:${port}`;
    await answering(url);
    const found = await fetch(`${url}/agents/${agentId}/convos/${convoId}`);
    const missing = await fetch(`${url}/agents/${agentId}/convos/nowhere`);
    return [
      ...(await answersOf(`${url}/webhooks`)),
      result('a conversation is read', found.status, 200),
      result('an unknown conversation is not found', missing.status, 404),
    ];
  } finally {
    next.kill();
  }
}

/** Next tells nobody but its log. */
async function answering(url: string): Promise<void> {
  for (let attempts = 0; attempts < 300; attempts += 1) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return;
    await setTimeout(100);
  }
  throw new Error('Next does not answer');
}

async function answersOf(url: string): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [name, body, expected] of ANSWERS) {
    const headers = { 'content-type': 'application/json' };
    const { status } = await fetch(url, { method: 'POST', headers, body });
    results.push(result(name, status, expected));
  }
  return results;
}

function result(name: string, status: number, expected: number): Result {
  return status === expected ? { name } : { name, failure: `answered ${status}, not ${expected}` };
}

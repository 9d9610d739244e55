import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFakePlatform, fixtures } from 'agent-platform-sdk/testing';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { removeLater, root } from '../package/consumer.js';
import { freePort } from '../support/free-port.js';
import { binaryOf, downloaded } from './tool-cache.js';
import { serveWorker, WORKERD, workerdBinary } from './workerd.js';

const secret = 'test-workspace-secret-0001';

/** Posts a delivery, its duplicate, an unauthenticated one and a truncated one. Returns the statuses. */
async function statusesOf(url: string): Promise<number[]> {
  const authentic = JSON.stringify(fixtures.delivery('lead_captured', secret));
  const forged = JSON.stringify(fixtures.delivery('lead_captured', 'forged'));
  const statuses: number[] = [];
  for (const body of [authentic, authentic, forged, authentic.slice(0, -1)]) {
    const headers = { 'content-type': 'application/json' };
    statuses.push((await fetch(url, { method: 'POST', headers, body })).status);
  }
  return statuses;
}

test(`hono-worker receives webhooks on ${WORKERD}`, async (context) => {
  const binary = await downloaded(workerdBinary(), context);
  const consumer = inject('consumer');
  cpSync(join(root, 'examples/hono-worker/worker.ts'), join(consumer, 'hono-worker.ts'));
  using worker = await serveWorker(binary, consumer, 'hono-worker.ts', {
    AGENT_PLATFORM_WEBHOOK_SECRET: secret,
  });
  expect(await statusesOf(`${worker.url}/webhooks`)).toEqual([200, 200, 401, 400]);
});

test('`deno serve --allow-env` receives webhooks with the lines of the guide', async (context) => {
  const deno = await downloaded(binaryOf('deno@2.9.6', '@deno', 'deno'), context);
  const consumer = inject('consumer');
  const lines = `import { createWebhookReceiver } from 'agent-platform-sdk';
    const receiver = createWebhookReceiver({ logLevel: 'off' }).onAny(() => undefined);
    export default { fetch: receiver.fetch };`;
  writeFileSync(join(consumer, 'deno-serve.mjs'), lines);
  const port = String(await freePort());
  const args = [
    'serve',
    '--no-prompt',
    '--allow-env',
    '--host',
    '127.0.0.1',
    '--port',
    port,
    'deno-serve.mjs',
  ];
  const server = spawn(deno, args, {
    cwd: consumer,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, HOME: process.env.HOME, AGENT_PLATFORM_WEBHOOK_SECRET: secret },
  });
  onTestFinished(() => void server.kill());
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(url), { timeout: 60_000, interval: 100 });
  expect(await statusesOf(url)).toEqual([200, 200, 401, 400]);
});

test('next-app builds without secrets, receives webhooks and reads a conversation', async (context) => {
  const consumer = inject('consumer');
  const app = mkdtempSync(join(tmpdir(), 'sdk-next-'));
  onTestFinished(() => removeLater(app));
  cpSync(join(root, 'examples/next-app'), app, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, NEXT_TELEMETRY_DISABLED: '1' };
  const npm = (...args: readonly string[]) => promisify(execFile)('npm', args, { cwd: app, env });
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  await downloaded(npm('install', ...quiet, join(consumer, 'package.tgz')), context);
  await npm('run', 'build');

  const fake = createFakePlatform();
  await using server = await fake.listen();
  const { agentId, convoId, workspaceSecret } = fake.seed.eu;
  const settings = {
    AGENT_PLATFORM_REGION: 'eu',
    AGENT_PLATFORM_TOKEN: workspaceSecret,
    AGENT_PLATFORM_BASE_URL_EU: server.baseUrls.eu,
    AGENT_PLATFORM_WEBHOOK_SECRET: secret,
  };
  const port = String(await freePort());
  const next = spawn(process.execPath, ['node_modules/next/dist/bin/next', 'start', '-p', port], {
    cwd: app,
    stdio: 'ignore',
    env: { ...env, ...settings },
  });
  onTestFinished(() => void next.kill());
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(url), { timeout: 60_000, interval: 100 });
  expect(await statusesOf(`${url}/webhooks`)).toEqual([200, 200, 401, 400]);
  const read = async (id: string) => (await fetch(`${url}/agents/${agentId}/convos/${id}`)).status;
  expect([await read(convoId), await read('nowhere')]).toEqual([200, 404]);
  // An error that a route does not catch: Next does not take its status.
  fake.faults.inject({ status: 401, times: 1 });
  const refused = await fetch(`${url}/agents/${agentId}/convos/${convoId}`);
  expect([refused.status, await refused.text()]).toEqual([500, expect.not.stringContaining('401')]);
});

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFakePlatform, fixtures } from 'agent-platform-sdk/testing';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { binaryOf } from '../runtimes/tool-cache.js';
import { freePort } from '../support/free-port.js';
import { removeLater, root } from './consumer.js';

// Frameworks that are too heavy to be development dependencies, from the npm registry: the rows of the guides.

const PACKAGES = [
  'h3@2.0.8',
  'h3-1@npm:h3@1.15.11',
  '@nestjs/core@12.5.1',
  '@nestjs/common@12.5.1',
  '@nestjs/platform-express@12.5.1',
  '@nestjs/platform-fastify@12.5.0',
  'reflect-metadata@0.2.2',
  'rxjs@7.8.2',
  'elysia@1.4.30',
  // Kit 3 needs Node 22.
  '@sveltejs/kit@2.70.4',
  '@sveltejs/adapter-node@5.5.7',
  '@sveltejs/vite-plugin-svelte@6.2.4',
  'svelte@5.57.3',
  'vite@7.3.8',
];

/** Nest 11, which cannot be installed beside 12. */
const NEST_11 = [
  '@nestjs/core@11.2.10',
  '@nestjs/common@11.2.10',
  '@nestjs/platform-express@11.2.10',
  '@nestjs/platform-fastify@11.2.8',
  'reflect-metadata@0.2.2',
  'rxjs@7.8.2',
];

const secret = 'test-workspace-secret-0001';
const fake = createFakePlatform();
const app = mkdtempSync(join(tmpdir(), 'sdk-servers-'));
const nest11 = mkdtempSync(join(tmpdir(), 'sdk-nest-11-'));
let environment: NodeJS.ProcessEnv;
let closeFake: () => Promise<void>;

beforeAll(async () => {
  const { baseUrls, close } = await fake.listen();
  closeFake = close;
  environment = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    AGENT_PLATFORM_REGION: 'eu',
    AGENT_PLATFORM_TOKEN: 'an-unknown-token',
    AGENT_PLATFORM_BASE_URL_EU: baseUrls.eu,
    AGENT_PLATFORM_WEBHOOK_SECRET: secret,
  };
  for (const folder of [app, nest11]) {
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    cpSync(join(root, 'test/package/consumers/servers.mjs'), join(folder, 'servers.mjs'));
  }
  cpSync(join(root, 'test/package/consumers/sveltekit'), app, { recursive: true });
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  const tarball = join(inject('consumer'), 'package.tgz');
  await runIn(app, 'npm', 'install', ...quiet, tarball, ...PACKAGES);
  await runIn(nest11, 'npm', 'install', ...quiet, tarball, ...NEST_11);
});
afterAll(async () => {
  await closeFake();
  removeLater(app);
  removeLater(nest11);
});

const runIn = (cwd: string, program: string, ...args: readonly string[]) =>
  promisify(execFile)(program, args, { cwd, env: environment });

/** Starts a server, which is stopped when the test ends. */
function start(
  program: string,
  args: readonly string[],
  settings: NodeJS.ProcessEnv = {},
  cwd = app,
): ChildProcess {
  const server = spawn(program, args, {
    cwd,
    env: { ...environment, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void server.kill());
  return server;
}

/** Posts a delivery, its duplicate, an unauthenticated one, a truncated one, and one of 5 MB. Returns the statuses. */
async function statusesOf(url: string): Promise<number[]> {
  const authentic = JSON.stringify(fixtures.delivery('lead_captured', secret));
  const forged = JSON.stringify(fixtures.delivery('lead_captured', 'forged'));
  const turns = Array.from({ length: 5_000 }, () => 'x'.repeat(1_000));
  const large = JSON.stringify(fixtures.delivery('conversation_updated', secret, { turns }));
  const statuses: number[] = [];
  for (const body of [authentic, authentic, forged, authentic.slice(0, -1), large]) {
    const headers = { 'content-type': 'application/json' };
    statuses.push((await fetch(url, { method: 'POST', headers, body })).status);
  }
  return statuses;
}

/** Calls a route that does not catch the error of a refused token. */
async function statusOfRefused(url: string): Promise<number> {
  const response = await fetch(url);
  // h3 2 repeats the service's `content-length`, which its own body does not have.
  await response.body?.cancel();
  return response.status;
}

test.each([
  ['h3 2', 401],
  ['h3 1', 401],
  ['h3 1, node', 401],
  ['h3 1, toWebHandler', 401],
  ['h3 1, node, a request that is none', 401],
  ['Nest on Express', 500],
  ['Nest on Fastify', 500],
  ['Elysia', 401],
])('%s receives webhooks, and responds to a refused token with %i', async (name, status) => {
  const program = name === 'Elysia' ? await binaryOf('bun@1.4.4', '@oven', 'bin/bun') : process.execPath;
  const [address] = (await once(start(program, ['servers.mjs', name]).stdout ?? expect.fail(), 'data')) as [
    Buffer,
  ];
  const url = new URL(String(address).trim());
  expect(await statusesOf(new URL('/webhooks', url).href)).toEqual([200, 200, 401, 400, 200]);
  expect(await statusOfRefused(new URL('/service', url).href)).toBe(status);
});

const nests = ['Nest on Express', 'Nest on Fastify', 'Nest on Express, hooks', 'Nest on Fastify, hooks'];

test.each(nests.flatMap((name) => [[name, 12, app] as const, [name, 11, nest11] as const]))(
  '%s, %i: drain finishes what comes over open connections, and the process ends',
  async (name, _version, folder) => {
    const child = start(process.execPath, ['servers.mjs', name], {}, folder);
    const ended = once(child, 'exit');
    const [address] = (await once(child.stdout ?? expect.fail(), 'data')) as [Buffer];
    const url = new URL('/webhooks', String(address).trim());
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const post = (createdAt: number) =>
      new Promise<unknown>((resolve) => {
        const sent = request(url, { agent, method: 'POST' }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode));
        });
        sent.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
        sent.end(JSON.stringify(fixtures.delivery('lead_captured', secret, { createdAt })));
      });
    const results: unknown[] = [];
    let created = 0;
    const sendOn = async () => {
      for (let result: unknown = 200; result === 200; results.push(result)) {
        created += 1;
        result = await post(created);
        if (created === 50) child.kill('SIGTERM');
      }
    };
    await Promise.all(Array.from({ length: 10 }, sendOn));
    expect(new Set(results)).toEqual(new Set([200, 'ECONNREFUSED']));
    // With hooks, Nest sends itself the signal again when they are done.
    expect(await ended).toEqual(name.endsWith('hooks') ? [null, 'SIGTERM'] : [0, null]);
  },
);

test('SvelteKit receives webhooks up to BODY_SIZE_LIMIT', async () => {
  await runIn(app, 'npx', 'vite', 'build');
  const serve = async (settings: NodeJS.ProcessEnv) => {
    const port = String(await freePort());
    const { stderr } = start(process.execPath, ['build'], { HOST: '127.0.0.1', PORT: port, ...settings });
    const lines: string[] = [];
    stderr?.on('data', (chunk) => lines.push(String(chunk)));
    const url = `http://127.0.0.1:${port}`;
    await vi.waitFor(() => fetch(url), { timeout: 60_000, interval: 50 });
    return { url, lines };
  };
  const { url } = await serve({ BODY_SIZE_LIMIT: '8M' });
  expect(await statusesOf(`${url}/webhooks`)).toEqual([200, 200, 401, 400, 200]);
  expect(await statusOfRefused(`${url}/service`)).toBe(500);
  const limited = await serve({});
  expect(await statusesOf(`${limited.url}/webhooks`)).toEqual([200, 200, 401, 400, 400]);
  await vi.waitFor(() => expect(limited.lines.join()).toContain('exceeds limit of 524288 bytes'));
});

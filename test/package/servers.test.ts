import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFakePlatform, fixtures } from 'agent-platform-sdk/testing';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { binaryOf } from '../runtimes/tool-cache.js';
import { freePort } from '../support/free-port.js';
import { removeLater, root } from './consumer.js';
import { deliverUntilRefused } from './deliver-until-refused.js';

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
  '@hono/node-server@2.1.9',
  'hono@4.13.19',
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
/** Nitro 2, which needs h3 1 under its own name. */
const nitro = mkdtempSync(join(tmpdir(), 'sdk-nitro-'));
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
  for (const folder of [app, nest11, nitro]) {
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    cpSync(join(root, 'test/package/consumers/servers.mjs'), join(folder, 'servers.mjs'));
  }
  cpSync(join(root, 'test/package/consumers/sveltekit'), app, { recursive: true });
  cpSync(join(root, 'test/package/consumers/nitro'), nitro, { recursive: true });
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  const tarball = join(inject('consumer'), 'package.tgz');
  await runIn(app, 'npm', 'install', ...quiet, tarball, ...PACKAGES);
  await runIn(nest11, 'npm', 'install', ...quiet, tarball, ...NEST_11);
  await runIn(nitro, 'npm', 'install', ...quiet, tarball, 'nitropack@2.13.1');
  await runIn(app, 'npx', 'vite', 'build');
  await runIn(nitro, 'npx', 'nitropack', 'build');
}, 600_000);
afterAll(async () => {
  await closeFake();
  removeLater(app);
  removeLater(nest11);
  removeLater(nitro);
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

const bun = () => binaryOf('bun@1.4.4', '@oven', 'bin/bun');
const deno = () => binaryOf('deno@2.9.6', '@deno', 'deno');

/** Collects the lines that a server prints: its address, and `closed` when its inbox is. */
function linesOf({ stdout }: ChildProcess): readonly string[] {
  const lines: string[] = [];
  stdout?.on('data', (chunk: Buffer) => lines.push(...String(chunk).trim().split('\n')));
  return lines;
}

test.each([
  ['Hono on Node', 500],
  ['h3 2', 401],
  ['h3 1', 401],
  ['h3 1, node', 401],
  ['h3 1, toWebHandler', 401],
  ['h3 1, node, a request that is none', 401],
  ['Nest on Express', 500],
  ['Nest on Fastify', 500],
  ['Elysia', 401],
])('%s receives webhooks, and responds to a refused token with %i', async (name, status) => {
  const program = name === 'Elysia' ? await bun() : process.execPath;
  const [address] = (await once(start(program, ['servers.mjs', name]).stdout ?? expect.fail(), 'data')) as [
    Buffer,
  ];
  const url = new URL(String(address).trim());
  expect(await statusesOf(new URL('/webhooks', url).href)).toEqual([200, 200, 401, 400, 200]);
  expect(await statusOfRefused(new URL('/service', url).href)).toBe(status);
});

const nests = ['Nest on Express', 'Nest on Fastify', 'Nest on Express, hooks', 'Nest on Fastify, hooks'];

test.each([
  ...nests.flatMap((name) => [[name, '12', app] as const, [name, '11', nest11] as const]),
  ['Hono on Node', '', app] as const,
  ['h3 2', '', app] as const,
  ['h3 1', '', app] as const,
  ['SvelteKit', '', app] as const,
  ['Nitro', '2', nitro] as const,
])(
  '%s %s: drain finishes what comes over open connections, and the process ends',
  async (name, _version, folder) => {
    const child = start(process.execPath, ['servers.mjs', name], {}, folder);
    const ended = once(child, 'exit');
    const lines = linesOf(child);
    await vi.waitFor(() => expect(lines).toHaveLength(1), 30_000);
    const url = new URL('/webhooks', lines[0]).href;
    const { accepted, failures, keepAlive } = await deliverUntilRefused(url, secret, {}, () =>
      child.kill('SIGTERM'),
    );
    expect(accepted.length).toBeGreaterThan(50);
    expect([keepAlive, failures]).toEqual(['timeout=65', new Set(['ECONNREFUSED'])]);
    // With hooks, Nest sends itself the signal again when they are done.
    expect(await ended).toEqual(name.endsWith('hooks') ? [null, 'SIGTERM'] : [0, null]);
    expect(lines.slice(1)).toEqual(['closed']);
  },
);

test.each(['Elysia', 'Bun', 'Deno'])(
  '%s finishes a delivery in progress, then closes the inbox',
  async (name) => {
    const args = ['servers.mjs', name];
    const slow = { HANDLER_MS: '1000' };
    const child =
      name === 'Deno' ? start(await deno(), ['run', '-A', ...args], slow) : start(await bun(), args, slow);
    const ended = once(child, 'exit');
    const lines = linesOf(child);
    await vi.waitFor(() => expect(lines).toHaveLength(1), 30_000);
    const body = JSON.stringify(fixtures.delivery('lead_captured', secret));
    const sent = fetch(new URL('/webhooks', lines[0]), { method: 'POST', body });
    await vi.waitFor(() => expect(lines.at(-1)).toBe('handling'), 30_000);
    child.kill('SIGTERM');
    expect((await sent).status).toBe(200);
    expect(await ended).toEqual([0, null]);
    expect(lines.slice(2)).toEqual(['closed']);
  },
);

test('SvelteKit receives webhooks up to BODY_SIZE_LIMIT', async () => {
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

import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createFakePlatform, fixtures } from 'agent-platform-sdk/testing';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { bunBinary, denoBinary, downloaded } from '../runtimes/tool-cache.js';
import { startWorker, WORKERD } from '../runtimes/workerd.js';
import { ADDRESS, launch } from '../support/example-process.js';
import { allRows } from '../support/rows.js';
import { execute, install, ownProject, project, root, source } from './consumer.js';
import { deliverUntilRefused } from './deliver-until-refused.js';

// Frameworks that are too heavy to be development dependencies, from the npm registry: the rows of the guides.

/**
 * A server of `servers.mjs`. `refused` is its status for an error of the client that its route does not catch. After
 * SIGTERM it drains open connections, or finishes only the delivery in progress.
 */
type Server = readonly [name: string, refused: number | undefined, end?: End];
type End = 'drains' | 'drains, then SIGTERM' | 'finishes';

const NEST: readonly Server[] = [
  ['Nest on Express', 500, 'drains'],
  ['Nest on Fastify', 500, 'drains'],
  // With hooks, Nest sends itself the signal again when they are done.
  ['Nest on Express, hooks', 500, 'drains, then SIGTERM'],
  ['Nest on Fastify, hooks', 500, 'drains, then SIGTERM'],
];

/** Those whose packages `global-setup.ts` installs. */
const GATE: readonly Server[] = [
  ['Hono', 500, 'drains'],
  ['h3 2', 401, 'drains'],
  ['h3 1', 401, 'drains'],
  ['h3 1, node, a request that is none', 401],
  ['Nest on Fastify, hooks', 500, 'drains, then SIGTERM'],
  ['Elysia', 401, 'finishes'],
  ['Bun', undefined, 'finishes'],
  ['Deno', undefined, 'finishes'],
];

/** Servers that are installed together. */
interface App {
  readonly servers: readonly Server[];
  readonly packages?: readonly string[];
  /** A folder of this repository that it is built from, and the command of npx that builds it. */
  readonly folder?: string;
  readonly build?: readonly string[];
}

const NIGHTLY: Readonly<Record<string, App>> = {
  'other ways to mount': { servers: [['h3 1, toWebHandler', 401], ...NEST.slice(0, 3)] },
  'Nest 11, which cannot be installed beside 12': {
    packages: [
      '@nestjs/core@11.2.10',
      '@nestjs/common@11.2.10',
      '@nestjs/platform-express@11.2.10',
      '@nestjs/platform-fastify@11.2.8',
      'reflect-metadata@0.2.2',
      'rxjs@7.8.2',
    ],
    servers: NEST,
  },
  'SvelteKit 2, because 3 needs Node 22': {
    packages: [
      '@sveltejs/kit@2.70.4',
      '@sveltejs/adapter-node@5.5.7',
      '@sveltejs/vite-plugin-svelte@6.2.4',
      'svelte@5.57.3',
      'vite@7.3.8',
    ],
    folder: 'test/package/consumers/sveltekit',
    build: ['vite', 'build'],
    servers: [['SvelteKit', 500, 'drains']],
  },
  'Nitro 2, which needs h3 1 under its own name': {
    packages: ['nitropack@2.13.1'],
    folder: 'test/package/consumers/nitro',
    build: ['nitropack', 'build'],
    servers: [['Nitro', undefined, 'drains']],
  },
  'the example next-app, which builds without secrets': {
    packages: [],
    folder: 'examples/next-app',
    build: ['next', 'build'],
    servers: [['Next', 500, 'drains']],
  },
};

const secret = 'test-workspace-secret-0001';
const { PATH, HOME } = process.env;
const withoutSecrets = { PATH, HOME, NO_COLOR: '1', NEXT_TELEMETRY_DISABLED: '1' };
const fake = createFakePlatform();
let environment: NodeJS.ProcessEnv;
let closeFake: () => Promise<void>;
beforeAll(async () => {
  const { baseUrls, close } = await fake.listen();
  closeFake = close;
  environment = {
    ...withoutSecrets,
    AGENT_PLATFORM_REGION: 'eu',
    AGENT_PLATFORM_TOKEN: 'an-unknown-token',
    AGENT_PLATFORM_BASE_URL_EU: baseUrls.eu,
    AGENT_PLATFORM_WEBHOOK_SECRET: secret,
    // Of SvelteKit, whose default is 512 KiB.
    BODY_SIZE_LIMIT: '8M',
  };
});
afterAll(() => closeFake());

const post = (url: URL, body: string) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', connection: 'close' }, body });

/**
 * Posts a delivery, its duplicate, an unauthenticated one, a truncated one, and a large one of so many kB. Returns the
 * statuses.
 */
async function statusesOf(url: URL, length = 5_000): Promise<number[]> {
  const authentic = JSON.stringify(fixtures.delivery('lead_captured', secret));
  const forged = JSON.stringify(fixtures.delivery('lead_captured', 'forged'));
  const turns = Array.from({ length }, () => 'x'.repeat(1_000));
  const large = JSON.stringify(fixtures.delivery('conversation_updated', secret, { turns }));
  const statuses: number[] = [];
  for (const body of [authentic, authentic, forged, authentic.slice(0, -1), large]) {
    statuses.push((await post(url, body)).status);
  }
  return statuses;
}

async function commandOf(name: string): Promise<readonly [program: string, ...args: string[]]> {
  if (name === 'Elysia' || name === 'Bun') return [await bunBinary()];
  if (name === 'Deno') return [await denoBinary(), 'run', '-A'];
  return [process.execPath];
}

const apps = Object.entries<App>({ 'the newest': { servers: GATE }, ...(allRows && NIGHTLY) });

describe.for(apps)('%s', ([, { packages, folder, build, servers }]) => {
  const copied = ['test/package/consumers/servers.mjs', ...(folder === undefined ? [] : [folder])];
  const cwd =
    packages === undefined
      ? project({ 'servers.mjs': source('servers.mjs') })
      : ownProject(afterAll, {}, ...copied);
  beforeAll(async () => {
    if (packages !== undefined) await install(cwd, ...packages);
    if (build !== undefined) await execute('npx', build, { cwd, env: withoutSecrets });
  }, 600_000);

  const start = async (name: string, settings: NodeJS.ProcessEnv = {}) => {
    const [program, ...args] = await commandOf(name);
    return launch(program, [...args, 'servers.mjs', name], { cwd, env: { ...environment, ...settings } });
  };

  test.for(servers)('%s receives webhooks, answers a refused call, and ends', async (server) => {
    const [name, refused, end] = server;
    const running = await start(name);
    const address = await running.prints(ADDRESS);
    const url = new URL('/webhooks', address);
    expect(await statusesOf(url)).toEqual([200, 200, 401, 400, 200]);
    if (refused !== undefined) {
      const route = name === 'Next' ? '/agents/agent_1/convos/convo_1' : '/service';
      const response = await fetch(new URL(route, address), { headers: { connection: 'close' } });
      // h3 2 repeats the service's `content-length`, which its own body does not have.
      await response.body?.cancel();
      expect(response.status).toBe(refused);
    }
    if (end === undefined) return;
    if (end === 'finishes') {
      const sent = post(url, JSON.stringify(fixtures.delivery('bug_reported', secret)));
      await running.prints(/handling$/);
      void running.end();
      expect((await sent).status).toBe(200);
    } else {
      const { accepted, failures, keepAlive } = await deliverUntilRefused(url.href, secret, {}, () =>
        running.end(),
      );
      expect(accepted.length).toBeGreaterThan(50);
      expect([keepAlive, failures]).toEqual(['timeout=65', new Set(['ECONNREFUSED'])]);
    }
    expect(await running.ended).toEqual(end === 'drains, then SIGTERM' ? [null, 'SIGTERM'] : [0, null]);
    expect(running.lines.at(-1)).toBe('closed');
  });

  if (build?.[0] !== 'vite') return;
  test('SvelteKit refuses what exceeds BODY_SIZE_LIMIT', async () => {
    const limited = await start('SvelteKit', { BODY_SIZE_LIMIT: '512K' });
    const url = new URL('/webhooks', await limited.prints(ADDRESS));
    // Little more, because a response that comes during the request can end in EPIPE.
    expect(await statusesOf(url, 600)).toEqual([200, 200, 401, 400, 400]);
    await limited.prints(/exceeds limit of 524288 bytes/);
  });
});

test(`the example hono-worker receives webhooks on ${WORKERD}`, async (context) => {
  cpSync(join(root, 'examples/hono-worker/worker.ts'), join(inject('consumer'), 'hono-worker.ts'));
  const bindings = { AGENT_PLATFORM_WEBHOOK_SECRET: secret };
  const worker = await downloaded(startWorker('hono-worker.ts', { bindings }), context);
  expect(await statusesOf(new URL('/webhooks', await worker.ready))).toEqual([200, 200, 401, 400, 200]);
});

test(`the example cloudflare-queues stores in its queue, and handles, on ${WORKERD}`, async (context) => {
  const folder = join(inject('consumer'), 'cloudflare-queues');
  cpSync(join(root, 'examples/cloudflare-queues'), folder, { recursive: true });
  let printed = '';
  const collect = (stream: Readable) => stream.on('data', (chunk) => (printed += String(chunk)));
  const options = {
    bindings: { AGENT_PLATFORM_WEBHOOK_SECRET: secret },
    queueProducers: { QUEUE: 'webhooks', DEAD_LETTERS: 'dead-letters' },
    queueConsumers: { webhooks: { maxBatchTimeout: 0 } },
    r2Buckets: ['LARGE_EVENTS'],
    handleRuntimeStdio: (...streams: readonly Readable[]) => streams.forEach(collect),
  };
  const worker = await downloaded(startWorker('cloudflare-queues/worker.ts', options), context);
  const url = new URL('/webhooks', await worker.ready);
  expect(await statusesOf(url, 1_500)).toEqual([200, 200, 401, 400, 200]);
  for (const line of [/^lead: /m, /^turns: 1500$/m]) {
    await vi.waitFor(() => expect(printed).toMatch(line), 20_000);
  }
});

test('`deno serve --allow-env` receives webhooks with the lines of the guide', async (context) => {
  const deno = await downloaded(denoBinary(), context);
  const cwd = inject('consumer');
  const lines = `import { createWebhookReceiver } from 'agent-platform-sdk';
    const receiver = createWebhookReceiver({ logLevel: 'off' }).onAny(() => undefined);
    export default { fetch: receiver.fetch };`;
  writeFileSync(join(cwd, 'deno-serve.mjs'), lines);
  const address = ['--host', '127.0.0.1', '--port', '0'];
  const args = ['serve', '--no-prompt', '--allow-env', ...address, 'deno-serve.mjs'];
  const server = launch(deno, args, { cwd, env: environment });
  expect(await statusesOf(new URL(await server.prints(ADDRESS)))).toEqual([200, 200, 401, 400, 200]);
});

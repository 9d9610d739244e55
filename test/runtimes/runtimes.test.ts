import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createFakePlatform, inboxConformance } from 'agent-platform-sdk/testing';
import { afterAll, beforeAll, type ExpectStatic, inject, test } from 'vitest';
import { execute, root } from '../package/consumer.js';
import { lacksPostgres, type PostgresServer, startPostgres } from '../support/postgres-server.js';
import { allRows } from '../support/rows.js';
import { closedAddress } from '../support/server.js';
import { startCertifiedService, startProxy } from '../support/tunnels.js';
import { bunBinary, denoBinary, downloaded, installTool, nodeBinary } from './tool-cache.js';
import { startWorker, WORKERD } from './workerd.js';

/** Returns the program and the arguments that go before the file that it runs. */
type Command = () => Promise<readonly [program: string, ...args: string[]]>;

// The package must also work where strings must not be run as code.
const NODE_FLAGS = ['--disallow-code-generation-from-strings'];
// All that a program needs to call the service and receive webhooks.
const DENO_PERMISSIONS = ['--no-prompt', '--allow-read=.', '--allow-net=127.0.0.1'];

const CURRENT = `Node ${process.versions.node}`;
const runtimes: Readonly<Record<string, Command>> = {
  [CURRENT]: async () => [process.execPath, ...NODE_FLAGS],
  'Node 22.23.3': node('22.23.3'),
  'Node 24.21.0': node('24.21.0'),
  'Node 26.10.0': node('26.10.0'),
  'Bun 1.4.4': async () => [await bunBinary(), 'run'],
  'Deno 2.9.6': async () => [await denoBinary(), 'run', ...DENO_PERMISSIONS],
};

function node(version: string): Command {
  return async () => [await nodeBinary(version), ...NODE_FLAGS];
}

/** The result of one check of the suite. */
interface Result {
  readonly name: string;
  readonly failure?: string;
}

function expectPassed(expect: ExpectStatic, results: readonly Result[], atLeast: number): void {
  expect(results.length).toBeGreaterThanOrEqual(atLeast);
  expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
}

const consumer = inject('consumer');
let postgres: PostgresServer | undefined;

beforeAll(async () => {
  cpSync(join(root, 'test/runtimes/suite'), join(consumer, 'suite'), { recursive: true });
  if (!lacksPostgres()) postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

/** Runs a program of the suite in the folder of the package. Returns the results that it prints. */
async function resultsOf(program: string, args: readonly string[], env = process.env): Promise<Result[]> {
  // If a process reaches this limit, a timer or a connection was left open.
  const { stdout } = await execute(program, args, { cwd: consumer, timeout: 120_000, env });
  return JSON.parse(stdout) as Result[];
}

test.concurrent.for(Object.entries(runtimes))(
  '%s passes the suite, as ES modules and as CommonJS',
  async ([name, command], context) => {
    const [program, ...args] = await downloaded(command(), context);
    const agent = name.toLowerCase().replace(' ', '/');
    expectPassed(context.expect, await resultsOf(program, [...args, 'suite/formats.mjs', agent]), 30);
  },
);

type Kind = 'file' | 'postgres';

/** What Deno has to allow besides: the file, whose disk is measured; the settings of pg, and the name of the user. */
const INBOX_PERMISSIONS: Readonly<Record<Kind, readonly string[]>> = {
  file: ['--allow-write=.', '--allow-sys=statfs'],
  postgres: ['--allow-env', '--allow-sys'],
};

const inboxes = Object.entries(runtimes)
  .flatMap(([name, command]) => (['file', 'postgres'] as const).map((kind) => [name, kind, command] as const))
  // The projects `sqlite` and `postgres` have the others.
  .filter(([name, kind]) => allRows || !name.startsWith('Node') || (kind === 'file' && name === CURRENT));

test.concurrent.for(inboxes)(
  '%s keeps the rules of an inbox in %s, or refuses it',
  async ([name, kind, command], context) => {
    if (kind === 'postgres' && postgres === undefined) return context.skip('needs Postgres');
    const [program, ...args] = await downloaded(command(), context);
    const isRefused = kind === 'file' && name === CURRENT && process.versions.sqlite === undefined;
    const permissions = name.startsWith('Deno') ? INBOX_PERMISSIONS[kind] : [];
    const env = { ...process.env, DATABASE_URL: postgres?.url };
    const file = ['suite/inbox.mjs', isRefused ? 'refused' : kind];
    const results = await resultsOf(program, [...args, ...permissions, ...file], env);
    expectPassed(context.expect, results, isRefused ? 1 : inboxConformance.length + 1);
  },
);

test(`${WORKERD} passes the suite`, async (context) => {
  const worker = await downloaded(startWorker('suite/worker.mjs'), context);
  await using server = await createFakePlatform().listen({ control: true });
  const body = JSON.stringify({ fakeUrl: server.url, agent: 'workerd' });
  const response = await worker.dispatchFetch('http://worker/', { method: 'POST', body });
  expectPassed(context.expect, (await response.json()) as Result[], 14);
});

// The table of the guide: which undici fits the `fetch` of which Node.
const UNDICI = { 6: 'undici@6.29.1', 7: 'undici@7.30.2', 8: 'undici@8.13.1' } as const;
const dispatchers = [
  [CURRENT, 6],
  ['Node 24.21.0', 7],
  ['Node 26.10.0', 8],
  ...(allRows
    ? ([
        [CURRENT, 7],
        ['Node 22.23.3', 6],
        ['Node 22.23.3', 7],
        ['Node 24.21.0', 6],
        ['Node 26.10.0', 7],
      ] as const)
    : []),
] as const;
const supported = dispatchers.filter(([name]) => name !== CURRENT || name.startsWith('Node 20.'));

test.for(supported)('%s sends through a dispatcher of undici %i', async ([name, major], context) => {
  const [program] = await downloaded((runtimes[name] ?? context.expect.fail())(), context);
  const undici = join(await downloaded(installTool(UNDICI[major]), context), 'undici/index.js');
  const { url, methods, credentials } = await startCertifiedService();
  const proxy = await startProxy();
  const settings = JSON.stringify({ url, proxy: proxy.url, closed: await closedAddress(), ...credentials });
  const args = ['suite/dispatchers.mjs', pathToFileURL(undici).href, settings];
  const { stdout } = await execute(program, args, { cwd: consumer });
  context.expect(JSON.parse(stdout)).toEqual(['deleted', 'deleted', 'ECONNREFUSED false']);
  context.expect([proxy.tunnels, methods]).toEqual([[new URL(url).host], ['DELETE', 'DELETE']]);
});

import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFakePlatform, inboxConformance } from 'agent-platform-sdk/testing';
import { beforeAll, type ExpectStatic, inject, test } from 'vitest';
import { root } from '../package/consumer.js';
import { binaryOf, downloaded, nodeBinary } from './tool-cache.js';
import { serveWorker, WORKERD, workerdBinary } from './workerd.js';

/** Returns the program and the arguments that go before the file that it runs. */
type Command = () => Promise<readonly [program: string, ...args: string[]]>;

// The package must also work where strings must not be run as code.
const NODE_FLAGS = ['--disallow-code-generation-from-strings'];
// All that a program needs to call the service and receive webhooks.
const DENO_PERMISSIONS = ['--no-prompt', '--allow-read=.', '--allow-net=127.0.0.1'];

const runtimes: Readonly<Record<string, Command>> = {
  [`Node ${process.versions.node}`]: async () => [process.execPath, ...NODE_FLAGS],
  'Node 22.23.3': node('22.23.3'),
  'Node 24.21.0': node('24.21.0'),
  'Node 26.10.0': node('26.10.0'),
  'Bun 1.4.4': async () => [await binaryOf('bun@1.4.4', '@oven', 'bin/bun'), 'run'],
  'Deno 2.9.6': async () => [await binaryOf('deno@2.9.6', '@deno', 'deno'), 'run', ...DENO_PERMISSIONS],
};

function node(version: string): Command {
  return async () => [await nodeBinary(version), ...NODE_FLAGS];
}

/** The result of one check of the suite. */
interface Result {
  readonly name: string;
  readonly failure?: string;
}

function expectPassed(expect: ExpectStatic, results: readonly Result[]): void {
  expect(results.length).toBeGreaterThan(12);
  expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
}

const consumer = inject('consumer');

beforeAll(() => {
  cpSync(join(root, 'test/runtimes/suite'), join(consumer, 'suite'), { recursive: true });
});

const runs = Object.entries(runtimes).flatMap(([name, command]) => [
  [name, 'ESM', 'suite/module.mjs', command] as const,
  [name, 'CommonJS', 'suite/common.cjs', command] as const,
]);

test.concurrent.for(runs)('%s passes the suite as %s', async ([name, , file, command], context) => {
  const [program, ...args] = await downloaded(command(), context);
  const agent = name.toLowerCase().replace(' ', '/');
  // If a process reaches this limit, a timer or a connection was left open.
  const options = { cwd: consumer, timeout: 120_000 };
  const { stdout } = await promisify(execFile)(program, [...args, file, agent], options);
  expectPassed(context.expect, JSON.parse(stdout) as Result[]);
});

test.concurrent.for(Object.entries(runtimes))(
  '%s keeps the rules of an inbox in a file, or refuses it',
  async ([name, command], context) => {
    const [program, ...args] = await downloaded(command(), context);
    const isSupported = name !== `Node ${process.versions.node}` || process.versions.sqlite !== undefined;
    // The file is in the folder; its disk has to be measured.
    const permissions = name.startsWith('Deno') ? ['--allow-write=.', '--allow-sys=statfs'] : [];
    const argv = [...args, ...permissions, 'suite/inbox.mjs', isSupported ? 'supported' : 'refused'];
    const { stdout } = await promisify(execFile)(program, argv, { cwd: consumer, timeout: 120_000 });
    const results = JSON.parse(stdout) as Result[];
    context.expect(results).toHaveLength(isSupported ? inboxConformance.length + 1 : 1);
    context.expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
  },
);

test.concurrent(`${WORKERD} passes the suite`, async (context) => {
  const binary = await downloaded(workerdBinary(), context);
  using worker = await serveWorker(binary, consumer, 'suite/worker.mjs');
  await using server = await createFakePlatform().listen({ control: true });
  const body = JSON.stringify({ fakeUrl: server.url, agent: 'workerd' });
  const response = await fetch(worker.url, { method: 'POST', body });
  expectPassed(context.expect, (await response.json()) as Result[]);
});

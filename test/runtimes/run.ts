/**
 * Runs one suite on the built package, packed and installed, in every runtime it supports, and the examples that need a
 * server of their own. Arguments choose among them by name: `npm run test:runtimes -- bun workerd`.
 */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { pack } from '../package/install.js';
import { runInBrowser } from './browser.js';
import { NEXT, nextExample, workerExample } from './examples.js';
import { type Runtime, runtimes } from './runtimes.js';
import { serveWorker, WORKERD } from './workerd.js';

interface Result {
  readonly name: string;
  readonly failure?: string;
}

interface Run {
  readonly name: string;
  readonly results: (consumer: string) => Promise<readonly Result[]>;
}

/** A process that has not ended by then holds a timer or a connection that nobody closed. */
const LIMIT = 120_000;

const runs: readonly Run[] = [
  ...runtimes.flatMap((runtime) => [
    { name: `${runtime.name}, ESM`, results: besideFake(runtime, 'module.mjs') },
    { name: `${runtime.name}, CommonJS`, results: besideFake(runtime, 'common.cjs') },
  ]),
  { name: WORKERD, results: farFromFake(runInWorker) },
  { name: `example on ${WORKERD}`, results: workerExample },
  { name: `example on ${NEXT}`, results: nextExample },
  { name: 'Chromium', results: farFromFake(runInBrowser) },
];

const wanted = process.argv.slice(2).map((name) => name.toLowerCase());
const chosen = runs.filter(isWanted);
const consumer = createConsumer();
let failed = 0;
for (const run of chosen) failed += await report(run);
rmSync(consumer, { recursive: true });
console.log(`${chosen.length} runs, ${failed} failed`);
process.exitCode = failed === 0 && chosen.length > 0 ? 0 : 1;

function isWanted({ name }: Run): boolean {
  return wanted.length === 0 || wanted.some((part) => name.toLowerCase().includes(part));
}

/** Prints one line for the run, and the failures; returns how many runs failed: none or one. */
async function report({ name, results }: Run): Promise<number> {
  const started = Date.now();
  const found = await results(consumer).catch((error: unknown) => [
    { name: 'the suite ran', failure: String(error) },
  ]);
  const failures = found.filter(({ failure }: Result) => failure !== undefined);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(
    `${name.padEnd(24)} ${found.length - failures.length} passed, ${failures.length} failed (${seconds} s)`,
  );
  for (const failure of failures)
    console.log(`  ${failure.name}\n    ${String(failure.failure).replaceAll('\n', '\n    ')}`);
  return failures.length === 0 && found.length > 0 ? 0 : 1;
}

/** The fake runs in the same process. */
function besideFake({ agent, command }: Runtime, file: string): Run['results'] {
  return async (directory) => {
    const [program, ...args] = command(join(directory, file));
    const { stdout } = await promisify(execFile)(program, [...args, agent], {
      cwd: directory,
      timeout: LIMIT,
    });
    // The suite prints nothing but this.
    return JSON.parse(stdout) as Result[];
  };
}

/** The fake runs in this process. */
function farFromFake(runSuite: (directory: string, fakeUrl: string) => Promise<unknown>): Run['results'] {
  return async (directory) => {
    await using server = await createFakePlatform().listen({ control: true });
    // What the suite returns, through JSON.
    return (await runSuite(directory, server.url)) as Result[];
  };
}

/** Runs the suite inside a worker. Returns its results. */
async function runInWorker(directory: string, fakeUrl: string): Promise<unknown> {
  using worker = await serveWorker(directory, 'worker.mjs');
  const body = JSON.stringify({ fakeUrl, runtime: 'workerd' });
  return await (await fetch(worker.url, { method: 'POST', body })).json();
}

/** A scratch project with the packed package, installed as its users install it, and the suite as its program. */
function createConsumer(): string {
  const directory = mkdtempSync(join(tmpdir(), 'agent-platform-sdk-runtimes-'));
  writeFileSync(join(directory, 'package.json'), '{ "private": true }');
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const install = ['install', ...quiet, pack(directory)];
  execFileSync('npm', install, { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
  cpSync(fileURLToPath(new URL('suite', import.meta.url)), directory, { recursive: true });
  return directory;
}

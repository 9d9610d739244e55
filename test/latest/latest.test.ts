import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject, test } from 'vitest';
import { removeLater, root } from '../package/consumer.js';
import { downloaded, nodeBinary } from '../runtimes/tool-cache.js';

/** The project of a user: the folder of that name pins the packages that it had first. */
interface Project {
  readonly name: 'newest' | 'oldest';
  readonly typescript: string;
  /** What is compiled there. */
  readonly sources: readonly string[];
  /** What is run there: tests of this repository that import the package by its name. */
  readonly tests: readonly string[];
  /** Versions of Node; `current` is the one that runs this file. */
  readonly nodes: readonly string[];
}

const PEER_SOURCES = ['examples/msw-suite/*', 'test/package/consumers/peers.ts'];
const PEER_TESTS = [
  'examples/msw-suite/copy-to-crm.test.ts',
  'test/bullmq/inbox-conformance.test.ts',
  'test/bullmq/dead-letters.test.ts',
  'test/bullmq/health.test.ts',
  'test/redis/dedupe.test.ts',
  'test/latest/suite/msw.test.ts',
  'test/latest/suite/worker.test.ts',
];
const SERVERS = ['bullmq-inbox', 'express-app', 'fastify', 'hono-worker'];

const PROJECTS: readonly Project[] = [
  {
    name: 'newest',
    typescript: 'typescript',
    sources: [...PEER_SOURCES, ...SERVERS.map((example) => `examples/${example}/*`)],
    tests: [
      ...PEER_TESTS,
      'examples/express-app/app.test.ts',
      'test/webhooks/servers.test.ts',
      'test/webhooks/mounting.test.ts',
    ],
    nodes: ['24.21.0', '26.10.0'],
  },
  {
    name: 'oldest',
    typescript: 'typescript-5.4',
    sources: PEER_SOURCES,
    tests: PEER_TESTS,
    nodes: ['current'],
  },
];

test.concurrent.for(PROJECTS)(
  'installs, compiles and runs beside the $name packages',
  async (project, context) => {
    const folder = mkdtempSync(join(tmpdir(), `sdk-${project.name}-`));
    context.onTestFinished(() => removeLater(folder));
    cpSync(join(root, 'test/latest', project.name), folder, { recursive: true });
    await downloaded(npm(folder, 'ci'), context);
    // Without `--force`: npm refuses a package whose peer is out of range.
    await npm(folder, 'install', '--no-save', join(inject('consumer'), 'package.tgz'));
    for (const name of ['test', 'examples']) {
      cpSync(join(root, name), join(folder, name), { recursive: true });
    }
    const binaries = await downloaded(Promise.all(project.nodes.map(nodeFor)), context);
    const steps = Promise.all([
      compile(folder, project),
      ...binaries.map((node) => runTests(folder, node, project.tests)),
    ]);
    await context.expect(steps).resolves.toBeDefined();
  },
);

const nodeFor = async (version: string): Promise<string> =>
  version === 'current' ? process.execPath : nodeBinary(version);

const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];

const npm = (folder: string, ...args: readonly string[]): Promise<void> =>
  run(folder, 'npm', [...args, ...QUIET]);

/** Compiles without the DOM types. msw 2.0.0 and 3.0.5 need them: errors in other packages do not count. */
async function compile(folder: string, { typescript, sources }: Project): Promise<void> {
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022'],
    types: ['node'],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: sources }));
  const compiled = run(folder, process.execPath, [`node_modules/${typescript}/bin/tsc`]);
  await compiled.catch((error: Error) => {
    const errors = error.message.split('\n').filter((line) => line.includes('error TS'));
    const ours = errors.filter((line) => !/^node_modules\/(?!agent-platform-sdk\/)/.test(line));
    if (errors.length === 0 || ours.length > 0) throw error;
  });
}

function runTests(folder: string, node: string, tests: readonly string[]): Promise<void> {
  // Vitest would pass over a file that is gone.
  for (const file of tests) statSync(join(folder, file));
  // Most of them wait.
  const settings = ['--maxWorkers=3', '--testTimeout=60000', '--hookTimeout=60000'];
  return run(folder, node, ['node_modules/vitest/vitest.mjs', 'run', ...tests, ...settings]);
}

/** Runs a program. Rejects with what it printed. */
async function run(folder: string, program: string, args: readonly string[]): Promise<void> {
  // Without the variables of this run of vitest.
  const { PATH, HOME } = process.env;
  const options = { cwd: folder, env: { PATH, HOME, CI: 'true', NO_COLOR: '1' }, maxBuffer: 2 ** 26 };
  await promisify(execFile)(program, args, options).catch((error: Error & { stdout?: string }) => {
    throw new Error(`${error.message}\n${error.stdout ?? ''}`);
  });
}

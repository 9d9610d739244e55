import { cpSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { execute, ownProject, root, tarball, tsc, writeTsconfig } from '../package/consumer.js';
import { downloaded, nodeBinary, npm } from '../runtimes/tool-cache.js';
import { allRows } from '../support/rows.js';

// No tests: the declarations of Vitest take the oldest compiler as long as all others.
const PEER_SOURCES = ['examples/msw-suite/copy-to-crm.ts', 'test/package/consumers/peers.ts'];
const PEER_TESTS = [
  'examples/msw-suite/copy-to-crm.test.ts',
  'test/latest/suite/inbox.test.ts',
  'test/bullmq/dead-letters.test.ts',
  'test/redis/dedupe.test.ts',
  'test/latest/suite/msw.test.ts',
  'test/latest/suite/worker.test.ts',
];
const SERVERS = ['bullmq-inbox/*', 'express-app/server.ts', 'fastify/server.ts', 'hono-worker/worker.ts'];

// Projects of users: the folder of that name pins the packages that it had first. `sources` are compiled there, and
// `tests`, which import the package by its name, run in each of `nodes`: `current` is the one that runs this file.
const PROJECTS = [
  {
    name: 'newest',
    typescript: 'typescript',
    sources: [...PEER_SOURCES, ...SERVERS.map((server) => `examples/${server}`)],
    tests: [...PEER_TESTS, 'examples/express-app/app.test.ts', 'test/webhooks/servers.test.ts'],
    nodes: allRows ? ['24.21.0', '26.10.0'] : ['26.10.0'],
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
  async ({ name, typescript, sources, tests, nodes }, context) => {
    const folder = ownProject(context.onTestFinished, {}, `test/latest/${name}`);
    // What is pinned, too. Without `--force`: npm refuses a package whose peer is out of range.
    await downloaded(npm(folder, 'install', '--no-save', tarball()), context);
    for (const copied of ['test', 'examples']) {
      cpSync(join(root, copied), join(folder, copied), { recursive: true });
    }
    const compiled = await compile(folder, typescript, sources);
    // msw 2.0.0 and 3.0.5 need the DOM types: errors in other packages do not count. Indented lines continue one.
    const errors = compiled.split('\n').filter((line) => /^\S/.test(line));
    context
      .expect(errors.filter((line) => !/^node_modules\/(?!agent-platform-sdk\/)/.test(line)))
      .toEqual([]);
    for (const version of nodes) {
      const node = version === 'current' ? process.execPath : await downloaded(nodeBinary(version), context);
      await runTests(folder, node, tests);
    }
  },
);

/** Compiles without the DOM types. Returns what the compiler prints. */
function compile(folder: string, typescript: string, include: readonly string[]): Promise<string> {
  const options = { lib: ['es2022'], types: ['node'], exactOptionalPropertyTypes: true, skipLibCheck: false };
  writeTsconfig(folder, options, include);
  return tsc(join(folder, 'node_modules', typescript), folder);
}

async function runTests(folder: string, node: string, tests: readonly string[]): Promise<void> {
  // Vitest would pass over a file that is gone.
  for (const file of tests) statSync(join(folder, file));
  // Most of them wait.
  const settings = ['--maxWorkers=3', '--testTimeout=60000', '--hookTimeout=60000'];
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...tests, ...settings];
  // Without the variables of this run of vitest.
  const { PATH, HOME } = process.env;
  const options = { cwd: folder, env: { PATH, HOME, CI: 'true', NO_COLOR: '1' }, maxBuffer: 2 ** 26 };
  await execute(node, args, options).catch((error: Error & { stdout?: string }) => {
    throw new Error(`${error.message}\n${error.stdout ?? ''}`);
  });
}

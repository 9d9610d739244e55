import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { loadRuntime } from './src/sqlite/runtime.js';
import { chromiumPath } from './test/support/chromium.js';
import { lacksPostgres } from './test/support/postgres-server.js';
import { type Missing, needs, runsElsewhere, titleMatches } from './test/support/vitest-plugins.js';

const hasSqlite = canLoadSqlite();
const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

const build: Missing = () => !existsSync('dist/index.js') && 'a build: npm run build';
const redisServer: Missing = () =>
  spawnSync('redis-server', ['--version']).error !== undefined &&
  'redis-server: apt-get install redis-server';
const chromium: Missing = () =>
  chromiumPath() === undefined && 'Chromium: apt-get install chromium, or its path in CHROMIUM';

function canLoadSqlite(): boolean {
  try {
    return loadRuntime() !== undefined;
  } catch {
    return false;
  }
}

function project(
  test: TestProjectInlineConfiguration['test'] & { readonly name: string },
  ...missing: readonly Missing[]
): TestProjectInlineConfiguration {
  return { extends: true, test, plugins: [needs(...missing), titleMatches()] };
}

/** On a Node without a safe SQLite, the project runs in Nodes that have one. */
function sqliteProject(
  test: TestProjectInlineConfiguration['test'] & { readonly name: string },
): TestProjectInlineConfiguration {
  const file = fileURLToPath(new URL('test/sqlite/nodes/elsewhere.test.ts', import.meta.url));
  return { extends: true, test, plugins: [hasSqlite ? titleMatches() : runsElsewhere(file)] };
}

export default defineConfig({
  resolve: {
    // Tests import the package by its name. The most specific alias is first, because the first match wins.
    alias: [
      { find: 'agent-platform-sdk/testing/msw', replacement: source('testing/msw.ts') },
      { find: 'agent-platform-sdk/testing', replacement: source('testing/index.ts') },
      { find: 'agent-platform-sdk/bullmq', replacement: source('bullmq/index.ts') },
      { find: 'agent-platform-sdk/sqlite', replacement: source('sqlite/index.ts') },
      { find: 'agent-platform-sdk/postgres', replacement: source('postgres/index.ts') },
      { find: 'agent-platform-sdk/redis', replacement: source('redis/index.ts') },
      { find: 'agent-platform-sdk', replacement: source('index.ts') },
    ],
  },
  test: {
    // Only for tests that hang. Generous, so that a busy machine fails no test.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { requireAssertions: true },
    projects: [
      project({
        name: 'unit',
        include: ['test/**/*.test.ts', 'examples/*/*.test.ts'],
        exclude: [
          'test/{sqlite,bullmq,redis,crash,package,runtimes,page,postgres,latest,examples}/**',
          '**/node_modules/**',
        ],
        maxWorkers: '100%',
      }),
      // Its tests start programs and the compiler.
      project({ name: 'examples', include: ['test/examples/*.test.ts'], testTimeout: 60_000 }),
      sqliteProject({
        name: 'sqlite',
        include: ['test/sqlite/*.test.ts'],
        // The tests mostly wait.
        maxWorkers: 3,
      }),
      project(
        // The tests mostly wait, each file for its own Redis.
        { name: 'redis', include: ['test/{bullmq,redis}/*.test.ts'], maxWorkers: 3 },
        redisServer,
      ),
      // CRASH_EVENTS=20000 is the full campaign, with default locks and time limits: a quarter of an hour on two cores.
      project(
        // Its files mostly wait.
        { name: 'crash', include: ['test/crash/*.test.ts'], testTimeout: 3_600_000, maxWorkers: 3 },
        redisServer,
      ),
      sqliteProject({
        name: 'crash-sqlite',
        include: ['test/crash/sqlite/*.test.ts'],
        testTimeout: 3_600_000,
        // One of its two files mostly waits.
        maxWorkers: 2,
        // After `sqlite` in a run of both: projects with different `maxWorkers` cannot share a group.
        sequence: { groupOrder: 1 },
      }),
      // A run that has both of these packs the package once.
      project({ name: 'package', include: ['test/package/*.test.ts'], ...packed() }, build),
      project({ name: 'runtimes', include: ['test/runtimes/*.test.ts'], ...packed() }, build),
      project({ name: 'latest', include: ['test/latest/*.test.ts'], ...packed() }, build, redisServer),
      project({ name: 'browser', include: ['test/page/*.test.ts'], testTimeout: 60_000 }, build, chromium),
      // The tests mostly wait, each file for its own Postgres.
      project({ name: 'postgres', include: ['test/postgres/*.test.ts'], maxWorkers: 3 }, lacksPostgres),
      project(
        {
          name: 'crash-postgres',
          include: ['test/crash/postgres/*.test.ts'],
          testTimeout: 3_600_000,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
        lacksPostgres,
      ),
    ],
  },
});

/** Tests of the packed package start compilers, bundlers and runtimes, and download some of them first. */
function packed() {
  return {
    globalSetup: 'test/package/global-setup.ts',
    testTimeout: 180_000,
    hookTimeout: 180_000,
    maxConcurrency: 2,
  };
}

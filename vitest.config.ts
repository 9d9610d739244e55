import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { lacksPostgres } from './scripts/postgres-server.js';
import { AREAS } from './test/mutation/areas.js';
import { chromiumPath } from './test/support/chromium.js';

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));
const isLong = process.env.RELIABILITY_LONG === '1';

/** `npm test` runs `unit`; `npm test -- --project redis` another, and several are named one by one. */
const projects: Readonly<Record<string, TestProjectInlineConfiguration['test']>> = {
  unit: {
    include: ['test/**/*.test.ts', 'examples/*/*.test.ts'],
    exclude: ['test/{bullmq,package,postgres,redis,reliability,site,page}/**'],
    setupFiles: 'test/support/no-secret-shown.ts',
  },
  redis: {
    include: ['test/{bullmq,redis}/*.test.ts'],
    globalSetup: 'test/redis/global-setup.ts',
    // The tests look at all keys of the one Redis.
    fileParallelism: false,
  },
  postgres: { include: ['test/postgres/*.test.ts'] },
  // `npm run test:reliability` sets the seed and the form of the run.
  reliability: {
    include: ['test/reliability/**/*.test.ts'],
    globalSetup: 'test/reliability/support/announce.ts',
    maxWorkers: 3,
    sequence: { groupOrder: 1 },
    testTimeout: isLong ? 900_000 : 300_000,
    hookTimeout: 60_000,
  },
  package: {
    include: ['test/package/*.test.ts'],
    globalSetup: 'test/package/global-setup.ts',
    // A compiler needs some seconds, and much longer where others run beside it.
    testTimeout: 180_000,
    hookTimeout: 120_000,
    maxConcurrency: 2,
    fileParallelism: false,
  },
  // The page of the fake, by clicking.
  browser: {
    include: ['test/page/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
  docs: {
    include: ['test/site/*.test.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
  // `test/mutation/run.ts` runs it, area by area, without the tests that start servers or draw thousands of cases.
  mutation: {
    include: [...(AREAS[process.env.MUTATION_AREA ?? '']?.tests ?? [])],
    exclude: ['test/webhooks/{examples,property}.test.ts'],
    // One start of the modules for all files: a mutant costs a second instead of ten.
    isolate: false,
    // Above what the slowest test takes in code that counts its mutants. Not far above: one mutant in four makes a test wait for ever.
    testTimeout: 8_000,
  },
};

/** The program or build that a project needs and this machine lacks. */
const lacks: Readonly<Record<string, () => string | false>> = {
  redis: () => spawnSync('redis-server', ['--version']).error !== undefined && 'redis-server',
  postgres: lacksPostgres,
  package: () => !existsSync('dist/index.js') && 'a build: npm run build',
  browser: () =>
    (!existsSync('dist/cli/page/page.js') && 'a build: npm run build') ||
    (chromiumPath() === undefined && 'Chromium, or the path of one in CHROMIUM'),
  docs: () =>
    (!existsSync('build/docs/index.html') && 'the site: npm run docs') ||
    (chromiumPath() === undefined && 'Chromium, or the path of one in CHROMIUM'),
};

const { values } = parseArgs({ strict: false, options: { project: { type: 'string', multiple: true } } });
const inMutation = process.env.MUTATION_AREA === undefined ? undefined : ['mutation'];
const asked = inMutation ?? values.project?.map(String) ?? ['unit'];
const skipped = asked.filter((name) => {
  if (!(name in projects)) throw new Error(`no project ${name}, but ${Object.keys(projects).join(', ')}`);
  const missing = lacks[name]?.();
  if (missing) console.log(`The project ${name} is skipped: it needs ${missing}`);
  return Boolean(missing);
});
if (asked.includes('unit')) {
  console.log(
    'Skipped here: --project redis (needs redis-server), postgres (Postgres), package (a build), docs (a browser), reliability (minutes); test:crash, test:runtimes',
  );
}

const alias = [
  // Tests import the package by its name. Most specific first: the first match wins.
  { find: 'agent-platform-sdk/testing/msw', replacement: source('testing/msw.ts') },
  { find: 'agent-platform-sdk/testing', replacement: source('testing/index.ts') },
  { find: 'agent-platform-sdk/bullmq', replacement: source('bullmq/index.ts') },
  { find: 'agent-platform-sdk/redis', replacement: source('redis/index.ts') },
  { find: 'agent-platform-sdk', replacement: source('index.ts') },
];
// A machine that is busy is no failure: what hangs ends here, and nothing is judged by the clock.
const rules = {
  testTimeout: 30_000,
  hookTimeout: 30_000,
  // A test whose assertions stand where nothing comes along would hold by mistake.
  expect: { requireAssertions: true },
};
const reports = process.env.TEST_REPORTS;

export default defineConfig({
  test: {
    projects: asked.map((name) => ({
      resolve: { alias },
      test: skipped.includes(name) ? { name, include: [] } : { name, ...rules, ...projects[name] },
    })),
    passWithNoTests: skipped.length > 0,
    coverage: { provider: 'v8', include: ['src/**'], reporter: ['text-summary', 'html'] },
    // `.ci/run` adds up what the reports say.
    reporters: reports
      ? ['default', ['json', { outputFile: `${reports}/${asked.join('-')}.json` }]]
      : ['default'],
  },
});

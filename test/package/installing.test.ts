import { cpSync, mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { expect, inject, onTestFinished, test } from 'vitest';
import { CACHE, downloaded, installTool } from '../runtimes/tool-cache.js';
import { allRows } from '../support/rows.js';
import {
  compile,
  execute,
  ownProject,
  project,
  removeLater,
  run,
  source,
  tarball,
  withZod4,
} from './consumer.js';

// What the inbox's dependencies ask of bundlers and package managers, as the inbox guide says.

const program = `
  import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
  const inbox = createBullMQInbox({ connection: 'redis://127.0.0.1:1', logLevel: 'off' });
  console.log(typeof inbox.store);
  process.exit();`;

test.each([
  ['an ES module', 'bundle.mjs', { format: 'esm' }, /Dynamic require of "events" is not supported/],
  ['an ES module, --packages=external', 'bundle.mjs', { format: 'esm', packages: 'external' }, undefined],
  ['CommonJS', 'bundle.cjs', { format: 'cjs' }, undefined],
] as const)('esbuild bundles the inbox as %s', async (_, name, options, problem) => {
  const folder = project({ 'inbox.mjs': program });
  await build({
    entryPoints: [join(folder, 'inbox.mjs')],
    outfile: join(folder, name),
    bundle: true,
    platform: 'node',
    logLevel: 'silent',
    ...options,
  });
  if (problem === undefined) expect(run(folder, name)).toBe('function\n');
  else expect(() => run(folder, name)).toThrow(problem);
});

test('a deployment that @vercel/nft traces contains the inbox and its peers', async () => {
  const folder = project({ 'inbox.mjs': program });
  const nft = createRequire(join(await installTool('@vercel/nft@1.11.5'), 'any.cjs'))('@vercel/nft') as {
    nodeFileTrace(files: readonly string[], options: object): Promise<{ readonly fileList: Set<string> }>;
  };
  const base = inject('consumer');
  const { fileList } = await nft.nodeFileTrace([join(folder, 'inbox.mjs')], { base });
  const deployed = mkdtempSync(join(tmpdir(), 'sdk-traced-'));
  onTestFinished(() => removeLater(deployed));
  for (const file of fileList) cpSync(join(base, file), join(deployed, file), { recursive: true });
  expect(run(join(deployed, relative(base, folder)), 'inbox.mjs')).toBe('function\n');
});

const PNPM = ['pnpm@12.21.0', '.bin/pnpm'] as const;
/** The command that adds packages, by manager: the tool, its program, its arguments. */
const MANAGERS = {
  npm: ['npm', '', ['install', '--ignore-scripts', '--no-audit', '--prefer-offline']],
  pnpm: [...PNPM, ['add', '--store-dir', join(CACHE, 'pnpm-store')]],
  'yarn 4': ['@yarnpkg/cli-dist@4.18.1', '@yarnpkg/cli-dist/bin/yarn.js', ['add']],
} as const;
type Manager = keyof typeof MANAGERS;

const ZODS = ['3.25.76', '4.0.0', '4.6.7'];
const names = Object.keys(MANAGERS) as Manager[];
/** The gate tries each manager and each zod once. */
const pairs = names.flatMap((manager, row) =>
  ZODS.filter((_, column) => allRows || column === row).map((zod) => [manager, zod] as const),
);

// typescript-sdk#2737 of modelcontextprotocol: zod's minor version is in its types, so a program needs one copy.
test.for(pairs)(
  '%s installs one zod for the program and the package: %s',
  async ([manager, zod], context) => {
    const [tool, path, args] = MANAGERS[manager];
    const folder = ownProject(onTestFinished, {
      'yarn.lock': '',
      '.yarnrc.yml': 'nodeLinker: node-modules\nenableTelemetry: false\n',
      'program.ts': withZod4(source('program.ts')),
    });
    cpSync(tarball(), join(folder, 'package.tgz'));
    const env = { ...process.env, PNPM_HOME: folder, YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' };
    const command = tool === 'npm' ? 'npm' : join(await downloaded(installTool(tool), context), path);
    await execute(command, [...args, 'agent-platform-sdk@file:./package.tgz', `zod@${zod}`], {
      cwd: folder,
      env,
    });
    expect(await compile(folder, { skipLibCheck: false })).toBe('');
    const code = "console.log(typeof require('agent-platform-sdk').endpoint)";
    expect(run(folder, '--eval', code)).toBe('function\n');
  },
);

test.runIf(allRows)(
  "pnpm installs the inbox's packages once the build of msgpackr-extract is refused",
  async () => {
    const [tool, path] = PNPM;
    const pnpm = join(await installTool(tool), path);
    const cwd = ownProject(onTestFinished, { 'inbox.js': program });
    const store = ['--store-dir', join(CACHE, 'pnpm-store')];
    const options = { cwd, env: { ...process.env, PNPM_HOME: cwd } };
    const add = execute(pnpm, ['add', ...store, tarball(), 'bullmq@6.7.0', 'ioredis@6.0.0'], options);
    await expect(add).rejects.toThrow('ERR_PNPM_IGNORED_BUILDS');
    await execute(pnpm, ['approve-builds', '!msgpackr-extract'], options);
    await execute(pnpm, ['install', ...store], options);
    expect(run(cwd, 'inbox.js')).toBe('function\n');
  },
);

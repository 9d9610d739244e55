import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { downloaded, installTool } from '../runtimes/tool-cache.js';
import { project, removeLater, run, source, withZod4 } from './consumer.js';

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

// typescript-sdk#2737 of modelcontextprotocol: zod's minor version is in its types, so a program needs one copy.
describe.for(['3.25.76', '4.0.0', '4.6.7'])('zod %s of the program', (zod) => {
  test.for([
    ['npm', 'npm', 'npm/bin/npm-cli.js', ['install', '--ignore-scripts', '--no-audit', '--prefer-offline']],
    ['pnpm', 'pnpm@12.21.0', '.bin/pnpm', ['add', '--store-dir', '.store']],
    ['yarn 4', '@yarnpkg/cli-dist@4.18.1', '@yarnpkg/cli-dist/bin/yarn.js', ['add']],
  ] as const)('is the one of the package, by %s', async ([manager, tool, path, args], context) => {
    const folder = mkdtempSync(join(tmpdir(), 'sdk-zod-'));
    onTestFinished(() => removeLater(folder));
    cpSync(join(inject('consumer'), 'package.tgz'), join(folder, 'package.tgz'));
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    writeFileSync(join(folder, 'yarn.lock'), '');
    writeFileSync(join(folder, '.yarnrc.yml'), 'nodeLinker: node-modules\nenableTelemetry: false\n');
    writeFileSync(join(folder, 'program.ts'), withZod4(source('loose.ts')));
    const env = { ...process.env, PNPM_HOME: folder, YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' };
    const command = manager === 'npm' ? 'npm' : join(await downloaded(installTool(tool), context), path);
    const packages = ['agent-platform-sdk@file:./package.tgz', `zod@${zod}`];
    await promisify(execFile)(command, [...args, ...packages], { cwd: folder, env });
    const tsc = join(inject('consumer'), 'node_modules/typescript-7.0/bin/tsc');
    const options = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--target', 'es2022'];
    const modules = ['--module', 'nodenext', '--moduleResolution', 'nodenext'];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [tsc, ...options, ...modules, 'program.ts'],
      { cwd: folder },
    ).catch((error: { readonly stdout: string }) => error);
    expect(stdout).toBe('');
    expect(run(folder, '--eval', "console.log(typeof require('agent-platform-sdk').endpoint)")).toBe(
      'function\n',
    );
  });
});

test("pnpm installs the inbox's packages once the build of msgpackr-extract is refused", async () => {
  const pnpm = join(await installTool('pnpm@12.21.0'), '.bin/pnpm');
  const folder = mkdtempSync(join(tmpdir(), 'sdk-pnpm-'));
  onTestFinished(() => removeLater(folder));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  writeFileSync(join(folder, 'inbox.js'), program);
  const options = { cwd: folder, env: { ...process.env, PNPM_HOME: folder } };
  const tarball = join(inject('consumer'), 'package.tgz');
  const add = promisify(execFile)(
    pnpm,
    ['add', '--store-dir', '.store', tarball, 'bullmq@6.7.0', 'ioredis@6.0.0'],
    options,
  );
  await expect(add).rejects.toThrow('ERR_PNPM_IGNORED_BUILDS');
  await promisify(execFile)(pnpm, ['approve-builds', '!msgpackr-extract'], options);
  await promisify(execFile)(pnpm, ['install', '--store-dir', '.store'], options);
  expect(run(folder, 'inbox.js')).toBe('function\n');
});

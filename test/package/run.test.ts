import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { expect, inject, onTestFinished, test } from 'vitest';
import { downloaded, installTool } from '../runtimes/tool-cache.js';
import { installedPackage, ownProject, project, run, source } from './consumer.js';

const program = source('program.mjs');
const asCommonJS = (code: string): string =>
  code.replaceAll(/^import (\{.*\}) from (.*);$/gm, 'const $1 = require($2);');
const programs = project({
  'program.mjs': program,
  'program.cjs': asCommonJS(program),
});

test.each(['program.mjs', 'program.cjs'])('Node runs %s', (program) => {
  expect(JSON.parse(run(programs, program))).toEqual({
    className: 'AgentPlatform',
    tool: true,
    missing: ['NotFoundError', 'not_found_error', 404],
    refused: [true, true, true, true],
    handlers: true,
  });
});

/** A project outside the shared one, with the package and the named ones of its peers. */
function projectWith(...peers: readonly string[]): string {
  const folder = ownProject(onTestFinished);
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  cpSync(installedPackage(), join(modules, 'agent-platform-sdk'), { recursive: true });
  for (const peer of peers) symlinkSync(join(inject('consumer'), 'node_modules', peer), join(modules, peer));
  return folder;
}

test.each([
  ['bullmq', '(bullmq|ioredis)'],
  ['postgres', 'pg'],
  ['redis', 'ioredis'],
  ['testing/msw', 'msw'],
])("Node's error names the peer that %s needs", (entry, peer) => {
  const folder = projectWith();
  for (const code of [`import 'agent-platform-sdk/${entry}'`, `require('agent-platform-sdk/${entry}')`]) {
    const type = code.startsWith('import') ? 'module' : 'commonjs';
    const { stderr } = spawnSync(process.execPath, [`--input-type=${type}`, '--eval', code], { cwd: folder });
    expect(String(stderr)).toMatch(new RegExp(`Cannot find (package|module) '${peer}'`));
  }
});

test('the command starts without peers, and says which ones doctor needs', () => {
  const folder = projectWith();
  const command = 'node_modules/agent-platform-sdk/dist/cli/index.js';
  expect(run(folder, command, '--help')).toContain('agent-platform-sdk <command>');
  expect(run(folder, command, 'trigger', '--help')).toContain('trigger');
  const env = { ...process.env, REDIS_URL: 'redis://127.0.0.1:1' };
  const { stdout } = spawnSync(process.execPath, [command, 'doctor', '--redis'], { cwd: folder, env });
  expect(String(stdout)).toMatch(/fail +inbox +Cannot find package '(bullmq|ioredis)'/);
});

// jest#10431, jsdom#2524. msw and pg read them themselves.
test('loads every entry point without what a platform may lack', () => {
  // The package's own.
  const { exports } = JSON.parse(readFileSync(join(installedPackage(), 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, unknown>>;
  };
  const entries = Object.keys(exports).filter((entry) => !/json$|msw$|postgres$/.test(entry));
  expect(entries).toContain('./testing');
  const code = `
    import { createRequire } from 'node:module';
    const require = createRequire(import.meta.filename ?? process.cwd() + '/any.mjs');
    const lacking = ['TextEncoder', 'TextDecoder', 'Request', 'Response', 'Headers', 'fetch'];
    for (const name of lacking) delete globalThis[name];
    for (const entry of ${JSON.stringify(entries)}) {
      const name = entry.replace('.', 'agent-platform-sdk');
      console.log(Object.keys(await import(name)).length > 0, Object.keys(require(name)).length > 0);
    }
    process.exit();`;
  const printed = run(project({ 'load.mjs': code }), 'load.mjs')
    .trim()
    .split('\n');
  expect(printed).toEqual(entries.map(() => 'true true'));
});

test.for(['node', 'jsdom', 'jsdom-fetch', 'automock'])('Jest runs %s', async (name, context) => {
  const jest = await downloaded(installTool('jest@30.5.2'), context);
  const jsdom = await downloaded(installTool('jest-environment-jsdom@30.5.2'), context);
  const undici = await downloaded(installTool('undici@6.29.1'), context);
  const folder = project({ 'any.test.cjs': source(`${name}.test.cjs`), 'package.json': '{}' });
  const environment = name.startsWith('jsdom') ? join(jsdom, 'jest-environment-jsdom') : 'node';
  const args = ['--rootDir', folder, '--testMatch', '**/*.test.cjs', '--testEnvironment', environment];
  const cli = join(jest, 'jest/bin/jest.js');
  const env = { ...process.env, UNDICI: join(undici, 'undici') };
  const { status, stderr } = spawnSync(process.execPath, [cli, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  expect([stderr, status]).toEqual([expect.stringContaining('1 passed'), 0]);
});

test('does not load the HTTP, TLS or crypto modules of Node when imported', () => {
  const code = `import 'agent-platform-sdk'; console.log(process.moduleLoadList.join());`;
  const loaded = run(inject('consumer'), '--input-type=module', '--eval', code).split(',');
  expect(loaded.filter((name) => /crypto|\bhttps?\b|\btls\b|\bzlib\b/.test(name))).toEqual([]);
});

test('keeps its own wording of issues, whatever the user sets with z.config', () => {
  const code = `
    import { AgentPlatform } from 'agent-platform-sdk';
    import * as z from 'zod';
    z.config({ customError: () => 'custom', localeError: () => 'local' });
    const fetch = async () => Response.json({ success: true, message: '', data: { id: 7 } });
    const baseUrls = { eu: 'https://eu.example' };
    const platform = new AgentPlatform({ region: 'eu', token: 'a-whole-token', baseUrls, fetch });
    await platform.tools.get('tool', { validation: 'strict' }).catch(({ issues }) => console.log(issues[0].message));`;
  expect(run(inject('consumer'), '--input-type=module', '--eval', code)).toContain('expected string');
});

/** Bundles and minifies a user's program. */
async function bundle(contents: string, options: BuildOptions) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: inject('consumer') },
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'silent',
    ...options,
  });
  const text = outputFiles?.[0]?.text ?? '';
  const imports = Object.values(metafile?.outputs ?? {}).flatMap((output) => output.imports);
  return { text, imports: imports.map(({ path }) => path), inputs: Object.keys(metafile?.inputs ?? {}) };
}

const edge: BuildOptions = { platform: 'neutral', conditions: ['workerd', 'worker', 'module', 'import'] };
const browser: BuildOptions = { platform: 'browser' };

test.each([
  ['the package', 'the edge', 'agent-platform-sdk', edge],
  ['the fake', 'the edge', 'agent-platform-sdk/testing', edge],
  ['the fake', 'a browser', 'agent-platform-sdk/testing', browser],
])('bundles %s for %s without Node or another package', async (_what, _where, entry, options) => {
  const { text, imports, inputs } = await bundle(`export * from '${entry}';`, options);
  expect(text).toContain(entry === 'agent-platform-sdk' ? 'RateLimitError' : 'lead_captured');
  expect(imports).toEqual([]);
  if (entry === 'agent-platform-sdk') expect(text).not.toMatch(/["']node:/);
  const ours = /^<stdin>$|agent-platform-sdk\/dist\//;
  expect(inputs.filter((file) => !ours.test(file))).toEqual([]);
});

test('keeps the names of errors in a minified bundle', async () => {
  const code = `
    import * as sdk from 'agent-platform-sdk';
    const classes = Object.entries(sdk).filter(([name]) => name.endsWith('Error'));
    console.log(classes.map(([name]) => name).join());
    // Some take a message first, others their parts.
    const either = Object.assign(new String('text'), { issues: [], type: 'text' });
    console.log(classes.map(([, type]) => new type(either, either).name).join());
    console.log(new sdk.ConfigurationError('A message.', { option: 'token' }).stack);`;
  const { text } = await bundle(code, edge);
  expect(text).not.toContain('class RateLimitError');
  const [exported, names, printed] = run(project({ 'bundled.mjs': text }), 'bundled.mjs').split('\n');
  expect(exported).toContain('RateLimitError');
  expect(names).toBe(exported);
  expect(printed).toBe('ConfigurationError: A message.');
});

test.each([
  ['index', []],
  ['testing/index', []],
  ['testing/msw', ['msw']],
  ['redis/index', ['ioredis']],
  ['bullmq/index', ['bullmq', 'ioredis']],
  ['sqlite/index', []],
  ['postgres/index', ['pg']],
])('imports for %s only the packages %j', async (entry, peers) => {
  for (const suffix of ['js', 'cjs']) {
    const file = join(installedPackage(), `dist/${entry}.${suffix}`);
    const { imports } = await bundle(`export * from '${file}';`, { platform: 'node', packages: 'external' });
    const packages = new Set(imports.filter((path) => !path.startsWith('node:')));
    expect([...packages].sort()).toEqual(peers);
  }
});

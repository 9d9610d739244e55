import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { expect, inject, onTestFinished, test } from 'vitest';
import { downloaded, installTool } from '../runtimes/tool-cache.js';
import { installedPackage, ownProject, project, run, source } from './consumer.js';

/** Creates a project outside the shared one, with the package and none of its peers. */
function withoutPeers(): string {
  const folder = ownProject(onTestFinished);
  cpSync(installedPackage(), join(folder, 'node_modules/agent-platform-sdk'), { recursive: true });
  return folder;
}

test("Node's error names the peer that an entry point needs", () => {
  const code = `
    import { createRequire } from 'node:module';
    const require = createRequire(import.meta.url);
    for (const entry of ['bullmq', 'postgres', 'redis', 'testing/msw']) {
      await import('agent-platform-sdk/' + entry).catch(({ message }) => console.log(message));
      try { require('agent-platform-sdk/' + entry); } catch ({ message }) { console.log(message); }
    }`;
  const folder = withoutPeers();
  writeFileSync(join(folder, 'load.mjs'), code);
  const named = run(folder, 'load.mjs').matchAll(/^Cannot find (?:package|module) '(.*?)'/gm);
  const peers = [...named].map(([, peer = '']) => peer.replace('bullmq', 'ioredis'));
  expect(peers).toEqual(['ioredis', 'ioredis', 'pg', 'pg', 'ioredis', 'ioredis', 'msw', 'msw']);
});

test('the command starts without peers, and says which ones doctor needs', () => {
  const folder = withoutPeers();
  const command = 'node_modules/agent-platform-sdk/dist/cli/index.js';
  expect(run(folder, command, '--help')).toContain('agent-platform-sdk <command>');
  const env = { ...process.env, REDIS_URL: 'redis://127.0.0.1:1' };
  const { stdout } = spawnSync(process.execPath, [command, 'doctor', '--redis'], { cwd: folder, env });
  expect(String(stdout)).toMatch(/fail +inbox +Cannot find package '(bullmq|ioredis)'/);
});

// jest#10431, jsdom#2524. msw and pg read them themselves.
test('loads every entry point in both formats, without what a platform may lack', () => {
  // The package's own.
  const { exports } = JSON.parse(readFileSync(join(installedPackage(), 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, unknown>>;
  };
  const entries = Object.keys(exports).filter((entry) => !entry.endsWith('json'));
  expect(entries).toContain('./testing/msw');
  const code = `
    import { createRequire } from 'node:module';
    const require = createRequire(import.meta.url);
    const load = async (entry) => {
      const name = entry.replace('.', 'agent-platform-sdk');
      console.log(Object.keys(await import(name)).length > 0, Object.keys(require(name)).length > 0);
    };
    const entries = ${JSON.stringify(entries)};
    const needing = entries.filter((entry) => /msw|postgres/.test(entry));
    const { TextEncoder, TextDecoder, Request, Response, Headers, fetch } = globalThis;
    const lacking = { TextEncoder, TextDecoder, Request, Response, Headers, fetch };
    for (const name of Object.keys(lacking)) delete globalThis[name];
    for (const entry of entries) if (!needing.includes(entry)) await load(entry);
    Object.assign(globalThis, lacking);
    for (const entry of needing) await load(entry);
    process.exit();`;
  const printed = run(project({ 'load.mjs': code }), 'load.mjs')
    .trim()
    .split('\n');
  expect(printed).toEqual(entries.map(() => 'true true'));
});

test('Jest runs programs, also with jsdom and with an automock', async (context) => {
  const jest = await downloaded(installTool('jest@30.5.2'), context);
  const jsdom = await downloaded(installTool('jest-environment-jsdom@30.5.2'), context);
  const undici = await downloaded(installTool('undici@6.29.1'), context);
  const rootDir = project({
    'node.test.cjs': source('node.test.cjs'),
    'jsdom.test.cjs': source('jsdom.test.cjs'),
    'package.json': '{}',
  });
  const environments = { node: 'node', jsdom: join(jsdom, 'jest-environment-jsdom') };
  const projects = Object.entries(environments).map(([name, testEnvironment]) => ({
    rootDir,
    testEnvironment,
    testMatch: [`**/${name}.test.cjs`],
  }));
  const args = [join(jest, 'jest/bin/jest.js'), '--runInBand', '--config', JSON.stringify({ projects })];
  const env = { ...process.env, UNDICI: join(undici, 'undici') };
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: rootDir, env, encoding: 'utf8' });
  expect([stderr, status]).toEqual([expect.stringMatching(/^Tests: +4 passed, 4 total$/m), 0]);
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

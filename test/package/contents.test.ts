import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { expect, inject, test } from 'vitest';
import { filesIn } from '../../scripts/files.js';
import { root } from './install.js';

const home = join(inject('consumer'), 'node_modules', 'agent-platform-sdk');

const inPackage = (suffix: string): string[] => filesIn(home, suffix);

const read = (path: string): string => readFileSync(path, 'utf8');

/** The built files and their bytes. */
function built(): Map<string, string> {
  return new Map(
    filesIn(join(root, 'dist'), '')
      .filter(isFile)
      .map((file) => [file, read(file)]),
  );
}

const isFile = (path: string): boolean => /\.[cm]?[jt]s(\.map)?$/.test(path);

test('the package holds only what its users need', () => {
  const listed = execFileSync('tar', ['-tzf', inject('tarball')], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const intended =
    /^package\/(dist\/.+|package\.json|README\.md|CHANGELOG\.md|LICENSE|THIRD-PARTY-LICENSES|openapi\.json)$/;
  expect(listed.filter((path) => !intended.test(path))).toEqual([]);
});

test('the license of every bundled package travels with it', () => {
  const licenses = read(join(home, 'THIRD-PARTY-LICENSES'));
  const sources = inPackage('.map').flatMap(
    (path) => (JSON.parse(read(path)) as { sources: string[] }).sources,
  );
  const bundled = new Set(
    sources.flatMap((source) => /.*node_modules\/([^/@]+|@[^/]+\/[^/]+)/.exec(source)?.[1] ?? []),
  );
  expect(bundled).toContain('zod');
  for (const name of bundled) {
    const folder = join(root, 'node_modules', name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry)) ?? '';
    expect(licenses).toContain(`${name}\n\n${read(join(folder, file)).trim()}`);
  }
});

test('classes keep the names that users read in their logs', () => {
  const renamed = [...inPackage('.js'), ...inPackage('.cjs')].flatMap((path) =>
    [...read(path).matchAll(/= class (_\w+)/g)].map((match) => match[1]),
  );
  // ky's own class is never shown.
  expect(renamed.filter((name) => name !== '_Ky')).toEqual([]);
});

test('source maps carry their sources and no path of the machine that built them', () => {
  const maps = inPackage('.map').map((path) => ({ path, text: read(path) }));
  expect(maps.length).toBeGreaterThan(0);
  const machinePath = (text: string) => text.includes(root) || text.includes(`${homedir()}/`);
  expect(maps.filter(({ text }) => machinePath(text)).map(({ path }) => path)).toEqual([]);
  const sources = maps.flatMap(({ text }) => (JSON.parse(text) as { sources: string[] }).sources);
  expect(sources.filter((source) => source.startsWith('/') || source.includes('://'))).toEqual([]);
});

test('no JavaScript needs a package that is not installed with it', () => {
  const optional = new Set(['msw', 'bullmq', 'ioredis']);
  const specifiers = [...inPackage('.js'), ...inPackage('.cjs')].flatMap((path) =>
    [...read(path).matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)"|\brequire\('([^']+)'\)/gm)].map(
      (match) => match[1] ?? match[2] ?? '',
    ),
  );
  const foreign = specifiers.filter((name) => !name.startsWith('.') && !name.startsWith('node:'));
  expect(foreign.filter((name) => !optional.has(name))).toEqual([]);
});

/** A declaration file, and those that it imports, directly or not, with the packages that they import types of. */
function reachableFrom(file: string, found = new Map<string, string[]>()): Map<string, string[]> {
  if (found.has(file)) return found;
  const imported = ts.preProcessFile(read(file)).importedFiles.map(({ fileName }) => fileName);
  found.set(
    file,
    imported.filter((name) => !name.startsWith('.')),
  );
  for (const name of imported.filter((one) => one.startsWith('.'))) {
    reachableFrom(join(dirname(file), name.replace(/\.(c?)js$/, '.d.$1ts')), found);
  }
  return found;
}

test.each([
  ['index', []],
  ['testing/index', []],
  ['testing/msw', ['msw']],
  ['redis/index', ['ioredis']],
  ['bullmq/index', ['bullmq', 'ioredis']],
])('the declarations of %s say no any, and import types of zod and of %j alone', (entry, peers) => {
  const allowed = ['zod/mini', 'zod/v4/core', ...peers];
  for (const suffix of ['d.ts', 'd.cts']) {
    const files = reachableFrom(join(home, 'dist', `${entry}.${suffix}`));
    expect([...files.values()].flat().filter((name) => !allowed.includes(name))).toEqual([]);
    const code = [...files.keys()].map((file) => read(file).replaceAll(/\/\*[\s\S]*?\*\/|'[^'\n]*'/g, ''));
    expect(code.filter((text) => /\bany\b/.test(text))).toEqual([]);
  }
});

test('CommonJS never calls import(), which Jest refuses', () => {
  expect(inPackage('.cjs').filter((path) => /\bimport\(/.test(read(path)))).toEqual([]);
});

test('a second build gives the same bytes', { timeout: 600_000 }, () => {
  const before = built();
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'ignore' });
  const after = built();
  const differing = [...new Set([...before.keys(), ...after.keys()])];
  expect(differing.filter((file) => before.get(file) !== after.get(file))).toEqual([]);
});

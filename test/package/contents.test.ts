import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import ts from 'typescript';
import { expect, inject, test } from 'vitest';
import { filesIn } from '../../scripts/files.js';
import { root } from './install.js';

const home = join(inject('consumer'), 'node_modules', 'agent-platform-sdk');

const inPackage = (suffix: string): string[] => filesIn(home, suffix);
const inDist = (suffix: string): string[] => filesIn(join(home, 'dist'), suffix);

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

test('the package holds only what its users need, in two mebibytes', () => {
  const folders = 'dist|docs/guides|docs/diagrams|examples|skills';
  const files = 'package.json|openapi.json|LICENSE|THIRD-PARTY-LICENSES|(README|CHANGELOG|AGENTS).md';
  const intended = new RegExp(`^((${folders})/.+|${files})$`);
  const held = filesIn(home, '').filter((path) => statSync(path).isFile());
  const names = held.map((path) => relative(home, path));
  expect(names.filter((name) => !intended.test(name))).toEqual([]);
  expect(names.filter((name) => /\.map$|metafile|package-lock/.test(name))).toEqual([]);
  const bytes = held.map((path) => statSync(path).size).reduce((sum, size) => sum + size);
  expect(bytes).toBeLessThanOrEqual(2 * 1024 * 1024);
});

test('every file that a document of the package links to is in the package', () => {
  const documents = inPackage('.md');
  const links = documents.flatMap((path) =>
    [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, link = '']) =>
      join(dirname(path), link),
    ),
  );
  expect(links.length).toBeGreaterThan(50);
  expect(links.filter((path) => !existsSync(path)).map((path) => relative(home, path))).toEqual([]);
});

test('the license of every bundled package travels with it', () => {
  const licenses = read(join(home, 'THIRD-PARTY-LICENSES'));
  const inputs = ['esm', 'cjs'].flatMap((format) => {
    const { inputs } = JSON.parse(read(join(root, `dist/metafile-${format}.json`))) as { inputs: object };
    return Object.keys(inputs);
  });
  const bundled = new Set(
    inputs.flatMap((input) => /.*node_modules\/([^/@]+|@[^/]+\/[^/]+)/.exec(input)?.[1] ?? []),
  );
  expect(bundled).toContain('zod');
  for (const name of bundled) {
    const folder = join(root, 'node_modules', name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry)) ?? '';
    expect(licenses).toContain(`${name}\n\n${read(join(folder, file)).trim()}`);
  }
});

test('classes keep the names that users read in their logs', () => {
  const renamed = [...inDist('.js'), ...inDist('.cjs')].flatMap((path) =>
    [...read(path).matchAll(/= class (_\w+)/g)].map((match) => match[1]),
  );
  // ky's own class is never shown.
  expect(renamed.filter((name) => name !== '_Ky')).toEqual([]);
});

test('stacks are read without source maps: no line is minified, and none names the machine that built it', () => {
  // The page of the fake is for browsers, and whole.
  const isPage = (path: string) => path.includes(join('cli', 'page'));
  const texts = [...inDist('.js'), ...inDist('.cjs')].filter((path) => !isPage(path)).map(read);
  const lines = texts.flatMap((text) => text.split('\n'));
  expect(lines.filter((line) => line.length > 2_000)).toEqual([]);
  expect(texts.filter((text) => text.includes('sourceMappingURL'))).toEqual([]);
  expect(texts.filter((text) => text.includes(root) || text.includes(`${homedir()}/`))).toEqual([]);
});

test('who imports the package loads nothing of the command and of its page, which stays small', () => {
  const page = join(home, 'dist', 'cli', 'page');
  const { exports } = JSON.parse(read(join(home, 'package.json'))) as { exports: object };
  const entries = [...JSON.stringify(exports).matchAll(/"\.\/(dist\/[^"]+\.c?js)"/g)].map(
    ([, file = '']) => file,
  );
  expect(entries).toHaveLength(10);
  const loaded = new Set<string>();
  for (const entry of entries) addLoaded(join(home, entry), loaded);
  expect(loaded.size).toBeGreaterThan(20);
  expect(
    [...loaded].filter((file) => file.includes(join('dist', 'cli')) || /\bhono\b/.test(read(file))),
  ).toEqual([]);

  const bytes = filesIn(page, '').map((file) => gzipSync(readFileSync(file)).length);
  expect(bytes).toHaveLength(3);
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(13 * 1024);
});

/** Adds a file, and what it imports or requires, at once or later. */
function addLoaded(file: string, loaded: Set<string>): void {
  if (loaded.has(file)) return;
  loaded.add(file);
  const imported = ts.preProcessFile(read(file), true, true).importedFiles.map(({ fileName }) => fileName);
  for (const name of imported.filter((one) => one.startsWith('.')))
    addLoaded(join(dirname(file), name), loaded);
}

test('no JavaScript needs a package that is not installed with it', () => {
  const optional = new Set(['msw', 'bullmq', 'ioredis']);
  const specifiers = [...inDist('.js'), ...inDist('.cjs')].flatMap((path) =>
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

test('CommonJS never calls import(), which Jest refuses, but for the description of the control of a served fake', () => {
  const calls = inDist('.cjs').flatMap((path) => read(path).match(/\bimport\([^)]*\)/g) ?? []);
  expect(calls.filter((call) => !/^import\(["']\.\.\/openapi-\w+\.cjs["']\)$/.test(call))).toEqual([]);
});

test('a second build gives the same bytes', { timeout: 600_000 }, () => {
  const before = built();
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'ignore' });
  const after = built();
  const differing = [...new Set([...before.keys(), ...after.keys()])];
  expect(differing.filter((file) => before.get(file) !== after.get(file))).toEqual([]);
});

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { filesIn, installedPackage, root } from './consumer.js';

const home = installedPackage();
const read = (file: string): string => readFileSync(join(home, file), 'utf8');
const scripts = [...filesIn(home, '.js'), ...filesIn(home, '.cjs')].filter((file) =>
  file.startsWith('dist/'),
);

test('contains only what users need, in at most 2.7 MB', () => {
  const folders = 'dist|docs/guides|examples|skills';
  const pictures = 'docs/page-(light|dark).webp';
  const files = 'package.json|openapi.json|LICENSE|THIRD-PARTY-LICENSES|(README|CHANGELOG).md';
  const intended = new RegExp(`^((${folders})/.+|${pictures}|${files})$`);
  const contained = filesIn(home);
  expect(contained.filter((file) => !intended.test(file))).toEqual([]);
  expect(
    contained.filter((file) => /\.map$|metafile|cli.*\.cjs$|package-lock|node_modules/.test(file)),
  ).toEqual([]);
  const bytes = contained.map((file) => statSync(join(home, file)).size).reduce((sum, size) => sum + size);
  expect(bytes).toBeLessThanOrEqual(2_700_000);
});

test('contains every file that its documents link to', () => {
  const links = filesIn(home, '.md').flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, link = '']) =>
      join(dirname(file), link),
    ),
  );
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((link) => !existsSync(join(home, link)))).toEqual([]);
});

test('contains the license of every bundled package', () => {
  const licenses = read('THIRD-PARTY-LICENSES');
  const inputs = ['esm', 'cjs'].flatMap((format) => {
    // esbuild wrote it in the build that was packed.
    const metafile = readFileSync(join(root, `dist/metafile-${format}.json`), 'utf8');
    return Object.keys((JSON.parse(metafile) as { inputs: object }).inputs);
  });
  const bundled = new Set(
    inputs.flatMap((input) => /.*node_modules\/([^/@]+|@[^/]+\/[^/]+)/.exec(input)?.[1] ?? []),
  );
  expect(bundled).toContain('zod');
  for (const name of bundled) {
    const folder = join(root, 'node_modules', name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry)) ?? '';
    expect(licenses).toContain(`${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}`);
  }
});

test('mentions no source map, and no path of the machine that built it', () => {
  expect(scripts.length).toBeGreaterThan(10);
  const revealing = scripts.filter((file) =>
    [root, `${homedir()}/`, 'sourceMappingURL'].some((text) => read(file).includes(text)),
  );
  expect(revealing).toEqual([]);
});

test('declares no type as any', () => {
  const declarations = [...filesIn(home, '.d.ts'), ...filesIn(home, '.d.cts')];
  expect(declarations.length).toBeGreaterThan(8);
  const code = (file: string) => read(file).replaceAll(/\/\*[\s\S]*?\*\/|'[^'\n]*'/g, '');
  expect(declarations.filter((file) => /\bany\b/.test(code(file)))).toEqual([]);
});

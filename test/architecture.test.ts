import { readdirSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = dirname(fileURLToPath(new URL('.', import.meta.url)));

/**
 * The folders that each folder of `src` may import beside itself, and the packages that may be imported there. Every arrow points to
 * a row above its own, so that the folders cannot form a circle. `.` is `src/index.ts`.
 */
const FOLDERS: Readonly<Record<string, { folders: string; packages?: RegExp }>> = {
  ground: { folders: '' },
  schemas: { folders: 'ground' },
  errors: { folders: 'ground schemas' },
  validation: { folders: 'ground schemas errors' },
  endpoints: { folders: 'ground schemas validation' },
  client: { folders: 'ground schemas errors validation endpoints', packages: /^ky$/ },
  webhooks: { folders: 'ground schemas errors validation' },
  '.': { folders: 'ground schemas errors validation endpoints client webhooks' },
  redis: { folders: 'ground errors validation webhooks', packages: /^(ioredis$|node:)/ },
  bullmq: { folders: 'ground errors validation webhooks redis', packages: /^(bullmq$|ioredis$|node:)/ },
  page: { folders: '', packages: /^hono\// },
  testing: {
    folders: 'ground schemas errors validation endpoints webhooks page',
    packages: /^(msw$|hono(\/|$)|node:)/,
  },
  cli: {
    folders: 'ground schemas errors validation client webhooks bullmq testing',
    packages: /^node:/,
  },
};

/** Files, not folders, that a package is kept to: what each imports, nobody needs who does not ask for it. */
const ONE_FILE: readonly (readonly [name: RegExp, file: string])[] = [
  [/^msw$/, 'testing/msw.ts'],
  [/^node:/, 'testing/server.ts'],
];

const files = typeScriptFiles('src');

function typeScriptFiles(directory: string): string[] {
  return readdirSync(posix.join(root, directory), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(tsx?|json)$/.test(file) && !file.includes('node_modules'))
    .sort();
}

function importsOf(file: string): string[] {
  const text = readFileSync(posix.join(root, 'src', file), 'utf8');
  return ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) =>
      fileName.startsWith('.')
        ? posix.join('src', posix.dirname(file), fileName).replace(/\.js$/, '.ts')
        : fileName,
    );
}

const folderOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] ?? '') : '.');

function isAllowed(file: string, imported: string): boolean {
  const folder = folderOf(file);
  const rule = FOLDERS[folder];
  if (imported.startsWith('src/')) {
    const target = imported.slice('src/'.length);
    const to = folderOf(target);
    const exists = files.includes(target) || files.includes(`${target}x`);
    return exists && (to === folder || rule?.folders.split(' ').includes(to) === true);
  }
  if (imported === 'zod/mini') return true;
  const kept = folder === 'testing' ? ONE_FILE.find(([name]) => name.test(imported))?.[1] : undefined;
  return rule?.packages?.test(imported) === true && (kept === undefined || kept === file);
}

test('every arrow points to a row above its own', () => {
  const rows = Object.keys(FOLDERS);
  const upwards = Object.entries(FOLDERS).flatMap(([folder, { folders }]) =>
    folders
      .split(' ')
      .filter((to) => to !== '' && rows.indexOf(to) >= rows.indexOf(folder))
      .map((to) => `${folder} -> ${to}`),
  );
  expect(upwards).toEqual([]);
});

test('a file imports only what its folder may, from files that exist', () => {
  const refused = files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => !isAllowed(file, imported))
      .map((imported) => `${file} -> ${imported}`),
  );
  expect(refused).toEqual([]);
});

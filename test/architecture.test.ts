import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
  utils: { folders: '' },
  schemas: { folders: 'utils' },
  errors: { folders: 'utils schemas' },
  validation: { folders: 'utils schemas errors' },
  endpoints: { folders: 'utils schemas validation' },
  client: { folders: 'utils schemas errors validation endpoints', packages: /^ky$/ },
  webhooks: { folders: 'utils schemas errors validation' },
  '.': { folders: 'utils schemas errors validation endpoints client webhooks' },
  inbox: { folders: 'utils errors validation webhooks' },
  sqlite: { folders: 'utils errors validation webhooks inbox' },
  postgres: { folders: 'utils errors validation webhooks inbox', packages: /^pg$/ },
  redis: { folders: 'utils errors validation webhooks', packages: /^(ioredis$|node:)/ },
  bullmq: { folders: 'utils errors validation webhooks inbox redis', packages: /^(bullmq$|ioredis$|node:)/ },
  testing: {
    folders: 'utils schemas errors validation endpoints webhooks',
    packages: /^(msw$|hono(\/|$)|idiomorph\/|node:)/,
  },
  cli: {
    folders: 'utils schemas errors validation endpoints client webhooks sqlite postgres bullmq testing',
    packages: /^node:/,
  },
};

/** The folders and files inside a folder, from the bottom up: each imports only itself and what is above its row. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  testing: [
    'fixtures',
    'conformance',
    'fake',
    'sending',
    'changes.ts',
    'http',
    'fake-platform.ts',
    'msw.ts',
    'index.ts',
  ],
};

/** Files, not folders, that a package is kept to: what each imports, nobody needs who does not ask for it. */
const ONE_FILE: readonly (readonly [name: RegExp, file: string])[] = [
  [/^msw$/, 'testing/msw.ts'],
  [/^node:/, 'testing/http/server.ts'],
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
        ? posix.join('src', posix.dirname(file), fileName).replace(/\.c?js$/, '.ts')
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
    // A text, as `./live.js?raw`.
    const isText = existsSync(posix.join(root, imported.replace(/\?raw$/, '')));
    const exists = isText || files.includes(`${target}x`);
    return exists && (to === folder || rule?.folders.split(' ').includes(to) === true);
  }
  if (imported === 'zod/v4/mini') return true;
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
  expect(upwards, 'Move one of the two rows of FOLDERS, or take the arrow out of it.').toEqual([]);
});

test('a file imports only what its folder may, from files that exist', () => {
  const refused = files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => !isAllowed(file, imported))
      .map((imported) => `${file} -> ${imported}`),
  );
  expect(
    refused,
    'Move what is imported to a folder that both may import. If the arrow is right, add it to FOLDERS above.',
  ).toEqual([]);
});

test.each(Object.entries(ROOMS))('no room of %s imports upwards', (folder, rooms) => {
  const roomOf = (file: string) => rooms.indexOf(file.split('/')[1] ?? '');
  const own = files.filter((file) => folderOf(file) === folder);
  expect(
    own.filter((file) => roomOf(file) < 0),
    'Give each a row in ROOMS.',
  ).toEqual([]);
  const upwards = own.flatMap((file) =>
    ownImportsOf(file)
      .filter((imported) => folderOf(imported) === folder && roomOf(imported) > roomOf(file))
      .map((imported) => `${file} -> ${imported}`),
  );
  expect(upwards, 'Move what is imported down, or pass it as an argument.').toEqual([]);
});

test('no file imports itself through others, types included', () => {
  const imports = new Map(files.map((file) => [file, ownImportsOf(file)]));
  const circles = files.flatMap((file) => {
    const way = wayBack(imports, file);
    return way === undefined ? [] : [way.join(' -> ')];
  });
  expect(
    circles,
    'Give what two files of the circle share a file of its own, which imports neither of them.',
  ).toEqual([]);
});

test('no folder inside a folder imports what imports it', () => {
  const imports = new Map<string, string[]>();
  for (const file of files) {
    const part = partOf(file);
    const others = ownImportsOf(file)
      .map(partOf)
      .filter((other) => other !== part);
    imports.set(part, [...(imports.get(part) ?? []), ...others]);
  }
  const upwards = [...imports.keys()].flatMap((part) => {
    const way = part.includes('.') ? undefined : wayBack(imports, part);
    return way === undefined ? [] : [way.join(' -> ')];
  });
  expect(upwards, 'Move what is imported into the folder below, or what imports it out of that.').toEqual([]);
});

/** The folder inside of a folder that a file is in, such as `webhooks/body`; a file that is in none. */
function partOf(file: string): string {
  const [folder, inner, ...rest] = file.split('/');
  return rest.length === 0 ? file : `${folder}/${inner}`;
}

/** The files of `src` that a file imports. */
function ownImportsOf(file: string): string[] {
  return importsOf(file)
    .filter((imported) => imported.startsWith('src/'))
    .map((imported) => imported.slice('src/'.length))
    .map((imported) => (files.includes(imported) ? imported : `${imported}x`));
}

/** The shortest way along imports from a file to itself. */
function wayBack(imports: ReadonlyMap<string, readonly string[]>, file: string): string[] | undefined {
  const ways = [[file]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const next of imports.get(way.at(-1) ?? '') ?? []) {
      if (next === file) return [...way, next];
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return undefined;
}

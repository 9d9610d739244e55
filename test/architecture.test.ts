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

const rows = Object.keys(FOLDERS);

/** Packages that one file of `testing` may import: nobody needs them who does not import that file. */
const ONE_FILE: readonly (readonly [name: RegExp, file: string])[] = [
  [/^msw$/, 'testing/msw.ts'],
  [/^node:/, 'testing/http/server.ts'],
];

const files = readdirSync(posix.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(tsx?|json)$/.test(file) && !file.includes('node_modules'))
  .sort();

interface Imports {
  /** Files of `src`. */
  readonly own: readonly string[];
  readonly packages: readonly string[];
}
const imports = new Map(files.map((file) => [file, importsOf(file)]));

function importsOf(file: string): Imports {
  const text = readFileSync(posix.join(root, 'src', file), 'utf8');
  const names = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  const isOwn = (name: string) => name.startsWith('.');
  return {
    own: names.filter(isOwn).map((name) => fileAt(posix.join(posix.dirname(file), name))),
    packages: names.filter((name) => !isOwn(name)),
  };
}

/** The file of an import: TypeScript, or a text such as `./live.js?raw`. */
function fileAt(path: string): string {
  const text = path.replace(/\?raw$/, '');
  const places = [text.replace(/\.c?js$/, '.ts'), text.replace(/\.js$/, '.tsx'), text];
  const found = places.find((place) => existsSync(posix.join(root, 'src', place)));
  if (found === undefined) throw new Error(`${path} is imported, and does not exist`);
  return found;
}

const folderOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] ?? '') : '.');

function mayImportFile(file: string, imported: string): boolean {
  const [from, to] = [folderOf(file), folderOf(imported)];
  const isListed = FOLDERS[from]?.folders.split(' ').includes(to) === true;
  return from === to || (isListed && rows.indexOf(to) < rows.indexOf(from));
}

function mayImportPackage(file: string, name: string): boolean {
  if (name === 'zod/v4/mini') return true;
  const folder = folderOf(file);
  const kept = folder === 'testing' ? ONE_FILE.find(([one]) => one.test(name))?.[1] : undefined;
  return FOLDERS[folder]?.packages?.test(name) === true && (kept === undefined || kept === file);
}

test('a file imports only what its folder may', () => {
  const refused = [...imports].flatMap(([file, { own, packages }]) => [
    ...own.filter((imported) => !mayImportFile(file, imported)).map((imported) => `${file} -> ${imported}`),
    ...packages.filter((name) => !mayImportPackage(file, name)).map((name) => `${file} -> ${name}`),
  ]);
  expect(
    refused,
    'Move what is imported to a folder that both may import. If the arrow is right, add it to FOLDERS above.',
  ).toEqual([]);
});

/** The folder inside of a folder that a file is in, such as `webhooks/body`; a file that is in none. */
function innerFolderOf(file: string): string {
  const [folder, inner, ...rest] = file.split('/');
  return rest.length === 0 ? file : `${folder}/${inner}`;
}

test.each<[what: string, partOf: (file: string) => string, help: string]>([
  ['file', (file) => file, 'Give what two files share a file of its own, which imports neither of them.'],
  ['folder inside a folder', innerFolderOf, 'Move what is imported down, or pass it as an argument.'],
])('no %s imports itself through others, types included', (_, partOf, help) => {
  const parts = new Map<string, string[]>();
  for (const [file, { own }] of imports) {
    const part = partOf(file);
    const others = own.map(partOf).filter((other) => other !== part);
    parts.set(part, [...(parts.get(part) ?? []), ...others]);
  }
  const circles = [...parts.keys()].flatMap((part) => wayBack(parts, part)?.join(' -> ') ?? []);
  expect(circles, help).toEqual([]);
});

/** The shortest way along imports from a part to itself. */
function wayBack(imports: ReadonlyMap<string, readonly string[]>, part: string): string[] | undefined {
  const ways = [[part]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const next of imports.get(way.at(-1) ?? '') ?? []) {
      if (next === part) return [...way, next];
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return undefined;
}

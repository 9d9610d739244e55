import { readdirSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = dirname(fileURLToPath(new URL('.', import.meta.url)));

/** Which layer a file belongs to: the first pattern that fits. */
const LAYERS: readonly (readonly [layer: string, files: RegExp])[] = [
  ['index', /^index\.ts$/],
  ['platform', /^platform\.ts$/],
  ['resources', /^resources\//],
  ['transport', /^(transport|api-promise)(\.ts$|\/)/],
  ['settings', /^(settings|options|option-checks|hooks|drift|base-url)\.ts$/],
  ['endpoints', /^endpoints\.ts$/],
  ['endpoint', /^(endpoint|response-shape)\.ts$/],
  ['validation', /^(validation|departures)\.ts$/],
  ['errors', /^errors(\.ts$|\/)/],
  ['schemas', /^schemas\//],
  ['ground', /^(byte-joiner|environment|issues|json|logger|redact|regions|standard-schema|version)\.ts$/],
  ['webhooks/events', /^webhooks\/(events\.ts$|payloads\/)/],
  ['webhooks', /^webhooks\//],
  ['redis', /^redis\//],
  ['bullmq', /^bullmq\//],
  ['testing/msw', /^testing\/msw\.ts$/],
  ['testing', /^testing\//],
  ['openapi', /^openapi(\.ts$|\/)/],
  ['cli', /^cli(\.ts$|\/)/],
];

const values = ['ground', 'schemas', 'errors', 'validation', 'endpoint'];

/** What each layer may import beside itself. Nothing leads upwards, so the layers cannot form a circle. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  ground: [],
  schemas: [],
  errors: ['ground'],
  validation: ['ground', 'schemas'],
  endpoint: ['ground', 'schemas', 'validation'],
  endpoints: ['ground', 'schemas', 'endpoint'],
  settings: ['ground', 'errors', 'validation'],
  transport: [...values, 'settings'],
  resources: [...values, 'endpoints', 'settings', 'transport'],
  platform: [...values, 'endpoints', 'settings', 'transport', 'resources'],
  'webhooks/events': ['schemas'],
  webhooks: ['ground', 'schemas', 'errors', 'validation', 'settings', 'webhooks/events'],
  index: [
    ...values,
    'endpoints',
    'settings',
    'transport',
    'resources',
    'platform',
    'webhooks/events',
    'webhooks',
  ],
  redis: ['ground', 'errors', 'settings', 'webhooks'],
  bullmq: ['ground', 'errors', 'settings', 'validation', 'webhooks/events', 'webhooks', 'redis'],
  openapi: ['ground', 'schemas', 'endpoint', 'endpoints', 'webhooks/events'],
  testing: [...values, 'endpoints', 'webhooks/events', 'webhooks'],
  'testing/msw': ['testing'],
  cli: ['ground', 'schemas', 'testing'],
};

/** Where a package may be imported. What is not listed here may be imported nowhere. */
const PACKAGES: readonly (readonly [name: RegExp, files: RegExp])[] = [
  [/^zod\/mini$/, /./],
  [/^msw$/, /^testing\/msw\.ts$/],
  [/^ioredis$/, /^(redis|bullmq)\//],
  [/^bullmq$/, /^bullmq\//],
  [/^node:/, /^(cli(\.ts$|\/)|redis\/|bullmq\/|testing\/http-server\.ts$)/],
];

const files = typeScriptFiles('src');

function typeScriptFiles(directory: string): string[] {
  return readdirSync(posix.join(root, directory), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
    .sort();
}

function importsOf(file: string): string[] {
  const text = readFileSync(posix.join(root, 'src', file), 'utf8');
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
}

function localImportsOf(file: string): string[] {
  return importsOf(file)
    .filter((name) => name.startsWith('.'))
    .map((name) => posix.join(posix.dirname(file), name).replace(/\.js$/, '.ts'));
}

function packagesOf(file: string): string[] {
  return importsOf(file).filter((name) => !name.startsWith('.'));
}

/** Every import that a rule refuses, as `importer -> imported`. */
function violations(
  importsFrom: (file: string) => string[],
  isAllowed: (importer: string, imported: string) => boolean,
): string[] {
  return files.flatMap((file) =>
    importsFrom(file)
      .filter((imported) => !isAllowed(file, imported))
      .map((imported) => `${file} -> ${imported}`),
  );
}

function layerOf(file: string): string | undefined {
  return LAYERS.find(([, pattern]) => pattern.test(file))?.[0];
}

function mayImport(importer: string, imported: string): boolean {
  const [from = '', to = ''] = [layerOf(importer), layerOf(imported)];
  return from === to || ARROWS[from]?.includes(to) === true;
}

/** The first circle that a walk along the imports of `file` meets, as the files on it. */
function circleFrom(file: string, path: readonly string[] = [], done = new Set<string>()): string[] {
  if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
  if (done.has(file)) return [];
  for (const imported of localImportsOf(file).filter((name) => files.includes(name))) {
    const circle = circleFrom(imported, [...path, file], done);
    if (circle.length > 0) return circle;
  }
  done.add(file);
  return [];
}

test('the arrows between layers form no circle', () => {
  const remaining = new Map(Object.entries(ARROWS));
  for (let size = -1; size !== remaining.size; ) {
    size = remaining.size;
    for (const [layer, imported] of remaining) {
      if (imported.every((name) => !remaining.has(name))) remaining.delete(layer);
    }
  }
  expect([...remaining.keys()]).toEqual([]);
});

test('every file belongs to a layer', () => {
  expect(files.filter((file) => !Object.hasOwn(ARROWS, String(layerOf(file))))).toEqual([]);
});

test('a file imports only what its layer may', () => {
  expect(violations(localImportsOf, mayImport)).toEqual([]);
});

test('an import names a file that exists, with its extension', () => {
  expect(violations(localImportsOf, (_, imported) => files.includes(imported))).toEqual([]);
});

test('a package is imported only where it belongs', () => {
  const isAllowed = (file: string, name: string) =>
    PACKAGES.some(([names, where]) => names.test(name) && where.test(file));
  expect(violations(packagesOf, isAllowed)).toEqual([]);
});

test('no imports form a circle, those of types included', () => {
  const circles = files.map((file) => circleFrom(file).join(' -> ')).filter((circle) => circle !== '');
  expect([...new Set(circles)]).toEqual([]);
});

test('files are named in kebab-case, but for the folders that Next takes for parameters', () => {
  const all = ['src', 'test', 'scripts', 'examples'].flatMap(typeScriptFiles);
  const name =
    /^([a-z0-9]+(-[a-z0-9]+)*\/|\[\w+\]\/)*[a-z0-9]+(-[a-z0-9]+)*(\.test|\.test-d|\.d|\.config)?\.ts$/;
  expect(all.filter((file) => !name.test(file))).toEqual([]);
});

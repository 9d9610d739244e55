import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { inject, test } from 'vitest';
import { allRows } from '../support/rows.js';
import { installedPackage, project, root, source, tsc, withZod4, writeTsconfig } from './consumer.js';

const installed = (name: string): string => join(inject('consumer'), 'node_modules', name);

/** The compilers, by their version: the project's own, and those of `global-setup.ts`. */
const compilerOf = (version: string): string =>
  version === '5.9' ? join(root, 'node_modules/typescript') : installed(`typescript-${version}`);

/** The same program twice: as an ES module it resolves `import`, as a CommonJS module `require`. */
const both = (program: string): Record<string, string> => files(source(program));
const files = (text: string): Record<string, string> => ({ 'esm.mts': text, 'common.cts': text });

interface Row {
  readonly typescript: '5.4' | '5.9' | '6.0' | '7.0';
  readonly resolution: 'bundler' | 'node16' | 'nodenext';
  /** The major version of `@types/node`, without the DOM types; or the DOM types alone. */
  readonly globals: 20 | 22 | 24 | 25 | 26 | 'DOM';
  /** Other options of the compiler. */
  readonly options?: object;
}

// Each value is in a row. The compilers before 7 take long, so the gate tries only 5.4, in `test/latest`.
const ROWS: readonly Row[] = [
  { typescript: '5.4', resolution: 'node16', globals: 20 },
  { typescript: '5.9', resolution: 'nodenext', globals: 22 },
  { typescript: '6.0', resolution: 'bundler', globals: 24 },
  { typescript: '7.0', resolution: 'nodenext', globals: 25 },
  { typescript: '7.0', resolution: 'bundler', globals: 26 },
  { typescript: '7.0', resolution: 'node16', globals: 'DOM' },
];

test.concurrent.for(ROWS.filter(({ typescript }) => allRows || typescript === '7.0'))(
  'compiles with TypeScript $typescript, $resolution, globals of $globals',
  async (row, { expect }) => {
    const folder = project(
      row.resolution === 'bundler' ? { 'program.ts': source('program.ts') } : both('program.ts'),
    );
    expect(await compile(row, folder)).toBe('');
  },
);

// The fastest compiler.
const USUAL: Row = { typescript: '7.0', resolution: 'nodenext', globals: 'DOM' };

test.concurrent.for([
  ['with `strict: false`', 'loose.ts', { strict: false, exactOptionalPropertyTypes: false }],
  ['with `strict: false` and `strictNullChecks`', 'loose.ts', { strict: false, strictNullChecks: true }],
  ['without `exactOptionalPropertyTypes`', 'program.ts', { exactOptionalPropertyTypes: false }],
] as const)('compiles %s', async ([, program, options], { expect }) => {
  expect(await compile({ ...USUAL, options }, project(both(program)))).toBe('');
});

test.concurrent('compiles with the oldest zod', async ({ expect }) => {
  const folder = project(files(withZod4(source('program.ts'))));
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  // A copy: a link would resolve zod beside the original.
  cpSync(installedPackage(), join(modules, 'agent-platform-sdk'), { recursive: true });
  symlinkSync(installed('zod-oldest'), join(modules, 'zod'));
  expect(await compile(USUAL, folder)).toBe('');
});

// zod#5452: an application and its dependency each have a copy.
test.concurrent('compiles the endpoints, schemas and errors of another copy', async ({ expect }) => {
  const program = source('two-copies.ts').replace(/(as other from )'.*'/, "$1'other-copy'");
  const folder = project(files(program));
  cpSync(installedPackage(), join(folder, 'node_modules/other-copy'), { recursive: true });
  expect(await compile(USUAL, folder)).toBe('');
});

test.concurrent('compiles without `strict`', async ({ expect }) => {
  expect(await compile(USUAL, project(both('loose.ts')), false)).toBe('');
});

/** Compiles a project, with the declarations of its packages. Returns what the compiler prints. */
function compile(
  { typescript, resolution, globals, options }: Row,
  folder: string,
  strict = true,
): Promise<string> {
  const compilerOptions = {
    lib: globals === 'DOM' ? ['es2022', 'dom', 'dom.iterable'] : ['es2022'],
    types: globals === 'DOM' ? [] : ['node'],
    module: resolution === 'bundler' ? 'esnext' : resolution,
    moduleResolution: resolution,
    strict,
    exactOptionalPropertyTypes: strict,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    ...options,
  };
  writeTsconfig(folder, compilerOptions, ['*']);
  if (globals !== 'DOM') {
    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
    symlinkSync(installed(`types-node-${globals}`), join(folder, 'node_modules/@types/node'));
  }
  return tsc(compilerOf(typescript), folder);
}

import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, test } from 'vitest';
import { allRows } from '../support/rows.js';
import {
  installed,
  installedPackage,
  project,
  root,
  source,
  TYPESCRIPT,
  tsc,
  writeTsconfig,
} from './consumer.js';

interface Row {
  readonly typescript: string;
  readonly resolution: 'bundler' | 'node16' | 'nodenext';
  /** The major version of `@types/node`, without the DOM types; or the DOM types alone. */
  readonly globals: 20 | 22 | 24 | 25 | 26 | 'DOM';
  readonly options?: Readonly<Record<string, boolean>>;
}

// Each value is in a row. The compilers before 7 take long, so the gate tries only 5.4, in `test/latest`.
const ROWS: readonly Row[] = [
  { typescript: '5.4', resolution: 'node16', globals: 20 },
  { typescript: '5.9', resolution: 'nodenext', globals: 22 },
  { typescript: '6.0', resolution: 'bundler', globals: 24 },
  { typescript: '7.0', resolution: 'nodenext', globals: 25 },
  { typescript: '7.0', resolution: 'bundler', globals: 26, options: { exactOptionalPropertyTypes: false } },
  { typescript: '7.0', resolution: 'node16', globals: 'DOM' },
  { typescript: '7.0', resolution: 'nodenext', globals: 'DOM', options: { strict: false } },
  {
    typescript: '7.0',
    resolution: 'node16',
    globals: 'DOM',
    options: { strict: false, strictNullChecks: true },
  },
];

/** Those of this repository. `global-setup.ts` installs the others. */
const compilers: Readonly<Record<string, string>> = {
  '5.9': join(root, 'node_modules/typescript'),
  '7.0': TYPESCRIPT,
};

// zod#5452: an application and its dependency each have a copy.
beforeAll(() => cpSync(installedPackage(), installed('other-copy'), { recursive: true }));

test.concurrent.for(ROWS.filter(({ typescript }) => allRows || typescript === '7.0'))(
  'compiles with TypeScript $typescript, $resolution, globals of $globals, $options',
  async ({ typescript, resolution, globals, options }, { expect }) => {
    const isStrict = options?.strict !== false;
    const programs = isStrict ? ['program.ts', 'two-copies.ts'] : ['loose.ts'];
    const folder = project(
      Object.fromEntries(programs.flatMap((name) => filesOf(name, resolution === 'bundler'))),
    );
    const isDom = globals === 'DOM';
    const compilerOptions = {
      lib: isDom ? ['es2022', 'dom', 'dom.iterable'] : ['es2022'],
      types: isDom ? [] : ['node'],
      module: resolution === 'bundler' ? 'esnext' : resolution,
      moduleResolution: resolution,
      exactOptionalPropertyTypes: isStrict,
      noUncheckedIndexedAccess: true,
      // With the declarations of the packages.
      skipLibCheck: false,
      ...options,
    };
    writeTsconfig(folder, compilerOptions, ['*']);
    if (!isDom) {
      mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
      symlinkSync(installed(`types-node-${globals}`), join(folder, 'node_modules/@types/node'));
    }
    expect(await tsc(compilers[typescript] ?? installed(`typescript-${typescript}`), folder)).toBe('');
  },
);

/** A program twice: as an ES module it resolves `import`, as a CommonJS module `require`. Bundlers only resolve `import`. */
function filesOf(name: string, isBundled: boolean): [file: string, text: string][] {
  const text = source(name).replace(/(as other from )'.*'/, "$1'other-copy'");
  return isBundled
    ? [[name, text]]
    : [
        [name.replace('.ts', '.mts'), text],
        [name.replace('.ts', '.cts'), text],
      ];
}

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject, test } from 'vitest';
import { installedPackage, project, root, source } from './consumer.js';

const installed = (name: string): string => join(inject('consumer'), 'node_modules', name);
const OURS = join(root, 'node_modules/typescript');

/** The same program twice: as an ES module it resolves `import`, as a CommonJS module `require`. */
const both = (program: string): Record<string, string> => ({
  'esm.mts': source(program),
  'common.cts': source(program),
});

/** Compiles a project strictly, with the declarations of its packages. Returns what the compiler prints. */
function compile(typescript: string, folder: string, settings: object = {}): Promise<string> {
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    ...settings,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*'] }));
  return new Promise((resolve) => {
    // If there are errors, tsc exits with 1 or 2, after printing them.
    execFile(process.execPath, [join(typescript, 'bin/tsc')], { cwd: folder }, (_error, stdout, stderr) =>
      resolve((stdout + stderr).trim()),
    );
  });
}

test.concurrent.for([
  ['the oldest TypeScript', () => installed('typescript-oldest')],
  ['our TypeScript', () => OURS],
  ['the newest TypeScript', () => installed('typescript-newest')],
] as const)('compiles with %s, as ESM and CommonJS', async ([, typescript], { expect }) => {
  expect(await compile(typescript(), project(both('program.ts')))).toBe('');
});

test.concurrent('compiles for a bundler', async ({ expect }) => {
  const folder = project({ 'program.ts': source('program.ts') });
  expect(await compile(OURS, folder, { module: 'esnext', moduleResolution: 'bundler' })).toBe('');
});

test.concurrent('compiles with msw, BullMQ and ioredis', async ({ expect }) => {
  // `skipLibCheck`, because their own declarations are not ours to check.
  expect(await compile(OURS, project(both('peers.ts')), { skipLibCheck: true })).toBe('');
});

test.concurrent('compiles with the oldest zod', async ({ expect }) => {
  const folder = project(both('program.ts'));
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  // Copied, because a link would resolve the zod that is beside the original.
  cpSync(installedPackage(), join(modules, 'agent-platform-sdk'), { recursive: true });
  symlinkSync(installed('zod-oldest'), join(modules, 'zod'));
  expect(await compile(OURS, folder)).toBe('');
});

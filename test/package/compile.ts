import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedTools } from '../../scripts/tool-cache.js';
import { project, root } from './install.js';

/** The compilers that users have. 7 is the one in Go, which has a command line and nothing else. */
export const COMPILERS = ['5.4.5', '5.7.3', '5.9.3', '6.0.3', '7.0.2'] as const;

/** The settings by which a consumer's project resolves modules. */
export interface Resolution {
  readonly packageType: 'module' | 'commonjs';
  readonly module: 'node16' | 'nodenext' | 'esnext';
  readonly moduleResolution: 'node16' | 'nodenext' | 'bundler';
}

export const RESOLUTIONS: readonly (readonly [name: string, resolution: Resolution])[] = [
  ['node16, ESM', { packageType: 'module', module: 'node16', moduleResolution: 'node16' }],
  ['node16, CommonJS', { packageType: 'commonjs', module: 'node16', moduleResolution: 'node16' }],
  ['nodenext, ESM', { packageType: 'module', module: 'nodenext', moduleResolution: 'nodenext' }],
  ['nodenext, CommonJS', { packageType: 'commonjs', module: 'nodenext', moduleResolution: 'nodenext' }],
  ['bundler', { packageType: 'module', module: 'esnext', moduleResolution: 'bundler' }],
];

const STRICT = {
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
};

/** A consumer's project of one file, and its compiler's settings. */
export interface Program {
  /** The folder in which the packages are installed. */
  readonly consumer: string;
  /** A file of `from`. */
  readonly name: string;
  /** A folder of this project. Default `test/package/consumers`. */
  readonly from?: string;
  readonly resolution: Resolution;
  /** Laid over the strict settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Puts the file into a project of its own; returns the project's folder. */
export function prepare({ consumer, name, from, resolution, settings = {} }: Program): string {
  const { packageType, ...resolved } = resolution;
  return project(consumer, {
    [name]: readFileSync(join(root, from ?? 'test/package/consumers', name), 'utf8'),
    'package.json': JSON.stringify({ type: packageType }),
    'tsconfig.json': JSON.stringify({
      compilerOptions: { ...STRICT, ...resolved, ...settings },
      files: [name],
    }),
  });
}

/** Compiles a program, and returns what the compiler prints: errors, and with `--extendedDiagnostics` its figures. */
export function compile(version: string, program: Program, ...flags: readonly string[]): Promise<string> {
  const tsc = join(installedTools(`typescript@${version}`), 'typescript/bin/tsc');
  return new Promise((resolve) => {
    // It exits with 1 or 2 where there are errors, which it has printed then.
    execFile(process.execPath, [tsc, ...flags], { cwd: prepare(program) }, (_error, stdout, stderr) =>
      resolve((stdout + stderr).trim()),
    );
  });
}

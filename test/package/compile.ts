import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { project, root } from './install.js';

/** How a consumer's project resolves modules. */
export interface Resolution {
  readonly packageType: 'module' | 'commonjs';
  readonly module: ts.ModuleKind;
  readonly moduleResolution: ts.ModuleResolutionKind;
}

const STRICT: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
};

/** Puts a file of `consumers/` into a project of its own below `consumer`; returns its path and its options. */
export function prepare(consumer: string, name: string, { packageType, ...resolution }: Resolution) {
  const text = readFileSync(join(root, 'test/package/consumers', name), 'utf8');
  const directory = project(consumer, {
    [name]: text,
    'package.json': JSON.stringify({ type: packageType }),
  });
  return { file: join(directory, name), text, options: { ...STRICT, ...resolution } };
}

/** The compiler's errors, those in the declaration files of the package and of its dependencies included. */
export function errorsOf(file: string, options: ts.CompilerOptions): string[] {
  return ts.getPreEmitDiagnostics(ts.createProgram([file], options)).map((error) => {
    const message = ts.flattenDiagnosticMessageText(error.messageText, '\n');
    return `${error.file?.fileName ?? ''}:${error.start ?? 0} ${message}`;
  });
}

import { readFileSync } from 'node:fs';

/** The part of package.json that names the built files: the only list of entry points. */
export interface Manifest {
  readonly exports: Readonly<Record<string, ExportTarget>>;
  readonly bin?: Readonly<Record<string, string>>;
}

type ExportTarget = string | { readonly import: { readonly default: string } };

export function readManifest(): Manifest {
  // This project's own file: with another shape, the build fails at once.
  return JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
}

/** Maps each built module to its source: `{ 'testing/index': 'src/testing/index.ts' }`. */
export function entryPoints({ exports, bin = {} }: Manifest): Record<string, string> {
  const targets = Object.values(exports).map((target) =>
    typeof target === 'string' ? target : target.import.default,
  );
  const modules = [...targets, ...Object.values(bin)].flatMap(moduleName);
  return Object.fromEntries(modules.map((name) => [name, `src/${name}.ts`]));
}

function moduleName(target: string): string[] {
  const name = /^(?:\.\/)?dist\/(.+)\.js$/.exec(target)?.[1];
  return name === undefined ? [] : [name];
}

import { readFileSync } from 'node:fs';

/** The part of package.json that names the built files: the only list of entry points. */
export interface Manifest {
  readonly exports: Readonly<Record<string, ExportTarget>>;
  readonly bin?: Readonly<Record<string, string>>;
}

type ExportTarget =
  | string
  | {
      readonly import: { readonly default: string };
    };

export function readManifest(): Manifest {
  // This project's own file: with another shape, the build fails at once.
  return JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
}

/** Maps each built entry point to its source: `{ 'testing/index': 'src/testing/index.ts' }`. */
export function entryPoints({ exports, bin = {} }: Manifest): Record<string, string> {
  const targets = Object.values(exports).map((target) =>
    typeof target === 'string' ? target : target.import.default,
  );
  return sourcesOf([...targets, ...Object.values(bin)]);
}

function sourcesOf(targets: readonly string[]): Record<string, string> {
  const names = targets.flatMap((target) => /^(?:\.\/)?dist\/(.+)\.js$/.exec(target)?.[1] ?? []);
  return Object.fromEntries(names.map((name) => [name, `src/${name}.ts`]));
}

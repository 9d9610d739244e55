import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import type { Plugin } from 'esbuild';
import { entryPoints, readManifest } from './entry-points.js';

const CORE = resolve('src/index.ts');

/**
 * Lets every entry point reach all that the main one reaches. esbuild makes a chunk of what the same entry points
 * share, so that all of the main one becomes one file: loading seven small ones took a third of the time to start.
 */
export const oneCore: Plugin = {
  name: 'one-core',
  setup(build) {
    const others = Object.values(entryPoints(readManifest())).map((file) => resolve(file));
    build.onLoad({ filter: /\.ts$/ }, ({ path }) =>
      path !== CORE && others.includes(path)
        ? { contents: `${readFileSync(path, 'utf8')}\nimport '${corePathFrom(path)}';`, loader: 'ts' }
        : undefined,
    );
  },
};

/** Relative, because the source map carries it. */
function corePathFrom(path: string): string {
  const from = relative(dirname(path), CORE).replaceAll('\\', '/');
  return from.startsWith('.') ? from : `./${from}`;
}

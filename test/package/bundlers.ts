import { join } from 'node:path';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { build } from 'esbuild';
import { type OutputChunk, type Plugin, rollup } from 'rollup';
import { minify } from 'terser';

/** The place that a bundle is for. `edge` is a worker that has the standard globals and nothing of Node. */
export type Target = 'browser' | 'edge';

export interface BundleOptions {
  /** The program, as the consumer would write it. */
  readonly code: string;
  /** The folder from which its imports are resolved. */
  readonly directory: string;
  /** Default `'edge'`. */
  readonly target?: Target;
  /** Packages that are left out. */
  readonly external?: readonly string[];
}

export interface Bundle {
  /** Minified, comments and all. */
  readonly text: string;
  /** The modules that the bundle imports when it runs. */
  readonly imports: readonly string[];
}

export type Bundler = (options: BundleOptions) => Promise<Bundle>;

const CONDITIONS: Readonly<Record<Target, string[]>> = {
  browser: ['browser', 'module', 'import'],
  edge: ['workerd', 'worker', 'module', 'import'],
};

const withEsbuild: Bundler = async ({ code, directory, target = 'edge', external = [] }) => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: directory },
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: target === 'browser' ? 'browser' : 'neutral',
    conditions: CONDITIONS[target],
    external: [...external],
    logLevel: 'silent',
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
  return { text: outputFiles[0]?.text ?? '', imports };
};

const withRollup: Bundler = async ({ code, directory, target = 'edge', external = [] }) => {
  const bundle = await rollup({
    input: 'program',
    external: [...external],
    plugins: [
      program(code, directory),
      nodeResolve({
        browser: target === 'browser',
        exportConditions: CONDITIONS[target],
        preferBuiltins: false,
      }),
    ],
    onwarn: ({ code, message }) => {
      if (code !== 'EMPTY_BUNDLE') throw new Error(message);
    },
  });
  const { output } = await bundle.generate({ format: 'es', inlineDynamicImports: true });
  const [{ code: text, imports, dynamicImports }]: [OutputChunk, ...unknown[]] = output;
  const minified = await minify(text, { module: true, ecma: 2020, compress: { passes: 2 } });
  return { text: minified.code ?? '', imports: [...imports, ...dynamicImports] };
};

/** Gives rollup a program that is in no file. */
function program(code: string, directory: string): Plugin {
  const id = join(directory, 'program.js');
  return {
    name: 'program',
    resolveId: (source) => (source === 'program' ? id : null),
    load: (path) => (path === id ? code : null),
  };
}

/**
 * The bundlers, with the bytes that each may leave of a package of which nothing is used. Rollup sees which values have
 * no effect, and keeps the line that makes zod's global configuration; esbuild keeps what it cannot tell from an effect,
 * such as `[...names]`.
 */
export const bundlers: readonly (readonly [name: string, bundler: Bundler, bytesLeft: number])[] = [
  ['esbuild', withEsbuild, 1_000],
  ['rollup', withRollup, 70],
];

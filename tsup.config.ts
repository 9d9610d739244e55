import { defineConfig, type Options } from 'tsup';
import { droppableZod } from './scripts/droppable-zod.js';
import { entryPoints, readManifest } from './scripts/entry-points.js';
import { oneCore } from './scripts/one-core.js';
import { privateZod } from './scripts/private-zod.js';

const shared: Options = {
  entry: entryPoints(readManifest()),
  // One copy of every class, whichever entry point it is reached through: `instanceof` depends on it.
  splitting: true,
  target: 'es2022',
  platform: 'neutral',
  // Two configurations write into dist; scripts/build.ts empties it once before either starts.
  clean: false,
  // Workers and Deno know `node:http`, not `http`.
  removeNodeProtocol: false,
  external: [/^node:/, 'msw', 'bullmq', 'ioredis'],
  // A tree-shaken copy of our own: starts fast, and cannot conflict with another version.
  noExternal: ['zod'],
  esbuildPlugins: [privateZod, droppableZod, oneCore],
  sourcemap: true,
  dts: false,
  silent: true,
  esbuildOptions(options) {
    // A neutral platform looks at no package.json field unless told to.
    options.mainFields = ['module', 'main'];
    // Keeps the doc comments' home, the declaration files, the only place where comments ship.
    options.legalComments = 'none';
  },
};

export default defineConfig([
  { ...shared, format: 'esm', treeshake: true },
  // Without Rollup's pass the source maps of split CommonJS hold absolute paths.
  { ...shared, format: 'cjs', treeshake: true },
  // `only` leaves the JavaScript to the two above; both kinds of declarations come out of one program.
  { ...shared, format: ['esm', 'cjs'], dts: { only: true } },
]);

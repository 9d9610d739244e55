import { defineConfig, type Options } from 'tsup';
import { entryPoints, readManifest } from './scripts/entry-points.js';

const { 'cli/index': command = '', ...library } = entryPoints(readManifest());

const shared: Options = {
  target: 'es2022',
  platform: 'neutral',
  // Both configurations write into dist: the script `build` empties it before.
  clean: false,
  // Workers and Deno know `node:http`, not `http`.
  removeNodeProtocol: false,
  external: [/^node:/, 'msw', 'bullmq', 'ioredis'],
  // Tree-shaken copies: they start fast, and cannot conflict with other versions.
  noExternal: ['zod', 'ky', /^hono/],
  treeshake: true,
  silent: true,
  esbuildOptions(options) {
    // A neutral platform reads no field of package.json by default.
    options.mainFields = ['module', 'main'];
    // Comments ship in the declaration files.
    options.legalComments = 'none';
  },
};

export default defineConfig([
  {
    ...shared,
    // ky has an entry, and so files, of its own: much of it runs as it loads, and bundlers can only drop it whole.
    // Without it, `parseWebhook` bundles to 19.6 kB instead of 11.5.
    entry: { ...library, ky: 'node_modules/ky/distribution/index.js' },
    format: ['esm', 'cjs'],
    dts: { entry: library },
    // One copy of every class, whichever entry point it is reached through: `instanceof` depends on it.
    splitting: true,
    // ky asks, as it loads, what the body of a request may be. In Node the question alone loads all that is behind `fetch`, for
    // those too who only receive webhooks: 85 ms instead of 65 to start. This client sends text.
    define: { 'globalThis.ReadableStream': 'undefined', 'globalThis.FormData': 'undefined' },
    // Lists what was bundled, whose licenses travel along. It stays out of the package.
    metafile: true,
  },
  // Minified, because nobody reads its stacks: it has copies of all that it uses. Split, so that it loads optional peers only if asked.
  { ...shared, entry: { 'cli/index': command }, format: 'esm', splitting: true, minify: true },
]);

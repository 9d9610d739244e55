import { defineConfig, type Options } from 'tsup';
import { entryPoints, readManifest } from './scripts/entry-points.js';

const entry = entryPoints(readManifest());
/** Without the command, which is run and never imported. */
const modules = Object.fromEntries(Object.entries(entry).filter(([name]) => name !== 'cli/index'));

const KY = 'node_modules/ky/distribution/index.js';

const shared: Options = {
  // ky as one more entry, so that it has files of its own: much of it runs as it loads, and bundlers can only drop it whole.
  entry: { ...entry, ky: KY },
  // One copy of every class, whichever entry point it is reached through: `instanceof` depends on it.
  splitting: true,
  target: 'es2022',
  platform: 'neutral',
  // The configurations write into dist at the same time; the script `build` empties it before.
  clean: false,
  // Workers and Deno know `node:http`, not `http`.
  removeNodeProtocol: false,
  external: [/^node:/, 'msw', 'bullmq', 'ioredis'],
  // Tree-shaken copies of our own: they start fast, and cannot conflict with other versions.
  noExternal: ['zod', 'ky', /^hono/],
  // ky asks, as it loads, what the body of a request may be. In Node the question alone loads all that is behind `fetch`, for
  // those too who only receive webhooks. This client sends text.
  define: { 'globalThis.ReadableStream': 'undefined', 'globalThis.FormData': 'undefined' },
  // The built code is not minified: stacks are read as they are. Maps would be most of what an installation weighs.
  sourcemap: false,
  // What was bundled, of which the licenses travel along. It stays out of the package.
  metafile: true,
  dts: false,
  silent: true,
  esbuildOptions(options) {
    // A neutral platform looks at no package.json field unless told to.
    options.mainFields = ['module', 'main'];
    // Comments ship in the declaration files.
    options.legalComments = 'none';
  },
};

export default defineConfig([
  { ...shared, format: 'esm', treeshake: true },
  { ...shared, entry: { ...modules, ky: KY }, format: 'cjs', treeshake: true },
  // `only` leaves the JavaScript to the two above. `scripts/share-declarations.ts` gives them to ES modules too.
  { ...shared, entry: modules, format: 'cjs', dts: { only: true }, metafile: false },
]);

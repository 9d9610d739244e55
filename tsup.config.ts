import { readFileSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';
import { entryPoints, readManifest } from './scripts/entry-points.js';

/**
 * Leaves out two parts of ky that this client never reaches; without them, a call of one would throw.
 *
 * `body` reports progress, for callbacks that are never set. It also makes an encoder while it loads, and Jest's
 * jsdom has none (jest#10431, jsdom#2524). `retry-timing` reads `Retry-After` only if `shouldRetry` does not decide
 * (ky 2.1.0, distribution/core/Ky.js:379). Together they take more than a kilobyte of a bundle.
 */
const unreachedParts: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'unreached-parts',
  setup(build) {
    build.onLoad({ filter: /ky\/distribution\/(utils\/body|core\/retry-timing)\.js$/ }, ({ path }) => {
      const exported = readFileSync(path, 'utf8').matchAll(/^export const (\w+)/gm);
      const contents = Array.from(exported, ([, name]) => `export const ${name} = undefined;`).join('\n');
      return { contents, loader: 'js' };
    });
  },
};

const { 'cli/index': command = '', ...library } = entryPoints(readManifest());

export default defineConfig({
  // ky is an entry, and so gets its own files: much of it runs when it loads, so a bundler can only drop it
  // as a whole. Without this entry, `parseWebhook` bundles to 19.6 kB instead of 11.5.
  entry: { ...library, 'cli/index': command, ky: 'node_modules/ky/distribution/index.js' },
  // The command also gets a CommonJS file, which is not packed.
  format: ['esm', 'cjs'],
  dts: { entry: library },
  target: 'es2022',
  platform: 'neutral',
  // The script `build` empties dist first.
  clean: false,
  // Workers and Deno resolve `node:http`, but not `http`.
  removeNodeProtocol: false,
  esbuildPlugins: [unreachedParts],
  external: [/^node:/, 'msw', 'bullmq', 'ioredis', 'pg'],
  // Tree-shaken copies load faster, and cannot conflict with other versions.
  noExternal: ['zod', 'ky', /^hono/],
  treeshake: true,
  // One copy of every class for all entry points, because `instanceof` depends on it. The command shares them too.
  splitting: true,
  // When it loads, ky tests which bodies a `Request` accepts (ky 2.1.0, distribution/core/constants.js). In
  // Node, that alone loads everything behind `fetch`, even for a program that only receives webhooks: it
  // starts in 85 ms instead of 65. This client sends only text.
  define: { 'globalThis.ReadableStream': 'undefined', 'globalThis.FormData': 'undefined' },
  // Rollup, which shakes the tree, leaves the mark out, and Jest's automock then sees few exports (jest#13398).
  banner: ({ format }) =>
    format === 'cjs' ? { js: "Object.defineProperty(exports, '__esModule', { value: true });" } : undefined,
  // Lists what was bundled: the licenses of that must be shipped. The list itself is not.
  metafile: true,
  silent: true,
  esbuildOptions(options, { format }) {
    // For a neutral platform, esbuild reads no entry field of package.json by default.
    options.mainFields = ['module', 'main'];
    // Doc comments are in the declaration files.
    options.legalComments = 'none';
    // The same code a second time: nobody reads it there.
    options.minifyWhitespace = format === 'cjs';
    // In Jest, CommonJS has no `import()` without a flag of Node (nodejs/node#51154): it becomes a `require`, as late.
    if (format === 'cjs') options.supported = { ...options.supported, 'dynamic-import': false };
  },
});

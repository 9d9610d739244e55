import { readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { defineConfig, type Options } from 'tsup';
import { entryPoints } from './scripts/entry-points.js';
import { mergeChunks } from './scripts/merge-chunks.js';

/**
 * Leaves out parts of ky 2.1.0 that this client never reaches, 4 kB of a bundle before it is compressed:
 *
 * - `body` reports progress, for callbacks that are never set, and makes an encoder while it loads, which Jest's jsdom
 *   does not have (jest#10431, jsdom#2524);
 * - `retry-timing` reads `Retry-After` if `shouldRetry` does not decide (core/Ky.js:379);
 * - `is-network-error` knows what `fetch` throws, which leaves an attempt as an error of ours, and these errors are
 *   made of it, of responses that are not 2xx, and in hooks and methods that are not used;
 * - `options` looks for a query and for what `fetch` gets beside the request, and the client passes neither;
 * - `constants` tests whether a `Request` takes a stream, and loads what is behind `fetch` for that.
 */
const unreachedParts: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'unreached-parts',
  setup(build) {
    const replace = (files: RegExp, replaced: (text: string, name: string) => string) =>
      build.onLoad({ filter: files }, ({ path }) => {
        return { contents: replaced(readFileSync(path, 'utf8'), basename(path, '.js')), loader: 'js' };
      });
    replace(/ky\/distribution\/(utils\/body|core\/retry-timing)\.js$/, (text) =>
      Array.from(
        text.matchAll(/^export const (\w+)/gm),
        ([, name]) => `export const ${name} = undefined;`,
      ).join(''),
    );
    replace(/ky\/distribution\/utils\/is-network-error\.js$/, () => 'export default () => false;');
    replace(
      /ky\/distribution\/utils\/options\.js$/,
      () => 'export const findUnknownOptions = () => ({}), hasSearchParameters = () => false;',
    );
    replace(
      /ky\/distribution\/errors\/(HTTP|ForceRetry|SchemaValidation|Non|Network)Error\.js$/,
      (_, name) => `export class ${name} extends Error {}`,
    );
    replace(/ky\/distribution\/core\/constants\.js$/, (text) =>
      text.replace(/(supportsRequestStreams = )[^]*?\}\)\(\);/, '$1false;'),
    );
  },
};

/** Files as texts, imported as Vite does in tests: the scripts and styles of the page (`./live.js?raw`). */
const rawTexts: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'raw-texts',
  setup(build) {
    build.onResolve({ filter: /\?raw$/ }, async ({ path, resolveDir, kind }) => {
      const { path: file, errors } = await build.resolve(path.replace(/\?raw$/, ''), { resolveDir, kind });
      // With its suffix, or tsup takes styles for its own. Relative, because a comment of the build names it.
      return { path: `${relative('.', file)}?raw`, errors, namespace: 'raw' };
    });
    build.onLoad({ filter: /./, namespace: 'raw' }, ({ path }) => ({
      contents: readFileSync(path.replace(/\?raw$/, '')),
      loader: 'text',
    }));
  },
};

const { 'cli/index': command = '', ...library } = entryPoints();

export default defineConfig({
  // ky is an entry, and so gets its own files: much of it runs when it loads, so a bundler can only drop it
  // as a whole. Without this entry, `parseWebhook` bundles to 19.6 kB instead of 11.5.
  entry: { ...library, 'cli/index': command, ky: 'node_modules/ky/distribution/index.js' },
  // Of CommonJS, only the declarations stay.
  format: ['esm', 'cjs'],
  dts: { entry: library },
  onSuccess: () => mergeChunks('dist', [...Object.keys(library), 'cli/index']),
  target: 'es2022',
  platform: 'neutral',
  // The script `build` empties dist first.
  clean: false,
  // Workers and Deno resolve `node:http`, but not `http`.
  removeNodeProtocol: false,
  esbuildPlugins: [unreachedParts, rawTexts],
  external: [/^node:/, 'msw', 'bullmq', 'ioredis', 'pg'],
  // Tree-shaken copies load faster, and cannot conflict with other versions.
  noExternal: ['zod', 'ky', /^hono/, 'idiomorph'],
  treeshake: true,
  // One copy of every class for all entry points, because `instanceof` depends on it. The command shares them too.
  splitting: true,
  // When it loads, ky asks for these (ky 2.1.0, distribution/core/constants.js). In Node, that alone loads everything
  // behind `fetch`, even for a program that only receives webhooks: it starts in 85 ms instead of 65. This client
  // sends only text.
  define: { 'globalThis.ReadableStream': 'undefined', 'globalThis.FormData': 'undefined' },
  // Lists what was bundled: the licenses of that must be shipped. The list itself is not.
  metafile: true,
  silent: true,
  esbuildOptions(options) {
    // For a neutral platform, esbuild reads no entry field of package.json by default.
    options.mainFields = ['module', 'main'];
    // Doc comments are in the declaration files.
    options.legalComments = 'none';
  },
});

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { transform } from 'esbuild';
import { type ModuleFormat, rollup } from 'rollup';

/** The same code a second time: nobody reads it there. */
const MINIFIED = { target: 'es2022', minifyWhitespace: true };

/**
 * Merges what the main entry loads into two files beside it, `core` and `ky`.
 *
 * esbuild splits it into eleven, by which entry points share what, and has no option for that. A fifth of the time of
 * an `import` went into finding them. ky keeps its own file, so that bundlers drop it as a whole.
 *
 * @param entries - The names of the built ES modules, without the extension. CommonJS is made of them too.
 */
export async function mergeChunks(dist: string, entries: readonly string[]): Promise<void> {
  const input = Object.fromEntries(entries.map((name) => [name, resolve(dist, `${name}.js`)]));
  const main = input.index ?? '';
  const core = reachedFrom(main, new Set());
  const isKy = (file: string) => readFileSync(file, 'utf8').includes('node_modules/ky/');
  const bundle = await rollup({
    input,
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    treeshake: false,
    preserveEntrySignatures: 'strict',
  });
  const built: { readonly file: string; readonly code: string }[] = [];
  for (const [format, extension] of [
    ['es', 'js'],
    ['cjs', 'cjs'],
  ] as const satisfies [ModuleFormat, string][]) {
    const { output } = await bundle.generate({
      format,
      interop: 'auto',
      // Without the mark, Jest's automock sees few exports (jest#13398).
      esModule: true,
      // In Jest, CommonJS has no `import()` without a flag of Node (nodejs/node#51154): it becomes a `require`, as late.
      dynamicImportInCjs: false,
      entryFileNames: `[name].${extension}`,
      chunkFileNames: ({ name }) =>
        `${['core', 'ky'].includes(name) ? '[name]' : 'chunk-[hash]'}.${extension}`,
      hoistTransitiveImports: false,
      manualChunks: (file) => {
        if (!core.has(file) || file === main) return undefined;
        return isKy(file) ? 'ky' : 'core';
      },
    });
    for (const file of output) {
      if (file.type !== 'chunk') continue;
      const { code } = format === 'es' ? file : await transform(file.code, MINIFIED);
      built.push({ file: file.fileName, code });
    }
  }
  await bundle.close();
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (/\.c?js$/.test(basename(file))) rmSync(join(dist, file));
  }
  for (const { file, code } of built) {
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    writeFileSync(join(dist, file), code);
  }
}

/** The files that an ES module loads, itself included. */
function reachedFrom(file: string, reached: Set<string>): ReadonlySet<string> {
  reached.add(file);
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*['"](\.[^'"]+)['"]/g)) {
    const next = resolve(dirname(file), path);
    if (!reached.has(next)) reachedFrom(next, reached);
  }
  return reached;
}

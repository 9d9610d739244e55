import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll } from 'vitest';

/**
 * Bundles `process.ts` with the packages that it uses, and returns the path: a process starts in a third of the time.
 * Each storage has files of its own, and a process reads those of no other. They are deleted after the tests.
 */
export async function bundleProcess(): Promise<string> {
  const outdir = mkdtempSync(join(tmpdir(), 'campaign-process-'));
  afterAll(() => rmSync(outdir, { recursive: true, force: true }));
  await build({
    entryPoints: [fileURLToPath(new URL('process.ts', import.meta.url))],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    external: ['pg-native'],
    // Packages in CommonJS ask Node for its modules.
    banner: {
      js: "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return join(outdir, 'process.mjs');
}

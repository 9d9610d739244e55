import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles a script of this folder and returns the path: a loader would take a second at each start. */
export async function bundleProcess(script = 'process.ts'): Promise<string> {
  const outfile = fileURLToPath(
    new URL(`../../coverage/crash/${script.replace('.ts', '.mjs')}`, import.meta.url),
  );
  await build({
    entryPoints: [fileURLToPath(new URL(script, import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['bullmq', 'ioredis', 'pg'],
    sourcemap: 'inline',
    logLevel: 'error',
  });
  return outfile;
}

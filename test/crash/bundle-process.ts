import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles `process.ts` and returns the path: a loader would take a second at each start. */
export async function bundleProcess(): Promise<string> {
  const outfile = fileURLToPath(new URL('../../coverage/crash/process.mjs', import.meta.url));
  await build({
    entryPoints: [fileURLToPath(new URL('process.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['bullmq', 'ioredis'],
    sourcemap: 'inline',
    logLevel: 'error',
  });
  return outfile;
}

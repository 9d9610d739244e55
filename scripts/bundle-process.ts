import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Makes plain JavaScript of a script that is started as a process, and returns its path. A loader would take a second at each start,
 * and makes functions slower that keep their names.
 */
export async function bundleProcess(entry: URL, name: string): Promise<string> {
  const outfile = fileURLToPath(new URL(`../build/${name}/process.mjs`, import.meta.url));
  await build({
    entryPoints: [fileURLToPath(entry)],
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

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const FOLDER = new URL('../../node_modules/.cache/crash/', import.meta.url);

/** The scripts of the processes as plain JavaScript: they are started often, and a loader takes a second each time. */
export async function bundleProcesses(): Promise<(name: string) => string> {
  await build({
    entryPoints: ['receiver-process', 'worker-process'].map((name) =>
      fileURLToPath(new URL(`./${name}.ts`, import.meta.url)),
    ),
    outdir: fileURLToPath(FOLDER),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['bullmq', 'ioredis'],
    sourcemap: 'inline',
    logLevel: 'error',
  });
  return (name) => fileURLToPath(new URL(`${name}.mjs`, FOLDER));
}

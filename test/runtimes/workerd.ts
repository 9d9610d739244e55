import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { inject, onTestFinished } from 'vitest';
import { root } from '../package/consumer.js';
import { binaryOf, installTool } from './tool-cache.js';

export const WORKERD = 'workerd 1.20261117.1';
/** The newest that runs on Node 20. It has an older workerd. */
const MINIFLARE = 'miniflare@4.20260426.0';

/** The part of miniflare that is used here. It is installed from the registry, so its types are not there. */
export interface Worker {
  dispatchFetch(url: string, init: RequestInit): Promise<Response>;
  readonly ready: Promise<URL>;
  dispose(): Promise<void>;
}

/** Bundles a module for workerd, and serves it on loopback until the test ends, with the options of miniflare. */
export async function startWorker(
  module: string,
  options: Readonly<Record<string, unknown>> = {},
): Promise<Worker> {
  const { outputFiles } = await build({
    entryPoints: [join(inject('consumer'), module)],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'import'],
    // For the other packages that an example imports.
    nodePaths: [join(root, 'node_modules')],
    logLevel: 'warning',
  });
  process.env.MINIFLARE_WORKERD_PATH = await binaryOf(
    WORKERD.replace(' ', '@'),
    '@cloudflare',
    'bin/workerd',
  );
  const file = join(await installTool(MINIFLARE), 'miniflare/dist/src/index.js');
  const { Miniflare } = (await import(pathToFileURL(file).href)) as {
    Miniflare: new (options: Readonly<Record<string, unknown>>) => Worker;
  };
  // No compatibility flag, so the worker has nothing of Node.
  const worker = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: outputFiles[0]?.text }],
    compatibilityDate: '2026-01-01',
    ...options,
  });
  onTestFinished(() => worker.dispose());
  await worker.ready;
  return worker;
}

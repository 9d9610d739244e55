import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { build } from 'esbuild';
import { root } from '../package/consumer.js';
import { binaryOf } from './tool-cache.js';

export const WORKERD = 'workerd 1.20261117.1';

export const workerdBinary = (): Promise<string> =>
  binaryOf(WORKERD.replace(' ', '@'), '@cloudflare', 'bin/workerd');

/** Bundles a module for a worker, and serves it on loopback until it is disposed of. */
export async function serveWorker(
  binary: string,
  consumer: string,
  module: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Disposable & { readonly url: string }> {
  const folder = mkdtempSync(join(consumer, 'worker-'));
  await build({
    entryPoints: [join(consumer, module)],
    outfile: join(folder, 'worker.mjs'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'import'],
    // For the other packages that an example imports.
    nodePaths: [join(root, 'node_modules')],
    logLevel: 'warning',
  });
  writeFileSync(join(folder, 'worker.capnp'), config(variables));
  const worker = spawn(binary, ['serve', 'worker.capnp', '--control-fd=3'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  return { url: `http://127.0.0.1:${await portOf(worker)}`, [Symbol.dispose]: () => worker.kill() };
}

/** Returns the configuration. It sets no compatibility flag, so the worker has nothing of Node. */
function config(variables: Readonly<Record<string, string>>): string {
  const bindings = Object.entries(variables).map(
    ([name, value]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(value)})`,
  );
  return `
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "main", address = "127.0.0.1:0", http = (), service = "main")],
);

const main :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
  bindings = [${bindings.join(', ')}],
  compatibilityDate = "2026-01-01",
);
`;
}

/** Reads the port that workerd listens on from the stream of `--control-fd`. */
async function portOf(worker: ChildProcess): Promise<number> {
  let text = '';
  // `ChildProcess.stdio` leaves open what the fourth stream is (@types/node 20, child_process.d.ts:188).
  for await (const chunk of worker.stdio[3] as Readable) {
    text += String(chunk);
    const port = /"event":\s*"listen".*?"port":\s*(\d+)/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error(`workerd ended before it listened: ${text}`);
}

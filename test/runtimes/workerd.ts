import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { build } from 'esbuild';
import { binaryOf } from './runtimes.js';

export const WORKERD = 'workerd 1.20261117.1';

/** A worker that is served until it is disposed of. */
export interface ServedWorker extends Disposable {
  readonly url: string;
}

/** Bundles a module as a worker's code is, and serves it on loopback with these variables. */
export async function serveWorker(
  directory: string,
  module: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<ServedWorker> {
  await build({
    entryPoints: [join(directory, module)],
    outfile: join(directory, 'worker.bundle.mjs'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'import'],
    logLevel: 'warning',
  });
  writeFileSync(join(directory, 'worker.capnp'), config(variables));
  const binary = binaryOf(WORKERD.replace(' ', '@'), '@cloudflare', 'bin/workerd');
  const worker = spawn(binary, ['serve', 'worker.capnp', '--control-fd=3'], {
    cwd: directory,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  return { url: `http://127.0.0.1:${await portOf(worker)}/`, [Symbol.dispose]: () => worker.kill() };
}

/** No compatibility flag: a worker that has nothing of Node. */
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
  modules = [(name = "worker.bundle.mjs", esModule = embed "worker.bundle.mjs")],
  bindings = [${bindings.join(', ')}],
  compatibilityDate = "2026-01-01",
);
`;
}

/** workerd says in one line of JSON where it listens. */
async function portOf(worker: ChildProcess): Promise<number> {
  let text = '';
  // The fourth stream, that of `--control-fd`, can be read.
  for await (const chunk of worker.stdio[3] as Readable) {
    text += String(chunk);
    const port = /"event":\s*"listen".*?"port":\s*(\d+)/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error(`workerd ended before it listened: ${text}`);
}

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { build } from 'esbuild';
import { binaryOf } from './runtimes.js';

export const WORKERD = 'workerd 1.20261117.1';

/** No compatibility flag: a worker that has nothing of Node. */
const CONFIG = `
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "suite", worker = .suite),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "suite", address = "127.0.0.1:0", http = (), service = "suite")],
);

const suite :Workerd.Worker = (
  modules = [(name = "worker.bundle.mjs", esModule = embed "worker.bundle.mjs")],
  compatibilityDate = "2026-01-01",
);
`;

/** Runs the suite inside a worker, bundled as a worker's code is. Returns its results. */
export async function runInWorker(consumer: string, fakeUrl: string): Promise<unknown> {
  await build({
    entryPoints: [join(consumer, 'worker.mjs')],
    outfile: join(consumer, 'worker.bundle.mjs'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'import'],
    logLevel: 'warning',
  });
  writeFileSync(join(consumer, 'worker.capnp'), CONFIG);
  const binary = binaryOf(WORKERD.replace(' ', '@'), '@cloudflare', 'bin/workerd');
  const worker = spawn(binary, ['serve', 'worker.capnp', '--control-fd=3'], {
    cwd: consumer,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  try {
    // The fourth stream, that of `--control-fd`, can be read.
    const port = await portOf(worker.stdio[3] as Readable);
    const body = JSON.stringify({ fakeUrl, runtime: 'workerd' });
    return await (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })).json();
  } finally {
    worker.kill();
  }
}

/** workerd says in one line of JSON where it listens. */
async function portOf(control: Readable): Promise<number> {
  let text = '';
  for await (const chunk of control) {
    text += String(chunk);
    const port = /"event":\s*"listen".*?"port":\s*(\d+)/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error(`workerd ended before it listened: ${text}`);
}

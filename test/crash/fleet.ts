import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll } from 'vitest';
import { POISONED, type ProcessSettings } from './settings.js';

const SCRIPT = await bundleProcess();

/** The processes of one kind. One that is killed is started again. */
export class Fleet {
  readonly #settings: ProcessSettings[];
  readonly #processes: ChildProcess[];
  #isOver = false;
  /** The process ids of those that were killed. */
  readonly killed = new Set<number>();

  /** Starts a process for each of the settings. */
  constructor(settings: readonly ProcessSettings[]) {
    this.#settings = [...settings];
    this.#processes = settings.map((one) => this.#start(one));
  }

  /** Kills one without a warning, as a crash would. */
  kill(index: number): void {
    const settings = this.#settings[index];
    if (settings === undefined) return;
    const victim = this.#processes[index];
    victim?.kill('SIGKILL');
    this.killed.add(victim?.pid ?? 0);
    this.#processes[index] = this.#start(settings);
  }

  add(settings: ProcessSettings): void {
    this.#settings.push(settings);
    this.#processes.push(this.#start(settings));
  }

  /**
   * Ends the oldest like a deployment, and replaces it by one with other settings, or with the same.
   *
   * @param untilReady - With it, the new one starts first, and the oldest ends when this resolves.
   */
  async replaceOldest(settings?: ProcessSettings, untilReady?: () => Promise<unknown>): Promise<void> {
    const [oldSettings, oldest] = [this.#settings.shift(), this.#processes.shift()];
    const next = settings ?? oldSettings;
    if (oldest === undefined || next === undefined) return;
    if (untilReady === undefined) await end(oldest, 'SIGTERM');
    this.add(next);
    await untilReady?.();
    await end(oldest, 'SIGTERM');
  }

  /** Ends all of them. What they ran counts as killed. */
  async end(signal: NodeJS.Signals): Promise<void> {
    for (const { pid = 0 } of this.#processes) this.killed.add(pid);
    await Promise.all(this.#processes.map((child) => end(child, signal)));
  }

  /** Starts all of them again. */
  startAgain(): void {
    for (const [index, settings] of this.#settings.entries()) this.#processes[index] = this.#start(settings);
  }

  get size(): number {
    return this.#settings.length;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#processes.map((child) => end(child, 'SIGKILL')));
  }

  #start(settings: ProcessSettings): ChildProcess {
    const args = [SCRIPT, JSON.stringify(settings)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    // A supervisor starts a worker again that a poison has ended.
    child.once('exit', (code) => {
      if (code !== POISONED || this.#isOver) return;
      this.killed.add(child.pid ?? 0);
      this.#processes[this.#processes.indexOf(child)] = this.#start(settings);
    });
    return child;
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/**
 * Bundles `process.ts` with the packages that it uses, and returns the path: a process starts in a third of the time.
 * Each storage has files of its own, and a process reads those of no other. They are deleted after the tests.
 */
async function bundleProcess(): Promise<string> {
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

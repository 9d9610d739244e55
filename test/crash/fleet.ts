import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ProcessSettings } from './settings.js';

/** The processes of one kind; one that is killed is started again. */
export class Fleet {
  readonly #script: string;
  readonly #settings: readonly ProcessSettings[];
  readonly #processes: ChildProcess[];
  /** The ids of those that were killed. */
  readonly killed = new Set<number>();

  /** Starts one process of the script for each of the settings. */
  constructor(script: string, settings: readonly ProcessSettings[]) {
    this.#script = script;
    this.#settings = settings;
    this.#processes = settings.map((one) => this.#start(one));
  }

  /** Kills one as the machine would: without a word to it. */
  kill(index: number): void {
    const settings = this.#settings[index];
    if (settings === undefined) return;
    const victim = this.#processes[index];
    victim?.kill('SIGKILL');
    this.killed.add(victim?.pid ?? 0);
    this.#processes[index] = this.#start(settings);
  }

  get size(): number {
    return this.#settings.length;
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#processes.map(async (child) => {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }),
    );
  }

  #start(settings: ProcessSettings): ChildProcess {
    const argv = ['--enable-source-maps', this.#script, JSON.stringify(settings)];
    return spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'inherit'] });
  }
}

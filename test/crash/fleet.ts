import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { POISONED, type ProcessSettings } from './settings.js';

/** The program that runs the processes, with its arguments: this Node, or `CRASH_RUNTIME='deno run --allow-all'`. */
const RUNTIME = process.env.CRASH_RUNTIME?.split(' ') ?? [process.execPath];

/** The processes of one kind. One that is killed is started again. */
export class Fleet {
  readonly #script: string;
  readonly #settings: ProcessSettings[];
  readonly #processes: ChildProcess[];
  #isOver = false;
  /** The process ids of those that were killed. */
  readonly killed = new Set<number>();

  /** Starts a process of the script for each of the settings. */
  constructor(script: string, settings: readonly ProcessSettings[]) {
    this.#script = script;
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
    const argv = [...RUNTIME.slice(1), this.#script, JSON.stringify(settings)];
    const child = spawn(RUNTIME[0] ?? '', argv, { stdio: ['ignore', 'ignore', 'inherit'] });
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

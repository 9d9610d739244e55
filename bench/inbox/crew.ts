import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { bundleProcess } from '../../scripts/bundle-process.js';
import type { Role } from './role.js';

/** As an application runs it. */
let script: Promise<string> | undefined;

/** Processes of one role. */
export class Crew {
  readonly #processes: readonly ChildProcess[];

  private constructor(processes: readonly ChildProcess[]) {
    this.#processes = processes;
  }

  /** Resolves when each of them is ready. */
  static async start(roles: readonly Role[]): Promise<Crew> {
    script ??= bundleProcess(new URL('./process.ts', import.meta.url), 'bench');
    const path = await script;
    const processes = roles.map((role) => fork(path, [JSON.stringify(role)]));
    await Promise.all(processes.map((child) => once(child, 'message')));
    return new Crew(processes);
  }

  /** Microseconds of processor time that all of them have used. */
  async cpu(): Promise<number> {
    const usages = await Promise.all(
      this.#processes.map(async (child) => {
        const answer = once(child, 'message') as Promise<[NodeJS.CpuUsage]>;
        child.send('cpu');
        const [{ user, system }] = await answer;
        return user + system;
      }),
    );
    return usages.reduce((sum, usage) => sum + usage, 0);
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
}

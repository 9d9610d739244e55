import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, vi } from 'vitest';

/** A running process, which is killed when the test ends. */
export interface RunningProcess {
  readonly pid: number | undefined;
  /** The lines it has printed so far. */
  readonly lines: readonly string[];
  /** Its exit code and the signal that ended it. */
  readonly ended: Promise<unknown[]>;
  /** Waits until it has printed what matches, and returns that. */
  prints(what: RegExp): Promise<string>;
  /** Sends SIGTERM, as a deployment does, or another signal, and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<unknown[]>;
}

/** The address that a server prints. */
export const ADDRESS = /http:\/\/[\w.]+:\d+/;

/** Starts a file of `examples` and collects what it prints. */
export function startExample(
  file: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): RunningProcess {
  const program = ['--import', 'tsx', `examples/${file}.ts`, ...args];
  return launch(process.execPath, program, { env: { ...process.env, ...env } });
}

/** Starts a program and collects what it prints. A concurrent test passes its own `onTestFinished`. */
export function launch(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env: NodeJS.ProcessEnv },
  finished: (end: () => void) => void = onTestFinished,
): RunningProcess {
  const child = spawn(program, args, options);
  finished(() => void child.kill('SIGKILL'));
  // Not `exit`: what it printed last may come later.
  const ended = once(child, 'close');
  const lines: string[] = [];
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => lines.push(line));
  }
  const printed = (what: RegExp) => what.exec(lines.join('\n'))?.[0] ?? expect.fail(lines.join('\n'));
  return {
    pid: child.pid,
    lines,
    ended,
    prints: (what) => vi.waitFor(() => printed(what), { timeout: 90_000, interval: 20 }),
    end: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}

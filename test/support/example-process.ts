import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/** A running process, which is killed when the test ends. */
export interface ExampleProcess {
  /** The lines it has printed so far. */
  readonly lines: readonly string[];
  /** Sends SIGTERM, as a deployment does, or another signal. Resolves with the exit code and the signal. */
  end(signal?: NodeJS.Signals): Promise<unknown[]>;
}

/** Starts a file of `examples` and collects what it prints. */
export function startExample(
  file: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): ExampleProcess {
  return startProcess(`examples/${file}.ts`, env, args);
}

/** Starts a file of this repository and collects what it prints. */
export function startProcess(
  path: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  /** A Node that runs TypeScript itself. Default: this one, with tsx. */
  node?: string,
): ExampleProcess {
  const loader = node === undefined ? ['--import', 'tsx'] : [];
  const child: ChildProcess = spawn(node ?? process.execPath, [...loader, path, ...args], {
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const collect = (chunk: Buffer) => lines.push(...String(chunk).trim().split('\n'));
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  return {
    lines,
    end: (signal = 'SIGTERM') => {
      const ended = once(child, 'exit');
      child.kill(signal);
      return ended;
    },
  };
}

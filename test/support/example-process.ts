import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/** A file of an example, as a process, until the test ends. */
export interface ExampleProcess {
  /** The lines that it has printed. */
  readonly lines: readonly string[];
  /** Ends it as a deployment does, and resolves with its exit code and the signal that killed it. */
  end(): Promise<unknown[]>;
}

/** Starts a file of `examples` as its first lines say, and collects what it prints. */
export function startExample(file: string, env: Readonly<Record<string, string>>): ExampleProcess {
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', `examples/${file}.ts`], {
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const collect = (chunk: Buffer) => lines.push(...String(chunk).trim().split('\n'));
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  return {
    lines,
    end: () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      return ended;
    },
  };
}

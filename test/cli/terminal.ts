import { onTestFinished } from 'vitest';
import { run } from '../../src/cli/commands.js';
import type { Tone } from '../../src/cli/terminal.js';
import { deferred } from '../support/deferred.js';

/** Runs the command in this process until the test ends. Resolves when it has printed its first line, or has ended. */
export async function start(args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}) {
  const lines: string[] = [];
  const tones: (Tone | undefined)[] = [];
  const errors: string[] = [];
  const steps: string[] = [];
  const [greeting, stopping] = [deferred(), deferred()];
  const exit = run(args, {
    out: (text, tone) => {
      lines.push(text);
      tones.push(tone);
      greeting.resolve();
    },
    error: (text) => errors.push(text),
    stopped: () => stopping.promise,
    env,
    progress: (text) => steps.push(text),
  });
  onTestFinished(async () => {
    stopping.resolve();
    await exit;
  });
  await Promise.race([greeting.promise, exit]);
  const url = /(?:listens|received) at (\S+)\. /.exec(lines[0] ?? '')?.[1] ?? '';
  return { lines, tones, errors, steps, exit, stop: stopping.resolve, url };
}

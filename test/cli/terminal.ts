import { onTestFinished } from 'vitest';
import { run } from '../../src/cli/main.js';
import type { Tone } from '../../src/cli/terminal.js';
import { deferred } from '../support/deferred.js';

/** Runs the command until the test ends. Resolves after its first line, or its end. */
export async function start(args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}) {
  const lines: string[] = [];
  const tones: (Tone | undefined)[] = [];
  const errors: string[] = [];
  const [greeting, stopping] = [deferred(), deferred()];
  const exit = run(args, {
    out(text, tone) {
      lines.push(text);
      tones.push(tone);
      greeting.resolve();
    },
    error: (text) => void errors.push(text),
    stopped: () => stopping.promise,
    env,
  });
  onTestFinished(async () => {
    stopping.resolve();
    await exit;
  });
  await Promise.race([greeting.promise, exit]);
  const url = /^Listening at (\S+)\. /.exec(lines[0] ?? '')?.[1] ?? '';
  return { lines, tones, errors, exit, stop: stopping.resolve, url };
}

/** Runs the command to its end. */
export async function finish(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
) {
  const { exit, ...rest } = await start(args, env);
  return { code: await exit, ...rest };
}

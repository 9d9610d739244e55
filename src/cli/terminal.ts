import { styleText } from 'node:util';
import { printable } from '../utils/printable.js';

/** The result of a step; a terminal shows it as a colour. */
export type Tone = 'ok' | 'warn' | 'fail';

/** The terminal of a command. */
export interface Terminal {
  /** Prints a text. The tone colours its first word; a time of day in front of it is dimmed. */
  out(text: string, tone?: Tone): void;
  error(text: string): void;
  /** Resolves when the user stops the command, which is a server. */
  stopped(): Promise<void>;
  /** The environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  // Node's own rule for a terminal. FORCE_COLOR is also for a pipe, such as the log of a CI.
  const isForced = !['0', 'false', undefined].includes(env.FORCE_COLOR);
  const hasColours = isForced || (stdout.isTTY && stdout.hasColors());
  let isServer = false;
  // The reader has gone (`fake | head -1`). A server goes on without it; for the others, it has seen enough.
  const onWriteError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    if (!isServer) process.exit(0);
  };
  for (const stream of [stdout, stderr]) stream.on('error', onWriteError);
  return {
    out(text, tone) {
      // Part of the text may have come over the network.
      const line = printable(text);
      console.log(hasColours && tone !== undefined ? paint(line, tone) : line);
    },
    error(text) {
      console.error(printable(text));
    },
    // The first signal stops the command in order. The second one has no listener, and kills it.
    stopped() {
      isServer = true;
      return new Promise((resolve) => {
        for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => resolve());
      });
    },
    env,
  };
}

/** Colours the first word of a line, and dims a time before it. */
function paint(line: string, tone: Tone): string {
  return line.replace(
    /^(\d\d:\d\d:\d\d)?( *)(\S+)/,
    (_, time: string | undefined, gap: string, word: string) =>
      (time === undefined ? '' : styleText('dim', time)) + gap + styleText(colours[tone], word),
  );
}

import { styleText } from 'node:util';
import { printable } from '../utils/printable.js';

/** The result of a step; a terminal shows it as a colour. */
export type Tone = 'ok' | 'warn' | 'fail';

/** The terminal of a command. */
export interface Terminal {
  /** Prints a text. The tone colours its first word; a time of day in front of it is dimmed. */
  out(text: string, tone?: Tone): void;
  /** Shows how far the command is, below what is printed; nothing if the output is not a terminal. */
  progress(text: string): void;
  error(text: string): void;
  /** Resolves when the user stops the command. */
  stopped(): Promise<void>;
  /** The environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const { stdout, env } = process;
  // Node's own rule: it honours NO_COLOR, FORCE_COLOR and terminals without colours.
  const hasColours = stdout.isTTY && stdout.hasColors();
  let hasProgress = false;
  const clearProgress = (): void => {
    if (hasProgress) stdout.write(CLEAR_LINE);
    hasProgress = false;
  };
  return {
    out(text, tone) {
      clearProgress();
      // Part of the text may have come over the network.
      const line = printable(text);
      console.log(hasColours && tone !== undefined ? paint(line, tone) : line);
    },
    progress(text) {
      if (!stdout.isTTY) return;
      stdout.write(CLEAR_LINE + printable(text));
      hasProgress = true;
    },
    error(text) {
      clearProgress();
      console.error(printable(text));
    },
    // The first signal stops the command in order. The second one has no listener, and kills it.
    stopped: () =>
      new Promise((resolve) => {
        for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => resolve());
      }),
    env,
  };
}

/** Returns to the first column, and erases to the end of the line. */
const CLEAR_LINE = '\r\u001b[K';

/** Colours the first word of a line, and dims a time of day in front of it. */
function paint(line: string, tone: Tone): string {
  return line.replace(
    /^(\d\d:\d\d:\d\d)?( *)(\S+)/,
    (_, time: string | undefined, gap: string, word: string) =>
      (time === undefined ? '' : styleText('dim', time)) + gap + styleText(colours[tone], word),
  );
}

import { onOneLine, printable } from '../ground/printable.js';

/** The end of a step, which a terminal shows as a colour. */
export type Tone = 'good' | 'doubtful' | 'bad';

/** The terminal that a command speaks to, and that ends it. */
export interface Terminal {
  /** Prints a text. Its first word has the colour of the tone, where colours are shown. */
  out(text: string, tone?: Tone): void;
  error(text: string): void;
  /** Says what takes a while, until the next text takes its place. Nothing is shown where the output is piped. */
  progress(text: string): void;
  /** Resolves when the user ends the command. */
  stopped(): Promise<void>;
  /** The variables of the environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const COLOURS: Readonly<Record<Tone, number>> = { good: 32, doubtful: 33, bad: 31 };

/** Goes back to the beginning of the line, and empties it. */
const ERASE = '\r\u001b[2K';

/** The terminal of this process. */
export function processTerminal({ stdout, stderr, env }: NodeJS.Process): Terminal {
  const showsProgress = stdout.isTTY && stderr.isTTY;
  // Node's own rule, which honours NO_COLOR, FORCE_COLOR and a terminal that has no colours.
  const hasColours = stdout.isTTY && stdout.hasColors();
  let isUnderWay = false;
  const erase = (): void => {
    if (isUnderWay) stderr.write(ERASE);
    isUnderWay = false;
  };
  return {
    out(text, tone) {
      erase();
      // Part of the text came over the network.
      const shown = printable(text);
      console.log(tone === undefined || !hasColours ? shown : painted(shown, COLOURS[tone]));
    },
    error(text) {
      erase();
      console.error(printable(text));
    },
    progress(text) {
      if (!showsProgress) return;
      erase();
      // Of one line: no more than that is erased.
      stderr.write(onOneLine(text).slice(0, (stderr.columns || 80) - 1));
      isUnderWay = true;
    },
    stopped,
    env,
  };
}

function painted(text: string, colour: number): string {
  return text.replace(/^\S+/, (word) => `\u001b[${colour}m${word}\u001b[39m`);
}

/** The first signal ends the command in order; the second one ends it at once, as without a listener. */
function stopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => resolve());
  });
}

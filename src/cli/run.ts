import { styleText } from 'node:util';
import { ConfigurationError } from '../errors/index.js';
import { printable } from '../utils/printable.js';
import { hintFor } from '../utils/suggest.js';
import { VERSION } from '../utils/version.js';
import { doctor } from './doctor.js';
import { fake } from './fake.js';
import { listen } from './listen.js';
import { replay } from './replay.js';
import { type Command, type Terminal, type Tone, UsageError } from './shared.js';
import { trigger } from './trigger.js';

const commands: Readonly<Record<string, Command>> = { fake, listen, replay, trigger, doctor };

const help = `agent-platform-sdk <command> [options]

Commands
${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`)
  .join('\n')}

Options
  --help     shows the options of a command
  --version  prints the version`;

/** Runs a command line. Resolves with the exit code: 0, 1 after a failure, 2 for a wrong command line. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name = '', ...rest] = args;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  try {
    if (args.some((arg) => arg === '--version' || arg === '-v')) {
      terminal.out(VERSION);
      return 0;
    }
    if (args.some((arg) => arg === '--help' || arg === '-h')) {
      terminal.out(command?.help ?? help);
      return 0;
    }
    if (command === undefined) throw new UsageError(unknownCommand(name));
    return await command.run(rest, terminal);
  } catch (error) {
    const isUsage = error instanceof UsageError || error instanceof ConfigurationError;
    terminal.error(error instanceof Error ? error.message : String(error));
    if (isUsage) terminal.error(`See agent-platform-sdk ${command === undefined ? '' : `${name} `}--help`);
    return isUsage ? 2 : 1;
  }
}

function unknownCommand(name: string): string {
  const known = Object.keys(commands);
  if (name === '' || name.startsWith('-')) return `Missing command. Available: ${known.join(', ')}.`;
  return `Unknown command "${name}". ${hintFor(name, known)}`;
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

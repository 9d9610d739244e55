import { ConfigurationError } from '../errors/index.js';
import { hintFor } from '../utils/suggest.js';
import { VERSION } from '../utils/version.js';
import { type Command, UsageError } from './command.js';
import { doctor } from './doctor.js';
import { fake } from './fake.js';
import { listen } from './listen.js';
import { replay } from './replay.js';
import type { Terminal } from './terminal.js';
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
  const isHelp = args[0] === 'help';
  const [name = '', ...rest] = isHelp ? args.slice(1) : args;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  try {
    if (args.some((arg) => arg === '--version' || arg === '-v')) {
      terminal.out(VERSION);
      return 0;
    }
    const asksForHelp = isHelp && (name === '' || command !== undefined);
    if (asksForHelp || args.some((arg) => arg === '--help' || arg === '-h')) {
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

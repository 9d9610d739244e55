import { ConfigurationError } from '../errors/index.js';
import { hintFor } from '../utils/suggest.js';
import { VERSION } from '../utils/version.js';
import { type Command, UsageError } from './command.js';
import { doctor } from './doctor.js';
import { fake } from './fake.js';
import { init } from './init.js';
import { listen } from './listen.js';
import { replay } from './replay.js';
import type { Terminal } from './terminal.js';
import { trigger } from './trigger.js';

const commands: Readonly<Record<string, Command>> = { init, fake, listen, replay, trigger, doctor };

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
  const [name = '', ...rest] = args[0] === 'help' ? [...args.slice(1), '--help'] : args;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const isNamed = !/^(-|$)/.test(name);
  const has = (long: string, short: string) => [name, ...rest].some((arg) => arg === long || arg === short);
  try {
    if (command === undefined && isNamed) {
      throw new UsageError(`Unknown command "${name}". ${hintFor(name, Object.keys(commands))}`);
    }
    if (has('--version', '-v') || has('--help', '-h')) {
      terminal.out(has('--version', '-v') ? VERSION : (command?.help ?? help));
      return 0;
    }
    if (command === undefined) throw new UsageError(`Missing command. ${hintFor('', Object.keys(commands))}`);
    return await command.run(rest, terminal);
  } catch (error) {
    const isUsage = error instanceof UsageError || error instanceof ConfigurationError;
    const { code, message = String(error) } = Object(error) as Partial<NodeJS.ErrnoException>;
    const advice = code === 'EADDRINUSE' ? '. Choose another port with --port, or 0 for any free port.' : '';
    terminal.error(message + advice);
    if (isUsage) terminal.error(`See agent-platform-sdk ${command === undefined ? '' : `${name} `}--help`);
    return isUsage ? 2 : 1;
  }
}

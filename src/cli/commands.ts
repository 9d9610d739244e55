import { VERSION } from '../ground/version.js';
import { type Command, UsageError } from './command.js';
import { doctorCommand } from './doctor.js';
import { fakeCommand } from './fake.js';
import { listenCommand } from './listen.js';
import { replayCommand } from './replay.js';
import type { Terminal } from './terminal.js';
import { triggerCommand } from './trigger.js';

const COMMANDS: readonly Command[] = [
  fakeCommand,
  listenCommand,
  replayCommand,
  triggerCommand,
  doctorCommand,
];

const HELP = `agent-platform-sdk <command> [options]

Commands
${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(8)} ${summary}`).join('\n')}

agent-platform-sdk <command> --help tells the options of one; --version prints the version.

${fakeCommand.help}`;

/** Runs the command line. Resolves with the exit code: 0, 1 when it failed, 2 when the command line is wrong. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  const found = COMMANDS.find((one) => one.name === name);
  try {
    const flag = args.find((one) => HELP_FLAGS.has(one) || VERSION_FLAGS.has(one));
    if (flag !== undefined) {
      terminal.out(VERSION_FLAGS.has(flag) ? VERSION : (found?.help ?? HELP));
      return 0;
    }
    if (found !== undefined) return await found.run(rest, terminal);
    throw new UsageError(`${problemWith(name)} There is: ${COMMANDS.map((one) => one.name).join(', ')}.`);
  } catch (error) {
    if (error instanceof UsageError) {
      const helped = found === undefined ? '' : `${found.name} `;
      terminal.error(`${error.message}\nagent-platform-sdk ${helped}--help tells more.`);
      return 2;
    }
    terminal.error(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

const HELP_FLAGS: ReadonlySet<string> = new Set(['--help', '-h']);
const VERSION_FLAGS: ReadonlySet<string> = new Set(['--version', '-v']);

function problemWith(name: string | undefined): string {
  if (name === undefined) return 'Say which command.';
  return name.startsWith('-') ? `Say which command, before ${name}.` : `There is no command "${name}".`;
}

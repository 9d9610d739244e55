import { type ParseArgsConfig, parseArgs } from 'node:util';
import { checkedTarget } from '../testing/hosts.js';
import type { Terminal } from './terminal.js';

type Flags = NonNullable<ParseArgsConfig['options']>;
type Values<Given extends Flags> = ReturnType<
  typeof parseArgs<{ options: Given; strict: true; allowPositionals: true }>
>['values'];

/** A command as data: `agent-platform-sdk <name> [operand] [flags]`. */
interface CommandDeclaration<Given extends Flags> {
  readonly name: string;
  /** One line for the overview. */
  readonly summary: string;
  /** The text that `<name> --help` prints. */
  readonly help: string;
  readonly flags: Given;
  /** The name of the one operand that it takes, for messages. Absent where it takes none. */
  readonly operand?: string;
  /** Resolves with the exit code. Throws a {@link UsageError} for a wrong value. */
  run(values: Values<Given>, terminal: Terminal, operand: string): Promise<number>;
}

/** A command that reads its own part of the command line. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly help: string;
  /** @throws {UsageError} When a flag or a value is wrong. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

/** The command line is wrong: the message says what to change. */
export class UsageError extends Error {}

/** Declares a command, its values typed by its flags. */
export function command<const Given extends Flags>(declaration: CommandDeclaration<Given>): Command {
  const { name, summary, help, flags, operand } = declaration;
  return {
    name,
    summary,
    help,
    async run(args, terminal) {
      const { values, positionals } = parsed(args, flags);
      const [given, ...rest] = positionals;
      if (operand !== undefined && given === undefined) throw new UsageError(`${name} takes ${operand}.`);
      const unexpected = operand === undefined ? positionals : rest;
      if (unexpected.length > 0) {
        throw new UsageError(`"${unexpected.join(' ')}" is not expected after "${name}".`);
      }
      return declaration.run(values, terminal, given ?? '');
    },
  };
}

function parsed<Given extends Flags>(args: readonly string[], options: Given) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (error) {
    // `parseArgs` throws Errors that name the flag in their first sentence; the rest is about positionals.
    const [sentence] = (error as Error).message.split(/(?<=\.)\s/);
    throw new UsageError(sentence ?? '', { cause: error });
  }
}

/** A port of the command line: 0 takes any free one. */
export function portOf(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535) {
    throw new UsageError(`--port takes a number from 0 to 65535, got "${text}".`);
  }
  return port;
}

/** An address of the command line. */
export function addressOf(flag: string, text: string): string {
  return checkedTarget(text, (need) => {
    throw new UsageError(`${flag} takes ${need}.`);
  });
}

/** Says why nothing listens at the port that was asked for. */
export function listenProblem(error: unknown, host: string, port: number): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  const problem =
    code === 'EADDRINUSE'
      ? `Port ${port} is in use. Choose another with --port, or 0 for any free one.`
      : `Cannot listen at ${host}:${port}: ${message}`;
  return new Error(problem, { cause: error });
}

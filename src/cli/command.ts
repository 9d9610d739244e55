import { type ParseArgsConfig, parseArgs } from 'node:util';
import { hintFor } from '../utils/suggest.js';
import type { Terminal } from './terminal.js';

/** A command: `agent-platform-sdk <name> [operand] [options]`. */
export interface Command {
  /** One line for the overview. */
  readonly summary: string;
  readonly help: string;
  /** Resolves with the exit code. Throws a {@link UsageError} if the command line is wrong. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

/** The command line is wrong; the message says what to change. */
export class UsageError extends Error {}

/** Parses the options of a command, and its operand if it takes one. */
export function parse<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
  operand?: string,
) {
  checkNames(args, options);
  const { values, positionals } = parseStrictly(args, options);
  const unexpected = positionals.slice(operand === undefined ? 0 : 1);
  if (unexpected.length > 0) throw new UsageError(`Unexpected argument: ${unexpected.join(' ')}.`);
  const [given = ''] = positionals;
  if (operand !== undefined && given === '') throw new UsageError(`Missing argument: ${operand}.`);
  return { values, operand: given };
}

/** Parses with the names checked: what Node still refuses is a value that is missing or unexpected. */
function parseStrictly<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

/** Refuses an option that the command does not have. */
function checkNames(args: readonly string[], options: NonNullable<ParseArgsConfig['options']>): void {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const known = Object.keys(options).map((name) => `--${name}`);
  for (const token of tokens) {
    if (token.kind !== 'option' || known.includes(`--${token.name}`)) continue;
    throw new UsageError(`Unknown option ${token.rawName}. ${hintFor(token.rawName, known, '`')}`);
  }
}

/** Parses an integer within bounds. */
export function parseNumber(option: string, text: string, least: number, most: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : -1;
  if (number >= least && number <= most) return number;
  throw new UsageError(`${option} must be a number from ${least} to ${most}, got "${text}".`);
}

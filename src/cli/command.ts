import { type ParseArgsConfig, parseArgs } from 'node:util';
import { targetAddress } from '../testing/sending/post.js';
import { isLoopback } from '../utils/loopback.js';
import { hintFor } from '../utils/suggest.js';
import { SECRET_VARIABLE, splitSecrets } from '../webhooks/secrets/secret-variable.js';
import type { Terminal } from './terminal.js';

/** A command: `agent-platform-sdk <name> [operand] [options]`. */
export interface Command {
  /** One line for the overview. */
  readonly summary: string;
  readonly help: string;
  /** Resolves with the exit code. Throws a {@link UsageError} if the command line is wrong. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

/** The command line is wrong. The message says how to fix it. */
export class UsageError extends Error {}

/** Every process can read a command line, so there is no option for these. */
const VARIABLES: Readonly<Record<string, string>> = {
  '--secret': SECRET_VARIABLE,
  '--token': 'AGENT_PLATFORM_TOKEN',
};

/** Parses the options of a command, and its operand if it takes one. */
export function parse<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
  operand?: string,
) {
  try {
    const allowPositionals = operand !== undefined;
    const { values, positionals } = parseArgs({ args: [...args], options, strict: true, allowPositionals });
    const [given = '', ...more] = positionals;
    if (more.length > 0) throw new UsageError(`Unexpected argument '${more.join(' ')}'.`);
    if (allowPositionals && given === '') throw new UsageError(`Missing argument: ${operand}.`);
    const [empty] = Object.entries(values).find(([, value]) => [value].flat().includes('')) ?? [];
    if (empty !== undefined) throw new UsageError(`--${empty} is empty. Is the variable for it set?`);
    return { values, operand: given };
  } catch (error) {
    const { message } = error as Error;
    if (/^Unexpected argument 'rediss?:/.test(message))
      throw new UsageError('--redis reads REDIS_URL: set it.');
    // Here, Node explains how to pass an argument that begins with a dash.
    const [, unknown] = /^Unknown option '(.+?)'/.exec(message) ?? [];
    const known = Object.keys(options).map((name) => `--${name}`);
    const variable = VARIABLES[unknown ?? ''];
    const hint = variable === undefined ? hintFor(unknown ?? '', known, '`') : `Set ${variable} instead.`;
    const problem = unknown && `Unknown option ${unknown}. ${hint}`;
    throw new UsageError(problem ?? message, { cause: error });
  }
}

/** Parses an integer within bounds. */
export function parseNumber(option: string, text: string, least: number, most: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : -1;
  if (number >= least && number <= most) return number;
  throw new UsageError(`${option} must be a number from ${least} to ${most}, got "${text}".`);
}

/** Reads the secrets of the environment. There is no option for them: every process can read a command line. */
export function readSecrets({ env }: Terminal): [string, ...string[]] {
  const [first, ...rest] = splitSecrets(env[SECRET_VARIABLE]);
  if (first !== undefined) return [first, ...rest];
  throw new UsageError(`${SECRET_VARIABLE} is not set. Set it to the workspace secret.`);
}

/** Parses an address for webhooks. Warns if the secret would be sent unencrypted. */
export function parseTarget(option: string, text: string | undefined, terminal: Terminal): string {
  if (text === undefined) throw new UsageError(`Missing ${option}, the address to post to.`);
  const { href, protocol, hostname, host } = new URL(targetAddress(option, text));
  if (protocol === 'http:' && !isLoopback(hostname)) {
    const problem = `the workspace secret is sent to ${host} without encryption. Use https: instead.`;
    terminal.error(`Warning: ${problem}`);
  }
  return href;
}

import { type ParseArgsConfig, parseArgs } from 'node:util';
import { ConfigurationError } from '../errors/index.js';
import { type PostedEvent, postEvent, targetAddress } from '../testing/sending/post.js';
import type { RecordedWebhook } from '../testing/sending/recording.js';
import { isLoopback } from '../utils/loopback.js';
import { onOneLine } from '../utils/printable.js';
import { hintFor } from '../utils/suggest.js';
import { SECRET_VARIABLE, splitSecrets } from '../webhooks/secrets/variable.js';

/** The result of a step; a terminal shows it as a colour. */
export type Tone = 'ok' | 'warn' | 'fail';

/** The terminal of a command. */
export interface Terminal {
  /** Prints a text. The tone colours its first word. */
  out(text: string, tone?: Tone): void;
  error(text: string): void;
  /** Resolves when the user stops the command. */
  stopped(): Promise<void>;
  /** The environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

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

/** Reads the secrets of the environment. No option has them: every process can read a command line. */
export function readSecrets({ env }: Terminal): [string, ...string[]] {
  const [first, ...rest] = splitSecrets(env[SECRET_VARIABLE]);
  if (first !== undefined) return [first, ...rest];
  throw new UsageError(`${SECRET_VARIABLE} is not set. Put the workspace secret into the environment.`);
}

/** Parses an address for webhooks. Warns if the secret would be sent unencrypted. */
export function parseTarget(option: string, text: string | undefined, terminal: Terminal): string {
  if (text === undefined) throw new UsageError(`Missing ${option}, the address to post to.`);
  const { href, protocol, hostname, host } = new URL(targetAddress(option, text));
  if (protocol === 'http:' && !isLoopback(hostname)) {
    terminal.error(
      `Warning: the workspace secret is sent to ${host} without encryption. Use https: instead.`,
    );
  }
  return href;
}

/** Posts a webhook once, like the service, with the secret in its payload. Never rejects. */
export function post(url: string, webhook: RecordedWebhook, secret: string): Promise<PostedEvent> {
  return postEvent({ ...webhook, secret, target: url, via: 'subscription' });
}

/** Prints a delivery: `lead_captured 200 in 12 ms`, or why there was no response. */
export function printDelivery(
  terminal: Terminal,
  delivery: PostedEvent,
  isExpected: boolean,
  more = '',
): void {
  const line = `${onOneLine(delivery.type)} ${describeDelivery(delivery)}${more}`;
  terminal.out(line, isExpected ? 'ok' : 'fail');
}

/** `200 in 12 ms`, or `failed in 12 ms: fetch failed: ECONNREFUSED`. */
export function describeDelivery({ status, outcome, error, duration }: PostedEvent): string {
  const reason = error === undefined ? '' : onOneLine(`: ${error}`);
  return `${status ?? outcome} in ${duration} ms${reason}`;
}

/** Describes why a server cannot listen. */
export function listenError(error: unknown, host: string, port: number): unknown {
  if (error instanceof ConfigurationError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const problem =
    code === 'EADDRINUSE'
      ? `Port ${port} is in use. Choose another with --port, or 0 for any free port.`
      : `Cannot listen at ${host}:${port}: ${message}`;
  return new Error(problem, { cause: error });
}

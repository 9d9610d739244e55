import { type ParseArgsConfig, parseArgs } from 'node:util';
import { ConfigurationError } from '../errors/index.js';
import { durationText, timeOfDay } from '../testing/http/describe.js';
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

/** One event of a command that runs: a line in aligned columns, and a hint below a failure. */
export interface EventLine {
  readonly at: number;
  /** The status or the outcome. */
  readonly mark: string | number;
  /** Milliseconds, if it took any. */
  readonly duration?: number | undefined;
  /** What it was. */
  readonly text: string;
  /** Why it failed, if it did, and what to do. */
  readonly failure?: string | undefined;
  /** More lines below it. */
  readonly more?: string;
}

/** Prints `14:03:59  200      12 ms  lead_captured`, in green; in red with a hint below if it failed. */
export function printEvent(terminal: Terminal, line: EventLine): void {
  const { at, mark, duration, text, failure, more = '' } = line;
  const took = duration === undefined ? '' : durationText(duration);
  const columns = [
    timeOfDay(at),
    String(mark).padEnd(MARK_WIDTH),
    took.padStart(DURATION_WIDTH),
    onOneLine(text),
  ];
  const hint = failure ? `\n${INDENT}${onOneLine(failure)}` : '';
  terminal.out(columns.join('  ') + hint + more, failure === undefined ? 'ok' : 'fail');
}

/** As wide as `timeout`, and as `999 ms`. */
const [MARK_WIDTH, DURATION_WIDTH] = [7, 6];

/** What is below a line begins under its outcome. */
const INDENT = ' '.repeat('14:03:59  '.length);

/** Prints a delivery. A failure is why it did not end as expected. */
export function printDelivery(terminal: Terminal, delivery: PostedEvent, failure?: string, more = ''): void {
  const { at, status, outcome, duration, type } = delivery;
  printEvent(terminal, { at, mark: status ?? outcome, duration, text: type, failure, more });
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

import { readEnvironment } from './environment.js';
import { ConfigurationError } from './errors.js';
import type { Hooks } from './hooks.js';
import { typeName } from './issues.js';
import { LOG_LEVELS, type Logger, type LogLevel } from './logger.js';
import type { TokenSource } from './options.js';

/** Timers beyond 2^31 - 1 ms fire at once in every runtime. */
export const MAX_TIMEOUT = 2_147_483_647;

/** Ends the construction of a client, or a call, with what is wrong with one option. */
export function refuseOption(option: string, problem: string, cause?: unknown): never {
  throw new ConfigurationError(`${option} ${problem}.`, { option, cause });
}

/** A wrong value, for a message: a number or a string as it is, anything else by its type. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'number' ? String(value) : typeName(value);
}

export function refuseUnknown(options: object, known: readonly string[], kind = 'option'): void {
  if (typeof options !== 'object' || options === null) {
    refuseOption(`${kind}s`, `must be an object, got ${typeName(options)}`);
  }
  for (const option of Object.keys(options)) {
    if (!known.includes(option)) refuseOption(option, `is no ${kind}. Known ${kind}s: ${known.join(', ')}`);
  }
}

export function checkToken(token: TokenSource | undefined): TokenSource | undefined {
  return token === undefined || typeof token === 'function' ? token : usableToken(token);
}

/** A token that can stand in a header, or a {@link ConfigurationError} that does not show it. */
export function usableToken(token: unknown): string {
  const refuse = (problem: string): never =>
    refuseOption('token', `${problem}. Set the option \`token\` or AGENT_PLATFORM_TOKEN`);
  if (typeof token !== 'string') return refuse(`must be a string, got ${typeName(token)}`);
  const trimmed = token.trim();
  if (trimmed === '') refuse('is blank');
  if (/[^\x21-\x7e]/.test(trimmed)) {
    refuse('holds a character that cannot stand in a header');
  }
  return trimmed;
}

export function checkTimeout(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (typeof value === 'number' && value > 0 && value <= MAX_TIMEOUT)) return value;
  return refuseOption(
    option,
    `must be a number of milliseconds above 0 and at most ${MAX_TIMEOUT}, got ${shown(value)}`,
  );
}

export function checkPositive(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (typeof value === 'number' && value > 0)) return value;
  return refuseOption(option, `must be a number above 0, got ${shown(value)}`);
}

export function checkRetries(value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= 0)) return value;
  return refuseOption('maxRetries', `must be a whole number, 0 or more, got ${shown(value)}`);
}

export function checkOneOf<Value extends string>(
  option: string,
  known: readonly Value[],
  value: Value | undefined,
  hint = '',
): Value | undefined {
  if (value === undefined || known.includes(value)) return value;
  const values = known.map((one) => `'${one}'`).join(', ');
  return refuseOption(option, `must be one of ${values}, got ${shown(value)}${hint}`);
}

/** The level that an option or the environment gives. Default `'warn'`. */
export function resolveLogLevel(option: LogLevel | undefined): LogLevel {
  // The check tells whether it is a level.
  const level = (option ?? readEnvironment('AGENT_PLATFORM_LOG') ?? 'warn') as LogLevel;
  return checkOneOf('logLevel', LOG_LEVELS, level, ' (the option or AGENT_PLATFORM_LOG)') ?? level;
}

export function checkLogger(logger: Logger = console): Logger {
  for (const level of LOG_LEVELS) {
    // A method that is missing is no function either.
    if (level !== 'off') checkFunction(`logger.${level}`, logger?.[level] ?? null);
  }
  return logger;
}

export function checkFunction<Value>(option: string, value: Value | undefined): Value | undefined {
  if (value === undefined || typeof value === 'function') return value;
  return refuseOption(option, `must be a function, got ${typeName(value)}`);
}

const hookNames = ['onRequest', 'onResponse', 'onRetry', 'onDrift'];

export function checkHooks(hooks: Hooks = {}): Hooks {
  refuseUnknown(hooks, hookNames, 'hook');
  for (const [name, hook] of Object.entries(hooks)) checkFunction(`hooks.${name}`, hook);
  return hooks;
}

/** Headers that nobody else may set: the token's, and those that frame the request. */
export const CLIENT_HEADERS: readonly string[] = [
  'authorization',
  'content-type',
  'content-length',
  'host',
  'connection',
  'transfer-encoding',
];

/** Names in lower case, so that a call's header replaces the client's. */
export function checkHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (typeof headers !== 'object' || headers === null || Symbol.iterator in headers) {
    refuseOption('headers', 'must be a plain object of names and values');
  }
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const option = `headers.${name}`;
    const lowerName = name.toLowerCase();
    if (CLIENT_HEADERS.includes(lowerName)) {
      refuseOption(option, 'is set by the client (the token by the option `token`)');
    }
    const isText = /^[\w!#$%&'*+.^`|~-]+$/.test(name) && typeof value === 'string';
    if (!isText || /[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      refuseOption(option, 'must be a name and a string that are allowed in HTTP');
    }
    checked[lowerName] = value;
  }
  return checked;
}

import { readEnvironment } from './environment.js';
import { ConfigurationError } from './errors.js';
import type { Hooks } from './hooks.js';
import { LOG_LEVELS, type LogLevel } from './logger.js';
import type { TokenSource } from './options.js';

/** Timers beyond 2^31 - 1 ms fire at once in every runtime. */
export const MAX_TIMEOUT = 2_147_483_647;

/** Ends the construction of a client, or a call, with what is wrong with one option. */
export function refuseOption(option: string, problem: string, cause?: unknown): never {
  throw new ConfigurationError(`${option} ${problem}.`, { option, cause });
}

export function refuseUnknown(options: object, known: readonly string[], kind = 'option'): void {
  if (typeof options !== 'object' || options === null) refuseOption(`${kind}s`, 'must be an object');
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
  if (typeof token !== 'string')
    return refuse(`must be a string, got ${token === null ? 'null' : typeof token}`);
  const trimmed = token.trim();
  if (trimmed === '') refuse('is blank');
  if (/[^\x21-\x7e]/.test(trimmed)) {
    refuse('holds a space, a line break or another character that cannot stand in a header');
  }
  return trimmed;
}

export function checkTimeout(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (typeof value === 'number' && value > 0 && value <= MAX_TIMEOUT)) return value;
  return refuseOption(
    option,
    `must be a number of milliseconds above 0 and at most ${MAX_TIMEOUT}, got ${String(value)}`,
  );
}

export function checkPositive(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (typeof value === 'number' && value > 0)) return value;
  return refuseOption(option, `must be a number above 0, got ${String(value)}`);
}

export function checkRetries(value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= 0)) return value;
  return refuseOption('maxRetries', `must be a whole number, 0 or more, got ${String(value)}`);
}

export function checkOneOf<Value extends string>(
  option: string,
  known: readonly Value[],
  value: Value | undefined,
  hint = '',
): Value | undefined {
  if (value === undefined || known.includes(value)) return value;
  const values = known.map((one) => `'${one}'`).join(', ');
  return refuseOption(option, `must be one of ${values}, got ${JSON.stringify(value)}${hint}`);
}

/** The level that an option or the environment gives. Default `'warn'`. */
export function resolveLogLevel(option: LogLevel | undefined): LogLevel {
  const fromEnvironment = readEnvironment('AGENT_PLATFORM_LOG');
  const level = option ?? fromEnvironment ?? 'warn';
  const hint = option === undefined ? ' (from AGENT_PLATFORM_LOG)' : '';
  return checkOneOf(`logLevel`, LOG_LEVELS, level as LogLevel, hint) ?? 'warn';
}

export function checkFunction<Value>(option: string, value: Value | undefined): Value | undefined {
  if (value === undefined || typeof value === 'function') return value;
  return refuseOption(option, `must be a function, got ${typeof value}`);
}

const hookNames = ['onRequest', 'onResponse', 'onRetry', 'onDrift'];

export function checkHooks(hooks: Hooks = {}): Hooks {
  refuseUnknown(hooks, hookNames, 'hook');
  for (const [name, hook] of Object.entries(hooks)) checkFunction(`hooks.${name}`, hook);
  return hooks;
}

const clientHeaders = ['authorization', 'content-type', 'content-length', 'host'];

export function checkHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    const option = `headers.${name}`;
    if (clientHeaders.includes(name.toLowerCase())) {
      refuseOption(option, 'is set by the client (the token by the option `token`)');
    }
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) refuseOption(option, 'has a name that is not allowed in HTTP');
    if (typeof value !== 'string' || /[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      refuseOption(option, 'must be a string of characters that are allowed in HTTP');
    }
  }
  return headers;
}

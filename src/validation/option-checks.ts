import { ConfigurationError } from '../errors/index.js';
import { isLong } from '../ground/echoes.js';
import { readEnvironment } from '../ground/environment.js';
import { typeName } from '../ground/issues.js';
import { LOG_LEVELS, type Logger, type LogLevel } from '../ground/logger.js';
import { onOneLine } from '../ground/printable.js';

/** A bearer token (specification, 5.2), or a function that gives one. The function is called for each attempt. */
export type TokenSource = string | (() => string | Promise<string>);

/** Timers beyond 2^31 - 1 ms fire at once in every runtime. */
export const MAX_TIMEOUT = 2_147_483_647;

/** Ends the construction of a client, or a call, with what is wrong with one option. */
export function refuseOption(option: string, problem: string, cause?: unknown): never {
  throw new ConfigurationError(`${onOneLine(option)} ${problem}.`, { option, cause });
}

/** Shows a wrong value in a message: a number, or a word that is too short for a secret, as it is; anything else by its type. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return isLong(value) ? 'another string' : JSON.stringify(value);
  return typeof value === 'number' ? String(value) : typeName(value);
}

/** The names of options, as the keys of an object: to forget one does not compile. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** Without the options that are undefined: they change nothing. */
export function defined<Options extends object>(options: Options): Partial<Options> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  // The entries are its own.
  return Object.fromEntries(entries) as Partial<Options>;
}

/** Refuses what is no object, and a name that is not known. `holder` is the option that these stand in. */
export function refuseUnknown<Options extends object>(
  options: Options,
  known: OptionNames<Options>,
  holder?: string,
): void {
  if (typeof options !== 'object' || options === null) {
    refuseOption(holder ?? 'options', `must be an object, got ${typeName(options)}`);
  }
  for (const name of Object.keys(options)) {
    const option = holder === undefined ? name : `${holder}.${name}`;
    if (Object.hasOwn(known, name)) {
      checkReadable(options, name, option);
      continue;
    }
    refuseOption(option, `is not a known option. Known: ${Object.keys(known).join(', ')}`);
  }
}

/** Reads an option for the first time: it may be a getter that throws. */
function checkReadable(options: object, name: string, option: string): void {
  try {
    Reflect.get(options, name);
  } catch (error) {
    refuseOption(option, 'could not be read', error);
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
  if (/^bearer\s/i.test(trimmed)) refuse('must be given without `Bearer `');
  if (/[^\x21-\x7e]/.test(trimmed)) {
    refuse('holds a character that cannot stand in a header');
  }
  return trimmed;
}

export function checkTimeout(
  option: string,
  value: number | undefined,
  most = MAX_TIMEOUT,
  hint = '',
): number | undefined {
  if (value === undefined || (typeof value === 'number' && value > 0 && value <= most)) return value;
  return refuseOption(
    option,
    `must be a number of milliseconds above 0 and at most ${most}, got ${shown(value)}${hint}`,
  );
}

export function checkPositive(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (typeof value === 'number' && value > 0)) return value;
  return refuseOption(option, `must be a number above 0, got ${shown(value)}`);
}

export function checkWhole(option: string, least: number, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= least)) return value;
  return refuseOption(option, `must be a whole number, ${least} or more, got ${shown(value)}`);
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
export function resolveLogLevel(option: unknown = readEnvironment('AGENT_PLATFORM_LOG') ?? 'warn'): LogLevel {
  // The check tells whether it is a level.
  const level = option as LogLevel;
  return checkOneOf('logLevel', LOG_LEVELS, level, ' (the option or AGENT_PLATFORM_LOG)') ?? level;
}

export function checkLogger(logger: Logger = console): Logger {
  return checkMethods('logger', ['error', 'warn', 'info', 'debug'], logger);
}

/** Refuses what is no object with these methods. */
export function checkMethods<Value extends object | undefined>(
  option: string,
  names: readonly (keyof NonNullable<Value> & string)[],
  value: Value,
): Value {
  if (value === undefined) return value;
  for (const name of names) {
    // It may be null, whatever its type says.
    const method: unknown = (value as NonNullable<Value> | null)?.[name];
    if (typeof method !== 'function') {
      refuseOption(`${option}.${name}`, `must be a function, got ${typeName(method)}`);
    }
  }
  return value;
}

export function checkFunction<Value>(option: string, value: Value | undefined): Value | undefined {
  if (value === undefined || typeof value === 'function') return value;
  return refuseOption(option, `must be a function, got ${typeName(value)}`);
}

/** Checks an object of hooks: only those that are known, and each a function. */
export function checkHooks<Hooks extends object>(
  known: OptionNames<Hooks>,
  hooks: Hooks | undefined,
): Hooks | undefined {
  if (hooks === undefined) return hooks;
  refuseUnknown(hooks, known, 'hooks');
  for (const [name, hook] of Object.entries(hooks)) checkFunction(`hooks.${name}`, hook);
  return hooks;
}

/** Headers that frame the request, or that `fetch` refuses: nothing would be sent. */
export const FRAMING_HEADERS: readonly string[] = [
  'content-length',
  'host',
  'connection',
  'transfer-encoding',
  'expect',
  'upgrade',
  'keep-alive',
];

/** Names in lower case, so that a call's header replaces the client's. */
export function checkHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (typeof headers !== 'object' || headers === null || Symbol.iterator in headers) {
    refuseOption(
      'headers',
      'must be a plain object of names and values: of a `Headers`, `Object.fromEntries(headers)`',
    );
  }
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const option = `headers.${name}`;
    const lowerName = name.toLowerCase();
    if (['authorization', 'content-type', ...FRAMING_HEADERS].includes(lowerName)) {
      refuseOption(option, 'is set by the client (the token by the option `token`)');
    }
    if (value === undefined) refuseOption(option, 'is undefined: leave the header out');
    const isText = /^[\w!#$%&'*+.^`|~-]+$/.test(name) && typeof value === 'string';
    if (!isText || /[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      refuseOption(option, 'must be a name and a string that are allowed in HTTP');
    }
    checked[lowerName] = value;
  }
  return checked;
}

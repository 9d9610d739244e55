import { ConfigurationError } from './errors.js';
import type { Hooks } from './hooks.js';
import type { TokenSource } from './options.js';

/** Timers beyond 2^31 - 1 ms fire at once in every runtime. */
export const MAX_TIMEOUT = 2_147_483_647;

export function refuseUnknown(options: object, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigurationError('The options must be an object.', { option: 'options' });
  }
  for (const option of Object.keys(options)) {
    if (known.includes(option)) continue;
    throw new ConfigurationError(`There is no option \`${option}\`. Known options: ${known.join(', ')}.`, {
      option,
    });
  }
}

export function checkToken(token: TokenSource | undefined): TokenSource | undefined {
  if (token === undefined || typeof token === 'function') return token;
  return usableToken(token);
}

/** A token that can stand in a header, or a {@link ConfigurationError} that does not show it. */
export function usableToken(token: unknown): string {
  const problem =
    typeof token !== 'string'
      ? `must be a string, got ${token === null ? 'null' : typeof token}`
      : token.trim() === ''
        ? 'is blank'
        : /[^\x21-\x7e]/.test(token.trim())
          ? 'holds a space, a line break or another character that cannot stand in a header'
          : undefined;
  if (problem === undefined) return (token as string).trim();
  throw new ConfigurationError(`token ${problem}. Set the option \`token\` or AGENT_PLATFORM_TOKEN.`, {
    option: 'token',
  });
}

export function checkTimeout(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (typeof value === 'number' && value > 0 && value <= MAX_TIMEOUT)) return value;
  throw new ConfigurationError(
    `${option} must be a number of milliseconds above 0 and at most ${MAX_TIMEOUT}, got ${String(value)}.`,
    { option },
  );
}

export function checkPositive(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (typeof value === 'number' && value > 0)) return value;
  throw new ConfigurationError(`${option} must be a number above 0, got ${String(value)}.`, { option });
}

export function checkRetries(value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= 0)) return value;
  throw new ConfigurationError(`maxRetries must be a whole number, 0 or more, got ${String(value)}.`, {
    option: 'maxRetries',
  });
}

export function checkOneOf<Value extends string>(
  option: string,
  known: readonly Value[],
  value: Value | undefined,
  hint = '',
): Value | undefined {
  if (value === undefined || known.includes(value)) return value;
  const values = known.map((one) => `'${one}'`).join(', ');
  throw new ConfigurationError(`${option} must be one of ${values}, got ${JSON.stringify(value)}${hint}.`, {
    option,
  });
}

export function checkFunction<Value>(option: string, value: Value | undefined): Value | undefined {
  if (value === undefined || typeof value === 'function') return value;
  throw new ConfigurationError(`${option} must be a function, got ${typeof value}.`, { option });
}

export function checkHooks(hooks: Hooks = {}): Hooks {
  const known = ['onRequest', 'onResponse', 'onRetry', 'onDrift'];
  for (const [name, hook] of Object.entries(hooks)) {
    if (!known.includes(name)) {
      throw new ConfigurationError(`There is no hook \`${name}\`. Known hooks: ${known.join(', ')}.`, {
        option: `hooks.${name}`,
      });
    }
    checkFunction(`hooks.${name}`, hook);
  }
  return hooks;
}

const clientHeaders = ['authorization', 'content-type', 'content-length', 'host'];

export function checkHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    const refuse = (problem: string): never => {
      throw new ConfigurationError(`The header ${JSON.stringify(name)} ${problem}.`, {
        option: `headers.${name}`,
      });
    };
    if (clientHeaders.includes(name.toLowerCase())) {
      refuse(
        name.toLowerCase() === 'authorization'
          ? 'is set by the client: use the option `token`'
          : 'is set by the client',
      );
    }
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) refuse('has a name that is not allowed in HTTP');
    if (typeof value !== 'string' || /[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      refuse('has a value that is not a string, or holds a character that is not allowed in HTTP');
    }
  }
  return headers;
}

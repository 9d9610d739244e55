import { onOneLine, printable } from './printable.js';
import type { Region } from './regions.js';

/** The amount that is logged: nothing, errors, warnings (default), one line a call, or headers and bodies too (redacted). */
export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug';

export const LOG_LEVELS: readonly LogLevel[] = ['off', 'error', 'warn', 'info', 'debug'];

/** The facts of a log line under stable names, for loggers that keep fields. None of them is a secret, or holds a payload. */
export interface LogFields {
  /** The HTTP method of a call. */
  readonly method?: string | undefined;
  /** The operation of a call, with the parameters in braces. */
  readonly route?: string | undefined;
  /** The region of a call. */
  readonly region?: Region | undefined;
  /** The number of an attempt of a call, or of a run of an event: 1 for the first. */
  readonly attempt?: number | undefined;
  /** The HTTP status of the service's answer, or of the answer to a delivery. */
  readonly status?: number | undefined;
  /** Milliseconds that the attempt, the delivery or the run has taken. */
  readonly durationMs?: number | undefined;
  /** The type of an event, as it was received. */
  readonly type?: string | undefined;
  /** The name of the workspace whose secret verified an event. */
  readonly workspace?: string | undefined;
  /** The id that the receiver gave a delivery. */
  readonly deliveryId?: string | undefined;
  /** The key of an event in an inbox. */
  readonly key?: string | undefined;
  /** The end of a call, a delivery or a run in one word. */
  readonly outcome?: string | undefined;
}

/**
 * Takes the log lines. `console`, winston and a pino logger fit: each line is one finished string, already redacted. The facts in it
 * come as fields too, except to `console`, which would print them; pino takes them with {@link fieldsFirst}.
 */
export interface Logger {
  /** Takes a line of the level `error`. */
  error(line: string, fields?: LogFields): void;
  /** Takes a line of the level `warn`. */
  warn(line: string, fields?: LogFields): void;
  /** Takes a line of the level `info`. */
  info(line: string, fields?: LogFields): void;
  /** Takes a line of the level `debug`. */
  debug(line: string, fields?: LogFields): void;
}

/** A method of a logger whose fields stand before the line, such as pino's. */
type FieldsFirstMethod = (fields: LogFields, line: string) => void;

/**
 * Adapts a logger whose methods take the fields before the line, such as pino or bunyan.
 *
 * @example
 * ```ts
 * import { AgentPlatform, fieldsFirst } from 'agent-platform-sdk';
 * import pino from 'pino';
 *
 * const platform = new AgentPlatform({ logger: fieldsFirst(pino()), logLevel: 'info' });
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function fieldsFirst(logger: {
  readonly error: FieldsFirstMethod;
  readonly warn: FieldsFirstMethod;
  readonly info: FieldsFirstMethod;
  readonly debug: FieldsFirstMethod;
}): Logger {
  return {
    error: (line, fields = {}) => logger.error(fields, line),
    warn: (line, fields = {}) => logger.warn(fields, line),
    info: (line, fields = {}) => logger.info(fields, line),
    debug: (line, fields = {}) => logger.debug(fields, line),
  };
}

/** Writes lines at or above a level. Lines are built only if they are written. */
export class LeveledLogger {
  /** The least level that is written. */
  readonly level: LogLevel;
  readonly #logger: Logger;
  readonly #rank: number;

  constructor(logger: Logger, level: LogLevel) {
    this.level = level;
    this.#logger = logger;
    this.#rank = LOG_LEVELS.indexOf(level);
  }

  /** Writes a line, and the facts in it as fields. */
  log(level: Exclude<LogLevel, 'off'>, line: () => string, fields?: () => LogFields): void {
    if (LOG_LEVELS.indexOf(level) > this.#rank) return;
    const logger = this.#logger;
    try {
      const text = `[agent-platform-sdk] ${printable(line())}`;
      const isPlain = fields === undefined || logger === console;
      // An async function fits the type, and nobody else would catch its rejection.
      const written: unknown = isPlain ? logger[level](text) : logger[level](text, fields());
      if (written instanceof Promise) written.catch(() => undefined);
    } catch {
      // A logger that throws must not change the outcome of a call or of a delivery.
    }
  }

  /** Runs a callback of the user's. What it throws is logged, and no more. */
  async runQuietly(name: string, callback: () => unknown): Promise<void> {
    try {
      await callback();
    } catch (error) {
      this.log('error', () => `the hook ${name} failed: ${describeThrown(error)}${framesOf(error)}`);
    }
  }
}

/** Names the class of what someone else's code threw. Its message may hold anything, and is left out. */
export function describeThrown(error: unknown): string {
  return readThrown(error, 'something unreadable', ({ name }) => onOneLine(name)) ?? typeof error;
}

/** Frames of the stack of an error that are logged. */
const MAX_FRAMES = 10;

/** The frames of a stack, without the message in front of them, which may hold anything. Empty where they cannot be told apart. */
export function framesOf(error: unknown): string {
  const frames = readThrown(error, [], ({ message, stack = '' }) => {
    const start = stack.indexOf(message) + message.length;
    return stack.includes(message) ? stack.slice(start).split('\n') : [];
  });
  return (frames ?? [])
    .filter((frame) => frame.startsWith('    at '))
    .slice(0, MAX_FRAMES)
    .map((frame) => `\n${frame}`)
    .join('');
}

/** Reads an error; undefined where it is none. Getters may throw, and a proxy that was revoked throws even at `instanceof`. */
function readThrown<Value>(
  thrown: unknown,
  unreadable: Value,
  read: (error: Error) => Value,
): Value | undefined {
  try {
    return thrown instanceof Error ? read(thrown) : undefined;
  } catch {
    return unreadable;
  }
}

import { readEnvironment } from './environment.js';
import { onOneLine, printable } from './printable.js';
import type { Region } from './regions.js';
import { describeError } from './thrown.js';

/** The least severe level that is logged. `'debug'` adds the redacted headers and bodies of responses. */
export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug';

/** From the least that is logged to the most. */
export const LOG_LEVELS: readonly LogLevel[] = ['off', 'error', 'warn', 'info', 'debug'];
const DEFAULT_LOG_LEVEL: LogLevel = 'warn';
export const LOG_LEVEL_VARIABLE = 'AGENT_PLATFORM_LOG';

/** The facts of a log line under stable names, for loggers that keep fields. None is a secret or payload. */
export interface LogFields {
  /** The HTTP method of a call. */
  readonly method?: string | undefined;
  /** The operation of a call, with the parameters in braces. */
  readonly route?: string | undefined;
  /** The region of a call. */
  readonly region?: Region | undefined;
  /** The id of a call: the `callId` of its hooks. */
  readonly callId?: string | undefined;
  /** The number of an attempt of a call, or of a run of an event: 1 for the first. */
  readonly attempt?: number | undefined;
  /** The HTTP status of the service's response, or of the response to a delivery. */
  readonly status?: number | undefined;
  /** The duration of the attempt, the delivery or the run in milliseconds. */
  readonly durationMs?: number | undefined;
  /** The type of an event as it was received, cut to 100 characters. */
  readonly type?: string | undefined;
  /** The name of the workspace whose secret verified an event. */
  readonly workspace?: string | undefined;
  /** The id that the receiver gave a delivery. */
  readonly deliveryId?: string | undefined;
  /** The key of an event in an inbox. */
  readonly key?: string | undefined;
  /** How a call, a delivery or a run ended, in one word. */
  readonly outcome?: string | undefined;
}

/**
 * The destination of log lines: `console`, winston, or pino through {@link fieldsFirst}.
 *
 * Each line is one string, already redacted. Its facts are passed as fields too, except to `console`, which
 * would print them twice.
 */
export interface Logger {
  /** Receives a line of the level `error`. */
  error(line: string, fields?: LogFields): void;
  /** Receives a line of the level `warn`. */
  warn(line: string, fields?: LogFields): void;
  /** Receives a line of the level `info`. */
  info(line: string, fields?: LogFields): void;
  /** Receives a line of the level `debug`. */
  debug(line: string, fields?: LogFields): void;
}

/** A method of a logger that takes the fields before the line, such as pino's. */
type FieldsFirstMethod = (fields: LogFields, line: string) => void;

/**
 * Adapts a logger whose methods take the fields before the line, such as pino or bunyan.
 *
 * @example
 * ```ts
 * import { AgentPlatform, fieldsFirst } from 'agent-platform-sdk';
 *
 * // `pino()` has these four methods.
 * const print = (fields: object, line: string) => console.log(JSON.stringify({ ...fields, line }));
 * const logger = { error: print, warn: print, info: print, debug: print };
 *
 * const platform = new AgentPlatform({ logger: fieldsFirst(logger), logLevel: 'info' });
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

/**
 * Makes the logger of a client, a receiver or an inbox from its options.
 *
 * Without a level, `AGENT_PLATFORM_LOG` decides, in any case. An unknown one warns, and counts as `warn`.
 */
export function createLogger(logger: Logger = console, level?: LogLevel): LeveledLogger {
  if (level !== undefined) return new LeveledLogger(logger, level);
  const given = readEnvironment(LOG_LEVEL_VARIABLE) ?? DEFAULT_LOG_LEVEL;
  const found = LOG_LEVELS.find((one) => one === given.toLowerCase());
  const leveled = new LeveledLogger(logger, found ?? DEFAULT_LOG_LEVEL);
  if (found === undefined) {
    const known = LOG_LEVELS.join(', ');
    leveled.warnOnce(`${LOG_LEVEL_VARIABLE} is ignored: "${onOneLine(given)}" is not one of ${known}`);
  }
  return leveled;
}

/** The warnings that each logger has had: a program may make a client for each request (sanity-io/client#12526). */
const warnedOf = /* @__PURE__ */ new WeakMap<Logger, Set<string>>();
/** The most that is remembered for a logger: a stranger may send any number of types. */
const MAX_WARNED = 1_000;

/** Writes lines up to a level. A line is built only if it is written. */
export class LeveledLogger {
  // Not private: another copy of the package reads them.
  logger: Logger;
  /** The least level that is written. */
  level: LogLevel;

  constructor(logger: Logger, level: LogLevel) {
    this.logger = logger;
    this.level = level;
  }

  /** Writes where another logger writes, from now on. It may be one of another copy of the package. */
  follow({ logger, level }: Pick<LeveledLogger, 'logger' | 'level'>): void {
    this.logger = logger;
    this.level = level;
  }

  /** Whether lines of a level are written. */
  writes(level: LogLevel): boolean {
    return LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(this.level);
  }

  /** Writes a line, with its facts as fields. */
  log(level: Exclude<LogLevel, 'off'>, line: () => string, fields?: () => LogFields): void {
    if (!this.writes(level)) return;
    const { logger } = this;
    try {
      const text = `[agent-platform-sdk] ${printable(line())}`;
      const isPlain = fields === undefined || logger === console;
      // The type admits an async function, whose rejection nobody else would catch.
      const written: unknown = isPlain ? logger[level](text) : logger[level](text, fields());
      if (written !== undefined) Promise.resolve(written).catch(() => undefined);
    } catch {
      // A logger that throws must not change the outcome of a call or of a delivery.
    }
  }

  /** Whether the logger takes warnings, and has not had this one. Remembers that it has. */
  isNews(warning: string): boolean {
    const known = warnedOf.get(this.logger) ?? new Set();
    warnedOf.set(this.logger, known);
    if (!this.writes('warn') || known.has(warning) || known.size >= MAX_WARNED) return false;
    known.add(warning);
    return true;
  }

  /** Logs a warning, once for each logger. */
  warnOnce(warning: string): void {
    if (this.isNews(warning)) this.log('warn', () => warning);
  }

  /** Runs a callback. What it throws is logged with its stack, and ignored. */
  async runQuietly(name: string, callback: () => unknown): Promise<void> {
    try {
      await callback();
    } catch (error) {
      this.log('error', () => `the hook ${name} failed: ${describeError(error)}`);
    }
  }
}

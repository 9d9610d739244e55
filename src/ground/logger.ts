/** The amount that is logged: nothing, errors, warnings (default), one line a call, or headers and bodies too (redacted). */
export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug';

export const LOG_LEVELS: readonly LogLevel[] = ['off', 'error', 'warn', 'info', 'debug'];

/** Takes the log lines. `console` and a pino logger both fit: each line is one finished string, already redacted. */
export interface Logger {
  /** Takes a line of the level `error`. */
  error(line: string): void;
  /** Takes a line of the level `warn`. */
  warn(line: string): void;
  /** Takes a line of the level `info`. */
  info(line: string): void;
  /** Takes a line of the level `debug`. */
  debug(line: string): void;
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

  log(level: Exclude<LogLevel, 'off'>, line: () => string): void {
    if (LOG_LEVELS.indexOf(level) > this.#rank) return;
    try {
      // An async function fits the type, and nobody else would catch its rejection.
      const written: unknown = this.#logger[level](`[agent-platform-sdk] ${line()}`);
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
      this.log('error', () => `the hook ${name} failed: ${describeThrown(error)}`);
    }
  }
}

/** Names the class of what someone else's code threw. Its message may hold anything, and is left out. */
export function describeThrown(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

import { formatIssues, type Issue } from '../utils/issues.js';
import type { LeveledLogger } from '../utils/logger.js';
import type { Region } from '../utils/regions.js';

/**
 * Lists where a response or an event does not match the API specification, although it was passed on.
 *
 * Each is an {@link Issue}, here as in `context.drift` of a handler and in `drift` of `.withResponse()`.
 */
export interface Drift {
  /** The operation, such as `GET /tools/{toolId}`, or the type of the webhook event. */
  readonly source: string;
  /** The region of the call; undefined for a webhook. */
  readonly region: Region | undefined;
  /** Each place with its path. At most 100 are listed, and the rest is counted. */
  readonly issues: readonly Issue[];
}

/** Reports drift: to the hook each time, and to the log as a warning once for each place. */
export class DriftReporter<Context extends Drift = Drift> {
  readonly #log: LeveledLogger;
  readonly #onDrift: ((context: Context) => unknown) | undefined;

  constructor(log: LeveledLogger, onDrift: ((context: Context) => unknown) | undefined) {
    this.#log = log;
    this.#onDrift = onDrift;
  }

  /**
   * Resolves once the hook has. What the hook throws is logged and ignored.
   *
   * @param problem - For the log, as the end of a sentence that starts with the source.
   */
  async report(drift: Context, problem = 'does not match the API specification'): Promise<void> {
    const news = drift.issues.filter((issue) => this.#log.isNews(placeOf(drift.source, issue)));
    const level = news.length > 0 ? 'warn' : 'debug';
    this.#log.log(level, () => `${drift.source} ${problem}${formatIssues(drift.issues)}`);
    const onDrift = this.#onDrift;
    await this.#log.runQuietly('onDrift', () => onDrift?.(drift));
  }
}

function placeOf(source: string, { path, code }: Issue): string {
  return [source, ...path.map((key) => (typeof key === 'number' ? '*' : key)), code].join(' ');
}

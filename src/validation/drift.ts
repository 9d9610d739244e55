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

/** The most places whose drift is logged as a warning. That of further ones is logged at debug only. */
const MAX_WARNED_PLACES = 1_000;

/** Reports drift: to the hook each time, and to the log as a warning once for each place. */
export class DriftReporter<Context extends Drift = Drift> {
  readonly #log: LeveledLogger;
  readonly #onDrift: ((context: Context) => unknown) | undefined;
  readonly #warned: Set<string>;

  /** @param warned - The places that were warned of, shared by reporters. */
  constructor(
    log: LeveledLogger,
    onDrift: ((context: Context) => unknown) | undefined,
    warned = new Set<string>(),
  ) {
    this.#log = log;
    this.#onDrift = onDrift;
    this.#warned = warned;
  }

  /**
   * Resolves once the hook has. What the hook throws is logged and ignored.
   *
   * @param problem - For the log, as the end of a sentence that starts with the source.
   */
  async report(drift: Context, problem = 'does not match the API specification'): Promise<void> {
    const fresh = drift.issues.filter((issue) => this.#isNew(drift.source, issue));
    const level = fresh.length > 0 ? 'warn' : 'debug';
    this.#log.log(level, () => `${drift.source} ${problem}${formatIssues(drift.issues)}`);
    const onDrift = this.#onDrift;
    await this.#log.runQuietly('onDrift', () => onDrift?.(drift));
  }

  #isNew(source: string, issue: Issue): boolean {
    const place = issue.path.map((key) => (typeof key === 'number' ? '*' : key)).join('.');
    const key = `${source} ${place} ${issue.code}`;
    if (this.#warned.has(key) || this.#warned.size >= MAX_WARNED_PLACES) return false;
    this.#warned.add(key);
    return true;
  }
}

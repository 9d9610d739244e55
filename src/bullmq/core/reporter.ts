import type { LeveledLogger, LogFields } from '../../utils/logger.js';
import { onOneLine } from '../../utils/printable.js';
import type { InboxFailure, InboxHooks, InboxRun } from './hooks.js';

/** Milliseconds during which further failures of one kind are not logged. */
const QUIET_PERIOD_MS = 60_000;
/** The largest number of kinds that are remembered: warnings that were logged, and failures of Redis. */
const MAX_KINDS = 1_000;

/** Logs what happens in the inbox, and calls the hooks. */
export class InboxReporter {
  readonly #log: LeveledLogger;
  readonly #hooks: InboxHooks;
  readonly #warned = new Set<string>();
  readonly #failedAt = new Map<string, number>();

  constructor(log: LeveledLogger, hooks: InboxHooks) {
    this.#log = log;
    this.#hooks = hooks;
  }

  /** A run has succeeded. */
  handled(run: InboxRun): void {
    this.#logRun('info', run, 'was handled', 'handled');
    this.#call('onHandled', run);
  }

  /** The service's test event has no handler, and needs none. */
  ignored(run: InboxRun): void {
    this.#logRun('info', run, 'has no handler, and was completed', 'ignored');
  }

  /** A run has failed, and the event will run again. */
  retried(failure: InboxFailure): void {
    this.#logRun('warn', failure, 'failed, and will be retried', 'retried');
    this.#call('onRetry', failure);
  }

  /** A run has failed, and was the last one. */
  deadLetter(failure: InboxFailure): void {
    this.#logRun('error', failure, 'failed, and is a dead letter now', 'dead_letter');
    this.#call('onDeadLetter', failure);
  }

  /** A worker has no handler for a type. Logged once for each type. */
  unhandled(type: string, timeout: number): void {
    this.warnOnce(
      `type ${type}`,
      `no handler for ${onOneLine(type)} in this worker: its events wait ${timeout} ms for a worker that has one`,
    );
  }

  /** The lock of an event has expired. */
  stalled(key: string): void {
    const cause = 'its worker crashed, or its event loop was blocked';
    this.#logLock(key, `expired: ${cause}; it runs again`, 'stalled');
  }

  /** A worker could not renew the lock of an event that it runs. */
  lockLost(key: string): void {
    this.#logLock(key, 'was lost; it may run again', 'lock_lost');
  }

  /** The end of a run could not be recorded, because the lock of its event was gone. */
  notRecorded(error: Error): void {
    this.#log.log('warn', () => `inbox: the end of a run was not recorded: ${onOneLine(error.message)}`);
  }

  /**
   * Redis has failed. Logs one line a minute for each kind: while it is away, every connection fails alike.
   *
   * @param error - An error that is safe to log, with the code that names its kind.
   */
  redisFailed(error: Error & { readonly code?: string }): void {
    const { message, code: kind = message } = error;
    const now = performance.now();
    const last = this.#failedAt.get(kind) ?? Number.NEGATIVE_INFINITY;
    if (now - last < QUIET_PERIOD_MS) return;
    if (this.#failedAt.size >= MAX_KINDS) this.#failedAt.clear();
    this.#failedAt.set(kind, now);
    this.#log.log('error', () => `inbox: Redis failed: ${onOneLine(message)}`);
  }

  /** Logs a warning, once for each kind. */
  warnOnce(kind: string, warning: string): void {
    if (this.#warned.has(kind) || this.#warned.size >= MAX_KINDS) return;
    this.#warned.add(kind);
    this.#log.log('warn', () => `inbox: ${warning}`);
  }

  #logLock(key: string, what: string, outcome: string): void {
    this.#log.log(
      'warn',
      () => `inbox: the lock of ${key} ${what}`,
      () => ({ key, outcome }),
    );
  }

  #logRun(level: 'error' | 'warn' | 'info', run: InboxRun, what: string, outcome: string): void {
    const { key, type, workspace, attempt, waitedMs, durationMs } = run;
    const label = onOneLine(workspace === undefined ? type : `${type} of ${workspace}`);
    const about = `${key}, attempt ${attempt}, waited ${waitedMs} ms, ran ${durationMs} ms`;
    const fields = (): LogFields => ({ key, type, workspace, attempt, durationMs, outcome });
    this.#log.log(level, () => `inbox: ${label} (${about}) ${what}`, fields);
  }

  #call<Name extends keyof InboxHooks>(name: Name, run: Parameters<NonNullable<InboxHooks[Name]>>[0]): void {
    // The signature above ties the argument to the hook.
    const hook = this.#hooks[name] as ((run: unknown) => unknown) | undefined;
    if (hook !== undefined) void this.#log.runQuietly(name, () => hook(run));
  }
}

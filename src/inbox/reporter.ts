import type { LeveledLogger, LogFields } from '../utils/logger.js';
import { onOneLine } from '../utils/printable.js';
import { cutType, labelOf } from '../webhooks/payload.js';
import type { InboxWarnings } from './health.js';
import type { InboxFailure, InboxHooks, InboxRun } from './hooks.js';
import type { InboxSettings } from './options.js';

/** Milliseconds during which further failures of one kind are not logged. */
const QUIET_PERIOD_MS = 60_000;
/** Limits how many kinds of warnings and failures are remembered. */
const MAX_KINDS = 1_000;

/** Logs what happens in the inbox, and calls the hooks. */
export class InboxReporter {
  readonly #log: LeveledLogger;
  readonly #hooks: InboxHooks;
  readonly #warned = new Set<string>();
  readonly #failedAt = new Map<string, number>();

  /** @param storage - The storage of the inbox, inside a sentence: `Redis`, `the file`. */
  constructor(
    { log, hooks }: Pick<InboxSettings, 'log' | 'hooks'>,
    readonly storage: string,
  ) {
    this.#log = log;
    this.#hooks = hooks;
  }

  /** Reports a run that has succeeded. Describes it only for a reader, because most events end here. */
  handled(describe: () => InboxRun): void {
    if (this.#hooks.onHandled === undefined && !this.#log.writes('info')) return;
    const run = describe();
    this.#logRun('info', run, 'was handled', 'handled');
    this.#call('onHandled', run);
  }

  /** Reports the service's test event, which needs no handler. */
  ignored(describe: () => InboxRun): void {
    this.#logRun('info', describe(), 'is a test event, which needs no handler', 'ignored');
  }

  /** Reports a run that has failed, if the event will run again. */
  retried(failure: InboxFailure): void {
    this.#logRun('warn', failure, 'failed, and will be retried', 'retried');
    this.#call('onRetry', failure);
  }

  /** Reports the last run of an event, if it has failed. */
  deadLetter(failure: InboxFailure): void {
    this.#logRun('error', failure, 'failed, and is a dead letter now', 'dead_letter');
    this.#call('onDeadLetter', failure);
  }

  /** Warns of a type without a handler in this worker, once for each type. */
  unhandled(type: string): void {
    const label = labelOf(type, undefined);
    const warning = `no handler for ${label} in this worker: its events wait for a worker that has one`;
    this.warnOnce(`type ${label}`, warning);
  }

  /** Reports an event whose lock has expired. */
  stalled(key: string): void {
    const cause = 'its worker crashed, or the event loop was blocked';
    const text = `the lock of ${key} expired, because ${cause}: the event runs again`;
    this.#logEvent('warn', text, key, 'stalled');
  }

  /** Reports a running event whose lock could not be renewed. */
  lockLost(key: string): void {
    this.#logEvent('warn', `the lock of ${key} was lost: the event may run again`, key, 'lock_lost');
  }

  /** Reports a run that failed after its handler had completed the event. */
  failedLate(key: string): void {
    const about = 'failed after a transaction had completed its event, which therefore runs no more';
    this.#logEvent('error', `the handler of ${key} ${about}`, key, 'failed_late');
  }

  /**
   * Logs a failure of the storage, once a minute for each kind.
   *
   * While the storage is away, every attempt fails alike.
   *
   * @param error - An error that is safe to log, with the code that names its kind.
   */
  storageFailed(error: Error & { readonly code?: string }): void {
    const { message, code: kind = message } = error;
    const now = performance.now();
    const last = this.#failedAt.get(kind) ?? Number.NEGATIVE_INFINITY;
    if (now - last < QUIET_PERIOD_MS) return;
    if (this.#failedAt.size >= MAX_KINDS) this.#failedAt.clear();
    this.#failedAt.set(kind, now);
    this.#log.log('error', () => `inbox: ${this.storage} failed: ${onOneLine(message)}`);
  }

  /** Logs a warning, once for each kind. */
  warnOnce(kind: string, warning: string): void {
    if (this.#warned.has(kind) || this.#warned.size >= MAX_KINDS) return;
    this.#warned.add(kind);
    this.warn(warning);
  }

  /** Logs warnings of the health, once for each kind. */
  warnOfAll(warnings: InboxWarnings<string>): void {
    for (const [kind, warning] of Object.entries(warnings)) this.warnOnce(kind, warning ?? '');
  }

  /** Logs a warning. */
  warn(warning: string): void {
    this.#log.log('warn', () => `inbox: ${warning}`);
  }

  #logEvent(level: 'error' | 'warn', text: string, key: string, outcome: string): void {
    const fields = (): LogFields => ({ key, outcome });
    this.#log.log(level, () => `inbox: ${text}`, fields);
  }

  #logRun(level: 'error' | 'warn' | 'info', run: InboxRun, what: string, outcome: string): void {
    const { key, type, workspace, attempt, waitedMs, durationMs } = run;
    const label = labelOf(type, workspace);
    const about = `${key}, attempt ${attempt}, waited ${waitedMs} ms, ran ${durationMs} ms`;
    const fields = (): LogFields => ({ key, type: cutType(type), workspace, attempt, durationMs, outcome });
    this.#log.log(level, () => `inbox: ${label} (${about}) ${what}`, fields);
  }

  #call<Name extends keyof InboxHooks>(name: Name, run: Parameters<NonNullable<InboxHooks[Name]>>[0]): void {
    // The signature above ties the argument to the hook.
    const hook = this.#hooks[name] as ((run: unknown) => unknown) | undefined;
    if (hook !== undefined) void this.#log.runQuietly(name, () => hook(run));
  }
}

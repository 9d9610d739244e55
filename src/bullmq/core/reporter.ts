import { WebhookError } from '../errors/index.js';
import { cleanError } from '../redis/failure.js';
import type { LeveledLogger, LogFields } from '../utils/logger.js';
import { onOneLine } from '../utils/printable.js';
import { type InboxJob, isStalled, reasonOf, runsOf, thrownBy } from './job.js';

/** One run of the handlers for one event. Contains nothing of its payload. */
export interface InboxRun {
  /** The key of the event: the same for all its deliveries, and the id of its job. */
  readonly key: string;
  /** The event type as received. */
  readonly type: string;
  /** The name of the workspace, if the secrets have names. */
  readonly workspace?: string | undefined;
  /**
   * The number of this run: 1 for the first. Runs that ended with their worker, or without the lock of the event, count too.
   *
   * 0 for a dead letter whose handlers never ran.
   */
  readonly attempt: number;
  /** Milliseconds from the receipt of the event to the start of this run. */
  readonly waitedMs: number;
  /** Milliseconds from its start to its end. */
  readonly durationMs: number;
}

/** A run that failed. */
export interface InboxFailure extends InboxRun {
  /**
   * What the handler threw, as thrown; an `AggregateError` if several handlers threw.
   *
   * A `WebhookError` if no handler threw: the event is invalid, the handlers passed `handlerTimeout`, the event stalled too
   * often, or no worker had a handler.
   */
  readonly error: unknown;
}

/**
 * Callbacks for metrics and alerts. They may be async, and are not awaited. One that throws is logged.
 *
 * Each is called in the process of the worker. For more, listen to `worker.bullmq`, or ask `inbox.queue`.
 */
export interface InboxHooks {
  /** The handlers of an event have succeeded. */
  readonly onHandled?: ((run: InboxRun) => unknown) | undefined;
  /** A run failed, and the event will run again. */
  readonly onRetry?: ((failure: InboxFailure) => unknown) | undefined;
  /** An event became a dead letter: no attempt is left, its payload is invalid, or no worker has a handler. */
  readonly onDeadLetter?: ((failure: InboxFailure) => unknown) | undefined;
}

/** Milliseconds in which a kind of failure of Redis is logged once. */
const QUIET = 60_000;
/** The most types without a handler, and the most failures of Redis, that are remembered. */
const MAX_REMEMBERED = 1_000;

/** Logs what happens in the inbox, and calls the hooks. */
export class InboxReporter {
  readonly #log: LeveledLogger;
  readonly #hooks: InboxHooks;
  readonly #warned = new Set<string>();
  readonly #loggedAt = new Map<string, number>();

  constructor(log: LeveledLogger, hooks: InboxHooks) {
    this.#log = log;
    this.#hooks = hooks;
  }

  /** A run has succeeded. */
  handled(job: InboxJob): void {
    const run = toRun(job);
    this.#write('info', run, 'was handled', 'handled');
    this.#call('onHandled', run);
  }

  /** The service's test event has no handler. Nothing is missing. */
  ignored(job: InboxJob): void {
    this.#write('info', toRun(job), 'has no handler, and was completed', 'ignored');
  }

  /** A run has failed, with the error that was given to BullMQ. */
  failed(job: InboxJob, error: Error): void {
    const thrown = isStalled(job) ? new WebhookError(reasonOf(job)) : thrownBy(error.cause ?? error);
    const failure = { ...toRun(job), error: thrown };
    if (job.finishedOn === undefined) {
      this.#write('warn', failure, 'failed, and will be retried', 'retried');
      this.#call('onRetry', failure);
    } else {
      this.#write('error', failure, 'failed, and is a dead letter now', 'dead_letter');
      this.#call('onDeadLetter', failure);
    }
  }

  /** A worker has no handler for a type. Logged once a type. */
  unhandled(type: string, timeout: number): void {
    const line = `no handler for ${onOneLine(type)} in this worker: its events wait for a worker that has one, and become dead letters ${timeout} ms after their receipt`;
    this.warnOnce(`type ${type}`, line);
  }

  stalled(key: string): void {
    const line = `inbox: the lock of ${key} expired: its worker crashed, or its event loop was blocked; it runs again`;
    this.#log.log(
      'warn',
      () => line,
      () => ({ key, outcome: 'stalled' }),
    );
  }

  lockLost(key: string): void {
    const line = `inbox: the lock of ${key} was lost; it may run again`;
    this.#log.log(
      'warn',
      () => line,
      () => ({ key, outcome: 'lock_lost' }),
    );
  }

  /** BullMQ could not record the end of a run, because the lock of its event was gone. */
  notRecorded(error: Error): void {
    this.#log.log('warn', () => `inbox: the end of a run was not recorded: ${onOneLine(error.message)}`);
  }

  /** Logs each kind of failure once a minute: while Redis is away, every attempt to connect fails alike. */
  redisFailed(error: unknown): void {
    const clean: Error & { readonly code?: string } = cleanError(error);
    const { message, code: kind = message } = clean;
    const now = performance.now();
    const last = this.#loggedAt.get(kind) ?? Number.NEGATIVE_INFINITY;
    if (now - last < QUIET) return;
    if (this.#loggedAt.size >= MAX_REMEMBERED) this.#loggedAt.clear();
    this.#loggedAt.set(kind, now);
    this.#log.log('error', () => `inbox: Redis failed: ${onOneLine(message)}`);
  }

  /** Logs a warning of a kind once. */
  warnOnce(kind: string, warning: string): void {
    if (this.#warned.has(kind) || this.#warned.size >= MAX_REMEMBERED) return;
    this.#warned.add(kind);
    this.#log.log('warn', () => `inbox: ${warning}`);
  }

  #write(level: 'error' | 'warn' | 'info', run: InboxRun, what: string, outcome: string): void {
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

function toRun(job: InboxJob): InboxRun {
  const { processedOn = Date.now(), finishedOn = Date.now() } = job;
  // The job of another application may hold nothing.
  const data = job.data as InboxJob['data'] | null;
  const workspace = typeof data?.workspace === 'string' ? { workspace: data.workspace } : {};
  return {
    key: job.id ?? '',
    type: job.name,
    ...workspace,
    attempt: runsOf(job),
    waitedMs: Math.max(processedOn - job.timestamp, 0),
    durationMs: Math.max(finishedOn - processedOn, 0),
  };
}

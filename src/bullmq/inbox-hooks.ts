import type { LeveledLogger, LogFields } from '../ground/logger.js';
import { onOneLine } from '../ground/printable.js';
import { cleanError, explained, overAfter, type Success } from '../redis/failure.js';
import type { OptionNames } from '../validation/option-checks.js';
import { labelOf } from '../webhooks/payload.js';

/** One event in the inbox, for metrics. Nothing of its payload is told. */
export interface InboxEvent {
  /** The same for all deliveries of one event; the id of the job. */
  readonly key: string;
  /** The event type as received. */
  readonly type: string;
  /** The name of the secret it was verified with, if secrets have names. */
  readonly workspace?: string | undefined;
}

/** An event that is stored now, or was before. */
export interface InboxStored extends InboxEvent {
  /**
   * True for an event that was stored before, and is in the inbox still or was handled within the `retention`. False also where an
   * answer of Redis was lost, and the event was sent again; and for one of two copies that reach Redis in the same moment, from
   * two processes.
   */
  readonly duplicate: boolean;
  /** Milliseconds for storing it. */
  readonly durationMs: number;
}

/** One run of the handlers for one event. */
export interface InboxRun extends InboxEvent {
  /**
   * The number of runs until now, with this one: 1 for the first run, 2 for the first retry, … Runs that ended with their
   * worker, or without the lock of the event, count too. 0 for a dead letter whose handlers were never run.
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
   * The error that `receiver.process` rejected with, or a `WebhookError` that says what happened: the handlers did not settle
   * within `handlerTimeout`, or before the worker closed; the event stalled too often; no worker had a handler.
   */
  readonly error: unknown;
}

/** An event that a worker has no handler for. */
export interface InboxUnhandled extends InboxEvent {
  /** Milliseconds since a worker first found that it has no handler for it. */
  readonly unhandledMs: number;
  /** Milliseconds until it becomes a dead letter, unless a worker has a handler for it by then. */
  readonly leftMs: number;
}

/** An event whose worker has died, or has lost its lock. */
export interface InboxStall {
  /** The key of the event. */
  readonly key: string;
}

/** A run that has lost the lock of its event. */
export interface InboxLockLoss {
  /** The key of the event. BullMQ always tells it today; the type allows a version that does not. */
  readonly key: string | undefined;
}

/** Counts of one process since it began. */
export interface InboxFailures {
  /** Runs that failed and were to be retried. */
  readonly retried: number;
  /** Runs that ended in a dead letter. */
  readonly deadLetters: number;
  /** Events that were taken over from a worker that had died, or had lost its lock. */
  readonly stalled: number;
  /** Runs that lost the lock of their event while their handlers ran. */
  readonly lostLocks: number;
  /** Errors of Redis and of the connection to it; each attempt to connect counts. */
  readonly redisErrors: number;
}

/**
 * Callbacks to feed metrics. They may be async, and are not awaited. One that throws is logged, and changes nothing. Each
 * is called in the process in which the event was stored or run.
 */
export interface InboxHooks {
  /** An event is stored, and its delivery is answered 200. Called for a duplicate too, which `duplicate` tells. */
  readonly onStored?: ((stored: InboxStored) => unknown) | undefined;
  /** The handlers of an event have succeeded. */
  readonly onHandled?: ((run: InboxRun) => unknown) | undefined;
  /** A run failed, and the event will be run again. */
  readonly onRetry?: ((failure: InboxFailure) => unknown) | undefined;
  /** An event became a dead letter: its attempts are used up, its payload is invalid, or no worker has a handler for it. */
  readonly onDeadLetter?: ((failure: InboxFailure) => unknown) | undefined;
  /**
   * This worker has no handler for an event, and gives it back to the queue for others. Called each time. After
   * `unhandledTimeout`, the event is a dead letter, and `onDeadLetter` is called.
   */
  readonly onUnhandled?: ((unhandled: InboxUnhandled) => unknown) | undefined;
  /** A worker has died over an event, or lost its lock; the event goes back to the queue. Called in another worker. */
  readonly onStalled?: ((stalled: InboxStall) => unknown) | undefined;
  /**
   * A run has lost the lock of its event while its handlers ran (a blocked event loop, a cut connection). Their signal is
   * aborted, and the event may be run again. Called once for a run.
   */
  readonly onLockLost?: ((lost: InboxLockLoss) => unknown) | undefined;
  /** Redis or the connection to it failed. The error holds no command, no payload and no password. */
  readonly onRedisError?: ((error: Error) => unknown) | undefined;
}

export const INBOX_HOOKS: OptionNames<InboxHooks> = {
  onStored: true,
  onHandled: true,
  onRetry: true,
  onDeadLetter: true,
  onUnhandled: true,
  onStalled: true,
  onLockLost: true,
  onRedisError: true,
};

type FailureCounts = { -readonly [Name in keyof InboxFailures]: number };

/** The most types without a handler that leave a line; further ones leave none. */
const MAX_LOGGED_TYPES = 1_000;

/** Logs, counts and passes to the hooks what happens in the inbox. */
export class InboxReporter {
  readonly failures: FailureCounts = { retried: 0, deadLetters: 0, stalled: 0, lostLocks: 0, redisErrors: 0 };
  readonly #log: LeveledLogger;
  readonly #hooks: InboxHooks;
  readonly #passwords: readonly string[];
  readonly #unhandledTypes = new Set<string>();
  readonly #warnings = new Set<string>();
  /** Failures of Redis that were logged and are not over: by message, the step whose success ends them. */
  readonly #redisFailures = new Map<string, Success>();

  constructor(log: LeveledLogger, hooks: InboxHooks, passwords: readonly string[]) {
    this.#log = log;
    this.#hooks = hooks;
    this.#passwords = passwords;
  }

  stored(stored: InboxStored): void {
    this.redisWrites();
    this.#tell('onStored', stored);
  }

  handled(run: InboxRun): void {
    this.#redisBack('write', 'run');
    this.#log.log(
      'info',
      () => `inbox: ${describeRun(run)} was handled`,
      () => fieldsOf(run, 'handled'),
    );
    this.#tell('onHandled', run);
  }

  retrying(failure: InboxFailure): void {
    this.failures.retried += 1;
    this.#log.log(
      'warn',
      () => `inbox: ${describeRun(failure)} failed, and will be retried`,
      () => fieldsOf(failure, 'retried'),
    );
    this.#tell('onRetry', failure);
  }

  deadLetter(failure: InboxFailure): void {
    this.failures.deadLetters += 1;
    this.#log.log(
      'error',
      () => `inbox: ${describeRun(failure)} failed, and is a dead letter now`,
      () => fieldsOf(failure, 'dead_letter'),
    );
    this.#tell('onDeadLetter', failure);
  }

  /** One line for each type, not for each event. */
  unhandled(unhandled: InboxUnhandled): void {
    const { type, leftMs } = unhandled;
    const types = this.#unhandledTypes;
    if (!types.has(type) && types.size < MAX_LOGGED_TYPES) {
      types.add(type);
      const label = labelOf(type, undefined);
      this.#log.log(
        'warn',
        () =>
          `inbox: this worker has no handler for ${label}; its events go back to the queue for workers that have one, and become dead letters where none has within ${leftMs} ms (logged once)`,
        () => ({ type, outcome: 'unhandled' }),
      );
    }
    this.#tell('onUnhandled', unhandled);
  }

  stalled(key: string): void {
    this.failures.stalled += 1;
    this.#log.log(
      'warn',
      () =>
        `inbox: the lock of ${key} has expired: its worker has died, or its event loop was blocked; the event is run again`,
      () => ({ key, outcome: 'stalled' }),
    );
    this.#tell('onStalled', { key });
  }

  lockLost(key: string): void {
    this.failures.lostLocks += 1;
    this.#log.log(
      'warn',
      () => `inbox: the lock of ${key} was lost; it may be run again`,
      () => ({ key, outcome: 'lock_lost' }),
    );
    this.#tell('onLockLost', { key });
  }

  /**
   * BullMQ could not record the end of a run, because the lock of its event was gone. Its error names the event only in
   * the message, so this is logged and not passed to a hook: `onStalled` is called when the event is run again.
   */
  notRecorded(error: Error): void {
    this.#log.log('warn', () => `inbox: the end of a run was not recorded: ${onOneLine(error.message)}`);
  }

  /** Logs each kind of failure once, until it is over: while Redis is away, every attempt to connect fails alike. */
  redisFailed(error: unknown): void {
    const clean = cleanError(error, this.#passwords);
    this.failures.redisErrors += 1;
    if (!this.#redisFailures.has(clean.message)) {
      this.#redisFailures.set(clean.message, overAfter(clean));
      this.#log.log('error', () => `inbox: Redis failed: ${explained(clean)}`);
    }
    this.#tell('onRedisError', clean);
  }

  /** Notes a connection. A Redis that takes no writes accepts connections too: it is back only after a write. */
  redisReady(): void {
    this.#redisBack('connection');
  }

  /** A write has succeeded. */
  redisWrites(): void {
    this.#redisBack('write');
  }

  /** Logs what can lose or stop events, each once. */
  warn(warnings: readonly string[]): void {
    for (const warning of warnings) {
      if (this.#warnings.has(warning)) continue;
      this.#warnings.add(warning);
      this.#log.log('warn', () => `inbox: ${warning}`);
    }
  }

  #redisBack(...successes: readonly Success[]): void {
    if (this.#redisFailures.size === 0) return;
    for (const [message, success] of this.#redisFailures) {
      if (successes.includes(success)) this.#redisFailures.delete(message);
    }
    if (this.#redisFailures.size === 0) this.#log.log('warn', () => 'inbox: Redis is back');
  }

  #tell<Name extends keyof InboxHooks>(
    name: Name,
    about: Parameters<NonNullable<InboxHooks[Name]>>[0],
  ): void {
    // The signature above ties the argument to the hook.
    const hook = this.#hooks[name] as ((about: unknown) => unknown) | undefined;
    if (hook !== undefined) void this.#log.runQuietly(name, () => hook(about));
  }
}

/** The payload is not shown. `labelOf` makes the type, which a sender chose, safe to log. */
function describeRun({ key, type, workspace, attempt, waitedMs, durationMs }: InboxRun): string {
  return `${labelOf(type, workspace)} (${key}, attempt ${attempt}, waited ${waitedMs} ms, ran ${durationMs} ms)`;
}

function fieldsOf({ key, type, workspace, attempt, durationMs }: InboxRun, outcome: string): LogFields {
  return { key, type, workspace, attempt, durationMs, outcome };
}

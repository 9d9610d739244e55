import type { OptionNames } from '../validation/option-checks.js';

/** One event in the inbox, for metrics. Holds nothing of its payload. */
export interface InboxEvent {
  /** What makes two deliveries one event; the id of the job. */
  readonly key: string;
  /** The event type as received. */
  readonly type: string;
  /** Whose secret it was, where the secrets were named. */
  readonly workspace?: string | undefined;
}

/** An event that was stored, or was there already. */
export interface InboxStored extends InboxEvent {
  /** Milliseconds that storing took. */
  readonly durationMs: number;
}

/** One run of the handlers for one event. */
export interface InboxRun extends InboxEvent {
  /** 1 for the first run, 2 for the first retry, … Runs that a dying worker never ended are not counted. */
  readonly attempt: number;
  /** Milliseconds from the receipt of the event to the start of this run. */
  readonly waitedMs: number;
  /** Milliseconds that the run took. */
  readonly durationMs: number;
}

/** A run that failed. */
export interface InboxFailure extends InboxRun {
  /** What `receiver.process` rejected with; for an event that stalled too often, what BullMQ says. */
  readonly error: unknown;
}

/** A worker that has died over an event. */
export interface InboxStall {
  /** The key of the event. */
  readonly key: string;
}

/** A run that has lost its lock. */
export interface InboxLockLoss {
  /** The key of the event; undefined where BullMQ does not tell. */
  readonly key: string | undefined;
}

/** Counts of one process since it began. */
export interface InboxFailures {
  /** Runs that failed and were to be retried. */
  readonly retried: number;
  /** Runs that ended in a dead letter. */
  readonly deadLetters: number;
  /** Events that were taken over from a worker that had died. */
  readonly stalled: number;
  /** Runs that lost their lock. */
  readonly lostLocks: number;
  /** Errors of Redis and of the way to it, each attempt to connect counted. */
  readonly redisErrors: number;
}

/**
 * Callbacks that the inbox invokes, to feed metrics. They may be async, and are not awaited; one that throws is logged,
 * and changes nothing. Each is called in the process in which the thing happened.
 */
export interface InboxHooks {
  /** An event is durable: the delivery is answered 200. Called for a duplicate too. */
  readonly onStored?: ((stored: InboxStored) => unknown) | undefined;
  /** The handlers have handled an event. */
  readonly onHandled?: ((run: InboxRun) => unknown) | undefined;
  /** A run failed, and there will be another. */
  readonly onRetry?: ((failure: InboxFailure) => unknown) | undefined;
  /** An event became a dead letter: its attempts are used up, or it does not fit the document. */
  readonly onDeadLetter?: ((failure: InboxFailure) => unknown) | undefined;
  /** A worker has died over an event, which goes back to the front of the queue. Called in another worker. */
  readonly onStalled?: ((stalled: InboxStall) => unknown) | undefined;
  /** A run has lost its lock (a blocked event loop, a cut connection): the event may be run again. */
  readonly onLockLost?: ((lost: InboxLockLoss) => unknown) | undefined;
  /** Redis, or the way to it, failed. The error holds no command, no payload and no password. */
  readonly onRedisError?: ((error: Error) => unknown) | undefined;
}

export const INBOX_HOOKS: OptionNames<InboxHooks> = {
  onStored: true,
  onHandled: true,
  onRetry: true,
  onDeadLetter: true,
  onStalled: true,
  onLockLost: true,
  onRedisError: true,
};

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
  /** Milliseconds from the receipt of the event to the begin of this run. */
  readonly waitedMs: number;
  /** Milliseconds that the run took. */
  readonly durationMs: number;
}

/** A run that failed. */
export interface InboxFailure extends InboxRun {
  /** What `receiver.process` rejected with; for an event that stalled too often, what BullMQ says. */
  readonly error: unknown;
}

/**
 * Functions that the inbox calls, to feed metrics. They may be async, and are not awaited; one that throws is logged,
 * and changes nothing. Each is called in the process in which the thing happened.
 */
export interface InboxHooks {
  /** An event is durable: the delivery is answered 200. Called for a duplicate too. */
  readonly onStored?: ((stored: InboxStored) => unknown) | undefined;
  /** The handlers have handled an event. */
  readonly onHandled?: ((run: InboxRun) => unknown) | undefined;
  /** A run failed, and there will be another. */
  readonly onRetry?: ((failure: InboxFailure) => unknown) | undefined;
  /** An event has come to the dead letters: its attempts are used up, or it does not fit the document. */
  readonly onDeadLetter?: ((failure: InboxFailure) => unknown) | undefined;
  /** A worker has died over an event, which goes back to the front of the queue. Called in another worker. */
  readonly onStalled?: ((stalled: { readonly key: string }) => unknown) | undefined;
  /** A run has lost its lock (a blocked event loop, a cut connection): the event may be run again. */
  readonly onLockLost?: ((lost: { readonly key: string | undefined }) => unknown) | undefined;
  /** Redis, or the way to it, failed. The error holds no command, no payload and no password. */
  readonly onRedisError?: ((error: Error) => unknown) | undefined;
}

export const INBOX_HOOKS: readonly (keyof InboxHooks)[] = [
  'onStored',
  'onHandled',
  'onRetry',
  'onDeadLetter',
  'onStalled',
  'onLockLost',
  'onRedisError',
];

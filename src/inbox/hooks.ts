/** Describes one run of the handlers for one event, without its payload. */
export interface InboxRun {
  /** The key of the event, which all its deliveries share. */
  readonly key: string;
  /** The event type as received. */
  readonly type: string;
  /** The name of the workspace, if the secrets have names. */
  readonly workspace?: string | undefined;
  /**
   * The number of this run, starting at 1. A run that lost its worker or its lock counts too.
   */
  readonly attempt: number;
  /** Milliseconds from the receipt of the event to the start of this run. */
  readonly waitedMs: number;
  /** Milliseconds from the start of this run to its end. */
  readonly durationMs: number;
}

/** Describes a run that failed. */
export interface InboxFailure extends InboxRun {
  /**
   * The value that the handler threw; an `AggregateError` if several handlers threw.
   *
   * If no handler threw, it is a `WebhookError`: the event is invalid, the handlers exceeded
   * `handlerTimeout`, the event stalled too often, or no worker had a handler for its type.
   */
  readonly error: unknown;
}

/**
 * Callbacks for metrics and alerts, called in the process of the worker.
 *
 * They may be async, but nobody waits for them. If one throws, that is logged.
 */
export interface InboxHooks {
  /** Called when the handlers of an event have succeeded. */
  readonly onHandled?: ((run: InboxRun) => unknown) | undefined;
  /** Called when a run failed and the event will run again. */
  readonly onRetry?: ((failure: InboxFailure) => unknown) | undefined;
  /** Called when an event becomes a dead letter: out of attempts, or invalid. */
  readonly onDeadLetter?: ((failure: InboxFailure) => unknown) | undefined;
}

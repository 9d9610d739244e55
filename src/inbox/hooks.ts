/** One run of the handlers for one event. Contains nothing of its payload. */
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

/** A run that failed. */
export interface InboxFailure extends InboxRun {
  /**
   * What the handler threw, as thrown; an `AggregateError` if several handlers threw.
   *
   * A `WebhookError` if no handler threw: the event is invalid, the handlers exceeded `handlerTimeout`, the
   * event stalled too often, or no worker had a handler for its type.
   */
  readonly error: unknown;
}

/**
 * Callbacks for metrics and alerts. They may be async, and are not awaited. One that throws is logged.
 *
 * Each is called in the process of the worker.
 */
export interface InboxHooks {
  /** Called when the handlers of an event have succeeded. */
  readonly onHandled?: ((run: InboxRun) => unknown) | undefined;
  /** Called when a run failed and the event will run again. */
  readonly onRetry?: ((failure: InboxFailure) => unknown) | undefined;
  /** Called when an event becomes a dead letter: out of attempts, or invalid. */
  readonly onDeadLetter?: ((failure: InboxFailure) => unknown) | undefined;
}

import { WebhookError } from '../errors/index.js';
import { onOneLine } from '../utils/printable.js';

/**
 * The longest reason that is kept, in characters: a handler may put anything into the message of its error.
 */
const MAX_REASON_CHARS = 1_000;

/** Describes on one line why a run failed. */
export function reasonFor(error: unknown): string {
  const thrown = thrownBy(error);
  const errors: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown];
  const own = error instanceof WebhookError && thrown !== error ? `${error.message} ` : '';
  return onOneLine(`${own}${errors.map(describe).join(' ')}`).slice(0, MAX_REASON_CHARS);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return error instanceof WebhookError ? error.message : `${error.name}: ${error.message}`;
}

/** Returns what the handlers threw (several errors are one `AggregateError`), or else the error itself. */
export function thrownBy(error: unknown): unknown {
  return error instanceof WebhookError ? (error.cause ?? error) : error;
}

/** Whether no retry can help, because the event itself is invalid. */
export function isFinal(error: unknown): boolean {
  return error instanceof WebhookError && !error.retryable;
}

const UNHANDLED = 'No worker had a handler for its type within';

/** The failure of an event that no worker could handle. */
export function unhandledError(unhandledTimeout: number): WebhookError {
  return new WebhookError(`${UNHANDLED} ${unhandledTimeout} ms (unhandledTimeout)`);
}

/** Whether a reason is that of {@link unhandledError}. */
export function isUnhandled(reason: string): boolean {
  return reason.startsWith(UNHANDLED);
}

/** Why the signal of a run is aborted while its worker closes. */
export function workerClosedError(): WebhookError {
  return new WebhookError('The worker closed before the handlers had settled.');
}

/** Why the signal of a run is aborted that has lost its lock. */
export function lockLostError(): WebhookError {
  return new WebhookError('The lock of the event was lost: another worker runs it.');
}

/** The failure of an event whose runs never came to an end. */
export function stalledError(times: number): WebhookError {
  return new WebhookError(
    `Stalled ${times} times: the worker crashed, or its event loop was blocked for longer than lockDuration`,
  );
}

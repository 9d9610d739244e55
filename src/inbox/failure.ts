import { WebhookError } from '../errors/index.js';
import { onOneLine } from '../utils/printable.js';
import { describeBriefly } from '../utils/thrown.js';

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
  return error instanceof WebhookError ? error.message : describeBriefly(error);
}

/** Returns what the handlers threw (several errors are one `AggregateError`), or else the error itself. */
export function thrownBy(error: unknown): unknown {
  return error instanceof WebhookError ? (error.cause ?? error) : error;
}

/** Whether no retry can help, because the event itself is invalid. */
export function isFinal(error: unknown): boolean {
  return error instanceof WebhookError && !error.retryable;
}

/** A worker has no handler for an event. Another may have one, or the next release. */
export class NoHandlerError extends WebhookError {
  constructor() {
    super('The worker has no handler for its type.');
  }
}

/** The failure of an event whose runs never came to an end. */
export function stalledError(times: number): WebhookError {
  return new WebhookError(
    `Stalled ${times} times: the worker crashed, or its event loop was blocked for longer than lockDuration`,
  );
}

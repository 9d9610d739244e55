import { WebhookError } from '../errors/index.js';
import { printable } from '../utils/printable.js';
import { describeThrown, safely } from '../utils/thrown.js';

/** The longest reason that is kept, in characters. An error may have a message of any length. */
const MAX_REASON_CHARS = 1_000;

/** Returns the message of what a run threw, on one line. Never throws: a message may be anything. */
export function reasonFor(error: unknown): string {
  return safely(() => {
    const thrown = thrownBy(error);
    const isList = thrown instanceof AggregateError && thrown.errors.length > 0;
    const text = (isList ? thrown.errors : [thrown]).map(messageOf).join('; ').slice(0, MAX_REASON_CHARS);
    const lines = text.split('\n').map((line) => line.trim());
    return printable(lines.filter(Boolean).join(' ')).slice(0, MAX_REASON_CHARS);
  });
}

/** Cut at once: an error may quote whatever an end user has written. */
function messageOf(thrown: unknown): string {
  // A text, a number, `undefined`.
  if (Object(thrown) !== thrown) return String(thrown).slice(0, MAX_REASON_CHARS);
  const { message } = thrown as { readonly message?: unknown };
  return typeof message === 'string' && message !== ''
    ? message.slice(0, MAX_REASON_CHARS)
    : describeThrown(thrown);
}

/** Returns what the handlers threw (several errors are one `AggregateError`), or else the error itself. */
export function thrownBy(error: unknown): unknown {
  if (!(error instanceof WebhookError)) return error;
  const { cause = error, retryable, retryAfter } = error;
  // A function of your own in the place of `process` may say itself what becomes of the event.
  const isWish = !retryable || retryAfter !== undefined;
  return isWish && !(cause instanceof WebhookError || cause instanceof AggregateError) ? error : cause;
}

/** Whether no retry can help, because the event itself is invalid, or its handlers say so. */
export function isFinal(error: unknown): boolean {
  return error instanceof WebhookError && !error.retryable;
}

/** Returns the delay in ms that the handlers ask for. */
export function askedDelay(error: unknown): number | undefined {
  return error instanceof WebhookError ? error.retryAfter : undefined;
}

/** The failure of whatever is asked of an inbox after its `close`. */
export function closedError(): WebhookError {
  return new WebhookError('The inbox is closed.');
}

/** No worker had a handler for an event in time. */
export function unhandledError(): WebhookError {
  return new WebhookError('No worker had a handler for its type within deadLetterRetention.');
}

/** The failure of an event whose runs never came to an end. */
export function stalledError(times: number): WebhookError {
  return new WebhookError(
    `Stalled ${times} times: the worker crashed, or its event loop was blocked for longer than lockDuration`,
  );
}

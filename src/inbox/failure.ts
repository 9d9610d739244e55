import { WebhookError } from '../errors/index.js';
import { printable } from '../utils/printable.js';
import { describeBriefly } from '../utils/thrown.js';

/** The longest reason that is kept, in characters. An error may have a message of any length. */
const MAX_REASON_CHARS = 1_000;

/** Returns the message of what a run threw, on one line. Never throws. */
export function reasonFor(error: unknown): string {
  const thrown = thrownBy(error);
  const text = listOf(thrown).map(messageOf).join('; ');
  return printable(text.replace(/\s*\n\s*/g, ' ')).slice(0, MAX_REASON_CHARS);
}

/** The errors of an `AggregateError` that has some; anything else alone. */
function listOf(thrown: unknown): readonly unknown[] {
  try {
    const errors: unknown = isA(AggregateError, thrown) ? thrown.errors : undefined;
    return Array.isArray(errors) && errors.length > 0 ? errors : [thrown];
  } catch {
    return [thrown];
  }
}

/** A message may be anything, such as an object that cannot become a text. */
function messageOf(thrown: unknown): string {
  try {
    // A text, a number, `undefined`.
    if (Object(thrown) !== thrown) return String(thrown);
    const { message } = thrown as { readonly message?: unknown };
    return typeof message === 'string' && message !== '' ? message : describeBriefly(thrown);
  } catch {
    return describeBriefly(thrown);
  }
}

/** Returns what the handlers threw (several errors are one `AggregateError`), or else the error itself. */
export function thrownBy(error: unknown): unknown {
  return isA(WebhookError, error) ? (error.cause ?? error) : error;
}

/** Whether no retry can help, because the event itself is invalid. */
export function isFinal(error: unknown): boolean {
  return isA(WebhookError, error) && !error.retryable;
}

/** `instanceof` for whatever a handler throws: for a proxy, it may throw itself. */
function isA<Kind>(kind: new (...args: never[]) => Kind, thrown: unknown): thrown is Kind {
  try {
    return thrown instanceof kind;
  } catch {
    return false;
  }
}

/** The failure of whatever is asked of an inbox after its `close`. */
export function closedError(): WebhookError {
  return new WebhookError('The inbox is closed.');
}

/** No worker had a handler for an event in time. */
export class NoHandlerError extends WebhookError {
  constructor() {
    super('No worker had a handler for its type within deadLetterRetention.');
  }
}

/** The failure of an event whose runs never came to an end. */
export function stalledError(times: number): WebhookError {
  return new WebhookError(
    `Stalled ${times} times: the worker crashed, or its event loop was blocked for longer than lockDuration`,
  );
}

import { WebhookError } from '../errors/index.js';
import { unlessAborted } from '../utils/waiting.js';
import { checkStored } from '../webhooks/inbox.js';
import type { EventHandlers } from './handlers.js';

/** The end of an event that needs no further run: `ignored` is a test event without a handler. */
export type Done = 'handled' | 'ignored';

/** The end of a run that did not fail: `unhandled` is an event for a worker that has a handler. */
export type RunOutcome = Done | 'unhandled';

/** The limits of a run. */
export interface RunLimits {
  /** Aborted if the run must end. The run does not wait for handlers that go on. */
  readonly signal: AbortSignal;
  /** Time limit for the handlers, in ms. */
  readonly handlerTimeout: number;
  /** Aborts the signal. */
  readonly abort: (reason: WebhookError) => void;
}

/**
 * Runs the handlers for one stored event, within its limits.
 *
 * Rejects with what `process` threw, or with the reason of the signal as soon as that is aborted.
 */
export async function runStored(
  data: unknown,
  handlers: EventHandlers,
  { signal, handlerTimeout, abort }: RunLimits,
): Promise<RunOutcome> {
  const stored = checkStored(data);
  if (!handlers.handles(stored.type)) return stored.type === 'webhook_test' ? 'ignored' : 'unhandled';
  const timer = setTimeout(
    () =>
      abort(new WebhookError(`The handlers had not settled within ${handlerTimeout} ms (handlerTimeout).`)),
    handlerTimeout,
  );
  try {
    await unlessAborted(handlers.process(stored, { signal }), signal);
    return 'handled';
  } finally {
    clearTimeout(timer);
  }
}

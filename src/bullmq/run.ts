import { UnrecoverableError } from 'bullmq';
import { WebhookError, WebhookPayloadError } from '../errors.js';
import { redactText } from '../redact.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { WebhookProcessor } from './webhook-handlers.js';

/** Why a run's signal was aborted. */
export class RunAborted extends WebhookError {
  /** Whether the event is to go back to the queue at once, because the worker closes. */
  readonly isReturned: boolean;

  constructor(message: string, isReturned: boolean) {
    super(message);
    this.isReturned = isReturned;
  }
}

/** How a run ended that did not fail. */
export type RunOutcome = 'handled' | 'returned';

/**
 * Runs the handlers for one job. Rejects as BullMQ is to see it: with an `UnrecoverableError` where no retry can help, and
 * with the reason as it may be stored; `cause` is what was thrown.
 */
export async function runJob(
  processor: WebhookProcessor,
  data: unknown,
  signal: AbortSignal,
): Promise<RunOutcome> {
  try {
    const handled = processor.process(storedWebhook(data), { signal }).then(() => 'handled' as const);
    return await Promise.race([handled, returned(signal)]);
  } catch (error) {
    const reason = reasonOf(error);
    if (!(error instanceof WebhookPayloadError)) throw new Error(reason, { cause: error });
    throw Object.assign(new UnrecoverableError(reason), { cause: error });
  }
}

/** Someone else's job in this queue would fail in a way that tells nothing. */
function storedWebhook(data: unknown): StoredWebhook {
  const { type, payload } = (data ?? {}) as Partial<StoredWebhook>;
  if (typeof type === 'string' && typeof payload === 'object' && payload !== null)
    return data as StoredWebhook;
  throw new WebhookPayloadError('The job holds no stored webhook', { issues: [] });
}

/** Resolves when the event is to go back to the queue; never, when it is not. */
function returned(signal: AbortSignal): Promise<'returned'> {
  return new Promise((resolve) => {
    const check = () => {
      if (signal.reason instanceof RunAborted && signal.reason.isReturned) resolve('returned');
    };
    // The signal is the run's own, and goes with it.
    signal.addEventListener('abort', check, { once: true });
  });
}

/** A reason is to be read, not to keep whatever a handler puts into its errors. */
const MAX_REASON = 1_000;

/** What is kept with a dead letter: our message, and class and message of what the handlers threw, marked fields masked. */
function reasonOf(error: unknown): string {
  const cause = error instanceof WebhookError ? error.cause : undefined;
  const thrown: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [cause ?? []].flat();
  const shown = [error, ...thrown].map((one) => (one instanceof Error ? describe(one) : typeof one));
  return shown.join(' ').slice(0, MAX_REASON);
}

function describe(error: Error): string {
  const text = redactText(error.message);
  return error instanceof WebhookError ? text : `${error.name}: ${text}`;
}

import type { Later } from '../ground/later.js';
import type { LeveledLogger } from '../ground/logger.js';
import { TRACING_CHANNELS, traced } from '../ground/tracing.js';
import { type DeliveryOutcome, statusOf, type WebhookResponse } from './answers.js';
import type { ReceivedWebhook } from './delivery.js';
import type { WebhookContext } from './handlers.js';
import type { StoredWebhook } from './inbox.js';

/** A delivery that was answered. Holds nothing of its payload. */
export interface DeliveryHookContext {
  /** Id of the delivery, as in the logs. */
  readonly deliveryId: string;
  /** The event type; undefined where the delivery was not verified. */
  readonly type: string | undefined;
  /** The name of the workspace whose secret it was, where the secrets were named. */
  readonly workspace: string | undefined;
  /** The end of the delivery in one word: `handled`, `stored`, `duplicate`, `verification_failed`, `handler_failed`, … */
  readonly outcome: DeliveryOutcome;
  /** The HTTP status it was answered with. */
  readonly status: number;
  /** True for a copy of an event that is handled, or that the inbox had already: the outcome is `stored` then too. */
  readonly duplicate: boolean;
  /** Bytes of the body; undefined where a body parser was in front, or the body was not read. */
  readonly size: number | undefined;
  /** Milliseconds from the arrival of the delivery to its answer. */
  readonly durationMs: number;
}

/** Callbacks to feed metrics. */
export interface WebhookReceiverHooks {
  /**
   * Once for each delivery, as it is answered, whichever way: for counters and durations. Not awaited; what it throws is logged and
   * ignored.
   */
  readonly onDelivery?: ((delivery: DeliveryHookContext) => unknown) | undefined;
}

/**
 * The message of the tracing channel {@link TRACING_CHANNELS | delivery}. All but `traceContext` is there when the delivery was
 * answered.
 */
export interface DeliveryTrace extends Partial<DeliveryHookContext> {}

/** The message of the tracing channel {@link TRACING_CHANNELS | job}: one run of the handlers for a stored event. */
export interface JobTrace extends Pick<StoredWebhook, 'type' | 'workspace' | 'key' | 'deliveryId'> {
  /** Milliseconds from the receipt of the event to the start of this run. */
  readonly waitedMs: number;
  /** The end of the run; there when it has ended. `error` has the error of a failed one. */
  outcome?: 'handled' | 'failed';
  /** Milliseconds from its start to its end. */
  durationMs?: number;
}

/** A delivery, as far as it is observed. */
interface ObservedDelivery {
  readonly context: WebhookContext;
  readonly event: ReceivedWebhook | undefined;
  readonly age: number;
  readonly outcome: DeliveryOutcome | undefined;
  readonly size: number | undefined;
  readonly isStoredAgain: boolean;
  isObserved: boolean;
}

interface Observers {
  readonly hooks: WebhookReceiverHooks;
  readonly log: LeveledLogger;
}

/** Answers a delivery, and tells the hook and the tracing channel of its end. */
export function observeDelivery(
  { hooks, log }: Observers,
  delivery: ObservedDelivery,
  answer: () => Later<WebhookResponse>,
): Later<WebhookResponse> {
  const answerTold = async (trace: DeliveryTrace | undefined): Promise<WebhookResponse> => {
    delivery.isObserved = true;
    const response = await answer();
    const told = endOf(delivery);
    if (trace !== undefined) Object.assign(trace, told);
    void log.runQuietly('onDelivery', () => hooks.onDelivery?.(told));
    return response;
  };
  return traced(
    TRACING_CHANNELS.delivery,
    (): DeliveryTrace => ({}),
    // Those who have not asked pay for nothing.
    (trace) => (hooks.onDelivery === undefined && trace === undefined ? answer() : answerTold(trace)),
  );
}

function endOf({
  context,
  event,
  age,
  outcome = 'internal_error',
  size,
  isStoredAgain,
}: ObservedDelivery): DeliveryHookContext {
  return {
    deliveryId: context.deliveryId,
    type: event?.type,
    workspace: event?.workspace,
    outcome,
    status: statusOf(outcome),
    duplicate: outcome === 'duplicate' || isStoredAgain,
    size,
    durationMs: age,
  };
}

/** Runs the handlers of a stored event, traced as a job. What is stored is not checked yet. */
export function observeJob(
  stored: StoredWebhook,
  now: () => number,
  run: () => Promise<void>,
): Promise<void> {
  const start = now();
  return traced(
    TRACING_CHANNELS.job,
    (): JobTrace => {
      const held: Partial<StoredWebhook> = stored ?? {};
      const { type = '', workspace, key = '', deliveryId = '', receivedAt = start } = held;
      return { type, workspace, key, deliveryId, waitedMs: start - receivedAt };
    },
    async (trace) => {
      if (trace === undefined) return run();
      trace.outcome = 'failed';
      try {
        await run();
        trace.outcome = 'handled';
      } finally {
        trace.durationMs = now() - start;
      }
    },
  );
}

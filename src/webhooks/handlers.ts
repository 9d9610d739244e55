import type { RejectionReason } from './answers.js';
import {
  type InvalidWebhookEvent,
  isInvalidEvent,
  type ReceivedWebhook,
  type UnknownWebhookEvent,
} from './delivery.js';
import {
  isWebhookEventType,
  type WebhookEvent,
  type WebhookEventOf,
  type WebhookEventType,
} from './events.js';

/** The delivery that an event came with, for handlers. */
export interface WebhookContext {
  /** Aborted when the deadline passes: the service no longer waits, and has been answered 500. */
  readonly signal: AbortSignal;
  /** Id of this delivery, as in the logs. Two copies of an event are two deliveries. */
  readonly deliveryId: string;
  /** The time at which the delivery arrived, in milliseconds since the Unix epoch. */
  readonly receivedAt: number;
}

/**
 * Handles an event. The delivery is answered 200 after every handler has returned or its promise was fulfilled, and
 * 500 when one throws or rejects.
 */
export type WebhookHandler<Event = WebhookEvent> = (event: Event, context: WebhookContext) => unknown;

/** A failure, for `onError`. */
export interface WebhookFailure {
  /**
   * The place: a `handler` threw; a handler had not settled at the `deadline`; the store of `dedupe` failed, or no key
   * could be made of the event, by `newestOnly` neither; the `inbox` did not store the event; the `secret` could not be loaded or looked up; at
   * the `validation` the event did not fit the specification, and no `onInvalid` is registered.
   */
  readonly stage: 'handler' | 'deadline' | 'dedupe' | 'inbox' | 'secret' | 'validation';
  /** The event that was being handled. Undefined at the stage `secret`: nothing was verified. */
  readonly event: ReceivedWebhook | undefined;
  /** The function that was passed to `on`, `onAny`, `onUnhandled`, `onUnknown` or `onInvalid`. */
  readonly handler: WebhookHandler<never> | undefined;
  /** The delivery it came with. */
  readonly context: WebhookContext;
}

/** A delivery that was refused before any handler could see it. Holds nothing of its body. */
export interface WebhookRejection {
  /** The reason for which the delivery was refused. */
  readonly reason: RejectionReason;
  /** The HTTP status it was answered with. */
  readonly status: number;
  /** Bytes received or announced; undefined where a body parser was in front. */
  readonly size: number | undefined;
  /** Id of the delivery, as in the logs. */
  readonly deliveryId: string;
  /** The error of the function `secret` or `verifySecret`, or one that tells that it, or the body, did not come before the deadline. */
  readonly error?: unknown;
}

/** The functions that are registered at a receiver. */
export class Handlers {
  readonly error: ((error: unknown, failure: WebhookFailure) => unknown)[] = [];
  readonly rejected: ((rejection: WebhookRejection) => unknown)[] = [];
  readonly unknown: WebhookHandler<UnknownWebhookEvent>[] = [];
  readonly invalid: WebhookHandler<InvalidWebhookEvent>[] = [];
  readonly any: WebhookHandler[] = [];
  readonly unhandled: WebhookHandler[] = [];
  readonly skipped: WebhookHandler[] = [];
  readonly #byType = new Map<WebhookEventType, WebhookHandler<never>[]>();

  add<Type extends WebhookEventType>(type: Type, handler: WebhookHandler<WebhookEventOf<Type>>): void {
    this.#byType.set(type, [...(this.#byType.get(type) ?? []), handler]);
  }

  /** The handlers that are to see an event, in the order of their registration. */
  for(event: ReceivedWebhook): readonly WebhookHandler<never>[] {
    if (isInvalidEvent(event)) return this.invalid;
    if (!isWebhookEventType(event.type)) return this.unknown;
    return this.handles(event.type) ? [...(this.#byType.get(event.type) ?? []), ...this.any] : this.unhandled;
  }

  /** Tells whether valid events of a type, which may be an unknown one, reach any handler. */
  takes(type: string): boolean {
    if (!isWebhookEventType(type)) return this.unknown.length > 0;
    return this.handles(type) || this.unhandled.length > 0;
  }

  /** Tells whether a handler is registered for events of a type, or of any type. */
  handles(type: WebhookEventType): boolean {
    return this.any.length > 0 || this.#byType.has(type);
  }
}

/** A handler that was started. The same function may be started twice for one event. */
export interface StartedHandler {
  readonly handler: WebhookHandler<never>;
}

/**
 * Runs handlers side by side, so that one's failure keeps none from running. Resolves with what they threw.
 *
 * @param unsettled - Holds each handler from its start until it settles.
 * @param onFailure - Told of each handler that fails, at once. Never rejects.
 */
export async function runHandlers(
  handlers: readonly WebhookHandler<never>[],
  event: ReceivedWebhook,
  context: WebhookContext,
  unsettled: Set<StartedHandler>,
  onFailure: (error: unknown, handler: WebhookHandler<never>) => Promise<void>,
): Promise<readonly unknown[]> {
  const thrown: unknown[] = [];
  const run = async (handler: WebhookHandler<never>): Promise<void> => {
    const started: StartedHandler = { handler };
    unsettled.add(started);
    try {
      // `Handlers.for` has chosen these handlers by the kind and type of this very event.
      await handler(event as never, context);
      unsettled.delete(started);
    } catch (error) {
      unsettled.delete(started);
      thrown.push(error);
      await onFailure(error, handler);
    }
  };
  // All are started before the first is waited for, and none rejects.
  for (const running of handlers.map(run)) await running;
  return thrown;
}

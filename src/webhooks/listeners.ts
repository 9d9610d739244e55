import type { WebhookEvent, WebhookEventOf, WebhookEventType } from './events.js';
import type { InvalidWebhookEvent, Reading, UnknownWebhookEvent } from './reading.js';
import type { RejectionReason } from './refusal.js';

/** What a handler is told about the delivery, beside the event. */
export interface WebhookContext {
  /** Aborted when the deadline passes: the service no longer waits, and has been answered 500. */
  readonly signal: AbortSignal;
  /** Id of this delivery, as in the logs. Two copies of an event are two deliveries. */
  readonly deliveryId: string;
  /** When the delivery arrived, in milliseconds since the Unix epoch. */
  readonly receivedAt: number;
}

/**
 * Handles an event. The delivery is answered 200 after every handler has returned or its promise was fulfilled, and
 * 500 when one throws or rejects.
 */
export type WebhookHandler<Event = WebhookEvent> = (event: Event, context: WebhookContext) => unknown;

/** Any verified delivery: an event, one of an unknown type, or one that does not fit the document. */
export type ReceivedWebhook = WebhookEvent | UnknownWebhookEvent | InvalidWebhookEvent;

/** What failed, for `onError`. */
export interface WebhookFailure {
  /**
   * Where: a `handler` threw; a handler had not settled at the `deadline`; the store of `dedupe` failed, or no key
   * could be made of the event; the `inbox` did not store the event.
   */
  readonly stage: 'handler' | 'deadline' | 'dedupe' | 'inbox';
  /** The event that was being handled. */
  readonly event: ReceivedWebhook;
  /** The function that was passed to `on`, `onAny`, `onUnknown` or `onInvalid`. */
  readonly handler: WebhookHandler<never> | undefined;
  /** The delivery it came with. */
  readonly context: WebhookContext;
}

/** A delivery that was refused before any handler could see it. Holds nothing of its body. */
export interface WebhookRejection {
  /** Why the delivery was refused. */
  readonly reason: RejectionReason;
  /** The HTTP status it was answered with. */
  readonly status: number;
  /** Bytes received or announced; undefined where a body parser was in front. */
  readonly size: number | undefined;
  /** Id of the delivery, as in the logs. */
  readonly deliveryId: string;
  /** What the function `secret` threw, or that it, or the body, did not come before the deadline. */
  readonly error?: unknown;
}

/** The functions a receiver calls. */
export class Listeners {
  readonly error: ((error: unknown, failure: WebhookFailure) => unknown)[] = [];
  readonly rejected: ((rejection: WebhookRejection) => unknown)[] = [];
  readonly unknown: WebhookHandler<UnknownWebhookEvent>[] = [];
  readonly invalid: WebhookHandler<InvalidWebhookEvent>[] = [];
  readonly any: WebhookHandler[] = [];
  readonly #byType = new Map<WebhookEventType, WebhookHandler<never>[]>();

  add<Type extends WebhookEventType>(type: Type, handler: WebhookHandler<WebhookEventOf<Type>>): void {
    this.#byType.set(type, [...(this.#byType.get(type) ?? []), handler]);
  }

  /** The handlers that are to see what was read, in the order of their registration. */
  for(reading: Reading): readonly WebhookHandler<never>[] {
    if (reading.kind === 'unknown') return this.unknown;
    if (reading.kind === 'invalid') return this.invalid;
    return [...(this.#byType.get(reading.event.type) ?? []), ...this.any];
  }
}

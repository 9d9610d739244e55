import type { Issue } from '../utils/issues.js';
import type { WebhookEvent, WebhookEventOf, WebhookEventType } from './events/table.js';
import type { DeliveryOutcome, RejectionReason } from './outcomes.js';
import type { ReceivedWebhook } from './payload.js';

// What handlers and listeners are called with.

/** Describes the delivery that brought an event. `{ ...context }` copies all of it. */
export interface WebhookContext {
  /** Identifies this delivery, as in the logs. Two duplicates of an event are two deliveries. */
  readonly deliveryId: string;
  /**
   * Identifies the event: all its duplicates and retries share this key of 64 hexadecimal digits.
   *
   * Use it for rows and idempotency keys. Empty in `onError` if the delivery was not verified.
   */
  readonly eventKey: string;
  /** The time at which the delivery arrived, in milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  /**
   * Is aborted at the deadline, when the delivery gets a 500.
   *
   * For a stored event, it is the signal that was passed to `process`: the worker of an inbox aborts it after
   * `handlerTimeout`, when it has lost the lock, and when it closes.
   */
  readonly signal: AbortSignal;
  /**
   * Lists the places where the event does not match its type: `['payload', 'channel']`.
   *
   * Look here before you use a field that decides something. Empty if the event fits, and in
   * `validation: 'off'`.
   */
  readonly drift: readonly Issue[];
}

/**
 * Handles an event. The delivery gets a 200 once every handler has succeeded, and a 500 if one fails.
 *
 * @typeParam Event - The event, or the name of its type: `WebhookHandler<'lead_captured'>`.
 *
 * @example
 * ```ts
 * import type { WebhookHandler } from 'agent-platform-sdk';
 *
 * export const onLead: WebhookHandler<'lead_captured'> = ({ payload }) => console.log(payload.leadEmail);
 * ```
 */
// `[Event]`, because a bare type parameter distributes over a union since TypeScript 2.8 (its release notes,
// "Distributive conditional types"), which would make a union of handlers.
export type WebhookHandler<Event = WebhookEvent> = [Event] extends [WebhookEventType]
  ? (event: WebhookEventOf<Event>, context: WebhookContext) => unknown
  : (event: Event, context: WebhookContext) => unknown;

/** A failure, for `onError`. */
export interface WebhookFailure {
  /**
   * Says where it failed:
   *
   * - `'handler'`: a handler threw.
   * - `'deadline'`: the handlers had not ended at the deadline.
   * - `'dedupe'`: the key of the event could not be made, or the store failed. If the store failed, the event
   *   is handled anyway.
   * - `'inbox'`: the inbox did not store the event.
   * - `'secret'`: the secrets could not be loaded, or `verifySecret` failed.
   * - `'validation'`: the event is invalid ({@link InvalidWebhookEvent}), and no `onInvalid` is registered.
   */
  readonly stage: 'handler' | 'deadline' | 'dedupe' | 'inbox' | 'secret' | 'validation';
  /** The event; undefined if the failure came before there was one. */
  readonly event: ReceivedWebhook | undefined;
  /** The delivery it came with. */
  readonly context: WebhookContext;
}

/** A delivery that was refused before it was verified. Contains nothing of its body. */
export interface WebhookRejection {
  /** The reason for which the delivery was refused. */
  readonly reason: RejectionReason;
  /** The HTTP status of the response. */
  readonly status: number;
  /** Bytes received or announced; undefined if a parser read the body. */
  readonly size: number | undefined;
  /** Id of the delivery, as in the logs. */
  readonly deliveryId: string;
  /**
   * Says what happened and what to do, if known.
   *
   * For example: the secret is wrong, the receiver is not mounted right, the body could not be read.
   */
  readonly hint?: string | undefined;
}

/** A delivery that has its response. Contains nothing of its payload. */
export interface DeliveryHookContext {
  /** Id of the delivery, as in the logs. */
  readonly deliveryId: string;
  /** The event type; undefined if the delivery was not verified. */
  readonly type: string | undefined;
  /** The name of the workspace that sent it, if the secrets are named. */
  readonly workspace: string | undefined;
  /**
   * Says in one word how the delivery ended: `handled`, `stored`, `duplicate`, `verification_failed`,
   * `handler_failed`, …
   */
  readonly outcome: DeliveryOutcome;
  /** The HTTP status of the response. */
  readonly status: number;
  /** Bytes of the body; undefined if a parser read it, or nobody did. */
  readonly size: number | undefined;
  /** Milliseconds from the arrival of the delivery to the response. */
  readonly durationMs: number;
}

/** Callbacks for metrics. */
export interface WebhookReceiverHooks {
  /** Called once for each delivery, with its response. Not awaited; what it throws is logged and ignored. */
  readonly onDelivery?: ((delivery: DeliveryHookContext) => unknown) | undefined;
}

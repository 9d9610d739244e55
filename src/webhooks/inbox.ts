import { WebhookError, WebhookPayloadError } from '../errors/index.js';
import { isObject } from '../utils/json.js';

/** A verified webhook as an inbox stores it: plain JSON without the secret, not validated yet. */
export interface StoredWebhook {
  /** The version of this format, now 1. A worker refuses a newer one: keep the event until you update it. */
  readonly version: number;
  /** The key that all duplicates of the event share: 64 hexadecimal digits. Use it as the id in your queue. */
  readonly key: string;
  /** The event type. It may be one that this version does not know. */
  readonly type: string;
  /** The payload as sent, without `workspaceSecret`. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The name of the workspace that sent it, if the secrets are named. */
  readonly workspace?: string | undefined;
  /** Id of the delivery that was stored. */
  readonly deliveryId: string;
  /** The time at which it was received, in milliseconds since the Unix epoch. */
  readonly receivedAt: number;
}

/** The version of the format that this package stores. */
export const STORED_VERSION = 1;

/**
 * Stores events durably, in front of the handlers.
 *
 * With an inbox, the receiver responds with 200 as soon as the event is stored, and with 500 if that fails.
 * Workers take the events out and pass each to `process` of {@link createWebhookHandlers}, which rejects if a
 * handler failed, so that the queue can retry. Handlers must be idempotent.
 *
 * The receiver makes no claim: `store` must keep one event per `key`, for as long as duplicates are to be
 * recognised. `inboxConformance` of `agent-platform-sdk/testing` has these rules as tests.
 *
 * @example
 * ```ts
 * import {
 *   createWebhookHandlers,
 *   createWebhookReceiver,
 *   WebhookError,
 *   type StoredWebhook,
 *   type WebhookInbox,
 * } from 'agent-platform-sdk';
 *
 * interface Queue {
 *   send(message: { body: string; groupId: string; deduplicationId: string }): Promise<void>;
 *   sendToDeadLetters(body: string): Promise<void>;
 * }
 *
 * // A FIFO queue such as SQS. Each event is a group of its own: an event that fails delays its whole group.
 * const queueInbox = (queue: Queue): WebhookInbox => ({
 *   store: (webhook) =>
 *     queue.send({ body: JSON.stringify(webhook), groupId: webhook.key, deduplicationId: webhook.key }),
 * });
 *
 * declare const queue: Queue;
 * const secret = process.env.AGENT_PLATFORM_WEBHOOK_SECRET;
 * export const receiver = createWebhookReceiver({ secret, inbox: queueInbox(queue) });
 *
 * // The worker, for each message: it is deleted when this resolves, and delivered again when this rejects.
 * const handlers = createWebhookHandlers().on('lead_captured', (event) => console.log(event.payload));
 * export async function work(body: string): Promise<void> {
 *   try {
 *     await handlers.process(JSON.parse(body) as StoredWebhook);
 *   } catch (error) {
 *     if (!(error instanceof WebhookError) || error.retryable) throw error;
 *     await queue.sendToDeadLetters(body);
 *   }
 * }
 * ```
 */
export interface WebhookInbox {
  /** Resolves once the webhook is stored durably, or was stored before. Rejects if it could not be stored. */
  store(webhook: StoredWebhook): Promise<unknown>;
  /** Limits the time of `store`, in ms. It must be below the receiver's `deadline`. */
  readonly storeTimeout?: number | undefined;
}

/** Returns a stored webhook. Throws if the data is something else, such as a message of another application. */
export function checkStored(data: unknown): StoredWebhook {
  const { version, type, payload } = isObject(data) ? data : {};
  if (typeof version !== 'number' || typeof type !== 'string' || !isObject(payload)) {
    const message = 'This is not a stored webhook. Pass a raw body to a receiver or to parseWebhook';
    throw new WebhookPayloadError(message, { issues: [] });
  }
  if (version > STORED_VERSION) {
    throw new WebhookError(
      `The stored webhook has version ${version}: update agent-platform-sdk in the worker.`,
    );
  }
  // The fields that handlers and log lines depend on are checked above.
  return data as unknown as StoredWebhook;
}
